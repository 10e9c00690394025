//! Compares members of objects: added, removed, renamed, required, additional.

use super::super::change::show;
use super::super::recorder::At;
use super::super::rename;
use super::super::rules::schemas as rules;
use super::view::{Held, Schema, bare};
use super::{Anchor, Context, Walk, entries};
use crate::parse::{Entry, Kind};

/// What an object says of members that it does not list.
enum Free<'a> {
    Closed,
    Open,
    Of(Held<'a>),
}

impl<'a> Walk<'_, 'a> {
    pub(super) fn object(
        &mut self,
        anchor: &Anchor,
        old: &Schema<'a>,
        new: &Schema<'a>,
        context: Context,
    ) {
        let (before, after) = (entries(old, "properties"), entries(new, "properties"));
        let is_in = |list: &[Entry], name: &str| list.iter().any(|entry| entry.key == name);
        let mut gone: Vec<&'a Entry> = before.iter().filter(|e| !is_in(after, &e.key)).collect();
        let mut come: Vec<&'a Entry> = after.iter().filter(|e| !is_in(before, &e.key)).collect();

        for (from, to) in self.renamed(&gone, &come, context) {
            gone.retain(|entry| entry.key != from.key);
            come.retain(|entry| entry.key != to.key);
            let kept = context.root && self.aliases.get(&from.key) == Some(&to.key);
            let rules = if kept { rules::MEMBER_RENAMED_WITH_ALIAS } else { rules::MEMBER_RENAMED };
            let inner = anchor.member(&to.key);
            let was = self.name(&anchor.member(&from.key));
            let message = format!("{was} is renamed to `{}`", to.key);
            let place = (inner.subject.as_str(), inner.pointer.clone());
            self.report(rules, place, [key_of(from), key_of(to)], message)
                .values(from.key.clone(), to.key.clone());
            self.member(&inner, (from, old), (to, new));
        }
        for entry in gone {
            let inner = anchor.member(&entry.key);
            let message = format!("{} is removed", self.name(&inner));
            let places = [key_of(entry), missing(new)];
            let shown = show(&bare(&entry.value, self.out.old));
            let place = (inner.subject.as_str(), inner.pointer.clone());
            self.report(rules::MEMBER_REMOVED, place, places, message).values(shown, None);
        }
        for entry in come {
            let inner = anchor.member(&entry.key);
            let needed = new.required().contains(&entry.key.as_str());
            let (rules, word) = match needed {
                true => (rules::REQUIRED_MEMBER_ADDED, "is new and required"),
                false => (rules::MEMBER_ADDED, "is new"),
            };
            let message = format!("{} {word}", self.name(&inner));
            let places = [missing(old), key_of(entry)];
            let shown = show(&bare(&entry.value, self.out.new));
            let place = (inner.subject.as_str(), inner.pointer.clone());
            self.report(rules, place, places, message).values(None, shown);
        }
        for from in before {
            if let Some(to) = after.iter().find(|entry| entry.key == from.key) {
                self.member(&anchor.member(&to.key), (from, old), (to, new));
            }
        }
        self.free(anchor, old, new);
    }

    /// Members that only changed their name: by an alias, or because they are alike.
    fn renamed(
        &self,
        gone: &[&'a Entry],
        come: &[&'a Entry],
        context: Context,
    ) -> Vec<(&'a Entry, &'a Entry)> {
        let (old, new) = (self.out.old, self.out.new);
        let alias = |from: &str| context.root.then(|| self.aliases.get(from)).flatten();
        rename::pairs(gone, come, |from, to| match alias(&from.key) {
            Some(known) => *known == to.key,
            None => {
                let words = |entry: &Entry| entry.value.text_of("description").map(str::to_owned);
                bare(&from.value, old) == bare(&to.value, new)
                    && (words(from) == words(to) || rename::near(&from.key, &to.key))
            }
        })
    }

    /// A member that is there in both versions.
    fn member(
        &mut self,
        anchor: &Anchor,
        (from, old): (&'a Entry, &Schema<'a>),
        (to, new): (&'a Entry, &Schema<'a>),
    ) {
        let was_required = old.required().contains(&from.key.as_str());
        let is_required = new.required().contains(&to.key.as_str());
        if was_required != is_required {
            let (rules, word) = match is_required {
                true => (rules::NOW_REQUIRED, "is now required"),
                false => (rules::NOW_OPTIONAL, "is no longer required"),
            };
            let message = format!("{} {word}", self.name(anchor));
            let places = [old.required_at(&from.key), new.required_at(&to.key)];
            let said = |required: bool| (if required { "required" } else { "optional" }).to_owned();
            self.report(rules, (&anchor.subject, anchor.pointer.clone()), places, message)
                .values(said(was_required), said(is_required));
        }
        let context = Context { was_required, is_required, ..Context::default() };
        self.compare(anchor, Held::of(from), Held::of(to), context);
    }

    /// Members beyond the listed ones.
    fn free(&mut self, anchor: &Anchor, old: &Schema<'a>, new: &Schema<'a>) {
        const KEY: &str = "additionalProperties";
        let name = self.name(anchor);
        let (rules, message) = match (free(old), free(new)) {
            (Free::Of(before), Free::Of(after)) => {
                self.compare(&anchor.each(KEY, ".*"), before, after, Context::default());
                return;
            }
            (Free::Closed, Free::Closed) | (Free::Open, Free::Open) => return,
            (_, Free::Closed) => {
                (rules::CLOSED, format!("{name} can no longer have members beyond the listed ones"))
            }
            (Free::Closed, _) => {
                (rules::OPENED, format!("{name} can now have members beyond the listed ones"))
            }
            (Free::Open, Free::Of(_)) => {
                (rules::NARROWER_TYPE, format!("further members of {name} now have a type"))
            }
            (Free::Of(_), Free::Open) => {
                (rules::WIDER_TYPE, format!("further members of {name} can now be anything"))
            }
        };
        let shown = |schema: &Schema<'_>| schema.value(KEY).as_ref().map(show);
        self.keyword(rules, anchor, old, new, KEY, message).values(shown(old), shown(new));
    }
}

fn free<'a>(schema: &Schema<'a>) -> Free<'a> {
    match schema.entry("additionalProperties") {
        None => Free::Open,
        Some(entry) => match entry.value.kind {
            Kind::Bool(true) => Free::Open,
            Kind::Bool(false) => Free::Closed,
            _ => Free::Of(Held::of(entry)),
        },
    }
}

fn key_of(entry: &Entry) -> At {
    At { place: entry.place, present: true }
}

/// Where a member would be.
fn missing(schema: &Schema<'_>) -> At {
    At { present: false, ..schema.at("properties") }
}
