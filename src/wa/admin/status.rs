//! `wa status`: panes, held actions, reservations and executions.

use std::sync::Arc;

use super::approve;
use crate::engine::Engine;
use crate::error::Result;
use crate::watch;
use toolwright_commands::terminal;
use toolwright_runtime::hidden::shown;

/// Prints the status. Errors are printed in place of what cannot be read.
pub(super) fn run(engine: &Arc<Engine>) -> Result<u8> {
    let records = engine.records()?;
    let now = engine.now();
    terminal::line(&format!("workspace    {}", engine.folder().display()));
    let watcher = watch::holder(engine.folder());
    terminal::line(&format!("watcher      {}", watcher.as_deref().unwrap_or("none")));
    match engine.mux_set()?.list() {
        Ok(listing) => {
            terminal::line(&format!("panes        {}", listing.panes.len()));
            for pane in &listing.panes {
                let title = engine.redact_shown(pane.title.as_deref().unwrap_or_default());
                let title = shown(&title);
                terminal::line(&format!("  {:>8}  {:<14} {title}", pane.pane_id, pane.domain));
            }
            for (backend, error) in &listing.problems {
                terminal::line(&format!("  {backend}: {error}"));
            }
        }
        Err(error) => terminal::line(&format!("panes        {error}")),
    }
    let pending = records.policy.pending(now)?;
    terminal::line(&format!("held         {}", pending.len()));
    for one in &pending {
        terminal::line(&format!("  {}", approve::line(one, now)));
    }
    let reservations = records.policy.reservations(None, now)?;
    terminal::line(&format!("reserved     {}", reservations.len()));
    for held in &reservations {
        let left = (held.expires_at - now) / 1000;
        let owner = shown(&held.owner_id);
        terminal::line(&format!("  pane {} by {owner}, {left} s left", held.pane_id));
    }
    let running = engine.workflows()?.statuses(None, true)?;
    terminal::line(&format!("executions   {}", running.len()));
    for one in &running {
        let step = one.step_name.as_deref().unwrap_or_default();
        terminal::line(&format!(
            "  {} {} in pane {}: {} at {step}",
            one.id, one.workflow, one.pane_id, one.status
        ));
    }
    Ok(0)
}
