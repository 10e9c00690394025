//! The difference between a document as its writer read it and as it should become.
//!
//! Stores apply the difference to the document that they hold. Knows no store.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::change::Change;
use super::error::{Result, StoreError};
use super::shape::Field;
use super::{Collection, parse};
use crate::model::{Entity, StoryNode};

/// An edit of a document.
#[derive(Debug, Clone)]
pub(super) struct Difference {
    pub(super) collection: Collection,
    pub(super) before: Value,
    pub(super) after: Value,
    /// Both as this program would write them.
    pub(super) texts: [String; 2],
}

impl Difference {
    /// That of a change; none where it is no edit.
    pub(super) fn of(change: &Change) -> Result<Option<Self>> {
        match change {
            Change::Entity { document, replaces: Some(before) } => {
                Self::between(Collection::Entities, before, document).map(Some)
            }
            Change::Node { document, replaces: Some(before) } => {
                Self::between(Collection::Nodes, before, document).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn between<T: Serialize>(collection: Collection, before: &T, after: &T) -> Result<Self> {
        let text = |document: &T| {
            serde_json::to_string(document)
                .map_err(|error| StoreError::unreadable("document", error))
        };
        Ok(Self {
            collection,
            before: value(before)?,
            after: value(after)?,
            texts: [text(before)?, text(after)?],
        })
    }

    /// That between two texts which this program has written.
    pub(super) fn load(collection: Collection, before: &str, after: &str) -> Result<Self> {
        let texts = [before.to_owned(), after.to_owned()];
        let (before, after) = (parse("document", before)?, parse("document", after)?);
        Ok(Self { collection, before, after, texts })
    }

    pub(super) fn fields(&self) -> &'static [Field] {
        self.collection.fields().unwrap_or_default()
    }

    pub(super) fn revision(&self) -> u64 {
        revision(&self.before)
    }

    /// Refuses an edit of a document that is not as its writer has read it.
    pub(super) fn check(&self, served: Value) -> Result<()> {
        let found = match self.collection {
            Collection::Entities => again::<Entity>(served)?,
            _ => again::<StoryNode>(served)?,
        };
        let what = self.collection.what();
        match (revision(&found), self.revision()) {
            (is, expected) if is != expected => Err(StoreError::stale(what, expected, is)),
            _ if found != self.before => Err(StoreError::changed(what)),
            _ => Ok(()),
        }
    }
}

fn revision(document: &Value) -> u64 {
    document.pointer("/audit/revision").and_then(Value::as_u64).unwrap_or_default()
}

fn value(document: &impl Serialize) -> Result<Value> {
    serde_json::to_value(document).map_err(|error| StoreError::unreadable("document", error))
}

/// Without what is optional and empty.
fn again<T: Serialize + DeserializeOwned>(served: Value) -> Result<Value> {
    let document: T = serde_json::from_value(served)
        .map_err(|error| StoreError::unreadable("document", error))?;
    value(&document)
}
