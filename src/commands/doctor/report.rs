//! Prints rows as text, or as one JSON object with a fixed order of keys.

use std::fmt::Write as _;

use serde::Serialize;

use toolwright_platform::health::{Row, Verdict};

/// The rows of one surface.
pub(super) struct Report {
    pub(super) surface: &'static str,
    pub(super) version: &'static str,
    pub(super) rows: Vec<Row>,
}

impl Report {
    /// The worst of its rows.
    pub(super) fn verdict(&self) -> Verdict {
        self.rows.iter().map(|row| row.verdict).max().unwrap_or(Verdict::Good)
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FullReport<'a> {
    schema_version: u32,
    verdict: &'static str,
    surfaces: Vec<SurfaceReport<'a>>,
}

#[derive(Serialize)]
struct SurfaceReport<'a> {
    surface: &'a str,
    version: &'a str,
    verdict: &'static str,
    rows: Vec<ReportRow<'a>>,
}

#[derive(Serialize)]
struct ReportRow<'a> {
    check: &'a str,
    verdict: &'static str,
    measured: &'a str,
    expected: &'a str,
    cause: Option<&'a str>,
    remedy: Option<&'a str>,
}

/// One object on one line.
pub(super) fn json(reports: &[Report]) -> String {
    let worst = reports.iter().map(Report::verdict).max().unwrap_or(Verdict::Good);
    let surfaces = reports.iter().map(|report| SurfaceReport {
        surface: report.surface,
        version: report.version,
        verdict: word(report.verdict()),
        rows: report.rows.iter().map(of_row).collect(),
    });
    let all = FullReport { schema_version: 1, verdict: word(worst), surfaces: surfaces.collect() };
    serde_json::to_string(&all).unwrap_or_default() + "\n"
}

fn of_row(row: &Row) -> ReportRow<'_> {
    ReportRow {
        check: &row.check,
        verdict: word(row.verdict),
        measured: &row.measured,
        expected: &row.expected,
        cause: row.cause.as_deref(),
        remedy: row.remedy.as_deref(),
    }
}

/// A table for each surface.
pub(super) fn text(reports: &[Report]) -> String {
    let mut text = String::new();
    for report in reports {
        let _ = writeln!(text, "{} {}", report.surface, report.version);
        let wide = report.rows.iter().map(|row| row.check.chars().count()).max().unwrap_or(0);
        for row in &report.rows {
            let (sign, word) = (sign(row.verdict), word(row.verdict));
            let line =
                format!("  {sign} {word:<8}  {:<wide$}  {}", row.check, plain(&row.measured));
            let _ = writeln!(text, "{}", line.trim_end());
            let expected = (!row.expected.is_empty()).then_some(row.expected.as_str());
            let details = [
                ("expected", expected),
                ("cause", row.cause.as_deref()),
                ("remedy", row.remedy.as_deref()),
            ];
            for (name, detail) in details {
                if let Some(detail) = detail {
                    let _ =
                        writeln!(text, "{:width$}{name}: {}", "", plain(detail), width = wide + 16);
                }
            }
        }
        let count = |verdict| report.rows.iter().filter(|row| row.verdict == verdict).count();
        let [good, doubtful, bad] = [Verdict::Good, Verdict::Doubtful, Verdict::Bad].map(count);
        let _ = writeln!(text, "  {good} good, {doubtful} doubtful, {bad} bad\n");
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Good => "good",
        Verdict::Doubtful => "doubtful",
        Verdict::Bad => "bad",
    }
}

fn sign(verdict: Verdict) -> char {
    match verdict {
        Verdict::Good => '✓',
        Verdict::Doubtful => '!',
        Verdict::Bad => '✗',
    }
}

/// Replaces control characters.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
