//! Compiles regexes of users: size-limited, linear time, errors with position.

use regex::{Regex, RegexBuilder};
use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::ast::{Ast, Span};

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
        regex::Error::CompiledTooBig(_) => {
            BadRegex { message: "its repetitions make it too big".to_owned(), position: None }
        }
        _ => explained(pattern).unwrap_or_else(|| BadRegex {
            message: "it is not a regex".to_owned(),
            position: None,
        }),
    })
}

/// The syntax tree of a regex that [`compile_regex`] takes.
pub(super) fn syntax_tree(pattern: &str) -> Option<Ast> {
    ParserBuilder::new().nest_limit(MAX_NESTING).build().parse(pattern).ok()
}

/// `regex` only draws the pattern with a mark under the place; its parser knows the place.
fn explained(pattern: &str) -> Option<BadRegex> {
    let mut parser = regex_syntax::ParserBuilder::new().nest_limit(MAX_NESTING).build();
    let at = |message: String, span: &Span| {
        Some(BadRegex { message, position: Some((span.start.line, span.start.column)) })
    };
    match parser.parse(pattern).err()? {
        regex_syntax::Error::Parse(error) => at(error.kind().to_string(), error.span()),
        regex_syntax::Error::Translate(error) => at(error.kind().to_string(), error.span()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::compile_regex;

    #[test]
    fn an_error_has_its_position() {
        let cases = [
            ("abc(", Some((1, 4))),
            ("ä[b", Some((1, 2))),
            ("(?P<x>a)(?P<x>b)", Some((1, 13))),
            ("a{2,1}", Some((1, 2))),
            ("(?x)\na\n(b", Some((3, 1))),
            (r"(a)\1", Some((1, 4))),
            ("(?<x>a)\n(?<x>b)", Some((2, 4))),
            (r"ab\p{Nobody}", Some((1, 3))),
            (r"(?-u)\xff", Some((1, 6))),
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
