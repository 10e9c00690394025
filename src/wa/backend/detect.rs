//! Chooses the backends for a setting and an environment, and the primary one, which keeps its pane ids.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::{Kind, Result};
use crate::model::BackendKind;
use crate::mux::Mux;

use super::set::MuxSet;
use super::{Tmux, TmuxOptions, Wezterm, WeztermOptions};

/// The available backends.
pub struct Candidates<'a> {
    /// How to reach tmux.
    pub tmux: TmuxOptions,
    /// How to reach WezTerm.
    pub wezterm: WeztermOptions,
    /// Embedded terminals.
    pub embedded: Arc<dyn Mux>,
    /// The environment of this process.
    pub env: &'a BTreeMap<String, String>,
    /// The backend that kept its ids when the workspace was last used. It stays so, that an id
    /// means the same pane in every process of the workspace.
    pub remembered: Option<BackendKind>,
}

/// Creates the backends for a setting: `auto`, `wezterm`, `tmux`, `embedded`, or several names with
/// commas, of which the first keeps its ids.
///
/// `auto` means all three. The primary is the remembered one; else the terminal that this process
/// runs in; else the first of WezTerm and tmux that answers; else the embedded one. Backends that
/// cannot be reached stay members: they may come up later.
pub fn detect(wanted: &str, candidates: Candidates<'_>) -> Result<MuxSet> {
    let wezterm: Arc<dyn Mux> = Arc::new(Wezterm::new(candidates.wezterm));
    let tmux: Arc<dyn Mux> = Arc::new(Tmux::new(candidates.tmux));
    let make = |kind| match kind {
        BackendKind::Wezterm => Arc::clone(&wezterm),
        BackendKind::Tmux => Arc::clone(&tmux),
        BackendKind::Embedded => Arc::clone(&candidates.embedded),
    };
    let automatic = wanted.trim() == "auto";
    let kinds = if automatic {
        vec![BackendKind::Wezterm, BackendKind::Tmux, BackendKind::Embedded]
    } else {
        named(wanted)?
    };
    let members: Vec<Arc<dyn Mux>> = kinds.iter().copied().map(make).collect();
    let remembered = candidates.remembered.filter(|kind| kinds.contains(kind));
    let primary = match (automatic, remembered) {
        (false, _) => kinds[0],
        (true, Some(kind)) => kind,
        (true, None) => around_us(candidates.env).unwrap_or_else(|| first_that_answers(&members)),
    };
    Ok(MuxSet::new(members, primary))
}

fn named(wanted: &str) -> Result<Vec<BackendKind>> {
    let names = wanted.split(',').map(str::trim);
    names
        .map(|name| {
            BackendKind::parse(name).ok_or_else(|| {
                Kind::Config
                    .because(format!("The setting `backend` has the unknown value `{name}`."))
                    .hint("Use auto, wezterm, tmux or embedded.")
            })
        })
        .collect()
}

/// The terminal that this process runs in, by its environment variables.
fn around_us(env: &BTreeMap<String, String>) -> Option<BackendKind> {
    let set = |name: &str| env.get(name).is_some_and(|value| !value.is_empty());
    match () {
        () if set("WEZTERM_UNIX_SOCKET") || set("WEZTERM_PANE") => Some(BackendKind::Wezterm),
        () if set("TMUX") => Some(BackendKind::Tmux),
        () => None,
    }
}

fn first_that_answers(members: &[Arc<dyn Mux>]) -> BackendKind {
    let answers = |mux: &&Arc<dyn Mux>| mux.list().is_ok();
    members.iter().find(answers).map_or(BackendKind::Embedded, |mux| mux.kind())
}

#[cfg(test)]
mod tests;
