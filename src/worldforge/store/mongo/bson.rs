//! Converts documents between JSON text, as served, and BSON, as stored.
//!
//! In BSON, ids of documents and users are ObjectIds and times are dates. Everything else is stored as
//! in JSON, even where a field looks like an operator or an extended type. Types that only other
//! programs write are served as text. Top-level fields that begin with `_`, other than `_id`, are
//! internal to the store and never leave it.

use std::fmt;

use mongodb::bson::oid::ObjectId;
use mongodb::bson::raw::{CStr, RawElement};
use mongodb::bson::{
    Bson, DateTime, RawArrayBuf, RawBson, RawBsonRef, RawDocument, RawDocumentBuf, Timestamp, doc,
};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Error as _, Serialize, SerializeMap as _, SerializeSeq as _, Serializer};
use serde_json::Value;
use toolwright_runtime::digest::hex;

use crate::store::error::{Result, StoreError};

/// Fields that are ObjectIds, at the top and in `audit`.
const IDS: &[&str] = &[
    "_id",
    "tenantId",
    "projectId",
    "fromNodeId",
    "toNodeId",
    "nodeId",
    "objectId",
    "userId",
    "createdBy",
    "updatedBy",
    "publishedBy",
];
/// Fields that are dates, at the top and in `audit`.
const DATES: &[&str] = &["createdAt", "updatedAt", "publishedAt", "at"];

/// The position of a value: some names have a meaning there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The document itself.
    Top,
    /// The document that a version is a copy of.
    Snapshot,
    /// Its `audit`.
    Audit,
    /// The value of an id, at the top or in `audit`.
    Id,
    /// The value of a date, at the top or in `audit`.
    Date,
    /// Anywhere else.
    Inner,
}

impl Place {
    /// The place of a member.
    pub(super) fn within(self, name: &str) -> Self {
        match self {
            Self::Top if name == "snapshot" => Self::Snapshot,
            Self::Top | Self::Snapshot if name == "audit" => Self::Audit,
            Self::Top | Self::Snapshot | Self::Audit if IDS.contains(&name) => Self::Id,
            Self::Top | Self::Snapshot | Self::Audit if DATES.contains(&name) => Self::Date,
            _ => Self::Inner,
        }
    }

    pub(super) fn is_date(self) -> bool {
        self == Self::Date
    }
}

/// A document as the collections have it.
pub(super) fn document(object: &impl Serialize) -> Result<RawDocumentBuf> {
    let unwritable = |error: serde_json::Error| StoreError::unreadable("document", error);
    let text = serde_json::to_string(object).map_err(unwritable)?;
    let mut deserializer = serde_json::Deserializer::from_str(&text);
    let written = Written(Place::Top).deserialize(&mut deserializer).map_err(unwritable)?;
    match written {
        RawBson::Document(document) => Ok(document),
        _ => Err(StoreError::unreadable("document", "not an object")),
    }
}

/// A value as the collections have it.
pub(super) fn plain(value: &Value, place: Place) -> RawBson {
    // Whole numbers that do not fit were refused before.
    Written(place).deserialize(value).unwrap_or(RawBson::Null)
}

/// An id, if it has the form of one of ours: what reads back must be what was written.
pub(super) fn id(text: &str) -> Option<ObjectId> {
    if super::super::is_id(text) { ObjectId::parse_str(text).ok() } else { None }
}

/// The value of a field as a filter, where other programs may have written ids as texts.
pub(super) fn either(id: ObjectId) -> Bson {
    doc! {"$in": [id, id.to_hex()]}.into()
}

/// A document as JSON. Fields of the store's own stay inside.
pub(super) fn json(document: &RawDocument) -> Result<String> {
    serde_json::to_string(&Shown { document, place: Place::Top })
        .map_err(|error| StoreError::unreadable("document", error))
}

/// A value as JSON.
pub(super) fn view(value: RawBsonRef<'_>, place: Place) -> Value {
    // A part that is damaged is as good as null.
    serde_json::to_value(ShownValue(value, place)).unwrap_or_default()
}

/// Takes JSON and nothing but: a field that looks like an operator or an extended type is a field.
struct Written(Place);

impl<'de> DeserializeSeed<'de> for Written {
    type Value = RawBson;

