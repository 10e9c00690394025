//! Erases the text of a dump from every record derived from it. The records stay, so that the
//! history remains visible without the text.

use super::dumps::Dump;
use super::{Tx, json};
use crate::extract::Report;
use crate::sql::Result;

/// Erases the text of a dump. `payload` replaces the payload of captures.
pub(crate) fn erase(tx: &mut Tx<'_>, workspace: &str, dump: &Dump, payload: &str) -> Result<()> {
    let (id, basket) = (&dump.id, &dump.basket_id);
    // Reflections and relations draw on several dumps; those created since may quote this one.
    tx.execute(
        "UPDATE timeline_events SET preview = '' WHERE workspace_id = $1 AND preview <> '' AND
           (ref_id = $2
            OR ref_id IN (SELECT id FROM blocks WHERE raw_dump_id = $2)
            OR ref_id IN (SELECT id FROM proposals WHERE raw_dump_id = $2)
            OR ref_id IN (SELECT id FROM mcp_unassigned_captures
                          WHERE raw_dump_id = $2 OR content_hash = $5)
            OR (basket_id = $3 AND ts >= $4
                AND kind IN ('reflection.computed', 'relationship.created')))",
        &[
            workspace.into(),
            id.into(),
            basket.into(),
            dump.created_at.into(),
            (&dump.content_hash).into(),
        ],
    )?;
    tx.execute(
        "UPDATE proposals SET ops = '[]', validator_report = $3, review_notes = NULL
         WHERE workspace_id = $1 AND raw_dump_id = $2",
        &[workspace.into(), id.into(), json(&Report::default())?],
    )?;
    // Captures of it that are still pending are settled.
    tx.execute(
        "UPDATE mcp_unassigned_captures SET summary = '', payload = $3,
           status = CASE WHEN status = 'pending' THEN 'dismissed' ELSE status END
         WHERE workspace_id = $1 AND (raw_dump_id = $2 OR content_hash = $4)",
        &[workspace.into(), id.into(), payload.into(), (&dump.content_hash).into()],
    )?;
    tx.execute(
        "DELETE FROM reflections_artifact WHERE basket_id = $1 AND created_at >= $2",
        &[basket.into(), dump.created_at.into()],
    )?;
    tx.execute(
        "DELETE FROM blocks WHERE workspace_id = $1 AND raw_dump_id = $2",
        &[workspace.into(), id.into()],
    )?;
    // The stored answer to its request would still report it as present.
    tx.execute(
        "DELETE FROM write_requests WHERE workspace_id = $1 AND answer LIKE $2",
        &[workspace.into(), format!("%\"raw_dump_id\":\"{id}\"%").into()],
    )
    .map(drop)
}
