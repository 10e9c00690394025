//! The SVG drawing inside the page: boxes, arrows, and their labels.

use std::fmt::Write as _;

use super::graph::{Edge, Graph, Node};
use super::html::escaped;
use super::labels::Labels;
use super::layout::{EdgePath, HEIGHT, Layout, WIDTH};
use crate::model::{EdgeType, NodeType, Severity};

/// Widest line of a title, in letters.
const LETTERS: usize = 24;
/// Longest label of an edge, in letters.
const LABEL: usize = 34;

/// The story as an `svg` element. Every box leads to its row in the list of nodes.
pub(super) fn draw(graph: &Graph<'_>, layout: &Layout, words: &Labels) -> String {
    let (width, height) = (layout.width, layout.height);
    let mut svg = format!(
        "<svg viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
         role=\"group\" aria-labelledby=\"drawing\" aria-describedby=\"drawing-how\">\n"
    );
    svg.push_str(
        "<defs><marker id=\"tip\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" \
         markerHeight=\"7\" orient=\"auto-start-reverse\"><path class=\"tip\" d=\"M0 0L10 5L0 10z\"/>\
         </marker></defs>\n",
    );
    svg.push_str("<g aria-hidden=\"true\">\n");
    for (edge, way) in graph.edges.iter().zip(&layout.ways) {
        let _ = writeln!(
            svg,
            "<path class=\"edge {}\" marker-end=\"url(#tip)\" d=\"{}\"/>",
            class(edge.edge.edge_type),
            path(way)
        );
    }
    for (edge, way) in graph.edges.iter().zip(&layout.ways) {
        svg.push_str(&label(edge, way, words));
    }
    svg.push_str("</g>\n");
    for (index, (node, centre)) in graph.nodes.iter().zip(&layout.nodes).enumerate() {
        svg.push_str(&shape(index, node, *centre, words));
    }
    svg + "</svg>\n"
}

fn class(kind: EdgeType) -> &'static str {
    match kind {
        EdgeType::Linear => "linear",
        EdgeType::Branch => "branch",
        EdgeType::Choice => "choice",
        EdgeType::Flashback => "flashback",
        EdgeType::Timejump => "timejump",
    }
}

fn path(way: &EdgePath) -> String {
    match way {
        EdgePath::Down(points) => {
            let mut path = String::new();
            let mut last: Option<(f64, f64)> = None;
            for &(x, y) in points {
                let _ = match last {
                    None => write!(path, "M{x:.1} {y:.1}"),
                    Some((from, above)) => {
                        let half = (above + y) / 2.0;
                        write!(path, "C{from:.1} {half:.1} {x:.1} {half:.1} {x:.1} {y:.1}")
                    }
                };
                last = Some((x, y));
            }
            path
        }
        EdgePath::Beside((x, y), beside, (end, below)) => {
            format!("M{x:.1} {y:.1}C{beside:.1} {y:.1} {beside:.1} {below:.1} {end:.1} {below:.1}")
        }
    }
}

/// How the story goes on, right after the start of the arrow, where arrows are furthest apart.
fn label(edge: &Edge<'_>, way: &EdgePath, words: &Labels) -> String {
    let text = shortened(&edge.label(words), LABEL);
    if text.is_empty() {
        return String::new();
    }
    let (x, y) = match way {
        EdgePath::Down(points) => match points.as_slice() {
            [from, to, ..] => ((from.0 + 2.0 * to.0) / 3.0, (from.1 + 2.0 * to.1) / 3.0 - 4.0),
            _ => return String::new(),
        },
        EdgePath::Beside((x, y), beside, (end, below)) => {
            ((x + end + 2.0 * beside) / 4.0, (y + below) / 2.0)
        }
    };
    let text = escaped(&text);
    format!(
        "<text class=\"label\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{text}</text>\n"
    )
}

fn shape(index: usize, node: &Node<'_>, (x, y): (f64, f64), words: &Labels) -> String {
    let (left, top) = (x - WIDTH / 2.0, y - HEIGHT / 2.0);
    let kind = match node.node.node_type {
        NodeType::Beat => "beat",
        NodeType::Scene => "scene",
        NodeType::Chapter => "chapter",
    };
    let severity = match node.worst() {
        Some(Severity::Error) => " error",
        Some(_) => " warn",
        None => "",
    };
    let radius = if node.node.node_type == NodeType::Beat { HEIGHT / 2.0 } else { 6.0 };
    let about = node.about(words);
    let mark = node.mark(words);
    let mut whole = format!("{}, {about}", node.node.title);
    if !mark.is_empty() {
        whole = format!("{whole}, {mark}");
    }
    let mut svg = format!(
        "<a href=\"#n{index}\" aria-label=\"{}\"><g class=\"node {kind}{severity}\">\
         <title>{}</title>\
         <rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"{radius}\"/>",
        escaped(&whole),
        escaped(&node.node.title),
    );
    let lines = wrapped(&node.node.title, LETTERS);
    let mut line = |text: &str, class: &str, below: f64| {
        let y = top + below;
        let _ = write!(
            svg,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{}</text>",
            escaped(text)
        );
    };
    // Without a mark the text is centred.
    let shift = if mark.is_empty() { 7.0 } else { 0.0 };
    let first = if lines.len() > 1 { 20.0 } else { 27.0 } + shift;
    for (text, at) in lines.iter().zip([first, first + 17.0]) {
        line(text, "title", at);
    }
    let below = if lines.len() > 1 { 53.0 } else { 46.0 } + shift;
    line(&shortened(&about, LETTERS + 8), "about", below);
    if !mark.is_empty() {
        line(&mark, "mark", 69.0);
    }
    svg + "</g></a>\n"
}

/// Letters that are as wide as two.
fn wide(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' | '\u{1f300}'..='\u{1faff}')
}

fn width(text: &str) -> usize {
    text.chars().map(|c| if wide(c) { 2 } else { 1 }).sum()
}

/// At most so wide, with dots where something is missing.
fn shortened(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let mut short = String::new();
    for c in text.chars() {
        short.push(c);
        if width(&short) >= most {
            short.pop();
            break;
        }
    }
    short.trim_end().to_owned() + "…"
}

/// One or two lines.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    if width(text) <= most {
        return vec![text.to_owned()];
    }
    let mut first = String::new();
    for word in text.split_whitespace() {
        let gap = usize::from(!first.is_empty());
        if width(&first) + gap + width(word) > most {
            break;
        }
        first.push_str(if gap > 0 { " " } else { "" });
        first.push_str(word);
    }
    if first.is_empty() {
        return vec![shortened(text, most)];
    }
    let rest = text.split_whitespace().skip(first.split(' ').count()).collect::<Vec<_>>().join(" ");
    vec![first, shortened(&rest, most)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_take_two_lines_at_most() {
        assert_eq!(wrapped("Low tide", 25), ["Low tide"]);
        assert_eq!(wrapped("The long night at the old pier", 12), ["The long", "night at th…"]);
        assert_eq!(wrapped("Donaudampfschifffahrt", 10), ["Donaudamp…"]);
        assert_eq!(wrapped("", 10), [""]);
    }

    #[test]
    fn wide_letters_count_twice() {
        assert_eq!(shortened("霧の中の灯台", 8), "霧の中…");
        assert_eq!(shortened("short", 8), "short");
    }
}
