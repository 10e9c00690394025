//! A workspace's governance settings; the defaults if none are stored.

use super::{Tx, unknown_word};
use crate::governance::{BlastRadius, Mode, Settings};
use crate::model::Millis;
use crate::sql::{Result, Row};

/// The settings as they are stored.
pub fn load(tx: &mut Tx<'_>, workspace: &str) -> Result<Settings> {
    let found = tx.first(
        "SELECT * FROM workspace_governance_settings WHERE workspace_id = $1",
        &[workspace.into()],
    )?;
    let Some(row) = found else { return Ok(Settings::default()) };
    Ok(Settings {
        governance_enabled: row.get("governance_enabled")?,
        validator_required: row.get("validator_required")?,
        direct_substrate_writes: row.get("direct_substrate_writes")?,
        onboarding_dump: mode(&row, "ep_onboarding_dump")?,
        manual_edit: mode(&row, "ep_manual_edit")?,
        graph_action: mode(&row, "ep_graph_action")?,
        timeline_restore: mode(&row, "ep_timeline_restore")?,
        default_blast_radius: BlastRadius::parse(row.get("default_blast_radius")?)
            .ok_or_else(|| unknown_word("default_blast_radius"))?,
    })
}

/// Replaces the settings.
pub fn save(
    tx: &mut Tx<'_>,
    workspace: &str,
    settings: &Settings,
    by: &str,
    at: Millis,
) -> Result<()> {
    tx.execute(
        "DELETE FROM workspace_governance_settings WHERE workspace_id = $1",
        &[workspace.into()],
    )?;
    tx.execute(
        "INSERT INTO workspace_governance_settings
           (workspace_id, governance_enabled, validator_required, direct_substrate_writes,
            ep_onboarding_dump, ep_manual_edit, ep_graph_action, ep_timeline_restore,
            default_blast_radius, updated_at, updated_by)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        &[
            workspace.into(),
            settings.governance_enabled.into(),
            settings.validator_required.into(),
            settings.direct_substrate_writes.into(),
            settings.onboarding_dump.as_str().into(),
            settings.manual_edit.as_str().into(),
            settings.graph_action.as_str().into(),
            settings.timeline_restore.as_str().into(),
            settings.default_blast_radius.as_str().into(),
            at.into(),
            by.into(),
        ],
    )
    .map(drop)
}

fn mode(row: &Row, column: &str) -> Result<Mode> {
    Mode::parse(row.get(column)?).ok_or_else(|| unknown_word(column))
}
