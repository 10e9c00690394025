//! A diff as one JSON object. The same diff gives the same bytes.

use serde_json::{Value, json};

use super::super::{Change, Diff, Level, Location, Version};

impl Diff<'_> {
    /// Machine-readable form.
    pub fn to_json(&self) -> Value {
        let changes: Vec<Value> = self.changes.iter().map(|change| self.change(change)).collect();
        let stale: Vec<Value> = self
            .stale
            .iter()
            .map(|entry| {
                json!({
                    "rule": entry.rule,
                    "surface": entry.surface,
                    "subject": entry.subject,
                    "reason": entry.reason,
                    "since": entry.since,
                    "at": entry.place,
                })
            })
            .collect();
        json!({
            "schemaVersion": 1,
            "old": self.old.name,
            "new": self.new.name,
            "verdict": self.impact(),
            "breaking": self.count(Change::is_open_break),
            "accepted": self.count(|change| change.accepted.is_some()),
            "additive": self.count(|c| !c.rule.breaking && c.rule.level != Level::Prose),
            "prose": self.count(|change| change.rule.level == Level::Prose),
            "changes": changes,
            "staleAcceptedBreaks": stale,
        })
    }

    fn change(&self, change: &Change) -> Value {
        let affects: Vec<Value> =
            change.affects.iter().map(|(tool, used)| json!({"tool": tool, "use": used})).collect();
        json!({
            "rule": change.rule.id,
            "level": change.rule.level,
            "breaking": change.rule.breaking,
            "accepted": change.accepted,
            "surface": change.surface,
            "subject": change.subject,
            "pointer": change.pointer,
            "message": change.message,
            "before": change.before,
            "after": change.after,
            "why": change.rule.doc,
            "hint": change.rule.hint,
            "affects": affects,
            "old": change.old.as_ref().map(|location| place(&self.old, location)),
            "new": change.new.as_ref().map(|location| place(&self.new, location)),
        })
    }
}

fn place(version: &Version<'_>, location: &Location) -> Value {
    json!({
        "revision": version.revision,
        "file": location.span.file.to_string_lossy(),
        "line": location.line,
        "column": location.column,
        "present": location.present,
    })
}
