//! Python's `string.Template`, as far as needed to check whether a body will render.
//!
//! `$name` and `${name}` are placeholders, `$$` is a literal dollar, any other `$` makes the
//! application fail. Knows neither sections nor files.

use std::collections::BTreeSet;

use serde::Serialize;

/// A position in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Offset in UTF-8 bytes, from 0.
    pub offset: usize,
}

/// A placeholder and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placeholder {
    /// Its name, case kept: the library looks it up as written.
    pub name: String,
    /// Position of its `$`.
    pub at: Position,
}

/// The placeholders of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scan {
    /// Placeholders in order of appearance, repeats included.
    pub found: Vec<Placeholder>,
    /// Positions of `$` that are neither a placeholder nor `$$`.
    pub stray: Vec<Position>,
}

impl Scan {
    /// The names, sorted, each once.
    pub fn names(&self) -> BTreeSet<String> {
        self.found.iter().map(|placeholder| placeholder.name.clone()).collect()
    }
}

/// Scans a body.
pub fn scan(text: &str) -> Scan {
    let mut scan = Scan::default();
    let bytes = text.as_bytes();
    let mut place = Position { line: 1, column: 1, offset: 0 };
    let mut from = 0;
    while let Some(step) = text[from..].find('$') {
        let dollar = from + step;
        advance(&mut place, text, dollar);
        let rest = &bytes[dollar + 1..];
        from = dollar + 1;
        if rest.first() == Some(&b'$') {
            from += 1;
            continue;
        }
        let braced = rest.first() == Some(&b'{');
        let start = dollar + 1 + usize::from(braced);
        let length = identifier(&bytes[start..]);
        let closed = !braced || bytes.get(start + length) == Some(&b'}');
        if length > 0 && closed {
            let name = text[start..start + length].to_owned();
            scan.found.push(Placeholder { name, at: place });
            from = start + length + usize::from(braced);
        } else {
            scan.stray.push(place);
        }
    }
    scan
}

/// Length of the identifier at the start: `[_a-zA-Z][_a-zA-Z0-9]*`.
fn identifier(bytes: &[u8]) -> usize {
    let starts = bytes.first().is_some_and(|b| *b == b'_' || b.is_ascii_alphabetic());
    if !starts {
        return 0;
    }
    bytes.iter().take_while(|b| **b == b'_' || b.is_ascii_alphanumeric()).count()
}

fn advance(place: &mut Position, text: &str, to: usize) {
    let passed = &text[place.offset..to];
    match passed.rfind('\n') {
        Some(newline) => {
            place.line += passed.bytes().filter(|b| *b == b'\n').count();
            place.column = passed[newline + 1..].chars().count() + 1;
        }
        None => place.column += passed.chars().count(),
    }
    place.offset = to;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        scan(text).names().into_iter().collect()
    }

    #[test]
    fn finds_what_python_finds() {
        assert_eq!(names("$name ${Other_1} $$not $$$yes"), ["Other_1", "name", "yes"]);
        assert_eq!(names("${na-me} $é $1 ${} ${a $ "), Vec::<String>::new());
        assert_eq!(names("$naïve"), ["na"]);
    }

    #[test]
    fn stray_dollars_have_places() {
        let scan = scan("é $5\n\n  ok $name, $");
        assert_eq!(scan.stray[0], Position { line: 1, column: 3, offset: 3 });
        assert_eq!(scan.stray[1], Position { line: 3, column: 13, offset: 19 });
        assert_eq!(scan.found[0].at, Position { line: 3, column: 6, offset: 12 });
        assert_eq!(scan.stray.len(), 2);
    }
}
