//! Adds and removes a block at the end of a text without changing any other byte.
//!
//! If the text does not end with a line break, neither does the block; this shows how the text ended
//! when the block is removed.

use std::ops::Range;

/// Appends `block` to `text`; `blank` adds an empty line between them.
pub(super) fn append(text: &str, block: &str, newline: &str, blank: bool) -> String {
    // A trailing carriage return must not merge with the line break after it.
    let newline = if text.ends_with('\r') { "\r\n" } else { newline };
    let gap = if blank && !text.is_empty() { newline } else { "" };
    if text.is_empty() || text.ends_with('\n') {
        format!("{text}{gap}{block}{newline}")
    } else {
        format!("{text}{newline}{gap}{block}")
    }
}

/// Removes a block, with the line breaks that [`append`] added.
pub(super) fn cut(text: &str, block: Range<usize>, blank: bool) -> String {
    let (mut before, mut after) = (&text[..block.start], &text[block.end..]);
    match after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n')) {
        Some(rest) => after = rest,
        None if after.is_empty() => before = without_newline(before),
        None => {}
    }
    // Remove the empty line, if there is one; for a first block it follows the block.
    if blank && before.is_empty() {
        after = after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n')).unwrap_or(after);
    }
    let shorter = without_newline(before);
    if blank && (shorter.ends_with('\n') || (after.is_empty() && text.len() == block.end)) {
        before = shorter;
    }
    format!("{before}{after}")
}

fn without_newline(text: &str) -> &str {
    text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n')).unwrap_or(text)
}
