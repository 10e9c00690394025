//! Formats log lines: one event and the call it belongs to, as JSON or as readable text.
//!
//! Independent of filters and of where lines are written.

use std::collections::BTreeMap;
use std::fmt::{Debug, Write as _};

use serde::Serialize;
use tracing::Level;
use tracing::field::{Field, Visit};

use super::Format;
use super::span::CallFields;

pub(super) fn log_line(format: Format, level: Level, target: &str, fields: Fields) -> String {
    let now = jiff::Timestamp::now();
    let mut line = match format {
        Format::Json => json_line(now, level, target, fields),
        Format::Text => text_line(now, level, target, fields),
    };
    line.push('\n');
    line
}

/// Reports that `count` lines were dropped.
pub(super) fn loss_line(format: Format, count: u64) -> String {
    let fields = Fields {
        message: "log lines were dropped because standard error was not read".to_owned(),
        event: Some(json("log.dropped")),
        context: BTreeMap::from([("lines", json(count))]),
    };
    log_line(format, Level::WARN, "toolwright::logging", fields)
}

fn json_line(now: jiff::Timestamp, level: Level, target: &str, fields: Fields) -> String {
    // Written manually for the order of members; values are escaped, so there is no line break.
    let mut line = String::with_capacity(256);
    let _ = write!(line, "{{\"timestamp\":\"{now:.6}\",\"level\":\"{level}\",\"logger\":");
    line += &json(target);
    line += ",\"message\":";
    line += &json(fields.message);
    if let Some(event) = fields.event {
        line += ",\"event\":";
        line += &event;
    }
    let mut before = ",\"context\":{";
    for (name, value) in &fields.context {
        line += before;
        line += &json(name);
        line.push(':');
        line += value;
        before = ",";
    }
    line += if fields.context.is_empty() { "}" } else { "}}" };
    without_controls(line)
}

/// Serialises strings and numbers, which cannot fail.
fn json(value: impl Serialize) -> String {
    serde_json::to_string(&value).unwrap_or_default()
}

/// Escapes DEL and C1 control characters, which JSON leaves unescaped but terminals interpret.
pub(crate) fn without_controls(line: String) -> String {
    let is_control = |letter: char| ('\u{7f}'..='\u{9f}').contains(&letter);
    if !line.contains(is_control) {
        return line;
    }
    let mut plain = String::with_capacity(line.len() + 16);
    for letter in line.chars() {
        if is_control(letter) {
            let _ = write!(plain, "\\u{:04x}", u32::from(letter));
        } else {
            plain.push(letter);
        }
    }
    plain
}

fn text_line(now: jiff::Timestamp, level: Level, target: &str, fields: Fields) -> String {
    let mut line = format!("{now:.3} {level:5} {target}: {}", one_line(&fields.message));
    for (name, value) in &fields.context {
        let _ = write!(line, " {name}={}", one_line(value));
    }
    line
}

fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() {
            line.extend(letter.escape_default());
        } else {
            line.push(letter);
        }
    }
    line
}

/// Fields of one event.
#[derive(Default)]
pub(super) struct Fields {
    message: String,
    /// JSON.
    event: Option<String>,
    /// JSON by name, in the order of names.
    context: BTreeMap<&'static str, String>,
}

impl Fields {
    /// The event itself names its call.
    pub(super) fn identifies_call(&self) -> bool {
        ["tool", "request_id"].iter().all(|name| self.context.contains_key(name))
    }

    /// Adds the fields of the call that the event does not have.
    pub(super) fn add_call(&mut self, call: &CallFields) {
        self.context.entry("tool").or_insert_with(|| json(&call.tool));
        self.context.entry("request_id").or_insert_with(|| json(&call.request_id));
    }

    fn put(&mut self, field: &Field, value: impl Serialize) {
        let value = json(value);
        match field.name() {
            "message" => self.message = value,
            "event" => self.event = Some(value),
            name => {
                self.context.insert(name, value);
            }
        }
    }
}

impl Visit for Fields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "message" => value.clone_into(&mut self.message),
            _ => self.put(field, value),
        }
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        self.record_str(field, &value.to_string());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}
