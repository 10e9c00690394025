//! The built-in rules over a large output, on one core.

use wa::patterns::{Patterns, Scope};

use super::log_line;
use crate::plan::sizes;
use crate::stats::{least, timed};
use crate::table::{Row, Table};
use crate::{Plan, Result};

/// Bytes a second that must be reached.
const SPEED: f64 = 200e6;

pub(super) fn measure(plan: &Plan, table: &mut Table) -> Result<()> {
    for bytes in sizes(plan.output_bytes) {
        scan(bytes, plan, table)?;
    }
    Ok(())
}

fn scan(bytes: usize, plan: &Plan, table: &mut Table) -> Result<()> {
    let mut output = String::with_capacity(bytes + 256);
    let mut number = 0;
    while output.len() < bytes {
        output.push_str(&log_line(number));
        number += 1;
        if number % 100_000 == 0 {
            output
                .push_str("You've hit your usage limit. Upgrade to Pro or try again at 3:00 PM.\n");
        }
    }
    let patterns = Patterns::builtin()?;
    let mut times = Vec::new();
    for _ in 0..plan.rounds.min(3) {
        let (time, found) = timed(|| Ok::<_, String>(patterns.scan(&output, None, Scope::Log)))?;
        let expected = number / 100_000;
        if found.len() < expected {
            return Err(format!("{} of {expected} limit texts were found", found.len()).into());
        }
        times.push(time / 1_000.0);
    }
    let row = Row::new("rules over output", "ms", least(times)).at(bytes / 1_000, "KB");
    let limit = bytes as f64 / SPEED * 1e3;
    table.add(if bytes == plan.output_bytes { row.limit(limit) } else { row });
    Ok(())
}
