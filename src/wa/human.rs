//! Renders envelopes as text for the user at a terminal.

use std::fmt::Write as _;

use serde_json::Value;
use toolwright_runtime::contract::ToolInfo;

const RED: &str = "\u{1b}[31m";
const DIM: &str = "\u{1b}[2m";
const PLAIN: &str = "\u{1b}[0m";

/// Renders an envelope as text; `None` leaves it as JSON.
pub(super) fn render(tool: &'static ToolInfo, envelope: &Value, colour: bool) -> Option<String> {
    let paint = |code: &'static str, text: &str| {
        if colour { format!("{code}{text}{PLAIN}") } else { text.to_owned() }
    };
    if envelope["ok"] == false {
        let mut text = format!(
            "{} {}: {}",
            paint(RED, "error:"),
            str_or_empty(&envelope["error_code"]),
            str_or_empty(&envelope["error"])
        );
        if let Some(hint) = envelope["hint"].as_str() {
            let _ = write!(text, "\n  {hint}");
        }
        return Some(text);
    }
    let data = &envelope["data"];
    let text = match tool.name {
        "state" => panes(data, &|text| paint(DIM, text)),
        "get_text" => str_or_empty(&data["text"]).to_owned(),
        "events" => {
            rows(&data["events"], &["id", "pane_id", "severity", "rule_id", "matched_text"])
        }
        "search" => rows(&data["results"], &["pane_id", "seq", "snippet"]),
        "reservations" => {
            rows(&data["reservations"], &["reservation_id", "pane_id", "owner_id", "expires_at"])
        }
        "workflow_list" => rows(&data["workflows"], &["name", "enabled", "description"]),
        "accounts" => rows(&data["accounts"], &["service", "id", "status"]),
        "why" => explanation(data),
        _ => return serde_json::to_string_pretty(data).ok(),
    };
    Some(text)
}

fn panes(data: &Value, dim: &dyn Fn(&str) -> String) -> String {
    let mut text = String::new();
    for pane in data.as_array().into_iter().flatten() {
        let state = &pane["pane_state"];
        let doing = match (&state["prompt_active"], &state["command_running"]) {
            (Value::Bool(true), _) => "at its prompt",
            (_, Value::Bool(true)) => "running",
            _ => "unknown",
        };
        let _ = writeln!(
            text,
            "{:>8}  {:<14} {:<14} {}  {}",
            plain(&pane["pane_id"]),
            str_or_empty(&pane["domain"]),
            doing,
            str_or_empty(&pane["title"]),
            dim(str_or_empty(&pane["cwd"])),
        );
    }
    text.trim_end().to_owned()
}

fn explanation(data: &Value) -> String {
    let mut text = format!(
        "{}: {}\n\n{}",
        str_or_empty(&data["code"]),
        str_or_empty(&data["title"]),
        str_or_empty(&data["explanation"])
    );
    for suggestion in data["suggestions"].as_array().into_iter().flatten() {
        let _ = write!(text, "\n- {}", str_or_empty(suggestion));
    }
    text
}

fn rows(list: &Value, columns: &[&str]) -> String {
    let lines = list.as_array().into_iter().flatten().map(|row| {
        let cells = columns.iter().map(|column| plain(&row[*column]).replace('\n', " "));
        cells.collect::<Vec<_>>().join("  ")
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn str_or_empty(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
