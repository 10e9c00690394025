//! One entry and how the library would treat it.
//!
//! The checks run in the library's order, because the order decides whether a bad entry is
//! skipped or takes the whole file, and so the application, down.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Format, hints};
use crate::hash::is_digest;
use crate::ids::SectionPath;
use crate::python_json::{Json, Members, compact};

/// What the application does with an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryStatus {
    /// Applied.
    Current,
    /// Ignored: the default changed in code since.
    Stale,
    /// Ignored: the code has no such section or tool.
    Unknown,
    /// The library rejects it, and the whole file with it.
    Invalid,
    /// Ignored: the code does not accept overrides here.
    Locked,
    /// Unknown without a descriptor.
    Unverified,
}

/// An entry's section or tool according to the descriptor.
#[derive(Debug, Clone, Copy)]
pub enum Known<'a> {
    /// There is no descriptor, or it cannot be trusted here.
    Undescribed,
    /// Described, with this hash.
    Hash(&'a str),
    /// In code, but closed to overrides.
    Locked,
    /// Not in code.
    Absent,
}

/// A status and, where it is not `current`, the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The status.
    pub status: EntryStatus,
    /// The reason.
    pub problem: Option<String>,
}

impl Verdict {
    fn new(status: EntryStatus) -> Self {
        Self { status, problem: None }
    }

    fn because(status: EntryStatus, problem: impl Into<String>) -> Self {
        Self { status, problem: Some(problem.into()) }
    }

    fn invalid(problem: impl Into<String>) -> Self {
        Self::because(EntryStatus::Invalid, problem)
    }
}

/// A section entry of a file.
#[derive(Debug, Clone, Copy)]
pub struct SectionEntry<'a> {
    key: &'a str,
    value: &'a Json,
    format: Format,
}

impl<'a> SectionEntry<'a> {
    pub(super) fn new(key: &'a str, value: &'a Json, format: Format) -> Self {
        Self { key, value, format }
    }

    /// The key as written.
    pub fn key(&self) -> &'a str {
        self.key
    }

    /// Whether the library reads the key as this path.
    pub fn is_at(&self, path: &SectionPath) -> bool {
        let parts = self.key.split('/').filter(|part| !part.is_empty());
        parts.eq(path.as_str().split('/'))
    }

    /// The path that the key stands for, if it is one that a section can have.
    pub fn path(&self) -> Option<SectionPath> {
        SectionPath::parse(self.key).ok().filter(|path| self.is_at(path))
    }

    fn text(&self, name: &str) -> Option<&'a str> {
        self.value.get(name)?.as_str()
    }

    /// The recorded hash of the default that this entry replaces.
    pub fn expected_hash(&self) -> Option<&'a str> {
        self.text("expected_hash")
    }

    /// The replacement text.
    pub fn body(&self) -> Option<&'a str> {
        self.text("body")
    }

    /// The stored summary, which rendering does not use.
    pub fn summary(&self) -> Option<&'a str> {
        self.text("summary")
    }

    /// The stored visibility, which rendering does not use.
    pub fn visibility(&self) -> Option<&'a str> {
        self.text("visibility")
    }

    /// How the library treats it. `is_section` returns whether the code has a path.
    pub fn assess(&self, known: Known<'_>, is_section: &dyn Fn(&str) -> bool) -> Verdict {
        if self.value.as_object().is_none() {
            return Verdict::invalid(format!(
                "the entry must be an object, not {}.",
                self.value.kind()
            ));
        }
        if self.format == Format::Two
            && let Some(problem) = self.display_problem()
        {
            return Verdict::invalid(problem);
        }
        match known {
            Known::Absent => {
                let hint = hints::unknown_key_hint(self.key, is_section);
                let problem = hint.unwrap_or_else(|| "the code has no such section.".to_owned());
                return Verdict::because(EntryStatus::Unknown, problem);
            }
            Known::Locked => {
                let problem = "the section does not accept overrides.";
                return Verdict::because(EntryStatus::Locked, problem);
            }
            Known::Undescribed | Known::Hash(_) => {}
        }
        match assess_hash("expected_hash", self.value, known) {
            Some(verdict) => verdict,
            None => match self.value.get("body") {
                Some(Json::String(_)) => settled(known),
                other => {
                    let kind = other.map_or("missing", Json::kind);
                    Verdict::invalid(format!("`body` must be a string; it is {kind}."))
                }
            },
        }
    }

    fn display_problem(&self) -> Option<String> {
        if let Some(summary) = self.value.get("summary")
            && !matches!(summary, Json::String(_) | Json::Broken(_))
        {
            return Some(format!("`summary` must be a string, not {}.", summary.kind()));
        }
        let visibility = self.value.get("visibility")?;
        (!matches!(visibility.as_str(), Some("full" | "summary"))).then(|| {
            let hint = hints::visibility_hint(visibility);
            format!("`visibility` must be `full` or `summary`, not {}.{hint}", compact(visibility))
        })
    }
}

