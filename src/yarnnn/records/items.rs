//! Context items: the names in a basket, each once.

use super::{Tx, json, unjson};
use crate::model::{ByteSpan, Millis};
use crate::sql::{Result, Row};

/// A name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Item {
    /// Its id.
    pub id: String,
    /// Its basket.
    pub basket_id: String,
    /// `entity`, `code`, `quote`.
    pub kind: String,
    /// The name.
    pub label: String,
    /// Other spellings.
    pub synonyms: Vec<String>,
    /// 0 to 1.
    pub confidence: f64,
    /// The dump it was extracted from.
    pub dump_id: String,
    /// The proposal that added it.
    pub proposal_id: String,
    /// Where in the dump it occurs.
    pub spans: Vec<ByteSpan>,
    /// When.
    pub created_at: Millis,
    /// The host it came through.
    pub host: String,
}

/// The form in which names are compared.
fn normalized(label: &str) -> String {
    label.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Adds a name unless the basket has it; then returns the existing id.
pub(crate) fn add(tx: &mut Tx<'_>, workspace: &str, item: &Item) -> Result<Option<String>> {
    let label = normalized(&item.label);
    let known = tx.first(
        "SELECT id FROM context_items WHERE basket_id = $1 AND normalized_label = $2",
        &[(&item.basket_id).into(), (&label).into()],
    )?;
    if let Some(row) = known {
        return row.get("id").map(Some);
    }
    tx.execute(
        "INSERT INTO context_items
           (id, basket_id, workspace_id, type, title, normalized_label, synonyms, state,
            confidence_score, raw_dump_id, proposal_id, spans, created_at, source_host)
         VALUES ($1, $2, $3, $4, $5, $6, $7, 'ACTIVE', $8, $9, $10, $11, $12, $13)",
        &[
            (&item.id).into(),
            (&item.basket_id).into(),
            workspace.into(),
            (&item.kind).into(),
            (&item.label).into(),
            label.into(),
            json(&item.synonyms)?,
            item.confidence.into(),
            (&item.dump_id).into(),
            (&item.proposal_id).into(),
            json(&item.spans)?,
            item.created_at.into(),
            (&item.host).into(),
        ],
    )?;
    Ok(None)
}

/// The newest names of a basket: id and label.
pub(crate) fn latest(tx: &mut Tx<'_>, basket: &str, most: i64) -> Result<Vec<(String, String)>> {
    tx.query(
        "SELECT id, title FROM context_items WHERE basket_id = $1 AND state = 'ACTIVE'
         ORDER BY created_at DESC, id LIMIT $2",
        &[basket.into(), most.into()],
    )?
    .iter()
    .map(|row| Ok((row.get("id")?, row.get("title")?)))
    .collect()
}

/// A name of the workspace.
pub(crate) fn find(tx: &mut Tx<'_>, workspace: &str, id: &str) -> Result<Option<Item>> {
    let found = tx.first(
        "SELECT * FROM context_items WHERE workspace_id = $1 AND id = $2",
        &[workspace.into(), id.into()],
    )?;
    found.as_ref().map(item).transpose()
}

/// Removes the names that came with a dump; returns their ids.
pub(crate) fn remove_of_dump(tx: &mut Tx<'_>, workspace: &str, dump: &str) -> Result<Vec<String>> {
    let ids = tx
        .query(
            "SELECT id FROM context_items WHERE workspace_id = $1 AND raw_dump_id = $2",
            &[workspace.into(), dump.into()],
        )?
        .iter()
        .map(|row| row.get("id"))
        .collect::<Result<Vec<String>>>()?;
    tx.execute(
        "DELETE FROM context_items WHERE workspace_id = $1 AND raw_dump_id = $2",
        &[workspace.into(), dump.into()],
    )?;
    Ok(ids)
}

fn item(row: &Row) -> Result<Item> {
    Ok(Item {
        id: row.get("id")?,
        basket_id: row.get("basket_id")?,
        kind: row.get("type")?,
        label: row.get("title")?,
        synonyms: unjson(row.get("synonyms")?)?,
        confidence: row.get("confidence_score")?,
        dump_id: row.get("raw_dump_id")?,
        proposal_id: row.get("proposal_id")?,
        spans: unjson(row.get("spans")?)?,
        created_at: row.get("created_at")?,
        host: row.get("source_host")?,
    })
}
