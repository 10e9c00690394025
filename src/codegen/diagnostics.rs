//! Diagnostics: location, message, reason, help. One table of codes, one renderer.
//!
//! Knows files and bytes, not the spec language. All messages of the compiler are [`Diagnostic`]s;
//! nothing here prints.

mod codes;
mod codes_contract;
mod codes_files;
mod codes_prompts;
mod codes_schema;
mod render;
mod sink;

use std::path::PathBuf;

use serde::Serialize;

pub(crate) use codes::names as code;
pub use codes::{CODES, CodeInfo, explain};
pub use render::Colour;
pub(crate) use render::first_line;
pub(crate) use sink::{FileId, Findings, Place, span};

/// A place in a spec file.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Span {
    /// Path as given to the compiler, with `/`.
    pub file: PathBuf,
    /// First byte.
    pub start: usize,
    /// End of it.
    pub end: usize,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// No contract is produced until it is fixed.
    Error,
    /// Suspicious, but allowed.
    Warning,
}

/// Text at a place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is there.
    pub text: String,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// `TW012`; see [`explain`].
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The offending place.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// Text under the caret; may be empty.
    pub label: String,
    /// Other places that matter.
    pub labels: Vec<Label>,
    /// What to do.
    pub help: Option<String>,
}

/// Spec files as they were read, for rendering.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    files: Vec<(PathBuf, Option<String>)>,
}

impl Sources {
    /// Registers a file; `None` where there are no readable bytes.
    pub(crate) fn add(&mut self, path: PathBuf, text: Option<String>) -> FileId {
        self.files.push((path, text));
        FileId(u32::try_from(self.files.len() - 1).unwrap_or(u32::MAX))
    }

    /// Text of a file.
    pub fn text(&self, path: &std::path::Path) -> Option<&str> {
        self.files.iter().find(|(known, _)| known == path).and_then(|(_, text)| text.as_deref())
    }

    /// Line and column of a byte, both from 1; columns count characters.
    pub fn line_column(&self, span: &Span) -> (usize, usize) {
        let Some(text) = self.text(&span.file) else { return (1, 1) };
        let before = text.get(..span.start.min(text.len())).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }

    pub(crate) fn file(&self, id: FileId) -> Option<&(PathBuf, Option<String>)> {
        self.files.get(id.0 as usize)
    }
}

/// All findings of one run, with what is needed to show them.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Sorted by file, then position.
    pub diagnostics: Vec<Diagnostic>,
    /// The files they are about.
    pub sources: Sources,
}

impl Report {
    /// Number of findings of one severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.diagnostics.iter().filter(|finding| finding.severity == severity).count()
    }

    /// Whether there is at least one error.
    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.render(Colour::Never))
    }
}

impl std::error::Error for Report {}
