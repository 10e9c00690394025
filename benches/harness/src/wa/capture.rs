//! A flood in an embedded pane: drained by its host alone, and captured and indexed as well.

use std::sync::Arc;
use std::time::Duration;

use toolwright_runtime::clock::{SystemClock, SystemIds};
use wa::backend::{Filter, MuxSet};
use wa::model::BackendKind;
use wa::mux::{Mux, Spawn};
use wa::patterns::Patterns;
use wa::watch::{Context, Settings, Started, Watcher};

use super::Workspace;
use crate::plan::sizes;
use crate::stats::{least, timed};
use crate::table::{Bar, Row, Table};
use crate::{Plan, Programs, Result};

const PAUSE: Duration = Duration::from_millis(2);

pub(super) fn measure(plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    for bytes in sizes(plan.flood_bytes) {
        measure_flood(bytes, plan, programs, table)?;
    }
    Ok(())
}

fn measure_flood(bytes: usize, plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    let (mut drained, mut captured) = (Vec::new(), Vec::new());
    for round in 0..plan.rounds.min(3) {
        let bare = Workspace::new(&format!("wa-drain-{round}"), &programs.wa)?;
        let (time, pane) = timed(|| flood(&bare, bytes))?;
        drained.push(time / 1_000.0);
        bare.panes.close(pane)?;
        let watched = Workspace::new(&format!("wa-capture-{round}"), &programs.wa)?;
        captured.push(capture(&watched, bytes)? / 1_000.0);
    }
    let bar = (bytes == plan.flood_bytes).then_some(Bar::AtMost(1.5));
    let row = Row::new("capture of `yes`", "ms", least(captured)).floor(least(drained), bar);
    table.add(row.at(bytes >> 10, "KiB"));
    Ok(())
}

/// Until the program has ended.
fn flood(workspace: &Workspace, bytes: usize) -> Result<u64> {
    let command = format!("yes | head -c {bytes}");
    let command = ["sh", "-c", &command].map(str::to_owned).to_vec();
    let pane = workspace.panes.spawn(&Spawn { command, ..Spawn::default() })?;
    loop {
        let panes = workspace.panes.list()?;
        if panes.iter().any(|row| row.native_id == pane && row.dead.is_some()) {
            return Ok(pane);
        }
        std::thread::sleep(PAUSE);
    }
}

/// Until every line is stored and indexed; in microseconds.
fn capture(workspace: &Workspace, bytes: usize) -> Result<f64> {
    let history = workspace.history()?;
    let panes: Arc<dyn Mux> = Arc::new(workspace.backend());
    let context = Context {
        folder: workspace.state(),
        set: Arc::new(MuxSet::new(vec![panes], BackendKind::Embedded)),
        history: Arc::clone(&history),
        patterns: Arc::new(Patterns::builtin()?),
        filter: Filter::new(&[], &[])?,
        clock: Arc::new(SystemClock::default()),
        ids: Arc::new(SystemIds),
        settings: Settings::default(),
        on_event: Box::new(|_| {}),
        on_clean_up: Box::new(|_| {}),
        on_closed: Box::new(|_| {}),
    };
    let Started::Watching(watcher) = Watcher::try_start(Arc::new(context))? else {
        return Err("somebody else watches".into());
    };
    let (time, (pane, lost)) = timed(|| {
        let pane = flood(workspace, bytes)?;
        loop {
            let known = history.known(pane)?;
            let mark = match &known {
                Some(known) => history.mark(known.key)?.unwrap_or_default().output_mark,
                None => 0,
            };
            let Some(rest) = workspace.panes.output_since(pane, mark, 1) else {
                return Err("the host keeps no lines".into());
            };
            if let (Some(known), true) = (known, rest?.text.is_empty()) {
                return Ok::<_, Box<dyn std::error::Error>>((
                    pane,
                    history.gaps(known.key, 10)?.len(),
                ));
            }
            std::thread::sleep(PAUSE);
        }
    })?;
    watcher.stop();
    workspace.panes.close(pane)?;
    if lost > 0 {
        return Err(format!("{lost} gaps in the capture").into());
    }
    Ok(time)
}
