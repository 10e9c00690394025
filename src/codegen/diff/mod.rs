//! Changes between two versions of the contracts that affect callers, readers, operators or models.
//!
//! Works on two [`Loaded`] folders from any source: it knows no git and no clock.
//! Every change is one [`Change`] with its rule, its places in both versions and a hint.

mod accepted;
mod change;
mod errors;
mod guards;
mod locate;
mod prompts;
mod recorder;
mod rename;
mod render;
mod resources;
mod roles;
mod rules;
mod schema;
mod settings;
mod surface;
mod tools;

use serde::Serialize;

pub use accepted::{ACCEPTED_FILE, Accepted, Entry};
pub use change::{Change, Location, Use};
pub use render::changelog;
pub use rules::{Level, RULES, Rule, rule};

use crate::Loaded;
use crate::model::Contract;
use locate::Side;
use recorder::Recorder;

/// One of the two versions.
#[derive(Debug, Clone, Copy)]
pub struct Version<'a> {
    /// As it was asked for: a folder or a revision.
    pub name: &'a str,
    /// The revision that its files are of; none for a folder.
    pub revision: Option<&'a str>,
    /// The contracts; without errors.
    pub loaded: &'a Loaded,
}

impl Version<'_> {
    /// A file of this version, for messages.
    pub fn shown(&self, location: &Location) -> String {
        let file = location.span.file.to_string_lossy();
        match self.revision {
            Some(revision) => format!("{revision}:{file}"),
            None => file.into_owned(),
        }
    }
}

/// Impact of a set of changes on users of the contract, as in semantic versioning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Impact {
    /// Nothing changes.
    None,
    /// Only texts change.
    Patch,
    /// Additions, or accepted breaks.
    Minor,
    /// Something breaks.
    Major,
}

impl Impact {
    /// Name in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
        }
    }
}

/// All changes between two versions.
#[derive(Debug, Clone)]
pub struct Diff<'a> {
    /// From here.
    pub old: Version<'a>,
    /// To here.
    pub new: Version<'a>,
    /// Sorted by level, breaking ones first.
    pub changes: Vec<Change>,
    /// Entries of the accepted breaks that match nothing: they are no longer needed.
    pub stale: Vec<Entry>,
}

impl<'a> Diff<'a> {
    /// Compares two versions. `today` (`2026-01-31`) decides which sunsets have passed; without it
    /// no dated one has.
    pub fn new(old: Version<'a>, new: Version<'a>, today: Option<&str>) -> Self {
        let mut changes = Vec::new();
        let find = |contracts: &'a [Contract], name: &str| {
            contracts.iter().find(|contract| contract.name == name)
        };
        for contract in &old.loaded.contracts {
            let Some(before) = side(old, contract) else { continue };
            let after = find(&new.loaded.contracts, &contract.name);
            match after.and_then(|contract| side(new, contract)) {
                Some(after) => {
                    let mut out = Recorder::new(before, after);
                    surface::compare(&mut out);
                    tools::compare(&mut out, today);
                    prompts::compare(&mut out);
                    changes.extend(out.finish());
                }
                None => changes.push(surface::removed(before)),
            }
        }
        for contract in &new.loaded.contracts {
            if find(&old.loaded.contracts, &contract.name).is_none() {
                changes.extend(side(new, contract).map(surface::added));
            }
        }
        changes.sort_by(|a, b| order(a).cmp(&order(b)));
        Self { old, new, changes, stale: Vec::new() }
    }

    /// The combined impact of all changes.
    pub fn impact(&self) -> Impact {
        let each = self.changes.iter().map(|change| match change.rule.level {
            Level::Prose => Impact::Patch,
            _ if change.is_open_break() => Impact::Major,
            _ => Impact::Minor,
        });
        each.max().unwrap_or(Impact::None)
    }

    /// Number of changes that a test holds for.
    pub(crate) fn count(&self, test: impl Fn(&Change) -> bool) -> usize {
        self.changes.iter().filter(|change| test(change)).count()
    }
}

fn side<'a>(version: Version<'a>, contract: &'a Contract) -> Option<Side<'a>> {
    let folder = version.loaded.folders.iter().find(|folder| folder.name == contract.name)?;
    Some(Side { contract, folder, sources: &version.loaded.report.sources })
}

fn order(change: &Change) -> (Level, bool, &str, &str, &str, &str, Option<&str>) {
    (
        change.rule.level,
        !change.rule.breaking,
        &change.surface,
        &change.subject,
        &change.pointer,
        change.rule.id,
        change.after.as_deref(),
    )
}
