//! A diff as text in the style of rustc, grouped by level, with the verdict last.

use std::fmt::Write as _;

use annotate_snippets::{AnnotationKind, Group, Level as Look, Origin, Renderer, Snippet};

use super::super::change::list;
use super::super::{Change, Diff, Level, Location, Use, Version};
use crate::diagnostics::{Colour, first_line};

impl Diff<'_> {
    /// All changes and the verdict.
    pub fn to_text(&self, colour: Colour) -> String {
        let renderer = match colour {
            Colour::Never => Renderer::plain(),
            Colour::Always => Renderer::styled(),
        };
        let mut text = String::new();
        for level in Level::ALL {
            let changes: Vec<&Change> =
                self.changes.iter().filter(|change| change.rule.level == level).collect();
            if changes.is_empty() {
                continue;
            }
            let _ = writeln!(text, "{}: {}\n", level.word(), level.about());
            for change in changes {
                if level == Level::Prose {
                    let _ = writeln!(text, "{}", self.one_line(change));
                } else {
                    text.push_str(&renderer.render(&[self.group(change)]));
                    text.push_str("\n\n");
                }
            }
            if level == Level::Prose {
                text.push('\n');
            }
        }
        for entry in &self.stale {
            let _ = writeln!(
                text,
                "warning: {}: `{}` of `{}` ({}) is no longer needed; remove the entry",
                entry.place, entry.rule, entry.subject, entry.surface
            );
        }
        let _ = writeln!(text, "{}", self.summary());
        text
    }

    /// `verdict: major (2 breaking, 1 accepted, 3 additive, 4 prose)`
    pub fn summary(&self) -> String {
        let counts = [
            (self.count(Change::is_open_break), "breaking"),
            (self.count(|change| change.accepted.is_some()), "accepted"),
            (self.count(|c| !c.rule.breaking && c.rule.level != Level::Prose), "additive"),
            (self.count(|change| change.rule.level == Level::Prose), "prose"),
        ];
        let counts: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        let counts = if counts.is_empty() { "no change".to_owned() } else { counts.join(", ") };
        format!("verdict: {} ({counts})", self.impact().word())
    }

    /// One line with the place.
    fn one_line(&self, change: &Change) -> String {
        let place = match (&change.new, &change.old) {
            (Some(location), _) => position(&self.new, location),
            (None, Some(location)) => position(&self.old, location),
            (None, None) => String::new(),
        };
        let old = match &change.old {
            Some(location) => format!(" (was {})", position(&self.old, location)),
            None => String::new(),
        };
        format!("{place}: [{}] {}{old}", change.rule.id, change.message)
    }

    fn group<'d>(&'d self, change: &'d Change) -> Group<'d> {
        let look = match (change.rule.breaking, &change.accepted) {
            (true, None) => Look::ERROR.with_name("breaking"),
            (true, Some(_)) => Look::WARNING.with_name("accepted"),
            (false, _) => Look::NOTE.with_name("additive"),
        };
        let mut group =
            Group::with_title(look.primary_title(change.message.as_str()).id(change.rule.id));
        // What is there comes with its line; where it is missing, the line says nothing.
        for (version, location, word) in
            [(&self.new, &change.new, "new"), (&self.old, &change.old, "old")]
        {
            let Some(location) = location else { continue };
            group = if location.present {
                group.element(snippet(version, location, word))
            } else {
                let path = version.shown(location);
                group.element(Origin::path(path).line(location.line).char_column(location.column))
            };
        }
        for note in notes(change) {
            group = group.element(Look::NOTE.message(note));
        }
        group.element(Look::HELP.message(change.rule.hint))
    }
}

fn snippet<'d>(
    version: &Version<'d>,
    location: &Location,
    word: &'d str,
) -> Snippet<'d, annotate_snippets::Annotation<'d>> {
    let text = version.loaded.report.sources.text(&location.span.file).unwrap_or_default();
    let kind = if word == "new" { AnnotationKind::Primary } else { AnnotationKind::Context };
    Snippet::source(text)
        .path(version.shown(location))
        .annotation(kind.span(first_line(text, &location.span)).label(word))
}

fn position(version: &Version<'_>, location: &Location) -> String {
    format!("{}:{}:{}", version.shown(location), location.line, location.column)
}

/// Values, affected tools, and the reason for accepting it.
fn notes(change: &Change) -> Vec<String> {
    let mut notes = Vec::new();
    if change.before.is_some() || change.after.is_some() {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".to_owned());
        notes.push(format!("{} → {}", value(&change.before), value(&change.after)));
    }
    if let Some(users) = users(change) {
        notes.push(format!("affects {users}"));
    }
    notes.push(format!("{} {}", change.surface, change.place()));
    if let Some(reason) = &change.accepted {
        notes.push(format!("accepted: {reason}"));
    }
    notes
}

/// Tools that a shared schema concerns; nothing where the subject says it all.
pub(super) fn users(change: &Change) -> Option<String> {
    let shared = change.affects.iter().any(|(tool, _)| *tool != change.subject);
    let of = |used: Use| {
        let tools: Vec<&str> = change
            .affects
            .iter()
            .filter(|(_, known)| *known == used)
            .map(|(tool, _)| tool.as_str())
            .collect();
        (!tools.is_empty()).then(|| format!("the {}s of {}", used.word(), list(tools)))
    };
    let users: Vec<String> = [Use::Input, Use::Output].into_iter().filter_map(of).collect();
    shared.then(|| users.join(" and "))
}
