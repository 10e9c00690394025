//! Compiling regexes that people wrote: bounded in size, linear in time, mistakes told by position.

use regex::{Regex, RegexBuilder};

/// Longer is refused.
const MAX_LENGTH: usize = 4096;
/// Compiled size, in bytes.
const MAX_SIZE: usize = 2 << 20;
/// Groups inside groups.
const MAX_NESTING: u32 = 64;

/// A regex that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRegex {
    /// What is wrong.
    pub message: String,
    /// Line and column of the regex where, counted in characters from 1; where that is known.
    pub position: Option<(usize, usize)>,
}

impl std::fmt::Display for BadRegex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.position {
            Some((1, column)) => write!(f, "{} at character {column}", self.message),
            Some((line, column)) => {
                write!(f, "{} at line {line}, character {column}", self.message)
            }
            None => f.write_str(&self.message),
        }
    }
}

/// Compiles a regex that came from outside.
pub fn compile_regex(pattern: &str) -> std::result::Result<Regex, BadRegex> {
    if pattern.len() > MAX_LENGTH {
        let message = format!("it is longer than {MAX_LENGTH} bytes");
        return Err(BadRegex { message, position: None });
    }
    let built = RegexBuilder::new(pattern).size_limit(MAX_SIZE).nest_limit(MAX_NESTING).build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => BadRegex {
            message: "it repeats so much that it gets too big".to_owned(),
            position: None,
        },
        other => explained(pattern, &other.to_string()),
    })
}

/// The crate draws the pattern with a mark under the place; we want the place.
fn explained(pattern: &str, drawn: &str) -> BadRegex {
    let lines: Vec<&str> = drawn.lines().collect();
    let message = lines.iter().rev().find_map(|line| line.strip_prefix("error: "));
    let message = message.unwrap_or("it is no regex").to_owned();
    let mark = lines
        .iter()
        .position(|line| line.contains('^') && line.chars().all(|c| matches!(c, ' ' | '^')));
    let position = mark.and_then(|index| {
        // Where two places are marked, as for a name that is there twice, the later one counts.
        let marks = lines[index].trim_end();
        let at = marks.trim_end_matches('^').len();
        if pattern.contains('\n') {
            // `12: the line`, and below it the mark, shifted by as much.
            let above = lines.get(index.checked_sub(1)?)?;
            let (number, _) = above.trim_start().split_once(": ")?;
            let shift = above.len() - above.trim_start().len() + number.len() + 2;
            Some((number.parse().ok()?, (at + 1).checked_sub(shift)?))
        } else {
            Some((1, (at + 1).checked_sub(4)?))
        }
    });
    BadRegex { message, position }
}

#[cfg(test)]
mod tests {
    use super::compile_regex;

    #[test]
    fn a_mistake_is_told_with_its_place() {
        let cases = [
            ("abc(", Some((1, 4))),
            ("ä[b", Some((1, 2))),
            ("(?P<x>a)(?P<x>b)", Some((1, 13))),
            ("a{2,1}", Some((1, 2))),
            ("(?x)\na\n(b", Some((3, 1))),
            (r"(a)\1", Some((1, 4))),
        ];
        for (pattern, position) in cases {
            let bad = compile_regex(pattern).unwrap_err();
            assert_eq!(bad.position, position, "{pattern}: {bad}");
            assert!(!bad.message.is_empty());
        }
    }

    #[test]
    fn what_would_eat_memory_is_refused() {
        let many = "(?:a{1000}){1000}";
        assert!(compile_regex(many).unwrap_err().message.contains("too big"));
        assert!(compile_regex(&"a".repeat(5000)).unwrap_err().message.contains("longer"));
        assert!(compile_regex(&format!("{}a{}", "(".repeat(500), ")".repeat(500))).is_err());
    }
}
