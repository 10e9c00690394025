//! Rows of tables: Markdown, columns parted by tabs or gaps, and comma-separated values.
//!
//! Knows nothing of what a row means.

/// Whether a line is a row of a table. Values parted by commas or semicolons are only seen beside a
/// line with as many of them.
pub(super) fn is_row(line: &str, above: &str, below: &str) -> bool {
    if line.starts_with('|') || gaps(line) >= 2 {
        return true;
    }
    [';', ','].into_iter().any(|mark| {
        let parts = values(line, mark);
        parts >= 3 && (values(above, mark) == parts || values(below, mark) == parts)
    })
}

/// Whether the first row of a table only names its columns.
pub(super) fn headed(line: &str, below: &str) -> bool {
    is_rule(below)
        || !line.contains(|found: char| found.is_ascii_digit()) && is_row(below, line, "")
}

/// `|---|---|`
pub(super) fn is_rule(line: &str) -> bool {
    line.contains('-')
        && line.len() >= 3
        && line.bytes().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'+'))
}

/// How many gaps of a tab or several spaces are in a line.
fn gaps(line: &str) -> usize {
    let mut found = 0;
    let mut blanks = 0;
    for byte in line.trim().bytes() {
        match byte {
            b'\t' => blanks += 2,
            b' ' => blanks += 1,
            _ => {
                found += usize::from(blanks >= 2);
                blanks = 0;
            }
        }
    }
    found
}

/// How many values a mark without a space after it parts.
fn values(line: &str, mark: char) -> usize {
    match line.contains([mark, ' ']) && line.contains(&format!("{mark} ")) {
        true => 0,
        false => line.split(mark).count(),
    }
}
