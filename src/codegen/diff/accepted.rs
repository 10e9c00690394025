//! Accepted breaks, each with a reason.

use std::path::Path;

use super::rules::RULES;
use super::{Diff, rule};
use crate::diagnostics::{Findings, Report, Sources, code};
use crate::names;
use crate::parse::{Kind, Node, read_tree};
use crate::resolve::Fields;

/// Name of the file beside the surfaces.
pub const ACCEPTED_FILE: &str = "accepted-breaks.yaml";

/// One accepted break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Id of the rule.
    pub rule: String,
    /// Whose contract.
    pub surface: String,
    /// What is concerned, as reports name it: `send`, `type Pane`, `send#/input/properties/text`.
    pub subject: String,
    /// Why it may pass.
    pub reason: String,
    /// From when on.
    pub since: Option<String>,
    /// `specs/accepted-breaks.yaml:3:5`
    pub place: String,
}

impl Entry {
    fn covers(&self, change: &super::Change) -> bool {
        self.rule == change.rule.id
            && self.surface == change.surface
            && (self.subject == change.subject || self.subject == change.place())
    }
}

/// All accepted breaks of a file.
#[derive(Debug, Clone, Default)]
pub struct Accepted {
    /// In the order of the file.
    pub entries: Vec<Entry>,
}

impl Accepted {
    /// Reads a file. An entry without a reason is an error, like everything that could make an
    /// entry accept something else than was meant.
    pub fn read(path: &Path, bytes: &[u8]) -> Result<Self, Report> {
        let mut sources = Sources::default();
        let mut findings = Findings::default();
        let text = std::str::from_utf8(bytes).ok().map(str::to_owned);
        let file = sources.add(path.to_owned(), text);
        let mut entries = Vec::new();
        match read_tree(file, &Ok(bytes.to_vec())) {
            Ok(Node { kind: Kind::Null, .. }) => {}
            Ok(root) => entries = read_entries(&root, &mut findings),
            Err((place, message)) => {
                findings.add(code::BAD_YAML, place, format!("invalid YAML: {message}"));
            }
        }
        let failed = findings.errors_since(0);
        let report = Report { diagnostics: findings.finish(&sources), sources };
        if failed {
            return Err(report);
        }
        let entries = entries.into_iter().map(|(node, entry)| {
            let span = crate::diagnostics::span(node, &report.sources);
            let (line, column) = report.sources.line_column(&span);
            Entry { place: format!("{}:{line}:{column}", path.display()), ..entry }
        });
        Ok(Self { entries: entries.collect() })
    }
}

fn read_entries(root: &Node, out: &mut Findings) -> Vec<(crate::diagnostics::Place, Entry)> {
    if !matches!(root.kind, Kind::List(_)) {
        out.add(code::WRONG_TYPE, root.place, "accepted breaks must be a list")
            .help("such as `- {rule: output-removed, surface: wa, subject: state, reason: …}`");
    }
    root.elements().iter().filter_map(|node| Some((place(node), read_entry(node, out)?))).collect()
}

fn place(node: &Node) -> crate::diagnostics::Place {
    node.entries().first().map_or(node.place, |entry| entry.place)
}

fn read_entry(node: &Node, out: &mut Findings) -> Option<Entry> {
    let mut fields = Fields::new(node, place(node), "an accepted break", out)?;
    let id = fields.need_text("rule", out);
    if let Some(entry) = node.entry("rule")
        && !id.is_empty()
    {
        let message = match rule(&id) {
            None => Some(format!("unknown rule `{id}`")),
            Some(rule) if !rule.breaking => Some(format!("`{id}` is not a breaking rule")),
            Some(_) => None,
        };
        if let Some(message) = message {
            let known = RULES.iter().filter(|rule| rule.breaking).map(|rule| rule.id);
            out.add(code::BAD_VALUE, entry.focus(), message).help(names::suggest(&id, known));
        }
    }
    let entry = Entry {
        rule: id,
        surface: fields.need_text("surface", out),
        subject: fields.need_text("subject", out),
        reason: fields.need_text("reason", out),
        since: fields.text("since", out).map(str::to_owned),
        place: String::new(),
    };
    fields.finish(out);
    Some(entry)
}

impl Diff<'_> {
    /// Marks the breaks that were accepted, and remembers the entries that match nothing.
    pub fn accept(&mut self, accepted: &Accepted) {
        for entry in &accepted.entries {
            let mut needed = false;
            for change in self.changes.iter_mut().filter(|change| entry.covers(change)) {
                needed = true;
                change.accepted = Some(entry.reason.clone());
            }
            if !needed {
                self.stale.push(entry.clone());
            }
        }
    }
}
