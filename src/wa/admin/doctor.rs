//! `wa doctor`: checks backends, database and files, with a fix for each problem. Changes nothing.

use std::sync::Arc;

use clap::ArgMatches;
use serde::Serialize;

use crate::backend::set::MuxSet;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::watch;
use crate::workflow::Listed;
use toolwright_commands::terminal;
use toolwright_platform::health;

/// The result of one check.
#[derive(Serialize)]
pub(crate) struct Row {
    pub(crate) what: String,
    pub(crate) ok: bool,
    pub(crate) found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) remedy: Option<String>,
}

/// Checks everything and prints a row for each.
pub(super) fn run(engine: &Arc<Engine>, matches: &ArgMatches) -> Result<u8> {
    let rows = run_checks(engine);
    let well = rows.iter().all(|row| row.ok);
    if matches.get_flag("json") {
        let report = serde_json::json!({"ok": well, "rows": rows});
        terminal::line(&report.to_string());
        return Ok(u8::from(!well));
    }
    for row in &rows {
        let sign = if row.ok { "ok  " } else { "FAIL" };
        terminal::line(&format!("{sign}  {:<12} {}", row.what, row.found));
        if let Some(remedy) = &row.remedy {
            terminal::line(&format!("      {:<12} {remedy}", ""));
        }
    }
    Ok(u8::from(!well))
}

fn run_checks(engine: &Engine) -> Vec<Row> {
    let mut rows = match engine.mux_set() {
        Ok(set) => backends(&set),
        Err(error) => vec![failed("backends", &error)],
    };
    match engine.records() {
        Ok(records) => {
            rows.push(passed("database", records.store.file().display().to_string()));
        }
        Err(error) => rows.push(failed("database", &error)),
    }
    rows.extend(files(engine, engine.workflows().map(|engine| engine.list())));
    rows.extend(
        health::exposed_below("private", engine.folder())
            .map(|row| Row { remedy: row.remedy, ..passed(&row.check, row.measured) }),
    );
    rows
}

/// The watcher, the rules and the workflows: everything that is neither terminal nor database.
pub(crate) fn files(engine: &Engine, workflows: Result<Listed>) -> Vec<Row> {
    let mut rows = Vec::new();
    rows.push(match watch::holder(engine.folder()) {
        Some(by) => passed("watcher", by),
        None => passed("watcher", "none; start a server or `wa watch` to record"),
    });
    let rules: usize = engine.patterns().packs().iter().map(|pack| pack.rules.len()).sum();
    rows.push(passed("rules", format!("{rules} in {} packs", engine.patterns().packs().len())));
    rows.extend(engine.pattern_errors().iter().map(|error| failed("rules", error)));
    match workflows {
        Ok(listed) => {
            rows.push(passed("workflows", format!("{}", listed.workflows.len())));
            rows.extend(listed.broken.iter().map(|broken| Row {
                what: "workflows".to_owned(),
                ok: false,
                found: format!("{}: {}", broken.file.display(), broken.problem),
                remedy: Some("Fix the file; the other workflows still work.".to_owned()),
            }));
        }
        Err(error) => rows.push(failed("workflows", &error)),
    }
    rows
}

/// One row for each backend. One that is not running is no error unless it is the only one.
pub(crate) fn backends(set: &MuxSet) -> Vec<Row> {
    let only = set.members().len() == 1;
    let rows = set.members().iter().map(|member| match member.mux.list() {
        Ok(panes) => passed(member.kind.as_str(), format!("{} panes", panes.len())),
        Err(error) if only => failed(member.kind.as_str(), &error),
        Err(error) => passed(member.kind.as_str(), format!("not in use: {error}")),
    });
    rows.collect()
}

fn passed(what: &str, found: impl Into<String>) -> Row {
    Row { what: what.to_owned(), ok: true, found: found.into(), remedy: None }
}

pub(crate) fn failed(what: &str, error: &Error) -> Row {
    Row { what: what.to_owned(), ok: false, found: error.to_string(), remedy: error.hint.clone() }
}
