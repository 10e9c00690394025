//! The result: figures side by side, how they grow, and whether their ratios meet the bars.
//!
//! It can be read back from its JSON, so that text, documents and picture show the same run.

mod growth;
mod highlights;
mod markdown;
mod picture;
mod summary;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The servers' columns. The first is what everything is compared with.
pub(crate) const OURS: &str = "ours";
pub(crate) const FLOOR: &str = "floor";
pub(crate) const MACROS: &str = "macros";
pub(crate) const MACROS_STATELESS: &str = "stateless";
pub(crate) const TS_SDK: &str = "ts-sdk";
pub(crate) const TS_SERVER: &str = "ts-server";
pub(crate) const PY_LOW: &str = "py-low";
pub(crate) const PY_MCP: &str = "py-mcp";
pub(crate) const FASTMCP: &str = "fastmcp";
pub(crate) const UPSTREAM: &str = "upstream";
/// An earlier commit of ours.
const BASE: &str = "base";
/// A tool without its server, what the server adds to it, and what it adds to a tool that does
/// next to nothing.
const ENGINE: &str = "engine";
const OVERHEAD: &str = "overhead";
const ECHO: &str = "echo";

const COLUMNS: [&str; 14] = [
    OURS,
    FLOOR,
    MACROS,
    MACROS_STATELESS,
    TS_SDK,
    TS_SERVER,
    PY_LOW,
    PY_MCP,
    FASTMCP,
    UPSTREAM,
    BASE,
    ENGINE,
    OVERHEAD,
    ECHO,
];

/// What a ratio must be.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Bar {
    AtMost(f64),
    AtLeast(f64),
}

/// One ratio.
#[derive(Serialize, Deserialize)]
struct Check {
    /// What it is a ratio to.
    to: String,
    ratio: f64,
    bar: Option<Bar>,
    ok: bool,
}

/// How large the work of a row is.
#[derive(Serialize, Deserialize)]
struct Size {
    value: f64,
    name: String,
}

/// One row: the same thing done by several servers.
#[derive(Serialize, Deserialize)]
pub(crate) struct Row {
    what: String,
    size: Option<Size>,
    unit: String,
    /// By column; none where the server could not be measured.
    figures: BTreeMap<String, Option<f64>>,
    checks: Vec<Check>,
}

impl Row {
    pub(crate) fn new(what: impl Into<String>, unit: &str, ours: f64) -> Self {
        let figures = BTreeMap::from([(OURS.to_owned(), Some(ours))]);
        Self { what: what.into(), size: None, unit: unit.to_owned(), figures, checks: Vec::new() }
    }

    /// Rows of the same name that differ in size show how the figure grows.
    pub(crate) fn at(mut self, value: usize, unit: &str) -> Self {
        let name = format!("{} {unit}", grouped(value));
        self.size = Some(Size { value: value as f64, name: name.trim_end().to_owned() });
        self
    }

    /// The floor's figure; the ratio is ours / floor.
    pub(crate) fn floor(mut self, floor: f64, bar: impl Into<Option<Bar>>) -> Self {
        self.figures.insert(FLOOR.to_owned(), Some(floor));
        let ratio = self.ours() / floor;
        self.check(FLOOR, ratio, bar.into());
        self
    }

    /// The figure of an earlier commit, where there is one; the ratio is ours / base.
    pub(crate) fn base(mut self, base: Option<f64>, bar: impl Into<Option<Bar>>) -> Self {
        if let Some(base) = base {
            self.figures.insert(BASE.to_owned(), Some(base));
            let ratio = self.ours() / base;
            self.check(BASE, ratio, bar.into());
        }
        self
    }

    /// What our figure is a part of; the ratio is ours / whole.
    pub(crate) fn part_of(mut self, name: &str, whole: f64, bar: impl Into<Option<Bar>>) -> Self {
        let ratio = self.ours() / whole;
        self.check(name, ratio, bar.into());
        self
    }

    /// What the engine takes of our figure; the ratio is the rest to a round trip of echo.
    pub(crate) fn above(mut self, engine: f64, echo: f64) -> Self {
        let overhead = self.ours() - engine;
        for (column, figure) in [(ENGINE, engine), (OVERHEAD, overhead), (ECHO, echo)] {
            self.figures.insert(column.to_owned(), Some(figure));
        }
        self.check("echo, the overhead", overhead / echo, None);
        self
    }

    /// A peer's figure; the ratio is how many times better ours is.
    pub(crate) fn peer(
        mut self,
        peer: &str,
        figure: Option<f64>,
        bar: impl Into<Option<Bar>>,
    ) -> Self {
        self.figures.insert(peer.to_owned(), figure);
        if let Some(figure) = figure {
            let ratio = self.advantage(figure);
            self.check(peer, ratio, bar.into());
        }
        self
    }

    /// Our figure itself has a limit.
    pub(crate) fn limit(mut self, limit: f64) -> Self {
        let ratio = self.ours() / limit;
        self.check(&format!("limit of {}", number(limit)), ratio, Some(Bar::AtMost(1.0)));
        self
    }

