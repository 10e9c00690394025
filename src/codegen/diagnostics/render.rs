//! Findings as text in the style of rustc, and as JSON.

use std::fmt::Write as _;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use serde_json::{Value, json};

use super::{Diagnostic, Report, Severity, Sources, Span};

/// Whether rendered text has terminal colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Plain text.
    Never,
    /// ANSI escapes.
    Always,
}

impl Report {
    /// All findings and a closing line; empty where there is nothing to say.
    pub fn render(&self, colour: Colour) -> String {
        let renderer = match colour {
            Colour::Never => Renderer::plain(),
            Colour::Always => Renderer::styled(),
        };
        let mut text = String::new();
        for finding in &self.diagnostics {
            text.push_str(&renderer.render(&[group(finding, &self.sources)]));
            text.push_str("\n\n");
        }
        text.push_str(&self.summary());
        text
    }

    /// Machine-readable form of all findings.
    pub fn to_json(&self) -> Value {
        let findings: Vec<Value> =
            self.diagnostics.iter().map(|finding| self.finding_json(finding)).collect();
        json!({
            "schemaVersion": 1,
            "errors": self.count(Severity::Error),
            "warnings": self.count(Severity::Warning),
            "findings": findings,
        })
    }

    /// One line: `path:line:column: error[TW004]: message`.
    pub fn one_line(&self, finding: &Diagnostic) -> String {
        let (line, column) = self.sources.line_column(&finding.span);
        let path = finding.span.file.display();
        let message = finding.message.replace('\n', " ");
        format!("{path}:{line}:{column}: {}[{}]: {message}", finding.severity.word(), finding.code)
    }

    fn summary(&self) -> String {
        let mut text = String::new();
        let Some(first) = self.diagnostics.first() else { return text };
        let errors = self.count(Severity::Error);
        let warnings = self.count(Severity::Warning);
        let plural = |count: usize, word: &str| match count {
            1 => format!("1 {word}"),
            _ => format!("{count} {word}s"),
        };
        let counts = match (errors, warnings) {
            (_, 0) => plural(errors, "error"),
            (0, _) => plural(warnings, "warning"),
            _ => format!("{}, {}", plural(errors, "error"), plural(warnings, "warning")),
        };
        let _ = writeln!(text, "{counts}; run `toolwright explain {}` for details", first.code);
        text
    }

    fn finding_json(&self, finding: &Diagnostic) -> Value {
        let labels: Vec<Value> = finding
            .labels
            .iter()
            .map(|label| json!({"at": self.place_json(&label.span), "text": label.text}))
            .collect();
        json!({
            "code": finding.code,
            "severity": finding.severity,
            "message": finding.message,
            "at": self.place_json(&finding.span),
            "label": finding.label,
            "labels": labels,
            "help": finding.help,
        })
    }

    fn place_json(&self, span: &Span) -> Value {
        let (line, column) = self.sources.line_column(span);
        let file = span.file.to_string_lossy();
        json!({"file": file, "line": line, "column": column, "start": span.start, "end": span.end})
    }
}

impl Severity {
    fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

fn group<'a>(finding: &'a Diagnostic, sources: &'a Sources) -> Group<'a> {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(&finding.message).id(finding.code));

    let mut files: Vec<&std::path::Path> = vec![&finding.span.file];
    for label in &finding.labels {
        if !files.contains(&label.span.file.as_path()) {
            files.push(&label.span.file);
        }
    }
    for file in files {
        let path = file.to_string_lossy();
        // A missing or empty file has no line to show; its name is still the place.
        let Some(text) = sources.text(file).filter(|text| !text.trim().is_empty()) else {
            group = group.element(Origin::path(path));
            continue;
        };
        let mut snippet = Snippet::source(text).path(path);
        if finding.span.file == file {
            let label = Some(finding.label.as_str()).filter(|label| !label.is_empty());
            let range = first_line(text, &finding.span);
            snippet = snippet.annotation(AnnotationKind::Primary.span(range).label(label));
        }
        for label in finding.labels.iter().filter(|label| label.span.file == file) {
            let range = first_line(text, &label.span);
            snippet =
                snippet.annotation(AnnotationKind::Context.span(range).label(label.text.as_str()));
        }
        group = group.element(snippet);
    }
    if let Some(help) = &finding.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    group
}

/// A caret under one line reads better than a bracket over a page of YAML.
pub(crate) fn first_line(text: &str, span: &Span) -> Range<usize> {
    let start = span.start.min(text.len());
    let end = span.end.min(text.len()).max(start);
    let line_end = text[start..end].find(['\n', '\r']).map_or(end, |newline| start + newline);
    start..line_end
}
