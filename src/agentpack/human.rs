//! Answers for a terminal: a table of changes, coloured diffs.

use std::fmt::Write as _;

use serde_json::Value;
use toolwright_runtime::contract::ToolInfo;

const RED: &str = "\u{1b}[31m";
const GREEN: &str = "\u{1b}[32m";
const YELLOW: &str = "\u{1b}[33m";
const PLAIN: &str = "\u{1b}[0m";

/// Renders an envelope as text.
pub(super) fn render(tool: &'static ToolInfo, envelope: &Value, colour: bool) -> Option<String> {
    let paint = |code: &'static str, text: &str| {
        if colour { format!("{code}{text}{PLAIN}") } else { text.to_owned() }
    };
    let mut text = String::new();
    for warning in strings(&envelope["warnings"]) {
        let _ = writeln!(text, "{} {warning}", paint(YELLOW, "warning:"));
    }
    if let Some(error) = envelope["errors"].get(0) {
        let (code, message) = (string(&error["code"]), string(&error["message"]));
        let _ = writeln!(text, "{} {code}: {message}", paint(RED, "error:"));
        for action in strings(&error["details"]["next_actions"]) {
            let _ = writeln!(text, "  next: {action}");
        }
        return Some(text.trim_end().to_owned());
    }
    let data = &envelope["data"];
    match tool.name {
        "plan" | "diff" | "deploy" | "deploy_apply" => changes(data, &paint, &mut text),
        "preview" => {
            changes(&data["plan"], &paint, &mut text);
            diffs(&data["diff"]["files"], &paint, &mut text);
        }
        "status" => drift(data, &paint, &mut text),
        "doctor" => doctor(data, &paint, &mut text),
        _ => return serde_json::to_string_pretty(data).ok(),
    }
    Some(text.trim_end().to_owned())
}

type Paint<'a> = &'a dyn Fn(&'static str, &str) -> String;

fn changes(data: &Value, paint: Paint<'_>, text: &mut String) {
    for change in items(&data["changes"]) {
        let (sign, code) = match string(&change["op"]) {
            "create" => ("+", GREEN),
            "delete" => ("-", RED),
            _ => ("~", YELLOW),
        };
        let _ = writeln!(
            text,
            "{} {:<12} {}  ({})",
            paint(code, sign),
            string(&change["target"]),
            string(&change["path"]),
            string(&change["reason"]),
        );
    }
    let summary = &data["summary"];
    let _ = writeln!(
        text,
        "{} to create, {} to update, {} to delete",
        summary["create"], summary["update"], summary["delete"]
    );
    if let Some(snapshot) = data["snapshot_id"].as_str() {
        let _ = writeln!(text, "applied; snapshot {snapshot}");
    } else if let Some(reason) = data["reason"].as_str() {
        let _ = writeln!(text, "nothing was written: {reason}");
    }
}

fn diffs(files: &Value, paint: Paint<'_>, text: &mut String) {
    for line in items(files).iter().flat_map(|file| string(&file["unified"]).lines()) {
        let code = match line.chars().next() {
            Some('+') => GREEN,
            Some('-') => RED,
            Some('@') => YELLOW,
            _ => PLAIN,
        };
        let _ =
            writeln!(text, "{}", if code == PLAIN { line.to_owned() } else { paint(code, line) });
    }
}

fn drift(data: &Value, paint: Paint<'_>, text: &mut String) {
    for drift in items(&data["drift"]) {
        let _ = writeln!(
            text,
            "{} {:<12} {}  {}",
            paint(YELLOW, &format!("{:<8}", string(&drift["kind"]))),
            string(&drift["target"]),
            string(&drift["path"]),
            string(&drift["cause"]),
        );
    }
    let summary = &data["summary"];
    let _ = writeln!(
        text,
        "{} modified, {} missing, {} extra",
        summary["modified"], summary["missing"], summary["extra"]
    );
    for action in strings(&data["next_actions"]) {
        let _ = writeln!(text, "  next: {action}");
    }
}

fn doctor(data: &Value, paint: Paint<'_>, text: &mut String) {
    for root in items(&data["roots"]) {
        let issues: Vec<&str> = strings(&root["issues"]).collect();
        let state =
            if issues.is_empty() { paint(GREEN, "ok") } else { paint(YELLOW, &issues.join(", ")) };
        let _ =
            writeln!(text, "{:<12} {}  {state}", string(&root["target"]), string(&root["root"]));
    }
    for check in items(&data["checks"]) {
        let ok = check["ok"] == true;
        let state = if ok { paint(GREEN, "ok") } else { paint(YELLOW, string(&check["message"])) };
        let _ = writeln!(text, "{:<12} {state}", string(&check["name"]));
    }
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn strings(value: &Value) -> impl Iterator<Item = &str> {
    items(value).iter().filter_map(Value::as_str)
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
