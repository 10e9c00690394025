//! Helpers for reading a screen's text.

/// How many lines with something on them count as what the screen says now.
const LAST: usize = 10;

/// The part of a screen that says what its program is doing: from the tenth last line with
/// something on it to the end.
pub fn last_lines(text: &str) -> &str {
    let mut seen = 0;
    let mut start = text.len();
    for line in text.split_inclusive('\n').rev() {
        if !line.trim().is_empty() {
            seen += 1;
            if seen > LAST {
                break;
            }
        }
        start -= line.len();
    }
    text[start..].trim_start_matches('\n')
}

/// The text with lines that fill the whole width joined to the next one, as a terminal breaks long
/// lines there. `None` when there is no such line.
pub fn unwrapped(text: &str, columns: u64) -> Option<String> {
    let columns = usize::try_from(columns).ok().filter(|columns| *columns > 0)?;
    let fills = |line: &str| line.len() >= columns && line.chars().count() == columns;
    if !text.split('\n').any(fills) {
        return None;
    }
    let mut joined = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let bare = line.strip_suffix('\n').unwrap_or(line);
        joined.push_str(if fills(bare) { bare } else { line });
    }
    Some(joined)
}

/// What stays of a line when counters, clocks and spinners are taken away.
pub fn skeleton(line: &str) -> String {
    line.chars().filter(|c| c.is_alphabetic()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_ten_written_lines() {
        assert_eq!(last_lines("a\nb"), "a\nb");
        assert_eq!(last_lines(""), "");
        let text: String = (0..30).map(|n| format!("{n}\n\n")).collect();
        let last = last_lines(&text);
        assert!(last.starts_with("20\n") && last.ends_with("29\n\n"), "{last:?}");
    }

    #[test]
    fn lines_that_fill_the_width_are_joined() {
        assert_eq!(unwrapped("abc\nde\nx", 3).as_deref(), Some("abcde\nx"));
        assert_eq!(unwrapped("日本語\nx", 3).as_deref(), Some("日本語x"));
        assert_eq!(unwrapped("ab\nde", 3), None);
    }

    #[test]
    fn a_spinner_has_one_skeleton() {
        assert_eq!(skeleton("✻ Thinking… (12s)"), skeleton("✽ Thinking… (13s)"));
        assert_ne!(skeleton("✻ Thinking…"), skeleton("✻ Writing…"));
    }
}
