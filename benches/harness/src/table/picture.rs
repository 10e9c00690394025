//! The picture: for each highlight a bar for each server, on a logarithmic scale.
//!
//! One file without fonts, scripts or links; it suits dark and light pages.

use super::highlights::{Highlight, NAMES};
use super::{OURS, Table, number};

const WIDTH: usize = 1000;
const COLUMNS: usize = 2;
const PANEL: usize = WIDTH / COLUMNS;
const LINE: usize = 18;
/// Where bars begin within a panel, and how long the longest is.
const BARS: f64 = 150.0;
const LONGEST: f64 = 190.0;
const HEAD: usize = 56;

const STYLE: &str = "\
text{font:12px system-ui,sans-serif;fill:#1f2328}.t{font-weight:600}.h{font-size:15px;font-weight:600}\
.m{fill:#59636e}.b{fill:#8c959f}.o{fill:#1a7f37}.g{fill:#fff}.e{text-anchor:end}.s{font-size:11px}\
@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.m{fill:#9198a1}.b{fill:#656c76}.o{fill:#3fb950}.g{fill:#0d1117}}";

impl Table {
    pub(crate) fn to_svg(&self) -> String {
        let highlights = self.highlights();
        let mut body = String::new();
        let mut top = HEAD;
        for pair in highlights.chunks(COLUMNS) {
            for (column, highlight) in pair.iter().enumerate() {
                body.push_str(&panel(highlight, column * PANEL + 16, top));
            }
            let tallest = pair.iter().map(|highlight| servers(highlight).count()).max();
            top += (tallest.unwrap_or(0) + 2) * LINE + 8;
        }
        let height = top + LINE;
        let about = escaped(&format!("Made of {}.", self.made_of()));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
             viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"Benchmarks side by side\">\n\
             <style>{STYLE}</style>\n<rect class=\"g\" width=\"100%\" height=\"100%\"/>\n\
             <text class=\"h\" x=\"16\" y=\"24\">The same tools on different servers</text>\n\
             <text class=\"m\" x=\"16\" y=\"42\">Shorter is better, on a logarithmic scale; in front \
             of each figure how many times ours it costs.</text>\n{body}\
             <text class=\"m s\" x=\"16\" y=\"{}\">{about}</text>\n</svg>\n",
            height - 10
        )
    }
}

/// Names and costs: times, memory, or the time of one where more is better.
fn servers<'a>(
    highlight: &'a Highlight<'a>,
) -> impl Iterator<Item = (&'static str, &'static str, Option<f64>)> + 'a {
    let figures = &highlight.row.figures;
    NAMES.into_iter().filter_map(|(column, name)| Some((column, name, *figures.get(column)?)))
}

fn panel(highlight: &Highlight, left: usize, top: usize) -> String {
    let row = highlight.row;
    let cost = |figure: f64| if row.more_is_better() { 1.0 / figure } else { figure };
    let costs = || servers(highlight).filter_map(|(_, _, figure)| figure.map(cost));
    let least = costs().fold(f64::INFINITY, f64::min);
    let most = costs().fold(0.0, f64::max);
    // The best has a visible bar too.
    let scale = |cost: f64| ((cost / least).ln() + 0.25) / ((most / least).ln() + 0.25) * LONGEST;
    let mut text = format!(
        "<text class=\"t\" x=\"{left}\" y=\"{}\">{}</text>\n",
        top + LINE - 4,
        escaped(highlight.title)
    );
    for (index, (column, name, figure)) in servers(highlight).enumerate() {
        let y = top + (index + 1) * LINE;
        let (class, label) = if column == OURS { ("o", "t e") } else { ("b", "e") };
        let bars = left as f64 + BARS;
        text.push_str(&format!(
            "<text class=\"{label}\" x=\"{}\" y=\"{}\">{name}</text>\n",
            bars - 8.0,
            y + 13
        ));
        let (length, said) = match figure {
            Some(figure) => (scale(cost(figure)), said(highlight, column, figure)),
            None => (0.0, "<tspan class=\"m\">not measured</tspan>".to_owned()),
        };
        text.push_str(&format!(
            "<rect class=\"{class}\" x=\"{bars}\" y=\"{}\" width=\"{length:.1}\" height=\"12\" \
             rx=\"2\"/><text x=\"{:.1}\" y=\"{}\">{said}</text>\n",
            y + 3,
            bars + length + 6.0,
            y + 13
        ));
    }
    text
}

fn said(highlight: &Highlight, column: &str, figure: f64) -> String {
    let row = highlight.row;
    let quantity = format!("<tspan class=\"m\">{}</tspan>", row.quantity(figure));
    if column == OURS {
        return quantity;
    }
    format!("{}× · {quantity}", number(row.advantage(figure)))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
