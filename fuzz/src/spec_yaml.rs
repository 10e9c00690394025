//! Spec files: the front end of the compiler finds faults at places that exist, and the same ones
//! every time.
//!
//! The first line of an input is the path of a file, the rest is its text; the other files are
//! those of a small valid surface.

use std::path::Path;

use toolwright_codegen::diagnostics::{Colour, Report, Span};
use toolwright_codegen::{Files, load_files};

const SURFACE: [(&str, &[u8]); 4] = [
    ("echo/surface.yaml", include_bytes!("../../tests/specs/valid/echo/echo/surface.yaml")),
    ("echo/tools/add.yaml", include_bytes!("../../tests/specs/valid/echo/echo/tools/add.yaml")),
    ("echo/tools/echo.yaml", include_bytes!("../../tests/specs/valid/echo/echo/tools/echo.yaml")),
    ("echo/tools/fail.yaml", include_bytes!("../../tests/specs/valid/echo/echo/tools/fail.yaml")),
];

/// Compiles the surface with one file as `data` says.
pub fn run(data: &[u8]) {
    let end = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    let (path, text) = (&data[..end], data.get(end + 1..).unwrap_or_default());
    let mut files: Files =
        SURFACE.iter().map(|(path, text)| ((*path).to_owned(), Ok(text.to_vec()))).collect();
    files.insert(String::from_utf8_lossy(path).into_owned(), Ok(text.to_vec()));

    let loaded = load_files(Path::new("specs"), &files);
    let report = &loaded.report;
    let shown = report.render(Colour::Never);
    assert!(!shown.contains("TW000"), "the compiler failed:\n{shown}");
    assert!(report.has_errors() || !loaded.contracts.is_empty(), "neither finding nor contract");
    for finding in &report.diagnostics {
        is_a_place(report, &finding.span);
        finding.labels.iter().for_each(|label| is_a_place(report, &label.span));
    }
    let again = load_files(Path::new("specs"), &files);
    assert_eq!(again.report.diagnostics, report.diagnostics, "the findings of a second run");
    assert_eq!(again.report.render(Colour::Never), shown);
    report.to_json();
}

fn is_a_place(report: &Report, span: &Span) {
    match report.sources.text(&span.file) {
        Some(text) => assert!(text.get(span.start..span.end).is_some(), "{span:?}"),
        None => assert_eq!((span.start, span.end), (0, 0), "{span:?}"),
    }
    let (line, column) = report.sources.line_column(span);
    assert!(line >= 1 && column >= 1);
}