    /// How many times better ours is than `figure`.
    pub(crate) fn advantage(&self, figure: f64) -> f64 {
        if self.more_is_better() { self.ours() / figure } else { figure / self.ours() }
    }

    fn ours(&self) -> f64 {
        self.figure(OURS).unwrap_or(f64::NAN)
    }

    /// A figure with its unit, as people say it.
    fn quantity(&self, figure: f64) -> String {
        match self.unit.as_str() {
            "1/s" => format!("{}/s", number(figure)),
            "µs" if figure >= 10_000.0 => format!("{} ms", number(figure / 1_000.0)),
            unit => format!("{} {unit}", number(figure)),
        }
    }

    fn figure(&self, server: &str) -> Option<f64> {
        self.figures.get(server).copied().flatten()
    }

    fn more_is_better(&self) -> bool {
        self.unit == "1/s"
    }

    fn title(&self) -> String {
        match &self.size {
            Some(size) => format!("{}, {}", self.what, size.name),
            None => self.what.clone(),
        }
    }

    fn check(&mut self, to: &str, ratio: f64, bar: Option<Bar>) {
        let ok = match bar {
            None => true,
            Some(Bar::AtMost(limit)) => ratio <= limit,
            Some(Bar::AtLeast(limit)) => ratio >= limit,
        };
        self.checks.push(Check { to: to.to_owned(), ratio, bar, ok });
    }
}

/// Rows that belong together.
#[derive(Serialize, Deserialize)]
struct Section {
    title: String,
    rows: Vec<Row>,
}

/// All rows, and what they were made with.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Table {
    /// A smoke run: its ratios mean little.
    pub(crate) quick: bool,
    /// The parts that were asked for, where not all were.
    pub(crate) only: Option<String>,
    pub(crate) cores: usize,
    /// Whether client and server shared one core, where the ratio is of their work alone.
    pub(crate) pinned: bool,
    /// What the servers are made of.
    pub(crate) versions: BTreeMap<String, String>,
    /// What could not be measured, and why.
    pub(crate) missing: Vec<String>,
    sections: Vec<Section>,
}

impl Table {
    /// Rows that follow belong to this part.
    pub(crate) fn section(&mut self, title: &str) {
        eprintln!("{title}");
        self.sections.push(Section { title: title.to_owned(), rows: Vec::new() });
    }

    pub(crate) fn add(&mut self, row: Row) {
        eprintln!("  {}", row.title());
        if let Some(section) = self.sections.last_mut() {
            section.rows.push(row);
        }
    }

    pub(crate) fn all_met(&self) -> bool {
        self.rows().flat_map(|row| &row.checks).all(|check| check.ok)
    }

    /// Everything, with the exponents that follow from it.
    pub(crate) fn to_json(&self) -> serde_json::Result<Value> {
        let mut table = serde_json::to_value(self)?;
        let mut growth = Vec::new();
        for section in &self.sections {
            let names: BTreeSet<&str> = section.rows.iter().map(|row| row.what.as_str()).collect();
            for what in names {
                let exponents: BTreeMap<_, _> =
                    growth::exponents(section, what).into_iter().collect();
                if !exponents.is_empty() {
                    let section = &section.title;
                    growth.push(json!({"section": section, "what": what, "exponents": exponents}));
                }
            }
        }
        table["growth"] = growth.into();
        table["ok"] = self.all_met().into();
        Ok(table)
    }

    /// The row of a section, by name and size.
    fn row(&self, section: &str, what: &str, size: Option<f64>) -> Option<&Row> {
        let section = self.sections.iter().find(|found| found.title == section)?;
        let same_size = |row: &&Row| row.size.as_ref().map(|size| size.value) == size;
        section.rows.iter().filter(same_size).find(|row| row.what == what)
    }

    fn rows(&self) -> impl Iterator<Item = &Row> {
        self.sections.iter().flat_map(|section| &section.rows)
    }
}

/// With so many digits as matter.
fn number(value: f64) -> String {
    match value.abs() {
        v if v >= 1_000.0 => grouped(value.round() as usize),
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// With a comma before every three digits.
fn grouped(value: usize) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(row: &Row) -> Option<(&str, f64, bool)> {
        row.checks.first().map(|check| (check.to.as_str(), check.ratio, check.ok))
    }

    #[test]
    fn builds_are_held_against_the_base() {
        let row = |ours| Row::new("build", "s", ours).base(Some(20.0), Bar::AtMost(0.25));
        assert_eq!(ratio(&row(4.0)), Some((BASE, 0.2, true)));
        assert_eq!(ratio(&row(10.0)), Some((BASE, 0.5, false)));
        assert_eq!(ratio(&Row::new("build", "s", 4.0).base(None, Bar::AtMost(0.25))), None);
    }

    #[test]
    fn overhead_is_what_the_engine_does_not_take() {
        let row = Row::new("wa.state", "µs", 50.0).above(30.0, 10.0);
        assert_eq!(row.figure(OVERHEAD), Some(20.0));
        assert_eq!(ratio(&row), Some(("echo, the overhead", 2.0, true)));
    }
}
