//! What is returned of an entry, and raw dumps part by part.

use serde_json::{Map, Value, json};

use super::super::{Caller, Engine, Error, Result, keys};
use super::RecalledEntry;
use crate::extract::clean;
use crate::records::substrate::{self, Entry, Kind};
use crate::records::{Tx, blocks, dumps, items};

/// Characters of a text that are returned.
const SHOWN: usize = 4_000;

/// A part of a raw dump.
#[derive(Debug, Clone, PartialEq)]
pub struct DumpPart {
    /// The dump, with this part of its text.
    pub entry: RecalledEntry,
    /// Characters after this part.
    pub left: usize,
    /// Unchanged as long as the dump is there: its text never changes.
    pub snapshot_id: String,
}

impl Engine {
    /// The text of a raw dump from a character on, as much as `fits` says: it gets the rest of the
    /// text and returns the bytes that have room.
    pub fn dump_part(
        &self,
        caller: &Caller,
        id: &str,
        offset: usize,
        fits: impl Fn(&str) -> usize,
    ) -> Result<DumpPart> {
        self.store.read(|tx| {
            let found = substrate::entry_of(tx, caller.workspace_id(), Kind::Dump, id)?;
            let entry = match found {
                Some(entry) => recalled(tx, caller, &entry)?,
                None => None,
            };
            let dump = dumps::find(tx, caller.workspace_id(), id)?;
            let (Some(mut entry), Some(dump)) = (entry, dump) else {
                return Err(Error::NoDump(id.to_owned()));
            };
            let text = clean(&dump.body).text;
            let start = text.char_indices().nth(offset).map_or(text.len(), |(at, _)| at);
            let rest = text.get(start..).unwrap_or_default();
            let (part, after) = rest.split_at(rest.floor_char_boundary(fits(rest)));
            entry.content = part.to_owned();
            entry.metadata.remove("cut");
            let snapshot_id =
                keys::digest(&[caller.workspace_id(), id, &offset.to_string(), &dump.content_hash]);
            Ok(DumpPart { entry, left: after.chars().count(), snapshot_id })
        })
    }
}

/// An entry as it is returned; none if it is gone.
pub(super) fn recalled(
    tx: &mut Tx<'_>,
    caller: &Caller,
    entry: &Entry,
) -> Result<Option<RecalledEntry>> {
    let workspace = caller.workspace_id();
    let mut metadata = Map::new();
    metadata.insert("basket_id".to_owned(), json!(entry.basket_id));
    let mut recalled = RecalledEntry {
        kind: entry.kind,
        id: entry.id.clone(),
        content: String::new(),
        semantic_type: None,
        anchor: None,
        confidence: None,
        metadata: Map::new(),
    };
    match entry.kind {
        Kind::Block => {
            let Some(record) = blocks::find(tx, workspace, &entry.id)? else { return Ok(None) };
            let block = record.block;
            for (key, value) in record.metadata {
                metadata.insert(key, Value::from(value));
            }
            metadata.insert("title".to_owned(), json!(block.title));
            metadata.insert("state".to_owned(), json!(block.state.as_str()));
            metadata.insert("version".to_owned(), json!(record.version));
            metadata.insert("raw_dump_id".to_owned(), json!(record.dump_id));
            metadata.insert("spans".to_owned(), json!(record.spans));
            metadata.insert("source_host".to_owned(), json!(record.host));
            recalled.content = block.content;
            recalled.semantic_type = Some(block.semantic_type.as_str().to_owned());
            recalled.anchor = block.anchor;
            recalled.confidence = Some(rounded(block.confidence));
        }
        Kind::Item => {
            let Some(item) = items::find(tx, workspace, &entry.id)? else { return Ok(None) };
            metadata.insert("synonyms".to_owned(), json!(item.synonyms));
            metadata.insert("raw_dump_id".to_owned(), json!(item.dump_id));
            metadata.insert("source_host".to_owned(), json!(item.host));
            recalled.content = item.label;
            recalled.semantic_type = Some(item.kind);
            recalled.confidence = Some(rounded(item.confidence));
        }
        Kind::Dump => {
            let Some(dump) = dumps::find(tx, workspace, &entry.id)? else { return Ok(None) };
            metadata.insert("content_hash".to_owned(), json!(dump.content_hash));
            metadata.insert("source_host".to_owned(), json!(dump.source.host));
            metadata.insert("characters".to_owned(), json!(dump.body.chars().count()));
            let text = clean(&dump.body).text;
            recalled.content = text.chars().take(SHOWN).collect();
            if recalled.content.len() < text.len() {
                metadata.insert("cut".to_owned(), json!(true));
            }
        }
    }
    recalled.metadata = metadata;
    Ok(Some(recalled))
}

/// To three decimals.
fn rounded(number: f64) -> f64 {
    (number * 1_000.0).round() / 1_000.0
}
