//! Shell completion of argument values: the ids of open panes.

use std::sync::Arc;

use toolwright_commands::Candidate;
use toolwright_runtime::contract::ToolInfo;
use toolwright_runtime::settings::Loaded;

use super::engine::Engine;
use super::model::ActorKind;
use super::setup;

/// Pane ids with their titles; nothing where no backend answers.
pub(super) fn values(loaded: &Loaded, _: &'static ToolInfo, argument: &str) -> Vec<Candidate> {
    if argument != "pane_id" {
        return Vec::new();
    }
    let Ok(settings) = loaded.typed() else { return Vec::new() };
    let engine = Arc::new(Engine::new(setup::from_settings(&settings, ActorKind::Human)));
    let listing = engine.mux_set().and_then(|set| set.list()).unwrap_or_default();
    let panes = listing.panes.into_iter();
    panes
        .map(|pane| Candidate {
            value: pane.pane_id.to_string(),
            help: format!("{} {}", pane.domain, pane.title.unwrap_or_default()).trim().to_owned(),
        })
        .collect()
}
