//! The result: figures side by side, and whether their ratios meet the bars.

use serde_json::{Value, json};

/// What a ratio must be.
#[derive(Clone, Copy)]
pub(crate) enum Bar {
    AtMost(f64),
    AtLeast(f64),
}

/// One ratio.
struct Check {
    /// What it is a ratio to.
    to: &'static str,
    ratio: f64,
    bar: Option<Bar>,
    /// What we want in the end, beyond the bar.
    goal: Option<f64>,
}

impl Check {
    fn is_met(&self) -> bool {
        match self.bar {
            None => true,
            Some(Bar::AtMost(limit)) => self.ratio <= limit,
            Some(Bar::AtLeast(limit)) => self.ratio >= limit,
        }
    }
}

/// One row: the same thing done by several servers.
pub(crate) struct Row {
    what: String,
    unit: &'static str,
    ours: f64,
    floor: Option<f64>,
    macros: Option<f64>,
    checks: Vec<Check>,
}

impl Row {
    pub(crate) fn new(what: impl Into<String>, unit: &'static str, ours: f64) -> Self {
        Self { what: what.into(), unit, ours, floor: None, macros: None, checks: Vec::new() }
    }

    /// The floor's figure; the ratio is ours / floor.
    pub(crate) fn floor(mut self, floor: f64, bar: impl Into<Option<Bar>>) -> Self {
        self.floor = Some(floor);
        self.push("floor", self.ours / floor, bar.into(), None);
        self
    }

    /// The macro server's figure, where less is better; the ratio is how much faster we are.
    pub(crate) fn slower_macros(self, macros: f64, bar: f64, goal: f64) -> Self {
        let ratio = macros / self.ours;
        self.macros(macros, ratio, bar, goal)
    }

    /// The macro server's figure, where more is better; the ratio is how much faster we are.
    pub(crate) fn lesser_macros(self, macros: f64, bar: f64, goal: f64) -> Self {
        let ratio = self.ours / macros;
        self.macros(macros, ratio, bar, goal)
    }

    fn macros(mut self, macros: f64, ratio: f64, bar: f64, goal: f64) -> Self {
        self.macros = Some(macros);
        self.push("macros", ratio, Some(Bar::AtLeast(bar)), Some(goal));
        self
    }

    /// A figure of the macro server without a bar.
    pub(crate) fn beside_macros(mut self, macros: f64) -> Self {
        self.macros = Some(macros);
        self
    }

    /// Our figure itself has a limit.
    pub(crate) fn limit(mut self, limit: f64) -> Self {
        self.push("limit", self.ours / limit, Some(Bar::AtMost(1.0)), None);
        self
    }

    fn push(&mut self, to: &'static str, ratio: f64, bar: Option<Bar>, goal: Option<f64>) {
        self.checks.push(Check { to, ratio, bar, goal });
    }
}

/// All rows.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
}

impl Table {
    pub(crate) fn add(&mut self, row: Row) {
        eprintln!("  {}", row.what);
        self.rows.push(row);
    }

    pub(crate) fn all_met(&self) -> bool {
        self.rows.iter().flat_map(|row| &row.checks).all(Check::is_met)
    }

    pub(crate) fn print(&self, json: bool, pinned: bool) {
        if json {
            println!("{:#}", self.to_json(pinned));
        } else {
            self.print_text(pinned);
        }
    }

    fn print_text(&self, pinned: bool) {
        println!(
            "{:<44} {:>6} {:>10} {:>10} {:>10}  {:<16} {:<18} ",
            "what", "unit", "ours", "floor", "macros", "ratio", "bar"
        );
        for row in &self.rows {
            print!("{:<44} {:>6} {:>10}", row.what, row.unit, figure(Some(row.ours)));
            print!(" {:>10} {:>10}", figure(row.floor), figure(row.macros));
            for (index, check) in row.checks.iter().enumerate() {
                if index > 0 {
                    print!("\n{:<84}", "");
                }
                let ratio = format!("{:.2} × {}", check.ratio, check.to);
                let bar = match (check.bar, check.goal) {
                    (None, _) => String::new(),
                    (Some(Bar::AtMost(limit)), _) => format!("≤ {limit}"),
                    (Some(Bar::AtLeast(limit)), None) => format!("≥ {limit}"),
                    (Some(Bar::AtLeast(limit)), Some(goal)) => format!("≥ {limit} (goal {goal})"),
                };
                let verdict = match (check.bar, check.is_met()) {
                    (None, _) => "",
                    (_, true) => "ok",
                    (_, false) => "MISSED",
                };
                print!("  {ratio:<16} {bar:<18} {verdict}");
            }
            println!();
        }
        if !pinned {
            println!("The processes could not be put on one core: expect scatter.");
        }
    }

    fn to_json(&self, pinned: bool) -> Value {
        let rows: Vec<Value> = self.rows.iter().map(row_json).collect();
        json!({"pinned": pinned, "ok": self.all_met(), "rows": rows})
    }
}

fn row_json(row: &Row) -> Value {
    let checks: Vec<Value> = row
        .checks
        .iter()
        .map(|check| {
            let (at_most, at_least) = match check.bar {
                Some(Bar::AtMost(limit)) => (Some(limit), None),
                Some(Bar::AtLeast(limit)) => (None, Some(limit)),
                None => (None, None),
            };
            json!({
                "to": check.to, "ratio": check.ratio, "at_most": at_most, "at_least": at_least,
                "goal": check.goal, "ok": check.is_met(),
            })
        })
        .collect();
    json!({
        "what": row.what, "unit": row.unit, "ours": row.ours, "floor": row.floor,
        "macros": row.macros, "checks": checks,
    })
}

fn figure(value: Option<f64>) -> String {
    match value {
        None => "–".to_owned(),
        Some(value) if value >= 1000.0 => format!("{value:.0}"),
        Some(value) => format!("{value:.1}"),
    }
}
