//! `yarnnn activity` and `yarnnn timeline`

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::json;

use super::super::engine::{Caller, Engine};
use super::{CommandResult, common, json_flag};
use toolwright_commands::table;

fn most() -> Arg {
    Arg::new("most")
        .long("most")
        .value_name("NUMBER")
        .default_value("50")
        .value_parser(value_parser!(i64).range(1..=10_000))
        .help("Maximum number of rows")
}

pub(super) fn activity_arguments(command: Command) -> Command {
    let calls = Arg::new("calls").long("calls").action(ArgAction::SetTrue);
    common(command).arg(calls.help("List the newest calls instead")).arg(most()).arg(json_flag())
}

pub(super) fn activity(engine: &Engine, operator: &Caller, given: &ArgMatches) -> CommandResult {
    let workspace = &operator.workspace;
    if !given.get_flag("calls") {
        let hosts = engine.recent_hosts(workspace)?.into_iter();
        let rows: Vec<_> = hosts
            .map(|one| {
                [
                    json!(one.host),
                    table::moment(one.last_seen_at),
                    json!(one.calls_last_hour),
                    json!(one.errors_last_hour),
                    json!(one.p95_latency_ms),
                ]
            })
            .collect();
        let headings =
            ["host", "last_seen", "calls_last_hour", "errors_last_hour", "p95_latency_ms"];
        table::print(headings, &rows, given.get_flag("json"));
        return Ok(0);
    }
    let calls = engine.calls(workspace, limit(given))?.into_iter();
    let rows: Vec<_> = calls
        .map(|one| {
            [
                table::moment(one.at),
                json!(one.tool),
                json!(one.host),
                json!(one.result),
                json!(one.error_code),
                json!(one.decision),
                json!(one.score),
                json!(one.latency_ms),
            ]
        })
        .collect();
    let headings = ["at", "tool", "host", "result", "code", "decision", "score", "latency_ms"];
    table::print(headings, &rows, given.get_flag("json"));
    Ok(0)
}

pub(super) fn timeline_arguments(command: Command) -> Command {
    common(command).arg(most()).arg(json_flag())
}

pub(super) fn timeline(engine: &Engine, operator: &Caller, given: &ArgMatches) -> CommandResult {
    let workspace = &operator.workspace;
    let events = engine.events(workspace, limit(given))?.into_iter();
    let rows: Vec<_> = events
        .map(|one| {
            [
                table::moment(one.at),
                json!(one.kind),
                json!(one.preview),
                json!(one.about),
                json!(one.host),
                json!(one.user_id),
            ]
        })
        .collect();
    table::print(["at", "kind", "preview", "about", "host", "user"], &rows, given.get_flag("json"));
    Ok(0)
}

fn limit(given: &ArgMatches) -> i64 {
    given.get_one("most").copied().unwrap_or(50)
}