    fn deserialize<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> std::result::Result<RawBson, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Written {
    type Value = RawBson;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> std::result::Result<RawBson, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> std::result::Result<RawBson, E> {
        match self.0 {
            Place::Date => Ok(DateTime::from_millis(value).into()),
            _ => Ok(value.into()),
        }
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> std::result::Result<RawBson, E> {
        i64::try_from(value).map_err(E::custom).and_then(|value| self.visit_i64(value))
    }

    fn visit_f64<E>(self, value: f64) -> std::result::Result<RawBson, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> std::result::Result<RawBson, E> {
        match id(value).filter(|_| self.0 == Place::Id) {
            Some(id) => Ok(id.into()),
            None => Ok(value.into()),
        }
    }

    fn visit_unit<E>(self) -> std::result::Result<RawBson, E> {
        Ok(RawBson::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> std::result::Result<RawBson, A::Error> {
        let mut array = RawArrayBuf::new();
        while let Some(item) = items.next_element_seed(Written(Place::Inner))? {
            array.push(item);
        }
        Ok(array.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> std::result::Result<RawBson, A::Error> {
        let mut document = RawDocumentBuf::new();
        while let Some(name) = fields.next_key::<String>()? {
            let value = fields.next_value_seed(Written(self.0.within(&name)))?;
            let key = <&CStr>::try_from(name.as_str()).map_err(serde::de::Error::custom)?;
            document.append(key, value);
        }
        Ok(document.into())
    }
}

struct Shown<'a> {
    document: &'a RawDocument,
    place: Place,
}

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(None)?;
        for element in self.document.iter_elements() {
            let element: RawElement<'_> = element.map_err(S::Error::custom)?;
            let name = element.key().as_str();
            if self.place == Place::Top && is_own(name) {
                continue;
            }
            let value = RawBsonRef::try_from(element).map_err(S::Error::custom)?;
            fields.serialize_entry(name, &ShownValue(value, self.place.within(name)))?;
        }
        fields.end()
    }
}

/// Whether a top-level field is the store's own.
pub(super) fn is_own(name: &str) -> bool {
    name.starts_with('_') && name != "_id"
}

struct ShownValue<'a>(RawBsonRef<'a>, Place);

impl Serialize for ShownValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let Self(value, place) = *self;
        match value {
            RawBsonRef::Document(document) => Shown { document, place }.serialize(serializer),
            RawBsonRef::Array(array) => {
                let mut items = serializer.serialize_seq(None)?;
                for item in array {
                    let item = item.map_err(S::Error::custom)?;
                    items.serialize_element(&ShownValue(item, Place::Inner))?;
                }
                items.end()
            }
            RawBsonRef::String(text) | RawBsonRef::Symbol(text) => serializer.serialize_str(text),
            RawBsonRef::ObjectId(id) => serializer.serialize_str(&id.to_hex()),
            RawBsonRef::DateTime(time) if place == Place::Date => {
                serializer.serialize_i64(time.timestamp_millis())
            }
            RawBsonRef::Boolean(value) => serializer.serialize_bool(value),
            RawBsonRef::Int32(value) => serializer.serialize_i32(value),
            RawBsonRef::Int64(value) => serializer.serialize_i64(value),
            RawBsonRef::Double(value) => serializer.serialize_f64(value),
            RawBsonRef::Null | RawBsonRef::Undefined => serializer.serialize_unit(),
            // Only other programs write these: as self-describing texts.
            RawBsonRef::DateTime(time) => match time.try_to_rfc3339_string() {
                Ok(text) => serializer.serialize_str(&text),
                Err(_) => serializer.serialize_i64(time.timestamp_millis()),
            },
            RawBsonRef::Decimal128(number) => serializer.serialize_str(&number.to_string()),
            RawBsonRef::Binary(binary) => serializer.serialize_str(&hex(binary.bytes)),
            RawBsonRef::RegularExpression(regex) => serializer.serialize_str(&format!(
                "/{}/{}",
                regex.pattern.as_str(),
                regex.options.as_str()
            )),
            RawBsonRef::Timestamp(Timestamp { time, increment }) => {
                serializer.serialize_str(&format!("{time}.{increment}"))
            }
            RawBsonRef::JavaScriptCode(code) => serializer.serialize_str(code),
            RawBsonRef::JavaScriptCodeWithScope(code) => serializer.serialize_str(code.code),
            RawBsonRef::MinKey => serializer.serialize_str("MinKey"),
            RawBsonRef::MaxKey => serializer.serialize_str("MaxKey"),
            RawBsonRef::DbPointer(_) => serializer.serialize_str("DBPointer"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn ids_and_times_are_typed_and_everything_reads_back() {
        let value = json!({
            "_id": "00000000000000000000000a",
            "tenantId": "not an id",
            "createdAt": 1_700_000_000_123_i64,
            "audit": {"updatedAt": 5, "createdBy": "00000000000000000000000b", "revision": 1},
            "attributes": {"_id": "00000000000000000000000c", "createdAt": 7, "$oid": "x",
                "list": [1, 1.0, -0.0, null, true, {"$date": 1}]},
        });
        let document = document(&value).unwrap();
        assert!(document.get_object_id("_id").is_ok());
        assert!(document.get_datetime("createdAt").is_ok());
        assert!(document.get_document("audit").unwrap().get_datetime("updatedAt").is_ok());
        assert!(document.get_document("attributes").unwrap().get_str("_id").is_ok());
        let text = json(&document).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        assert_eq!(text, value.to_string());
    }

    #[test]
    fn the_stores_own_fields_stay_inside() {
        let mut document = document(&json!({"_id": "x", "a": {"_b": 1}})).unwrap();
        document.append(mongodb::bson::cstr!("_words"), "secret");
        let text = json(&document).unwrap();
        assert_eq!(text, r#"{"_id":"x","a":{"_b":1}}"#);
    }
}
