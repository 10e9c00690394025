//! Compares two schemas, keyword by keyword, and judges each difference by where it is used.
//!
//! Works on the trees, so that every difference has its places. A `$ref` to the same type on both
//! sides leads into that type, whose changes are about the type; any other pair of schemas is
//! compared as what it comes to, and its changes are about the tool.

mod keywords;
mod members;
mod union;
mod view;

use std::collections::{BTreeMap, BTreeSet};

use super::change::{Use, show};
use super::locate::step;
use super::recorder::{At, Recorder};
use super::rules::{ByUse, prose, schemas as rules};
use crate::parse::Node;
pub(super) use view::{Held, bare};
use view::{Schema, reference};

const TITLE: ByUse = ByUse { input: prose::TITLE_CHANGED, output: prose::TITLE_CHANGED };
const DESCRIPTION: ByUse =
    ByUse { input: prose::DESCRIPTION_CHANGED, output: prose::DESCRIPTION_CHANGED };

/// One root schema of one tool in both versions.
pub(super) struct Walk<'w, 'a> {
    pub(super) out: &'w mut Recorder<'a>,
    /// Who is affected.
    pub(super) tool: &'w str,
    pub(super) used: Use,
    /// Aliases of arguments in the new version; empty for outputs.
    pub(super) aliases: &'w BTreeMap<String, String>,
    /// Types that were compared already: types of types of types must not multiply the work.
    seen: BTreeSet<(&'a str, Context)>,
}

/// Whom a change is reported about, and the way inside.
#[derive(Debug, Clone)]
pub(super) struct Anchor {
    /// A tool, or `type Name`.
    pub(super) subject: String,
    pub(super) pointer: String,
    /// Names of members on the path, for messages.
    pub(super) path: String,
}

impl Anchor {
    fn of_type(name: &str) -> Self {
        let pointer = format!("/$defs{}", step(name));
        Self { subject: format!("type {name}"), pointer, path: String::new() }
    }

    fn member(&self, name: &str) -> Self {
        let dot = if self.path.is_empty() { "" } else { "." };
        Self {
            subject: self.subject.clone(),
            pointer: format!("{}/properties{}", self.pointer, step(name)),
            path: format!("{}{dot}{name}", self.path),
        }
    }

    /// Each element of a list, or each further member of an object.
    fn each(&self, keyword: &str, sign: &str) -> Self {
        Self {
            subject: self.subject.clone(),
            pointer: format!("{}/{keyword}", self.pointer),
            path: format!("{}{sign}", self.path),
        }
    }

    fn keyword(&self, keyword: &str) -> String {
        format!("{}/{keyword}", self.pointer)
    }
}

/// What is known of a schema from what holds it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Context {
    /// The root of an input, whose members may have aliases.
    pub(super) root: bool,
    /// It was a member that had to be there.
    pub(super) was_required: bool,
    /// It is a member that has to be there.
    pub(super) is_required: bool,
    /// Its texts and nullability were compared already.
    pub(super) quiet: bool,
}

impl<'w, 'a> Walk<'w, 'a> {
    pub(super) fn new(
        out: &'w mut Recorder<'a>,
        tool: &'w str,
        used: Use,
        aliases: &'w BTreeMap<String, String>,
    ) -> Self {
        Self { out, tool, used, aliases, seen: BTreeSet::new() }
    }

    /// Compares two schemas.
    pub(super) fn compare(
        &mut self,
        anchor: &Anchor,
        old: Held<'a>,
        new: Held<'a>,
        context: Context,
    ) {
        if let (Some(before), Some(after)) = (reference(old.node), reference(new.node))
            && before == after
            && let (Some(old_type), Some(new_type)) =
                (self.out.old.shared(before), self.out.new.shared(after))
        {
            if !context.quiet {
                self.beside(anchor, old, new, context);
            }
            if self.seen.insert((after, context)) {
                let anchor = Anchor::of_type(after);
                self.compare(&anchor, Held::of(old_type), Held::of(new_type), context);
            }
            return;
        }
        let (before, after) = (Schema::new(old, self.out.old), Schema::new(new, self.out.new));
        if !context.quiet {
            self.words(anchor, &before, &after, |_| true);
            self.default(anchor, &before, &after, context);
            self.nullable(anchor, &before, &after);
        }
        match (before.branch(), after.branch()) {
            (None, None) => self.core(anchor, &before, &after, context),
            (inside_old, inside_new) => {
                let pointer = match inside_new.or(inside_old) {
                    Some((index, _)) => format!("{}/anyOf/{index}", anchor.pointer),
                    None => anchor.pointer.clone(),
                };
                let anchor = Anchor { pointer, ..anchor.clone() };
                let old = inside_old.map_or(old, |(_, held)| held);
                let new = inside_new.map_or(new, |(_, held)| held);
                self.compare(&anchor, old, new, Context { quiet: true, ..context });
            }
        }
    }

