//! `wa.state`

use std::collections::BTreeMap;

use toolwright_runtime::{Call, Handle};

use super::convert;
use crate::backend::set::Found;
use crate::engine::Engine;
use crate::error;
use crate::generated::{
    Cursor, Dimensions, Holder, Pane, PaneFlags, Result, State, StateRequest, StateResponse,
};
use crate::history::KnownPane;
use crate::model::{AgentActivity, PaneRow, PaneState};
use crate::policy::Reservation;
use crate::{Wa, unsigned};

impl Handle<State> for Wa {
    async fn handle(&self, _: &Call, request: StateRequest) -> Result<StateResponse> {
        self.run(move |engine| list(engine, &request)).await
    }
}

fn list(engine: &Engine, request: &StateRequest) -> error::Result<Vec<Pane>> {
    let agent = request.agent.as_deref().map(convert::agent_argument).transpose()?;
    let set = engine.mux_set()?;
    let rows = match request.pane_id {
        Some(pane) => vec![set.find(pane)?.live()?.row],
        None => set.list()?.panes,
    };
    let records = engine.records()?;
    let known = records.history.known_all()?;
    let held: BTreeMap<u64, Reservation> = records
        .policy
        .reservations(None, engine.now())?
        .into_iter()
        .map(|reservation| (reservation.pane_id, reservation))
        .collect();
    let filter = engine.filter()?;
    let mut panes = Vec::with_capacity(rows.len());
    for row in rows.into_iter().filter(|row| row.dead.is_none()) {
        if request.domain.as_ref().is_some_and(|domain| *domain != row.domain) {
            continue;
        }
        let Some((member, _)) = set.owner(row.pane_id) else { continue };
        let found = Found { mux: member.mux.clone(), row };
        let known =
            known.get(&found.row.pane_id).filter(|pane| pane.identity == found.row.identity);
        // A pane that ends meanwhile is omitted.
        let state = match engine.state(&found, known) {
            Ok(state) => state,
            Err(error) if error.kind == error::Kind::PaneNotFound => continue,
            Err(error) => return Err(error),
        };
        if agent.is_some() && state.agent.map(|seen| seen.agent) != agent {
            continue;
        }
        let holder = held.get(&found.row.pane_id);
        let ignored = filter.observed(&found.row);
        panes.push(pane(engine, &found.row, &state, known, holder, ignored));
    }
    Ok(panes)
}

fn pane(
    engine: &Engine,
    row: &PaneRow,
    state: &PaneState,
    known: Option<&KnownPane>,
    holder: Option<&Reservation>,
    ignored: Option<String>,
) -> Pane {
    Pane {
        pane_id: row.pane_id,
        pane_uuid: known.map(|known| known.uuid.clone()),
        tab_id: row.tab_id,
        window_id: row.window_id,
        domain: row.domain.clone(),
        title: row.title.as_deref().map(|title| engine.redact_shown(title)),
        cwd: row.cwd.as_deref().map(|cwd| engine.redact_shown(cwd)),
        observed: ignored.is_none(),
        ignore_reason: ignored,
        pane_state: Some(flags(state, known.is_some())),
        last_activity: known.and_then(|known| known.last_activity).map(unsigned),
        unhandled_event_count: known.map(|known| known.unhandled_events),
        reservation: holder.map(|holder| Holder {
            owner_kind: convert::owner(holder.owner_kind),
            owner_id: holder.owner_id.clone(),
            reason: holder.reason.clone(),
            expires_at: unsigned(holder.expires_at),
        }),
        cursor: row.cursor.map(|(row, col)| Cursor { row, col }),
        dimensions: dimensions(row),
        is_active: Some(row.is_active),
    }
}

fn dimensions(row: &PaneRow) -> Option<Dimensions> {
    let (cols, rows) = row.size?;
    (cols > 0 && rows > 0).then_some(Dimensions { cols, rows })
}

/// An agent that waits is at its prompt, whatever the terminal shows of it.
fn flags(state: &PaneState, recorded: bool) -> PaneFlags {
    let agent = state.agent.map(|seen| seen.activity);
    let (prompt, running) = match agent {
        Some(AgentActivity::Idle) => (Some(true), Some(false)),
        Some(AgentActivity::Busy) => (Some(false), Some(true)),
        Some(AgentActivity::Asking) => (Some(false), Some(false)),
        Some(AgentActivity::Unknown) | None => (state.prompt_active, state.command_running),
    };
    PaneFlags {
        prompt_active: prompt,
        command_running: running,
        alt_screen: state.alt_screen,
        recent_gap: recorded.then_some(state.recent_gap),
    }
}
