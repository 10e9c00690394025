//! `wa approve`: approves a held action by its code, or lists held actions.

use std::sync::Arc;

use clap::ArgMatches;

use crate::engine::Engine;
use crate::error::Result;
use crate::model::Millis;
use crate::policy::Pending;
use toolwright_commands::terminal;
use toolwright_runtime::hidden::shown;

/// Approves by code, or lists what waits for the user.
pub(super) fn run(engine: &Arc<Engine>, matches: &ArgMatches) -> Result<u8> {
    let policy = &engine.records()?.policy;
    let now = engine.now();
    let Some(code) = matches.get_one::<String>("code") else {
        let pending = policy.pending(now)?;
        if pending.is_empty() {
            terminal::message("Nothing is held.");
        }
        for one in &pending {
            terminal::line(&line(one, now));
        }
        return Ok(0);
    };
    let check = matches.get_flag("check");
    let approval = policy.approve(code, None, None, &engine.actor(None), check, now)?;
    let pane = approval.pane_id.map_or_else(String::new, |pane| format!(" in pane {pane}"));
    let what = if check { "Would approve" } else { "Approved" };
    terminal::line(&format!("{what}: {}{pane}, once.", approval.action));
    Ok(0)
}

/// One held action, for display. The held client chose the text and its own name, so
/// nothing in them stays hidden.
pub(super) fn line(one: &Pending, now: Millis) -> String {
    let pane = one.pane_id.map_or_else(String::new, |pane| format!(" in pane {pane}"));
    let what = one.preview.as_deref().or(one.workflow.as_deref()).unwrap_or_default();
    let (what, actor, reason) = (shown(what), shown(&one.actor_id), shown(&one.reason));
    let minutes = (one.expires_at - now) / 60_000;
    format!(
        "{}{pane} by {actor} ({}): {what}\n    {}: {reason} [{minutes} min left; approve with the code from its hint]",
        one.action, one.actor_kind, one.rule,
    )
}
