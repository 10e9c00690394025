//! `yarnnn trace`: where something comes from, for people or as JSON.

use clap::{ArgMatches, Command};

use super::super::engine::{Caller, Engine, Trace, Traced};
use super::{CommandResult, common, json_flag, needed, text};
use toolwright_commands::terminal;

/// Characters of a source that are printed around nothing in particular.
const SHOWN: usize = 2_000;

pub(super) fn arguments(command: Command) -> Command {
    let id = needed("id", "ID", "Id of a block, name, raw dump, proposal or capture");
    common(command).arg(id).arg(json_flag())
}

pub(super) fn run(engine: &Engine, operator: &Caller, given: &ArgMatches) -> CommandResult {
    let trace = engine.trace(operator, text(given, "id"))?;
    if given.get_flag("json") {
        terminal::line(&serde_json::to_string_pretty(&trace).unwrap_or_default());
    } else {
        lines(&trace).iter().for_each(|line| terminal::line(line));
    }
    Ok(0)
}

fn lines(trace: &Trace) -> Vec<String> {
    let kind = match trace.kind {
        Traced::Block => "block",
        Traced::Item => "name",
        Traced::RawDump => "raw dump",
        Traced::Proposal => "proposal",
        Traced::Capture => "capture",
    };
    let mut lines = vec![format!("{kind} {}", trace.id)];
    for version in &trace.versions {
        lines.push(format!(
            "  version {} ({}, {}) {}",
            version.version, version.semantic_type, version.state, version.id
        ));
        lines.push(format!("    {}", version.content));
        for quote in version.quotes.iter().filter_map(|quote| quote.text.as_ref()) {
            lines.push(format!("    said as: “{quote}”"));
        }
    }
    for proposal in &trace.proposals {
        lines.push(format!(
            "proposal {} ({}, {}) by {} from {} at {}",
            proposal.id,
            proposal.status,
            proposal.mode,
            proposal.proposed_by,
            proposal.source_host,
            proposal.at
        ));
        for operation in &proposal.operations {
            let content = operation.content.as_deref().unwrap_or("(withheld)");
            lines.push(format!("  {}. {}: {content}", operation.number, operation.standing));
            for step in &operation.steps {
                let before = step.before.as_ref().map(|old| format!(", before: “{old}”"));
                let notes = step.notes.as_ref().map(|notes| format!(": {notes}"));
                lines.push(format!(
                    "     {} by {} from {} at {}{}{}",
                    step.action,
                    step.by,
                    step.host,
                    step.at,
                    before.unwrap_or_default(),
                    notes.unwrap_or_default()
                ));
            }
        }
    }
    for source in &trace.sources {
        let by = source.added_by.as_deref().unwrap_or("somebody");
        let host = source.source_host.as_deref().unwrap_or("somewhere");
        let at = source.at.as_deref().unwrap_or("some time");
        let state = source.state.replace('_', " ");
        lines.push(format!("source {} ({state}) by {by} from {host} at {at}", source.raw_dump_id));
        if let Some(end) = &source.withdrawn {
            lines.push(format!("  {} by {} at {}", end.reason, end.by, end.at));
        }
        if let Some(text) = &source.text {
            let shown: String = text.chars().take(SHOWN).collect();
            lines.extend(shown.lines().map(|line| format!("  | {line}")));
            if shown.len() < text.len() {
                lines.push("  | … (all of it with --json)".to_owned());
            }
        }
    }
    for capture in &trace.captures {
        lines.push(format!(
            "capture {} ({}) by {} from {} at {}: {}",
            capture.id,
            capture.status,
            capture.added_by,
            capture.source_host,
            capture.at,
            capture.summary
        ));
    }
    for step in &trace.history {
        lines.push(format!(
            "{}  {}  {}  {}  {}",
            step.at, step.event, step.by, step.host, step.about
        ));
    }
    lines
}
