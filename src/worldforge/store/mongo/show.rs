//! Serves documents of the collections.
//!
//! Documents in the form that this program writes are converted to JSON directly; all others are read
//! by the field table.

use mongodb::bson::RawDocument;
use mongodb::bson::raw::RawBsonRef;
use serde_json::Value;

use super::bson::{Place, id, is_own, json, view};
use crate::store::Collection;
use crate::store::error::Result;
use crate::store::reader::{self, Reader};
use crate::store::served::Extent;
use crate::store::shape::{Field, IfMissing, Kind};

/// One that was asked for.
pub(super) fn one(collection: Collection, document: &RawDocument) -> Result<String> {
    match collection.fields() {
        Some(fields) if !is_regular(document, fields, Place::Top) => {
            Ok(reader::one(collection, whole(document), Extent::Contract)?.to_string())
        }
        _ => json(document),
    }
}

/// All that it holds.
pub(super) fn whole(document: &RawDocument) -> Value {
    view(RawBsonRef::Document(document), Place::Top)
}

/// One of a list; none where it cannot be read.
pub(super) fn listed(
    reader: &mut Reader,
    collection: Collection,
    document: &RawDocument,
) -> Result<Option<String>> {
    match collection.fields() {
        Some(fields) if !is_regular(document, fields, Place::Top) => {
            Ok(reader.take(collection, whole(document)))
        }
        _ => json(document).map(Some),
    }
}

/// Whether a document has the fields of the contract in the form of the contract, and no other.
fn is_regular(document: &RawDocument, fields: &'static [Field], place: Place) -> bool {
    let mut seen = 0_u32;
    for element in document.iter_elements() {
        let Ok(element) = element else { return false };
        let name = element.key().as_str();
        if place == Place::Top && is_own(name) {
            continue;
        }
        let Some(index) = fields.iter().position(|field| field.name == name) else { return false };
        seen |= 1 << index;
        let Ok(value) = element.value() else { return false };
        if !fits(value, &fields[index].kind, place.within(name)) {
            return false;
        }
    }
    let here = |(index, field): (usize, &Field)| {
        field.if_missing == IfMissing::Absent || seen >> index & 1 == 1
    };
    fields.iter().enumerate().all(here)
}

fn fits(value: RawBsonRef<'_>, kind: &'static Kind, place: Place) -> bool {
    let all = |fits: &dyn Fn(RawBsonRef<'_>) -> bool, most: usize| match value {
        RawBsonRef::Array(items) => {
            let mut count = 0;
            items.into_iter().all(|item| {
                count += 1;
                count <= most && item.is_ok_and(fits)
            })
        }
        _ => false,
    };
    let is_id = |value: RawBsonRef<'_>| match value {
        RawBsonRef::ObjectId(_) => true,
        RawBsonRef::String(text) => id(text).is_some(),
        _ => false,
    };
    match (kind, value) {
        (Kind::Id, value) => is_id(value),
        (Kind::Ids(most), _) => all(&is_id, *most),
        (Kind::Text(most), RawBsonRef::String(text)) => text.len() <= *most,
        (Kind::Text(_), RawBsonRef::ObjectId(_)) => true,
        (Kind::Label(most), RawBsonRef::String(text)) => !text.is_empty() && text.len() <= *most,
        (Kind::Texts, _) => all(&|item| matches!(item, RawBsonRef::String(_)), usize::MAX),
        (Kind::Whole(least), RawBsonRef::Int32(number)) => {
            u64::try_from(number).is_ok_and(|n| n >= *least)
        }
        (Kind::Whole(least), RawBsonRef::Int64(number)) => {
            u64::try_from(number).is_ok_and(|n| n >= *least)
        }
        (Kind::Moment, RawBsonRef::DateTime(_)) => place.is_date(),
        (Kind::Moment, RawBsonRef::Int64(_)) => true,
        (Kind::Choice(words), RawBsonRef::String(word)) => words.contains(&word),
        (Kind::Choices(words), _) => {
            all(&|item| item.as_str().is_some_and(|word| words.contains(&word)), usize::MAX)
        }
        (Kind::Free, RawBsonRef::Document(_)) | (Kind::Any, _) => true,
        (Kind::Object(fields), RawBsonRef::Document(document)) => {
            is_regular(document, fields, place)
        }
        (Kind::List(items), _) => {
            let fits = |item: RawBsonRef<'_>| match item {
                RawBsonRef::Document(document) => {
                    is_regular(document, items.fields(), Place::Inner)
                }
                _ => false,
            };
            all(&fits, usize::MAX)
        }
        _ => false,
    }
}
