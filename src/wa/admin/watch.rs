//! `wa watch`: records panes and prints events until interrupted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};

use crate::engine::Engine;
use crate::error::{Kind, Result};
use crate::history::{EventFilter, EventRow};
use crate::service;
use crate::watch::{Started, Watcher};
use toolwright_commands::terminal;

/// Interval between checks for new events to print.
const LOOK: Duration = Duration::from_millis(300);

/// Records until a signal comes; prints every event.
pub(super) fn run(engine: &Arc<Engine>) -> Result<u8> {
    let stop = stop_on_signals()?;
    if !engine.is_settled() {
        terminal::message("Waiting for the first pane.");
    }
    // Before it is seen its id is not final, and there is nothing to record.
    while !engine.is_settled() && !stop.load(Ordering::Relaxed) {
        std::thread::sleep(LOOK);
    }
    let context = Arc::new(service::context(engine)?);
    let watcher = match Watcher::try_start(context)? {
        Started::Watching(watcher) => watcher,
        Started::Held { by } => {
            return Err(Kind::Backend
                .because(format!("This workspace is watched by {by}."))
                .reason("watch.held")
                .hint("Stop that process first, or keep it: every process sees its events."));
        }
    };
    engine.workflows()?.recover()?;
    terminal::message("Watching. Press Ctrl-C to stop.");
    let mut last = newest(engine)?;
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(LOOK);
        for event in since(engine, last)? {
            last = last.max(event.id);
            terminal::line(&line(&event));
        }
    }
    watcher.stop();
    engine.workflows()?.stop();
    Ok(0)
}

fn newest(engine: &Engine) -> Result<i64> {
    Ok(since(engine, i64::MAX)?.first().map_or(0, |event| event.id))
}

/// Events after `last`, oldest first; only the newest one for the end of time.
fn since(engine: &Engine, last: i64) -> Result<Vec<EventRow>> {
    let limit = if last == i64::MAX { 1 } else { 100 };
    let page =
        engine.records()?.history.events(&EventFilter { limit, ..EventFilter::default() })?;
    let mut events = page.events;
    events.retain(|event| last == i64::MAX || event.id > last);
    events.reverse();
    Ok(events)
}

fn line(event: &EventRow) -> String {
    let text = event.matched_text.as_deref().unwrap_or_default().replace('\n', " ");
    format!("{} pane {} {} {text}", event.severity, event.pane_id, event.rule_id)
}

/// A flag that SIGINT and SIGTERM set.
fn stop_on_signals() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let broken = |error: std::io::Error| {
        Kind::Config.because("Signal handlers cannot be installed.").internal(error)
    };
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(broken)?;
    std::thread::spawn(move || {
        runtime.block_on(async {
            let (Ok(mut interrupt), Ok(mut terminate)) =
                (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
            else {
                return;
            };
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            flag.store(true, Ordering::Relaxed);
        });
    });
    Ok(stop)
}
