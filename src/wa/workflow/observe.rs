//! A snapshot of a pane for a step: row, state and agent, read at once.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::Context;
use crate::agents;
use crate::error::{Kind, Result};
use crate::model::{BackendKind, PaneRow, PaneState};
use crate::mux::{Lines, Mux, PaneText};

/// A live pane with its state.
pub(super) struct PaneSnapshot {
    pub(super) mux: Arc<dyn Mux>,
    pub(super) row: PaneRow,
    pub(super) state: PaneState,
}

/// Reads a pane. With an `identity` it must still be that pane.
pub(super) fn observe(
    context: &Context,
    pane_id: u64,
    identity: Option<&str>,
) -> Result<PaneSnapshot> {
    let (mux, row) = alive(context, pane_id, identity)?;
    let mut state = mux.state(&row)?;
    let screen = mux.text(row.native_id, Lines::Screen, false)?.text;
    state.agent = agents::recognise(&row, &state, &screen);
    let known = context.history.known(pane_id)?;
    state.recent_gap = known.is_some_and(|pane| pane.identity == row.identity && pane.recent_gap);
    Ok(PaneSnapshot { mux, row, state })
}

/// The pane, if it is still alive and has the expected identity.
pub(super) fn alive(
    context: &Context,
    pane_id: u64,
    identity: Option<&str>,
) -> Result<(Arc<dyn Mux>, PaneRow)> {
    let found = context.set.find(pane_id)?.live()?;
    if identity.is_some_and(|identity| identity != found.row.identity) {
        return Err(Kind::PaneNotFound
            .because(format!("Pane {pane_id} is gone; another pane has its id now."))
            .hint("Start the workflow again if it is meant for the new pane."));
    }
    Ok((found.mux, found.row))
}

/// A backend that records what the pane showed just before Enter or a key was pressed, so that
/// waiting for an answer can go on in another process.
pub(super) struct RecordingMux<'a> {
    mux: &'a dyn Mux,
    shown: Mutex<Shown>,
}

#[derive(Default)]
struct Shown {
    last: String,
    before_input: Option<String>,
    before_enter: Option<String>,
}

impl<'a> RecordingMux<'a> {
    pub(super) fn new(mux: &'a dyn Mux) -> Self {
        Self { mux, shown: Mutex::default() }
    }

    /// The recorded text.
    pub(super) fn before(self) -> String {
        let shown = self.shown.into_inner().unwrap_or_else(PoisonError::into_inner);
        shown.before_enter.or(shown.before_input).unwrap_or(shown.last)
    }

    fn note(&self, note: impl FnOnce(&mut Shown)) {
        note(&mut self.shown.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Mux for RecordingMux<'_> {
    fn kind(&self) -> BackendKind {
        self.mux.kind()
    }

    fn list(&self) -> Result<Vec<PaneRow>> {
        self.mux.list()
    }

    fn text(&self, pane: u64, lines: Lines, escapes: bool) -> Result<PaneText> {
        let text = self.mux.text(pane, lines, escapes)?;
        if matches!(lines, Lines::Tail(_)) {
            self.note(|shown| shown.last.clone_from(&text.text));
        }
        Ok(text)
    }

    fn send_raw(&self, pane: u64, bytes: &[u8]) -> Result<()> {
        self.note(|shown| {
            let slot = match bytes {
                b"\r" => &mut shown.before_enter,
                _ => &mut shown.before_input,
            };
            if slot.is_none() {
                *slot = Some(shown.last.clone());
            }
        });
        self.mux.send_raw(pane, bytes)
    }

    fn paste(&self, pane: u64, text: &str) -> Result<()> {
        self.mux.paste(pane, text)
    }

    fn state(&self, pane: &PaneRow) -> Result<PaneState> {
        self.mux.state(pane)
    }

    fn wait_for_change(&self, change: u64, timeout: Duration) -> Result<u64> {
        self.mux.wait_for_change(change, timeout)
    }
}
