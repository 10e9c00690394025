//! Collects the findings of the compiler passes.

use std::path::PathBuf;

use super::{CodeInfo, Diagnostic, Label, Sources, Span};

/// Index into [`Sources`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileId(pub(super) u32);

/// A place as the passes carry it: small and `Copy`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) file: FileId,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Place {
    /// The file as a whole.
    pub(crate) fn file(file: FileId) -> Self {
        Self { file, start: 0, end: 0 }
    }
}

/// A finding under construction.
#[derive(Debug)]
pub(crate) struct Finding {
    code: &'static CodeInfo,
    place: Place,
    message: String,
    label: String,
    labels: Vec<(Place, String)>,
    help: Option<String>,
}

impl Finding {
    /// Text under the caret.
    pub(crate) fn label(&mut self, text: impl Into<String>) -> &mut Self {
        self.label = text.into();
        self
    }

    /// Another place that matters.
    pub(crate) fn also(&mut self, place: Place, text: impl Into<String>) -> &mut Self {
        self.labels.push((place, text.into()));
        self
    }

    /// What to do.
    pub(crate) fn help(&mut self, text: impl Into<String>) -> &mut Self {
        self.help = Some(text.into());
        self
    }

    /// What to do, where that is known.
    pub(crate) fn help_if(&mut self, text: Option<String>) -> &mut Self {
        self.help = text.or(self.help.take());
        self
    }
}

/// Collects everything; nothing stops at the first finding.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    list: Vec<Finding>,
}

impl Findings {
    /// Adds a finding and hands it out for labels and help.
    pub(crate) fn add(
        &mut self,
        code: &'static CodeInfo,
        place: Place,
        message: impl Into<String>,
    ) -> &mut Finding {
        let finding = Finding {
            code,
            place,
            message: message.into(),
            label: String::new(),
            labels: Vec::new(),
            help: None,
        };
        let index = self.list.len();
        self.list.push(finding);
        &mut self.list[index]
    }

    /// Number of findings so far; see [`Self::errors_since`].
    pub(crate) fn mark(&self) -> usize {
        self.list.len()
    }

    /// Whether an error was added after `mark`.
    pub(crate) fn errors_since(&self, mark: usize) -> bool {
        self.list.iter().skip(mark).any(|finding| finding.code.severity == super::Severity::Error)
    }

    /// Adds all findings of another collection.
    pub(crate) fn append(&mut self, mut other: Self) {
        self.list.append(&mut other.list);
    }

    /// Whether there is no error.
    pub(crate) fn is_sound(&self) -> bool {
        !self.errors_since(0)
    }

    /// Whether there is a finding with one of these codes.
    pub(crate) fn has(&self, codes: &[&'static CodeInfo]) -> bool {
        let meant = |finding: &Finding| codes.iter().any(|info| info.code == finding.code.code);
        self.list.iter().any(meant)
    }

    /// Whether an error that was added after `mark` is about this place, or a part of it.
    pub(crate) fn reported_since(&self, mark: usize, place: Place) -> bool {
        let touches = |other: Place| {
            other.file == place.file && other.start < place.end && place.start < other.end
        };
        self.list.iter().skip(mark).any(|finding| {
            finding.code.severity == super::Severity::Error && touches(finding.place)
        })
    }

    /// Sorted, without duplicates, with paths instead of ids.
    pub(crate) fn finish(self, sources: &Sources) -> Vec<Diagnostic> {
        let mut list: Vec<Diagnostic> =
            self.list.into_iter().map(|finding| finding.diagnostic(sources)).collect();
        list.sort_by(|a, b| {
            (&a.span, a.code, &a.message, &a.labels).cmp(&(&b.span, b.code, &b.message, &b.labels))
        });
        list.dedup();
        list
    }
}

impl Finding {
    fn diagnostic(self, sources: &Sources) -> Diagnostic {
        Diagnostic {
            code: self.code.code,
            severity: self.code.severity,
            span: span(self.place, sources),
            message: self.message,
            label: self.label,
            labels: self
                .labels
                .into_iter()
                .map(|(place, text)| Label { span: span(place, sources), text })
                .collect(),
            help: self.help,
        }
    }
}

/// A span inside its file's text, on character boundaries: whatever the parser reported.
pub(crate) fn span(place: Place, sources: &Sources) -> Span {
    let Some((path, text)) = sources.file(place.file) else {
        return Span { file: PathBuf::new(), start: 0, end: 0 };
    };
    let text = text.as_deref().unwrap_or_default();
    let start = floor(text, place.start as usize);
    let end = floor(text, place.end as usize).max(start);
    Span { file: path.clone(), start, end }
}

fn floor(text: &str, mut index: usize) -> usize {
    index = index.min(text.len());
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}