    /// Texts and defaults beside a `$ref`, which override those of the type.
    fn beside(&mut self, anchor: &Anchor, old: Held<'a>, new: Held<'a>, context: Context) {
        let own = |key: &str| old.node.entry(key).is_some() || new.node.entry(key).is_some();
        let (before, after) = (Schema::new(old, self.out.old), Schema::new(new, self.out.new));
        self.words(anchor, &before, &after, own);
        if own("default") {
            self.default(anchor, &before, &after, context);
        }
    }

    fn words(
        &mut self,
        anchor: &Anchor,
        old: &Schema<'a>,
        new: &Schema<'a>,
        counts: impl Fn(&str) -> bool,
    ) {
        for (key, rules, what) in
            [("title", TITLE, "title"), ("description", DESCRIPTION, "description")]
        {
            let (before, after) = (old.value(key), new.value(key));
            if before != after && counts(key) {
                let message = format!("the {what} of {} changes", self.name(anchor));
                let text = |value: Option<serde_json::Value>| {
                    value.map(|value| value.as_str().map_or_else(|| show(&value), str::to_owned))
                };
                self.keyword(rules, anchor, old, new, key, message)
                    .values(text(before), text(after));
            }
        }
        let flag = |schema: &Schema<'_>| schema.value("deprecated") == Some(true.into());
        if flag(old) != flag(new) && counts("deprecated") {
            let (rules, message) = match flag(new) {
                true => (rules::NOW_DEPRECATED, "is deprecated"),
                false => (rules::NO_LONGER_DEPRECATED, "is no longer deprecated"),
            };
            let message = format!("{} {message}", self.name(anchor));
            self.keyword(rules, anchor, old, new, "deprecated", message);
        }
    }

    fn default(&mut self, anchor: &Anchor, old: &Schema<'a>, new: &Schema<'a>, context: Context) {
        let (before, after) = (old.value("default"), new.value("default"));
        // A default of another type is reported as a change of type.
        if before == after || keywords::differ(old.kind(), new.kind()) {
            return;
        }
        let (rules, message) = match (&before, &after) {
            // Every call so far has a value: there is nothing that the default could change.
            (None, Some(_)) if context.was_required => return,
            // Told as a member that is now required.
            (Some(_), None) if context.is_required => return,
            (None, _) => (rules::NEW_DEFAULT, "now has a default"),
            (_, None) => (rules::NO_DEFAULT, "no longer has a default"),
            _ => (rules::OTHER_DEFAULT, "has a different default"),
        };
        let message = format!("{} {message}", self.name(anchor));
        self.keyword(rules, anchor, old, new, "default", message)
            .values(before.as_ref().map(show), after.as_ref().map(show));
    }

    fn nullable(&mut self, anchor: &Anchor, old: &Schema<'a>, new: &Schema<'a>) {
        let (before, after) = (old.is_nullable(), new.is_nullable());
        // A schema without a type allows null; that is reported as a change of type.
        if before == after || [old, new].iter().any(|schema| schema.is_anything()) {
            return;
        }
        let (rules, message) = match after {
            true => (rules::WIDER_TYPE, "may be null"),
            false => (rules::NARROWER_TYPE, "can no longer be null"),
        };
        let message = format!("{} {message}", self.name(anchor));
        let said =
            |nullable: bool| (if nullable { "null or a value" } else { "a value" }).to_owned();
        let key = if [old, new].iter().any(|schema| schema.entry("anyOf").is_some()) {
            "anyOf"
        } else {
            "type"
        };
        self.keyword(rules, anchor, old, new, key, message).values(said(before), said(after));
    }

    /// Reports a difference in a keyword.
    fn keyword(
        &mut self,
        rules: ByUse,
        anchor: &Anchor,
        old: &Schema<'a>,
        new: &Schema<'a>,
        key: &str,
        message: String,
    ) -> &mut super::Change {
        let places = [old.at(key), new.at(key)];
        self.report(rules, (&anchor.subject, anchor.keyword(key)), places, message)
    }

    fn report(
        &mut self,
        rules: ByUse,
        place: (&str, String),
        places: [At; 2],
        message: String,
    ) -> &mut super::Change {
        self.out.schema(rules, (self.tool, self.used), place, places, message)
    }

    /// Name of the schema, for messages.
    fn name(&self, anchor: &Anchor) -> String {
        match (anchor.path.as_str(), anchor.subject.strip_prefix("type ")) {
            ("", Some(name)) => format!("type `{name}`"),
            ("", None) => format!("the {} of `{}`", self.used.word(), anchor.subject),
            (path, Some(name)) => format!("`{path}` of type `{name}`"),
            (path, None) => format!("`{path}` in the {} of `{}`", self.used.word(), anchor.subject),
        }
    }
}

/// Members of a map schema keyword.
fn entries<'a>(schema: &Schema<'a>, key: &str) -> &'a [crate::parse::Entry] {
    schema.entry(key).map(|entry| entry.value.entries()).unwrap_or_default()
}

/// Elements of a list schema keyword.
fn elements<'a>(schema: &Schema<'a>, key: &str) -> &'a [Node] {
    schema.entry(key).map(|entry| entry.value.elements()).unwrap_or_default()
}
