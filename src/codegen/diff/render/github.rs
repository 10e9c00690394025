//! A diff as workflow commands, which GitHub shows at the changed lines.

use std::fmt::Write as _;

use super::super::{Change, Diff, Level};
use super::text::users;

impl Diff<'_> {
    /// One command per change and the verdict as a plain line.
    pub fn to_github(&self) -> String {
        let mut text = String::new();
        for change in &self.changes {
            let _ = writeln!(text, "{}", self.command(change));
        }
        for entry in &self.stale {
            let message = format!(
                "{}: `{}` of `{}` ({}) is no longer needed; remove the entry",
                entry.place, entry.rule, entry.subject, entry.surface
            );
            let _ = writeln!(text, "::warning title=accepted break::{}", data(&message));
        }
        let _ = writeln!(text, "{}", self.summary());
        text
    }

    fn command(&self, change: &Change) -> String {
        let command = match (change.rule.breaking, &change.accepted) {
            (true, None) => "error",
            (true, Some(_)) => "warning",
            (false, _) => "notice",
        };
        let mut properties = Vec::new();
        // A review shows the new files; the old place becomes text.
        if let Some(location) = &change.new {
            properties.push(format!("file={}", property(&location.span.file.to_string_lossy())));
            properties.push(format!("line={},col={}", location.line, location.column));
        }
        let title = format!("{} {}", change.rule.level.word(), change.rule.id);
        properties.push(format!("title={}", property(&title)));

        let mut message = format!("{}: {}", change.surface, change.message);
        if change.rule.level != Level::Prose {
            let value =
                |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".to_owned());
            let _ = write!(message, "\n{} → {}", value(&change.before), value(&change.after));
        }
        if let Some(users) = users(change) {
            let _ = write!(message, "\naffects {users}");
        }
        if let Some(location) = change.old.as_ref().filter(|location| location.present) {
            let file = self.old.shown(location);
            let _ = write!(message, "\nwas {file}:{}:{}", location.line, location.column);
        }
        match &change.accepted {
            Some(reason) => {
                let _ = write!(message, "\naccepted: {reason}");
            }
            None if change.rule.breaking => {
                let _ = write!(message, "\nhelp: {}", change.rule.hint);
            }
            None => {}
        }
        format!("::{command} {}::{}", properties.join(","), data(&message))
    }
}

/// The text of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_command_or_a_property_is_escaped() {
        assert_eq!(data("50% of\r\nit: a, b"), "50%25 of%0D%0Ait: a, b");
        assert_eq!(property("a,b:c%\n"), "a%2Cb%3Ac%25%0A");
    }
}
