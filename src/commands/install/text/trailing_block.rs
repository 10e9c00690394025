//! A block at the end of a text: put there and cut out again without touching another byte.
//!
//! A text that ends without a line break gets a block that does so too; that is how the old end is
//! known when the block is cut out.

use std::ops::Range;

/// Puts `block` behind `text`; `blank` leaves an empty line between them.
pub(super) fn append(text: &str, block: &str, newline: &str, blank: bool) -> String {
    // A carriage return at the end must not be taken for a part of the line break behind it.
    let newline = if text.ends_with('\r') { "\r\n" } else { newline };
    let gap = if blank && !text.is_empty() { newline } else { "" };
    if text.is_empty() || text.ends_with('\n') {
        format!("{text}{gap}{block}{newline}")
    } else {
        format!("{text}{newline}{gap}{block}")
    }
}

/// Cuts a block out, with what [`append`] put around it.
pub(super) fn cut(text: &str, block: Range<usize>, blank: bool) -> String {
    let (mut before, mut after) = (&text[..block.start], &text[block.end..]);
    match after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n')) {
        Some(rest) => after = rest,
        None if after.is_empty() => before = without_newline(before),
        None => {}
    }
    // The empty line goes only where there is one; a first block has it behind.
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
