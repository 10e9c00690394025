//! The table of `docs/benchmarks.md`: ratios, and what they were measured with.

use super::{
    FASTMCP, FLOOR, MACROS, MACROS_STATELESS, PY_LOW, PY_MCP, Row, TS_SDK, TS_SERVER, Table, number,
};

/// Columns of the page, and the servers in them.
const FAMILIES: [(&str, &[&str]); 5] = [
    ("bare loop", &[FLOOR]),
    ("rmcp macros", &[MACROS]),
    ("rmcp, stateless", &[MACROS_STATELESS]),
    ("TypeScript", &[TS_SDK, TS_SERVER]),
    ("Python", &[PY_LOW, PY_MCP, FASTMCP]),
];

impl Table {
    pub(crate) fn to_markdown(&self) -> String {
        let names: Vec<&str> = FAMILIES.iter().map(|(name, _)| *name).collect();
        let mut text = format!("| times better than | {} | ours |\n", names.join(" | "));
        text.push_str(&format!("|---|{}\n", "--:|".repeat(FAMILIES.len() + 1)));
        for highlight in self.highlights() {
            let row = highlight.row;
            let ratios: Vec<String> =
                FAMILIES.iter().map(|(_, servers)| ratios(row, servers)).collect();
            let ours = row.quantity(row.ours());
            text.push_str(&format!("| {} | {} | {ours} |\n", highlight.title, ratios.join(" | ")));
        }
        text.push_str(&self.made());
        text
    }

    fn made(&self) -> String {
        let checks = || self.rows().flat_map(|row| &row.checks).filter(|check| check.bar.is_some());
        let missed = checks().filter(|check| !check.ok).count();
        let verdict = match missed {
            0 => format!("all {} bars met", checks().count()),
            missed => format!("{missed} of {} bars missed", checks().count()),
        };
        format!(
            "\nOne run of `benches/run{}` on {} cores, client and server sharing one, ours \
             validating its input; {verdict}.\nMade of {}.\n",
            self.only.as_ref().map(|only| format!(" --only {only}")).unwrap_or_default(),
            self.cores,
            self.made_of()
        )
    }
}

/// From the least to the largest ratio of a family.
fn ratios(row: &Row, servers: &[&str]) -> String {
    if !servers.iter().any(|server| row.figures.contains_key(*server)) {
        return String::new();
    }
    let figures = servers.iter().filter_map(|server| row.figure(server));
    let mut ratios: Vec<f64> = figures.map(|figure| row.advantage(figure)).collect();
    ratios.sort_by(f64::total_cmp);
    match &ratios[..] {
        [] => "–".to_owned(),
        [one] => number(*one),
        [least, .., most] => format!("{}–{}", number(*least), number(*most)),
    }
}
