//! Compiles regexes from clients: size-limited, linear time, with error messages that name the position.

use regex::{Regex, RegexBuilder};

use crate::error::{Error, Kind, Result};

/// Longest pattern, in bytes.
const MAX_PATTERN: usize = 4096;
/// What a compiled regex may take, in bytes.
const MAX_COMPILED: usize = 1 << 20;

/// A regex for lines of text: `^` and `$` stand for the ends of lines. `argument` is its name.
pub(super) fn build(argument: &str, pattern: &str) -> Result<Regex> {
    limit(argument, pattern)?;
    RegexBuilder::new(pattern)
        .multi_line(true)
        .size_limit(MAX_COMPILED)
        .dfa_size_limit(4 * MAX_COMPILED)
        .nest_limit(64)
        .build()
        .map_err(|error| explain(argument, &error))
}

/// Refuses patterns that are empty or too long.
pub(super) fn limit(argument: &str, pattern: &str) -> Result<()> {
    let refuse = |message: String| Err(Kind::InvalidArguments.because(message));
    if pattern.is_empty() {
        return refuse(format!("`{argument}` is empty; it would match at once."));
    }
    if pattern.len() > MAX_PATTERN {
        let length = pattern.len();
        return refuse(format!("`{argument}` has {length} bytes; the maximum is {MAX_PATTERN}."));
    }
    Ok(())
}

fn explain(argument: &str, error: &regex::Error) -> Error {
    let message = match error {
        regex::Error::CompiledTooBig(limit) => {
            format!("`{argument}` is too large a regex: it compiles to over {limit} bytes.")
        }
        regex::Error::Syntax(text) => {
            let (place, what) = place(text);
            format!("`{argument}` is not a valid regex{place}: {what}.")
        }
        _ => format!("`{argument}` is not a valid regex: {error}."),
    };
    Kind::InvalidArguments.because(message).hint(
        "The syntax is that of the Rust regex crate: no look-around, no back-references. \
         Leave the regex flag off to search for plain text.",
    )
}

/// Where and what, out of the crate's message: the pattern indented by four, a caret under the
/// place, and `error: …`.
fn place(text: &str) -> (String, String) {
    let what = text.lines().find_map(|line| line.strip_prefix("error: "));
    let what = what.unwrap_or("it cannot be read").trim_end_matches('.').to_owned();
    let caret = text.lines().find_map(|line| {
        let column = line.find('^')?;
        (line.trim_matches([' ', '^']).is_empty()).then_some(column)
    });
    let place = match caret {
        Some(column) if column >= 4 => format!(" at character {}", column - 3),
        _ => String::new(),
    };
    (place, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_regex_names_the_argument_and_the_place() {
        for (pattern, place) in
            [("ab(cd", "at character 3: unclosed group"), ("a**b[", "at character 5: unclosed")]
        {
            let error = build("wait_for", pattern).unwrap_err();
            assert_eq!(error.kind, Kind::InvalidArguments);
            assert!(error.message.contains("`wait_for`"), "{error}");
            assert!(error.message.contains(place), "{error}");
        }
        let error = build("pattern", "(?=x)").unwrap_err();
        assert!(error.message.contains("look-around"), "{error}");
        assert!(build("pattern", "a\n(b").unwrap_err().message.contains("unclosed group"));
    }

    #[test]
    fn large_and_empty_ones_are_refused_and_evil_ones_are_harmless() {
        assert!(build("pattern", r"\w{1000}{1000}").unwrap_err().message.contains("too large"));
        assert!(build("pattern", &"(".repeat(200)).is_err());
        assert!(build("pattern", &"x".repeat(MAX_PATTERN + 1)).is_err());
        assert!(build("pattern", "").unwrap_err().message.contains("empty"));
        let evil = build("pattern", "(a+)+$").unwrap();
        assert!(!evil.is_match(&("a".repeat(100_000) + "!")));
        assert!(build("pattern", "^done$").unwrap().is_match("x\ndone\ny"));
    }
}
