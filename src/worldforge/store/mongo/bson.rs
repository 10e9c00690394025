//! Documents between JSON text, as clients see them, and BSON, as the collections have them.
//!
//! In BSON ids of documents and people are ObjectIds and times are dates; everything else is what
//! JSON says, also where a field looks like an operator or an extended type. Top-level fields that
//! begin with `_`, other than `_id`, are the store's own and never leave it.

use std::fmt;

use mongodb::bson::oid::ObjectId;
use mongodb::bson::raw::RawElement;
use mongodb::bson::{Bson, DateTime, Document, RawBsonRef, RawDocument, RawDocumentBuf};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Error as _, Serialize, SerializeMap as _, SerializeSeq as _, Serializer};

use crate::worldforge::store::fault::{Fault, Result};

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

/// A document as the collections have it.
pub(super) fn document(object: &impl Serialize) -> Result<Document> {
    let unwritable = |error: serde_json::Error| Fault::unreadable("document", error);
    let text = serde_json::to_string(object).map_err(unwritable)?;
    let Plain(bson) = serde_json::from_str(&text).map_err(unwritable)?;
    let Bson::Document(mut document) = bson else {
        return Err(Fault::unreadable("document", "not an object"));
    };
    typed(&mut document);
    if let Some(Bson::Document(audit)) = document.get_mut("audit") {
        typed(audit);
    }
    Ok(document)
}

fn typed(document: &mut Document) {
    for (name, value) in document.iter_mut() {
        match value {
            Bson::String(text) if IDS.contains(&name.as_str()) => {
                if let Some(id) = id(text) {
                    *value = id.into();
                }
            }
            Bson::Int64(millis) if DATES.contains(&name.as_str()) => {
                *value = DateTime::from_millis(*millis).into();
            }
            _ => {}
        }
    }
}

/// An id, if it has the form of one of ours: what reads back must be what was written.
pub(super) fn id(text: &str) -> Option<ObjectId> {
    if super::super::is_id(text) { ObjectId::parse_str(text).ok() } else { None }
}

/// Without a copy of it in between.
pub(super) fn raw(document: &Document) -> Result<RawDocumentBuf> {
    RawDocumentBuf::try_from(document).map_err(|error| Fault::unreadable("document", error))
}

/// A document as clients see it.
pub(super) fn json(document: &RawDocument) -> Result<String> {
    serde_json::to_string(&Shown { document, outermost: true })
        .map_err(|error| Fault::unreadable("document", error))
}

/// A value of JSON and nothing but.
struct Plain(Bson);

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(PlainVisitor).map(Plain)
    }
}

struct PlainVisitor;

impl<'de> Visitor<'de> for PlainVisitor {
    type Value = Bson;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> std::result::Result<Bson, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> std::result::Result<Bson, E> {
        Ok(value.into())
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> std::result::Result<Bson, E> {
        i64::try_from(value).map(Bson::from).map_err(E::custom)
    }

    fn visit_f64<E>(self, value: f64) -> std::result::Result<Bson, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> std::result::Result<Bson, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> std::result::Result<Bson, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> std::result::Result<Bson, E> {
        Ok(Bson::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> std::result::Result<Bson, A::Error> {
        let mut array = Vec::new();
        while let Some(Plain(item)) = items.next_element()? {
            array.push(item);
        }
        Ok(Bson::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> std::result::Result<Bson, A::Error> {
        let mut document = Document::new();
        while let Some((name, Plain(value))) = fields.next_entry::<String, _>()? {
            document.insert(name, value);
        }
        Ok(Bson::Document(document))
    }
}

struct Shown<'a> {
    document: &'a RawDocument,
    outermost: bool,
}

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(None)?;
        for element in self.document.iter_elements() {
            let element: RawElement<'_> = element.map_err(S::Error::custom)?;
            let name = element.key().as_str();
            if self.outermost && name.starts_with('_') && name != "_id" {
                continue;
            }
            let value = RawBsonRef::try_from(element).map_err(S::Error::custom)?;
            fields.serialize_entry(name, &ShownValue(value))?;
        }
        fields.end()
    }
}

struct ShownValue<'a>(RawBsonRef<'a>);

impl Serialize for ShownValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self.0 {
            RawBsonRef::Document(document) => {
                Shown { document, outermost: false }.serialize(serializer)
            }
            RawBsonRef::Array(array) => {
                let mut items = serializer.serialize_seq(None)?;
                for item in array {
                    items.serialize_element(&ShownValue(item.map_err(S::Error::custom)?))?;
                }
                items.end()
            }
            RawBsonRef::String(text) => serializer.serialize_str(text),
            RawBsonRef::ObjectId(id) => serializer.serialize_str(&id.to_hex()),
            RawBsonRef::DateTime(time) => serializer.serialize_i64(time.timestamp_millis()),
            RawBsonRef::Boolean(value) => serializer.serialize_bool(value),
            RawBsonRef::Int32(value) => serializer.serialize_i32(value),
            RawBsonRef::Int64(value) => serializer.serialize_i64(value),
            RawBsonRef::Double(value) => serializer.serialize_f64(value),
            RawBsonRef::Null | RawBsonRef::Undefined => serializer.serialize_unit(),
            _ => Err(S::Error::custom("a type of BSON that no document has")),
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
        let text = json(&raw(&document).unwrap()).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        assert_eq!(text, value.to_string());
    }

    #[test]
    fn the_stores_own_fields_stay_inside() {
        let mut document = document(&json!({"_id": "x", "a": {"_b": 1}})).unwrap();
        document.insert("_words", "secret");
        let text = json(&raw(&document).unwrap()).unwrap();
        assert_eq!(text, r#"{"_id":"x","a":{"_b":1}}"#);
    }
}
