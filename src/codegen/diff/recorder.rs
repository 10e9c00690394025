//! Records the changes that the comparisons of one surface find.

use std::collections::BTreeMap;

use super::change::{Change, Use};
use super::locate::{File, Side};
use super::rules::{ByUse, Rule};
use crate::diagnostics::Place;

/// Collects the changes of one surface.
pub(super) struct Recorder<'a> {
    pub(super) old: Side<'a>,
    pub(super) new: Side<'a>,
    changes: Vec<Change>,
}

/// A place that something was found at, or would be.
#[derive(Clone, Copy)]
pub(super) struct At {
    pub(super) place: Place,
    pub(super) present: bool,
}

/// A thing of a file: who is concerned and where it is written in either version.
#[derive(Clone, Copy)]
pub(super) struct Thing<'n> {
    pub(super) subject: &'n str,
    pub(super) old: File<'n>,
    pub(super) new: File<'n>,
}

impl<'n> Thing<'n> {
    /// Something in `surface.yaml`.
    pub(super) fn surface(subject: &'n str) -> Self {
        Self { subject, old: File::Surface, new: File::Surface }
    }
}

impl<'a> Recorder<'a> {
    pub(super) fn new(old: Side<'a>, new: Side<'a>) -> Self {
        Self { old, new, changes: Vec::new() }
    }

    /// Adds a change at a pointer that is the same in both versions.
    pub(super) fn add(
        &mut self,
        rule: &'static Rule,
        thing: Thing<'_>,
        pointer: &str,
        message: impl Into<String>,
    ) -> &mut Change {
        self.moved(rule, thing, [pointer, pointer], message)
    }

    /// Adds a change at a pointer into the old and one into the new file.
    pub(super) fn moved(
        &mut self,
        rule: &'static Rule,
        thing: Thing<'_>,
        [before, after]: [&str; 2],
        message: impl Into<String>,
    ) -> &mut Change {
        let old = self.old.find(thing.old, before);
        let new = self.new.find(thing.new, after);
        let pointer = if new.present || !old.present { new.pointer } else { old.pointer };
        self.push(Change {
            rule,
            surface: self.new.contract.name.clone(),
            subject: thing.subject.to_owned(),
            pointer,
            message: message.into(),
            before: None,
            after: None,
            old: Some(self.old.location(old.place, old.present)),
            new: Some(self.new.location(new.place, new.present)),
            affects: Vec::new(),
            accepted: None,
            topic: rule.id,
        })
    }

    /// Adds a change of a schema, judged by its use in a tool.
    pub(super) fn schema(
        &mut self,
        rules: ByUse,
        (tool, used): (&str, Use),
        (subject, pointer): (&str, String),
        [old, new]: [At; 2],
        message: String,
    ) -> &mut Change {
        let rule = match used {
            Use::Input => rules.input,
            Use::Output => rules.output,
        };
        self.push(Change {
            rule,
            surface: self.new.contract.name.clone(),
            subject: subject.to_owned(),
            pointer,
            message,
            before: None,
            after: None,
            old: Some(self.old.location(old.place, old.present)),
            new: Some(self.new.location(new.place, new.present)),
            affects: vec![(tool.to_owned(), used)],
            accepted: None,
            topic: rules.input.id,
        })
    }

    fn push(&mut self, change: Change) -> &mut Change {
        let index = self.changes.len();
        self.changes.push(change);
        &mut self.changes[index]
    }

    /// Everything once: what several tools share is one change, judged by its worst use.
    pub(super) fn finish(self) -> Vec<Change> {
        let mut merged: BTreeMap<_, Change> = BTreeMap::new();
        for change in self.changes {
            let key = (
                change.subject.clone(),
                change.pointer.clone(),
                change.topic,
                change.before.clone(),
                change.after.clone(),
            );
            match merged.get_mut(&key) {
                None => {
                    merged.insert(key, change);
                }
                Some(known) => {
                    let mut affects = std::mem::take(&mut known.affects);
                    affects.extend(change.affects.iter().cloned());
                    affects.sort();
                    affects.dedup();
                    let severity = |change: &Change| (!change.rule.breaking, change.rule.level);
                    if severity(&change) < severity(known) {
                        *known = change;
                    }
                    known.affects = affects;
                }
            }
        }
        merged.into_values().collect()
    }
}
