//! The table for a terminal: a section for each part, only the columns that it has.

use std::fmt::{Display, Formatter, Result};

use super::growth::exponents;
use super::{Bar, COLUMNS, Check, Section, Table, number};

/// Width of the first column; longer names take what they need.
const WHAT: usize = 50;

impl Display for Table {
    fn fmt(&self, out: &mut Formatter) -> Result {
        for section in &self.sections {
            print_section(section, out)?;
        }
        let checks = || self.rows().flat_map(|row| &row.checks).filter(|check| check.bar.is_some());
        let missed = checks().filter(|check| !check.ok).count();
        writeln!(out, "{} bars, {missed} MISSED", checks().count())?;
        for what in &self.missing {
            writeln!(out, "NOT MEASURED: {what}")?;
        }
        if self.quick {
            writeln!(out, "A smoke run: the ratios mean little.")?;
        }
        if !self.pinned {
            writeln!(out, "The processes could not be put on one core: expect scatter.")?;
        }
        Ok(())
    }
}

fn print_section(section: &Section, out: &mut Formatter) -> Result {
    let columns: Vec<&str> = COLUMNS
        .into_iter()
        .filter(|column| section.rows.iter().any(|row| row.figures.contains_key(*column)))
        .collect();
    write!(out, "\n{:<WHAT$} {:>5}", section.title, "unit")?;
    for column in &columns {
        write!(out, " {column:>9}")?;
    }
    writeln!(out)?;
    for (index, row) in section.rows.iter().enumerate() {
        write!(out, "{:<WHAT$} {:>5}", row.title(), row.unit)?;
        for column in &columns {
            let cell = match row.figures.get(*column) {
                None => String::new(),
                Some(None) => "–".to_owned(),
                Some(Some(value)) => number(*value),
            };
            write!(out, " {cell:>9}")?;
        }
        writeln!(out)?;
        for check in &row.checks {
            print_check(check, out)?;
        }
        let last = section.rows[index + 1..].iter().all(|later| later.what != row.what);
        let exponents = if last { exponents(section, &row.what) } else { Vec::new() };
        if !exponents.is_empty() {
            write!(out, "{:<WHAT$} {:>5}", "    grows with size to the power of", "")?;
            for column in &columns {
                let exponent = exponents.iter().find(|(name, _)| name == column);
                let cell = exponent.map_or(String::new(), |(_, exponent)| format!("{exponent:.2}"));
                write!(out, " {cell:>9}")?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}

/// Only what has a bar; other ratios are in the figures.
fn print_check(check: &Check, out: &mut Formatter) -> Result {
    let bar = match check.bar {
        None => return Ok(()),
        Some(Bar::AtMost(limit)) => format!("≤ {limit}"),
        Some(Bar::AtLeast(limit)) => format!("≥ {limit}"),
    };
    let verdict = if check.ok { "ok" } else { "MISSED" };
    let ratio = format!("{} × {}", number(check.ratio), check.to);
    writeln!(out, "    {ratio:<30} {bar:<8} {verdict}")
}
