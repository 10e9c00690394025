//! Reads documents that this program did not write: in the contract's form, or reported as unreadable.
//!
//! A list leaves out unreadable documents; the log names each and the reason. Knows no store.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Collection;
use super::error::{Result, StoreError};
use super::served::{self, Extent, UnreadableField};
use super::shape::{self, Field};
use crate::model::{Id, ObjectType};

/// A document that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Unreadable {
    /// `entity`, `story node` …
    pub what: &'static str,
    /// Its id.
    #[serde(rename = "_id")]
    pub id: Id,
    /// The field, as a JSON pointer.
    pub field: String,
    /// What is expected there.
    pub expected: &'static str,
}

impl Collection {
    /// What one of its documents is called.
    pub(super) fn what(self) -> &'static str {
        match self {
            Self::Entities => "entity",
            Self::Nodes => "story node",
            Self::Edges => "story edge",
            Self::Packs => "prompt pack",
            Self::Versions => "version",
        }
    }

    /// The fields of its documents. Only this program writes versions.
    pub(super) fn fields(self) -> Option<&'static [Field]> {
        match self {
            Self::Entities => Some(shape::ENTITY),
            Self::Nodes => Some(shape::NODE),
            Self::Edges => Some(shape::EDGE),
            Self::Packs => Some(shape::PACK),
            Self::Versions => None,
        }
    }
}

/// The content of a document with these fields, to this extent.
pub(super) fn document(
    what: &'static str,
    fields: &'static [Field],
    value: Value,
    extent: Extent,
) -> std::result::Result<Value, Unreadable> {
    let id = value.get("_id").and_then(Value::as_str).unwrap_or_default().to_owned();
    served::document(value, fields, extent).map_err(|UnreadableField { pointer, why }| Unreadable {
        what,
        id,
        field: pointer,
        expected: why,
    })
}

/// The same for one that was asked for by its id.
pub(super) fn one(collection: Collection, value: Value, extent: Extent) -> Result<Value> {
    match collection.fields() {
        None => Ok(value),
        Some(fields) => {
            document(collection.what(), fields, value, extent).map_err(StoreError::foreign)
        }
    }
}

/// A document as what it is; where it is not as this program writes it, by the table of fields. None
/// where it cannot be read: the log says so.
pub(super) fn typed<T: DeserializeOwned>(
    what: &'static str,
    read: serde_json::Result<T>,
    value: impl FnOnce() -> serde_json::Result<Value>,
) -> Result<Option<T>> {
    let unreadable = |error: &dyn std::fmt::Display| StoreError::unreadable(what, error);
    let fields = match (read, what) {
        (Ok(document), _) => return Ok(Some(document)),
        (Err(_), "tenant") => shape::TENANT,
        (Err(_), "user") => shape::USER,
        (Err(_), "project") => shape::PROJECT,
        (Err(_), "prompt pack") => shape::PACK,
        (Err(error), _) => return Err(unreadable(&error)),
    };
    let value = value().map_err(|error| unreadable(&error))?;
    match document(what, fields, value, Extent::Contract) {
        Ok(served) => serde_json::from_value(served).map(Some).map_err(|error| unreadable(&error)),
        Err(found) => {
            found.log();
            Ok(None)
        }
    }
}

/// What an imported document holds, if that is more than is known here. `list` is where it stood.
pub(crate) fn with_unknown(list: &str, document: &impl Serialize, value: Value) -> Option<Value> {
    let fields = match list {
        "project" => shape::PROJECT,
        "entities" => shape::ENTITY,
        "storyNodes" => shape::NODE,
        "storyEdges" => shape::EDGE,
        _ => return None,
    };
    let known = serde_json::to_value(document).ok()?;
    let whole = served::overlaid(known.clone(), value, fields);
    (whole != known).then_some(whole)
}

/// A published object with what it lacks filled in, so that its hash is that of the object.
pub(crate) fn filled(object: ObjectType, snapshot: &Value) -> Value {
    let fields = match object {
        ObjectType::Entity => shape::ENTITY,
        ObjectType::StoryNode => shape::NODE,
    };
    let read = served::document(snapshot.clone(), fields, Extent::All);
    read.unwrap_or_else(|_| snapshot.clone())
}

/// Takes documents of lists.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// Whether unknown fields are wanted, too.
    all: bool,
    /// Documents with all that they hold, by id: those that are not as this program writes them.
    pub(super) wholes: BTreeMap<Id, Value>,
    pub(super) unreadable: Vec<Unreadable>,
}

impl Reader {
    pub(super) fn new(all: bool) -> Self {
        Self { all, ..Self::default() }
    }

    /// The document as it is served. None where it cannot be read.
    pub(super) fn take(&mut self, collection: Collection, value: Value) -> Option<String> {
        let Some(fields) = collection.fields() else { return Some(value.to_string()) };
        let whole = self.all.then(|| value.clone());
        match document(collection.what(), fields, value, Extent::Contract) {
            Ok(served) => {
                if let Some(whole) = whole
                    && let Ok(whole) = served::document(whole, fields, Extent::All)
                    && let Some(id) = served.get("_id").and_then(Value::as_str)
                {
                    self.wholes.insert(id.to_owned(), whole);
                }
                Some(served.to_string())
            }
            Err(unreadable) => {
                unreadable.log();
                self.unreadable.push(unreadable);
                None
            }
        }
    }
}

impl Unreadable {
    pub(super) fn log(&self) {
        tracing::warn!(
            event = "worldforge.unreadable",
            what = self.what,
            id = self.id,
            field = self.field,
            expected = self.expected,
        );
    }
}