/// A tool entry of a file.
#[derive(Debug, Clone, Copy)]
pub struct ToolEntry<'a> {
    name: &'a str,
    value: &'a Json,
}

impl<'a> ToolEntry<'a> {
    pub(super) fn new(name: &'a str, value: &'a Json) -> Self {
        Self { name, value }
    }

    /// The tool's name.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// The recorded contract hash.
    pub fn expected_contract_hash(&self) -> Option<&'a str> {
        self.value.get("expected_contract_hash")?.as_str()
    }

    /// The replacement description; none keeps the default.
    pub fn description(&self) -> Option<&'a str> {
        self.value.get("description")?.as_str()
    }

    /// Replacement texts of parameters.
    pub fn param_descriptions(&self) -> BTreeMap<String, String> {
        let params = self.value.get("param_descriptions").and_then(Json::as_object);
        let text =
            |(name, value): (&String, &Json)| Some((name.clone(), value.as_str()?.to_owned()));
        params.into_iter().flat_map(Members::iter).filter_map(text).collect()
    }

    /// How the library treats it.
    pub fn assess(&self, known: Known<'_>) -> Verdict {
        if self.value.as_object().is_none() {
            return Verdict::invalid(format!(
                "the entry must be an object, not {}.",
                self.value.kind()
            ));
        }
        match known {
            Known::Absent => {
                return Verdict::because(EntryStatus::Unknown, "the code has no such tool.");
            }
            Known::Locked => {
                let problem = "the tool does not accept overrides.";
                return Verdict::because(EntryStatus::Locked, problem);
            }
            Known::Undescribed | Known::Hash(_) => {}
        }
        if let Some(verdict) = assess_hash("expected_contract_hash", self.value, known) {
            return verdict;
        }
        if let Some(description) = self.value.get("description")
            && description.as_str().is_none()
        {
            let kind = description.kind();
            return Verdict::invalid(format!(
                "`description` must be a string or null, not {kind}."
            ));
        }
        match self.value.get("param_descriptions") {
            None => settled(known),
            Some(Json::Object(params)) => {
                match params.iter().find(|(_, value)| value.as_str().is_none()) {
                    None => settled(known),
                    Some((name, value)) => Verdict::invalid(format!(
                        "`param_descriptions.{name}` must be a string, not {}.",
                        value.kind()
                    )),
                }
            }
            Some(other) => Verdict::invalid(format!(
                "`param_descriptions` must be an object, not {}.",
                other.kind()
            )),
        }
    }
}

/// The verdict from the hash alone, or none if the entry must be checked further.
fn assess_hash(field: &str, value: &Json, known: Known<'_>) -> Option<Verdict> {
    let Some(found) = value.get(field).and_then(Json::as_str) else {
        let kind = value.get(field).map_or("missing", Json::kind);
        return Some(Verdict::invalid(format!("`{field}` must be a string; it is {kind}.")));
    };
    if !is_digest(found) {
        return Some(Verdict::invalid(format!(
            "`{field}` must be a digest of 64 lower-case hex digits."
        )));
    }
    match known {
        Known::Hash(current) if current != found => Some(Verdict::because(
            EntryStatus::Stale,
            "the default changed in code since this override was written; the application ignores \
             the override and uses the default.",
        )),
        _ => None,
    }
}

fn settled(known: Known<'_>) -> Verdict {
    match known {
        Known::Hash(_) => Verdict::new(EntryStatus::Current),
        _ => Verdict::because(
            EntryStatus::Unverified,
            "without a descriptor of the prompt it is not known whether the override applies.",
        ),
    }
}
