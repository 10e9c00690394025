//! Applies a change to a document as MongoDB holds it: unchanged fields keep their type and position,
//! changed fields take the form that the document already uses.

use mongodb::bson::raw::{CStr, RawBson, RawBsonRef, RawDocument, RawDocumentBuf};
use mongodb::bson::{DateTime, RawArrayBuf};
use serde_json::{Map, Value};

use super::bson::{self, Place, id, view};
use crate::model::Entity;
use crate::store::error::{Result, StoreError};
use crate::store::search_terms::Terms;
use crate::store::served::{self, Extent, member, pairs, same};
use crate::store::shape::{Field, Kind, find};

/// `stored` with the difference between `before` and `after`.
pub(super) fn merged(
    stored: &RawDocument,
    before: &Value,
    after: &Value,
    fields: &'static [Field],
) -> Result<RawDocumentBuf> {
    let none = Map::new();
    let maps = (before.as_object().unwrap_or(&none), after.as_object().unwrap_or(&none));
    let kind_of = |name: &str| find(fields, name).map_or(&served::ANY, |field| &field.kind);
    object(stored, maps, Place::Top, &kind_of)
        .map_err(|error| StoreError::unreadable("document", error))
}

/// The document with the words that its entity is found by.
pub(super) fn with_words(document: &RawDocument, entity: &Entity) -> Result<RawDocumentBuf> {
    let terms = Terms::of(entity);
    let words: RawArrayBuf = terms.all.iter().map(String::as_str).collect();
    let mut own = vec![("_name", RawBson::from(terms.name)), ("_words", RawBson::from(words))];
    let mut new = RawDocumentBuf::new();
    let mut fill = || -> mongodb::bson::error::Result<()> {
        for element in document.iter_elements() {
            let element = element?;
            let name = element.key();
            match own.iter().position(|(known, _)| *known == name.as_str()) {
                Some(index) => new.append(name, own.remove(index).1),
                None => new.append(name, element.value()?),
            }
        }
        for (name, value) in own.drain(..) {
            new.append(<&CStr>::try_from(name)?, value);
        }
        Ok(())
    };
    fill().map_err(|error| StoreError::unreadable("document", error))?;
    Ok(new)
}

type Done<T> = mongodb::bson::error::Result<T>;

fn object(
    stored: &RawDocument,
    (before, after): (&Map<String, Value>, &Map<String, Value>),
    place: Place,
    kind_of: &dyn Fn(&str) -> &'static Kind,
) -> Done<RawDocumentBuf> {
    let changed = |name: &str| match (before.get(name), after.get(name)) {
        (Some(before), Some(after)) => !same(before, after),
        (None, None) => false,
        _ => true,
    };
    let mut new = RawDocumentBuf::new();
    let mut seen = Vec::new();
    for element in stored.iter_elements() {
        let element = element?;
        let (key, name) = (element.key(), element.key().as_str());
        let value = element.value()?;
        if !changed(name) {
            new.append(key, value);
            continue;
        }
        seen.push(name);
        if let Some(after) = after.get(name) {
            let at = place.within(name);
            new.append(key, self::value(value, before.get(name), after, kind_of(name), at)?);
        }
    }
    for (name, value) in after.iter() {
        if changed(name) && !seen.contains(&name.as_str()) {
            let fresh = fresh(value, None, place.within(name));
            new.append(<&CStr>::try_from(name.as_str())?, fresh);
        }
    }
    Ok(new)
}

/// A value that is to be `after`.
fn value(
    stored: RawBsonRef<'_>,
    before: Option<&Value>,
    after: &Value,
    kind: &'static Kind,
    place: Place,
) -> Done<RawBson> {
    if before.is_some_and(|before| same(before, after)) {
        return Ok(stored.into());
    }
    match (stored, after) {
        (RawBsonRef::Document(document), Value::Object(after)) => {
            let none = Map::new();
            let before = before.and_then(Value::as_object).unwrap_or(&none);
            let new = object(document, (before, after), place, &|name| member(kind, name))?;
            Ok(new.into())
        }
        (RawBsonRef::Array(array), Value::Array(after)) => {
            let items = array.into_iter().collect::<Done<Vec<RawBsonRef<'_>>>>()?;
            list(&items, after, kind, place)
        }
        _ => Ok(fresh(after, Some(stored), place)),
    }
}

fn list(
    stored: &[RawBsonRef<'_>],
    after: &[Value],
    kind: &'static Kind,
    place: Place,
) -> Done<RawBson> {
    let see = |item: &RawBsonRef<'_>| served::element(view(*item, place), kind, Extent::Contract);
    let views: Vec<Option<Value>> = stored.iter().map(see).collect();
    let inner = served::items_of(kind);
    let mut new = Vec::new();
    for (after, pair) in after.iter().zip(pairs(&views, after, kind)) {
        new.push(match pair {
            Some(index) => value(stored[index], views[index].as_ref(), after, inner, place)?,
            None => fresh(after, stored.first().copied(), place),
        });
    }
    // What cannot be read is not the caller's to remove.
    for (index, item) in stored.iter().enumerate().filter(|(index, _)| views[*index].is_none()) {
        new.insert(index.min(new.len()), (*item).into());
    }
    Ok(new.into_iter().collect::<RawArrayBuf>().into())
}

/// A new value, in the form of `model`, its old value or a neighbour.
fn fresh(value: &Value, model: Option<RawBsonRef<'_>>, place: Place) -> RawBson {
    match (value, model) {
        (Value::String(text), Some(RawBsonRef::ObjectId(_))) => match id(text) {
            Some(id) => id.into(),
            None => text.as_str().into(),
        },
        (Value::String(text), Some(RawBsonRef::String(_))) => text.as_str().into(),
        (Value::String(text), Some(RawBsonRef::DateTime(_))) => {
            let date = DateTime::parse_rfc3339_str(text).ok();
            let reads_back =
                |date: &DateTime| date.try_to_rfc3339_string().ok().as_ref() == Some(text);
            date.filter(reads_back).map_or_else(|| text.as_str().into(), RawBson::from)
        }
        (Value::Number(number), Some(model)) => match (model, number.as_i64()) {
            (RawBsonRef::DateTime(_), Some(at)) if place.is_date() => {
                DateTime::from_millis(at).into()
            }
            (RawBsonRef::Int32(_), Some(whole)) => match i32::try_from(whole) {
                Ok(whole) => whole.into(),
                Err(_) => whole.into(),
            },
            (RawBsonRef::Double(_), Some(whole)) if whole.unsigned_abs() < 1 << 53 => {
                (whole as f64).into()
            }
            (RawBsonRef::String(_), Some(at)) if place.is_date() => {
                match DateTime::from_millis(at).try_to_rfc3339_string() {
                    Ok(text) => text.into(),
                    Err(_) => at.into(),
                }
            }
            (RawBsonRef::Int64(_), Some(whole)) => whole.into(),
            _ => bson::plain(value, place),
        },
        (Value::Object(members), Some(RawBsonRef::Document(model))) => {
            let mut new = RawDocumentBuf::new();
            for (name, value) in members {
                let model = model.get(name).ok().flatten();
                if let Ok(key) = <&CStr>::try_from(name.as_str()) {
                    new.append(key, fresh(value, model, place.within(name)));
                }
            }
            new.into()
        }
        _ => bson::plain(value, place),
    }
}
