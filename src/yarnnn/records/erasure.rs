//! Erases the text of a dump from every record derived from it. The records stay, so that the
//! history remains visible without the text.

use super::dumps::Dump;
use super::{Tx, json};
use crate::extract::Report;
use crate::inference::to_blob;
use crate::sql::{Dialect, Result, Value};

/// The tables that hold a text or parts of it.
pub(crate) const TABLES: &[&str] = &[
    "raw_dumps",
    "blocks",
    "block_bands",
    "context_items",
    "proposals",
    "proposal_executions",
    "proposal_reviews",
    "substrate",
    "substrate_vectors",
    "substrate_relationships",
    "reflections_artifact",
    "basket_signatures",
    "basket_vectors",
    "dump_vectors",
    "basket_signals",
    "basket_vectors",
    "dump_vectors",
    "baskets",
    "basket_anchors",
    "mcp_unassigned_captures",
    "mcp_activity_logs",
    "timeline_events",
    "write_requests",
];

/// What is forgotten.
pub(crate) struct Forgotten<'a> {
    /// The dump.
    pub dump: &'a Dump,
    /// Replaces the payload of captures.
    pub payload: &'a str,
    /// The digest of its vector, as the activity log has it.
    pub fingerprint_hash: &'a str,
}

/// Erases the text of a dump.
pub(crate) fn erase(tx: &mut Tx<'_>, workspace: &str, forgotten: &Forgotten<'_>) -> Result<()> {
    let Forgotten { dump, payload, .. } = forgotten;
    let (id, basket) = (&dump.id, &dump.basket_id);
    let captures = captures(tx, workspace, dump)?;
    for capture in &captures {
        // Those that are still pending are settled.
        tx.execute(
            "UPDATE mcp_unassigned_captures SET summary = '', payload = $3, embedding = $4,
               status = CASE WHEN status = 'pending' THEN 'dismissed' ELSE status END
             WHERE workspace_id = $1 AND id = $2",
            &[workspace.into(), capture.into(), (*payload).into(), Vec::<u8>::new().into()],
        )?;
        erase_preview(tx, workspace, capture)?;
        erase_answers(tx, workspace, "capture_id", capture)?;
    }
    // Reflections and relations draw on several dumps, and may quote this one.
    tx.execute(
        "UPDATE timeline_events SET preview = '' WHERE workspace_id = $1 AND preview <> '' AND
           (ref_id = $2
            OR ref_id IN (SELECT id FROM blocks WHERE raw_dump_id = $2)
            OR ref_id IN (SELECT id FROM proposals WHERE raw_dump_id = $2)
            OR (basket_id = $3 AND kind IN ('reflection.computed', 'relationship.created')))",
        &[workspace.into(), id.into(), basket.into()],
    )?;
    tx.execute(
        "UPDATE proposal_reviews SET replaced = NULL, notes = NULL
         WHERE proposal_id IN (SELECT id FROM proposals WHERE workspace_id = $1 AND raw_dump_id = $2)",
        &[workspace.into(), id.into()],
    )?;
    tx.execute(
        "UPDATE proposals SET ops = '[]', validator_report = $3, review_notes = NULL
         WHERE workspace_id = $1 AND raw_dump_id = $2",
        &[workspace.into(), id.into(), json(&Report::default())?],
    )?;
    tx.execute("DELETE FROM reflections_artifact WHERE basket_id = $1", &[basket.into()])?;
    tx.execute(
        "DELETE FROM blocks WHERE workspace_id = $1 AND raw_dump_id = $2",
        &[workspace.into(), id.into()],
    )?;
    tx.execute(
        "UPDATE basket_signals SET embedding = NULL WHERE workspace_id = $1 AND embedding = $2",
        &[workspace.into(), to_blob(&dump.fingerprint.embedding).into()],
    )?;
    erase_activity(tx, workspace, forgotten)?;
    // The stored answer to its request would still report it as present.
    erase_answers(tx, workspace, "raw_dump_id", id)
}

/// The captures that a dump came from, that it became, or that have the same text.
fn captures(tx: &mut Tx<'_>, workspace: &str, dump: &Dump) -> Result<Vec<String>> {
    let content = match tx.dialect() {
        Dialect::Sqlite => "json_extract(payload, '$.payload.content')",
        Dialect::Postgres => "CAST(payload AS json) -> 'payload' ->> 'content'",
    };
    tx.query(
        &format!(
            "SELECT id FROM mcp_unassigned_captures WHERE workspace_id = $1
               AND (raw_dump_id = $2 OR content_hash = $3 OR {content} = $4) ORDER BY id"
        ),
        &[workspace.into(), (&dump.id).into(), (&dump.content_hash).into(), (&dump.body).into()],
    )?
    .iter()
    .map(|row| row.get("id"))
    .collect()
}

/// Summaries of the same session, and those that are part of the text.
fn erase_activity(tx: &mut Tx<'_>, workspace: &str, forgotten: &Forgotten<'_>) -> Result<()> {
    let within = match tx.dialect() {
        Dialect::Sqlite => "instr($3, fingerprint_summary) > 0",
        Dialect::Postgres => "strpos($3, fingerprint_summary) > 0",
    };
    let summary = forgotten.dump.fingerprint.summary.as_deref();
    tx.execute(
        &format!(
            "UPDATE mcp_activity_logs SET fingerprint_summary = NULL, fingerprint_hash = NULL
             WHERE workspace_id = $1 AND (fingerprint_hash = $2 OR {within}
               OR fingerprint_summary = $4 OR fingerprint_summary = $5)"
        ),
        &[
            workspace.into(),
            forgotten.fingerprint_hash.into(),
            (&forgotten.dump.body).into(),
            summary.into(),
            summary.map(|text| crate::extract::clean(text).text.into_owned()).into(),
        ],
    )
    .map(drop)
}

fn erase_preview(tx: &mut Tx<'_>, workspace: &str, about: &str) -> Result<()> {
    tx.execute(
        "UPDATE timeline_events SET preview = ''
         WHERE workspace_id = $1 AND ref_id = $2 AND preview <> ''",
        &[workspace.into(), about.into()],
    )
    .map(drop)
}

/// Deletes the stored answers that name a record.
fn erase_answers(tx: &mut Tx<'_>, workspace: &str, field: &str, id: &str) -> Result<()> {
    tx.execute(
        "DELETE FROM write_requests WHERE workspace_id = $1 AND answer LIKE $2",
        &[workspace.into(), format!("%\"{field}\":\"{id}\"%").into()],
    )
    .map(drop)
}

/// Erases a former name of a basket, and the labels of its anchors.
pub(crate) fn erase_name(
    tx: &mut Tx<'_>,
    workspace: &str,
    basket: &str,
    former: &str,
    name: &str,
) -> Result<()> {
    tx.execute("DELETE FROM basket_anchors WHERE basket_id = $1", &[basket.into()])?;
    erase_preview(tx, workspace, basket)?;
    erase_answers(tx, workspace, "basket_id", basket)?;
    let [former, name] = [former, name].map(|text| json(&text));
    let values: [Value; 4] = [workspace.into(), format!("%\"{basket}\"%").into(), former?, name?];
    for (table, column) in [("mcp_unassigned_captures", "candidates"), ("write_requests", "answer")]
    {
        tx.execute(
            &format!(
                "UPDATE {table} SET {column} = replace({column}, $3, $4)
                 WHERE workspace_id = $1 AND {column} LIKE $2"
            ),
            &values,
        )?;
    }
    Ok(())
}
