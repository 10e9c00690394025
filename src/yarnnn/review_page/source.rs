//! The text that a proposal was extracted from, with the places of its statements marked.

use super::html;
use crate::engine::Reviewed;

/// A longer text shows only what is around its statements.
const WHOLE: usize = 60_000;
/// Bytes that are shown before and after a statement of a long text.
const AROUND: usize = 600;

/// The text as HTML. A mark names the operations that it belongs to and links to the first.
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
        html.push_str(&mark(part, &inside, reviewed, &mut anchored));
    }
    html
}

fn mark(
    part: &str,
    inside: &[usize],
    reviewed: &Reviewed,
    anchored: &mut Vec<usize>,
) -> String {
    let statement = inside
        .iter()
        .find(|index| reviewed.proposal.operations.get(**index).is_some_and(|one| one.is_block()));
    let first = statement.or_else(|| inside.first()).copied().unwrap_or_default();
    let standing = reviewed.standing(first).as_str();
    let kind = if statement.is_some() { "statement" } else { "name" };
    let mut id = String::new();
    if !anchored.contains(&first) {
        anchored.push(first);
        id = format!(" id=\"said-{}\"", first + 1);
    }
    let numbers: Vec<String> = inside.iter().map(|index| (index + 1).to_string()).collect();
    format!(
        "<mark{id} class=\"{kind} {standing}\" data-numbers=\"{}\">{}<a class=\"number\" \
         href=\"#operation-{}\" aria-label=\"Statement {}\">{}</a></mark>",
        numbers.join(" "),
        html::text(part),
        first + 1,
        first + 1,
        first + 1,
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
