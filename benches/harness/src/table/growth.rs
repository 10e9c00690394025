//! How a figure grows with the size of its work: time ∝ size^exponent.

use super::{Row, Section};

/// Sizes that an exponent needs.
const LEAST: usize = 3;

/// The exponents of one name in a section, by column; empty where there are too few sizes.
pub(super) fn exponents(section: &Section, what: &str) -> Vec<(&'static str, f64)> {
    let rows: Vec<&Row> = section.rows.iter().filter(|row| row.what == what).collect();
    let exponent = |column: &'static str| {
        let points: Vec<(f64, f64)> = rows
            .iter()
            .filter_map(|row| Some((row.size.as_ref()?.value, time(row, row.figure(column)?))))
            .collect();
        let exponent = (points.len() >= LEAST).then(|| slope(&points))?;
        exponent.is_finite().then_some((column, exponent))
    };
    super::COLUMNS.into_iter().filter_map(exponent).collect()
}

/// What grows: of a rate, the time that one takes.
fn time(row: &Row, figure: f64) -> f64 {
    if row.more_is_better() { 1.0 / figure } else { figure }
}

/// The slope of the logarithms, by least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let (x, y) = logs.iter().fold((0.0, 0.0), |(x, y), log| (x + log.0, y + log.1));
    let (x, y) = (x / count, y / count);
    let top: f64 = logs.iter().map(|log| (log.0 - x) * (log.1 - y)).sum();
    let bottom: f64 = logs.iter().map(|log| (log.0 - x).powi(2)).sum();
    top / bottom
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_straight_line_has_its_slope() {
        let squares = [(1.0, 3.0), (10.0, 300.0), (100.0, 30_000.0)];
        assert!((super::slope(&squares) - 2.0).abs() < 1e-9);
        let level = [(1.0, 3.0), (10.0, 3.0), (100.0, 3.0)];
        assert!(super::slope(&level).abs() < 1e-9);
    }
}
