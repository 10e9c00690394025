//! The text that a proposal was extracted from, with the places of its statements marked.

use super::html;
use crate::engine::Reviewed;

/// A longer text shows only what is around its statements.
const WHOLE: usize = 60_000;
/// Bytes that are shown before and after a statement of a long text.
const AROUND: usize = 600;

/// The text as HTML. A mark names the operations that it belongs to and links to them.
pub(super) fn marked(body: &str, reviewed: &Reviewed) -> String {
    let spans: Vec<(usize, usize, usize)> = reviewed
        .proposal
        .operations
        .iter()
        .enumerate()
        .flat_map(|(index, operation)| {
            operation.spans().iter().map(move |span| (span.start, span.end, index))
        })
        // A damaged span marks nothing.
        .filter(|(start, end, _)| start < end && body.get(*start..*end).is_some())
        .collect();
    let mut edges: Vec<usize> =
        spans.iter().flat_map(|(start, end, _)| [*start, *end]).chain([0, body.len()]).collect();
    edges.sort_unstable();
    edges.dedup();
    let mut html = String::with_capacity(body.len().min(2 * WHOLE) * 2);
    let mut anchored = Vec::new();
    for (start, end) in edges.iter().zip(edges.iter().skip(1)) {
        let Some(part) = body.get(*start..*end) else { continue };
        let mut inside: Vec<usize> = spans
            .iter()
            .filter(|(from, to, _)| from <= start && end <= to)
            .map(|(.., index)| *index)
            .collect();
        inside.dedup();
        if inside.is_empty() {
            html.push_str(&plain(part, body.len() > WHOLE, *start == 0, *end == body.len()));
            continue;
        }
        let ends = |index: &usize| spans.iter().any(|(_, to, of)| to == end && of == index);
        html.push_str(&mark(part, &inside, reviewed, &mut anchored, ends));
    }
    html
}

/// A part that belongs to these operations. Each can be gone to; its number follows its last word.
fn mark(
    part: &str,
    inside: &[usize],
    reviewed: &Reviewed,
    anchored: &mut Vec<usize>,
    ends: impl Fn(&usize) -> bool,
) -> String {
    let is_statement =
        |index: &usize| reviewed.proposal.operations.get(*index).is_some_and(|one| one.is_block());
    let statement = inside.iter().find(|index| is_statement(index));
    let first = statement.or_else(|| inside.first()).copied().unwrap_or_default();
    let standing = reviewed.standing(first).as_str();
    let kind = if statement.is_some() { "statement" } else { "name" };
    let mut anchors = String::new();
    for index in inside {
        if !anchored.contains(index) {
            anchored.push(*index);
            anchors.push_str(&format!("<span id=\"said-{}\"></span>", index + 1));
        }
    }
    let numbers: Vec<String> = inside.iter().map(|index| (index + 1).to_string()).collect();
    let links: String = inside
        .iter()
        .filter(|index| ends(index))
        .map(|index| index + 1)
        .map(|number| {
            format!(
                "<a class=\"number\" href=\"#operation-{number}\" \
                 aria-label=\"Statement {number}\">{number}</a>"
            )
        })
        .collect();
    format!(
        "{anchors}<mark class=\"{kind} {standing}\" data-numbers=\"{}\">{}{links}</mark>",
        numbers.join(" "),
        html::text(part),
    )
}

/// Text without statements; of a long one, only its ends.
fn plain(part: &str, long: bool, first: bool, last: bool) -> String {
    if !long || part.len() <= 2 * AROUND {
        return html::text(part);
    }
    let head = part.get(..part.floor_char_boundary(AROUND)).unwrap_or_default();
    let tail = part.get(part.ceil_char_boundary(part.len() - AROUND)..).unwrap_or_default();
    let left = part.len() - head.len() - tail.len();
    let gap = format!("<span class=\"gap\">… {left} bytes without statements …</span>");
    match (first, last) {
        (true, _) => format!("{gap}{}", html::text(tail)),
        (_, true) => format!("{}{gap}", html::text(head)),
        _ => format!("{}{gap}{}", html::text(head), html::text(tail)),
    }
}
