//! What code says to people: comments, and the lines that a patch changes.

use super::words::words;
use crate::model::ByteSpan;

/// Marks that open a comment.
const COMMENTS: &[&str] = &["//", "/*", "<!--", "--", "#", "%"];

/// Words of a comment that says something.
const LEAST: usize = 4;

/// The comment of a line of code, without its mark; none when it says too little. What follows a
/// line that is all comment belongs to that line alone.
pub(super) fn comment(line: &str) -> Option<ByteSpan> {
    let (at, mark) = COMMENTS
        .iter()
        .filter_map(|mark| opens(line, mark).map(|at| (at, *mark)))
        .min_by_key(|(at, mark)| (*at, std::cmp::Reverse(mark.len())))?;
    let inside = line[at + mark.len()..].trim_start_matches(['/', '!', '*', '#', '-', ' ']);
    let start = line.len() - inside.len();
    let end =
        start + inside.trim_end().trim_end_matches("*/").trim_end_matches("-->").trim_end().len();
    let said = &line[start..end];
    let all = words(said);
    let spoken = all.iter().filter(|word| word.text.chars().all(char::is_alphabetic)).count();
    (spoken >= LEAST).then_some(ByteSpan { start, end })
}

/// Where a comment mark stands: at the start of the line or after a space, and not in a string.
fn opens(line: &str, mark: &str) -> Option<usize> {
    let at = line.match_indices(mark).map(|(at, _)| at).find(|at| {
        let before = &line[..*at];
        let apart = before.is_empty() || before.ends_with(char::is_whitespace);
        let spoken = line[at + mark.len()..].starts_with([' ', '!', '*', '/']);
        apart && spoken && before.matches('"').count().is_multiple_of(2)
    })?;
    Some(at)
}

/// Whether a line of a patch adds or removes a line.
pub(super) fn changed(line: &str) -> bool {
    let inside = line.strip_prefix('+').or_else(|| line.strip_prefix('-'));
    inside.is_some_and(|rest| !rest.starts_with(['+', '-']) && words(rest).len() >= 2)
}
