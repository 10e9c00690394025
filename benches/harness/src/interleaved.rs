//! Interleaves the same measurement of several servers, so that a disturbance hits all of them.

use std::collections::BTreeMap;

use crate::program::Program;
use crate::programs::{Language, Programs};
use crate::stats::{least, median, most};
use crate::table::{Bar, FLOOR, MACROS, OURS, Row, Table};
use crate::{Plan, Result};

/// Rounds of a peer at most: some are slow.
const PEER_ROUNDS: usize = 5;

/// What was measured, by server: a list of figures for each round.
#[derive(Default)]
pub(crate) struct Found {
    rounds: BTreeMap<&'static str, Vec<Vec<f64>>>,
}

/// Who takes part beside ours, the floor and the macro server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    Rust,
    Everybody,
}

/// What the ratios must be.
#[derive(Clone, Copy, Default)]
pub(crate) struct Bars {
    pub(crate) floor: Option<Bar>,
    pub(crate) macros: Option<Bar>,
    pub(crate) typescript: Option<Bar>,
    pub(crate) python: Option<Bar>,
}

/// Measures all, `rounds` times. A peer that fails is left out, and the table says so.
pub(crate) fn measure_interleaved(
    rounds: usize,
    field: Field,
    programs: &Programs,
    table: &mut Table,
    mut measure: impl FnMut(&Program) -> Result<Vec<f64>>,
) -> Result<Found> {
    let mut found = Found::default();
    for round in 0..rounds {
        for program in [&programs.floor, &programs.ours, &programs.macros] {
            let figures = measure(program).map_err(|error| format!("{}: {error}", program.name))?;
            found.rounds.entry(program.name).or_default().push(figures);
        }
        if field == Field::Rust || round >= PEER_ROUNDS {
            continue;
        }
        for peer in &programs.peers {
            let rounds = found.rounds.entry(peer.name).or_default();
            match peer.program.as_ref().map(&mut measure) {
                Some(Ok(figures)) => rounds.push(figures),
                Some(Err(error)) => table.missing.push(format!("{}: {error}", peer.name)),
                None => {}
            }
        }
    }
    Ok(found)
}

impl Found {
    /// The best of a server's rounds: noise only ever adds.
    pub(crate) fn best(&self, server: &str, index: usize, unit: &str) -> Option<f64> {
        let values = self.values(server, index);
        if values.is_empty() {
            return None;
        }
        Some(if unit == "1/s" { most(values) } else { least(values) })
    }

    /// The middle of a server's rounds.
    pub(crate) fn middle(&self, server: &str, index: usize) -> Option<f64> {
        let values = self.values(server, index);
        (!values.is_empty()).then(|| median(values))
    }

    fn values(&self, server: &str, index: usize) -> Vec<f64> {
        let rounds = self.rounds.get(server).into_iter().flatten();
        rounds.filter_map(|figures| figures.get(index).copied()).collect()
    }

    /// A row of the figures that `pick` chooses of each server.
    pub(crate) fn row(
        &self,
        what: impl Into<String>,
        unit: &str,
        programs: &Programs,
        bars: Bars,
        pick: impl Fn(&Self, &str) -> Option<f64>,
    ) -> Row {
        let mut row = Row::new(what, unit, pick(self, OURS).unwrap_or(f64::NAN));
        if let Some(floor) = pick(self, FLOOR) {
            row = row.floor(floor, bars.floor);
        }
        if self.rounds.contains_key(MACROS) {
            row = row.peer(MACROS, pick(self, MACROS), bars.macros);
        }
        for peer in &programs.peers {
            let bar = match peer.language {
                Language::TypeScript => bars.typescript,
                Language::Python => bars.python,
            };
            if self.rounds.contains_key(peer.name) {
                row = row.peer(peer.name, pick(self, peer.name), bar);
            }
        }
        row
    }
}

/// So many calls that a slow server does not take much longer than a fast one.
pub(crate) fn calls(plan: &Plan, most: usize, program: &Program, window: usize) -> usize {
    let enough = (3 * window).min(plan.pipelined / 5);
    (most / program.pace).max(enough).max(10)
}
