//! The condition language: `item.<id>.status == "DESTROYED"`, `gate.open`, `!gate.open`.
//!
//! Parsing only; `values` evaluates conditions. Knows no story.

use serde_json::Value;

/// How the value of a key is compared with a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    Different,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
    /// `contains`: an element of a set, or a part of a text.
    Contains,
}

/// What is asked of the value of a key.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Test {
    /// It is there, and neither false, zero nor empty.
    Truthy,
    /// The contrary.
    Falsy,
    /// It compares with a literal.
    Compare(Comparison, Value),
}

/// One condition.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Condition {
    /// Dotted key of the world's state.
    pub key: String,
    /// What must be so.
    pub test: Test,
}

/// Longer signs first, so that `<=` is not read as `<`.
const SIGNS: [(&str, Comparison); 7] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::Different),
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("<", Comparison::Less),
    (">", Comparison::More),
    ("contains", Comparison::Contains),
];

impl Condition {
    /// Reads a condition; `None` for text that is a remark rather than a condition.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(key) = text.strip_prefix('!') {
            let key = key.trim_start();
            return is_key(key).then(|| Self { key: key.to_owned(), test: Test::Falsy });
        }
        let end = text.find(|c: char| !in_key(c)).unwrap_or(text.len());
        let (key, rest) = (&text[..end], text[end..].trim_start());
        if !is_key(key) {
            return None;
        }
        let test = if rest.is_empty() {
            Test::Truthy
        } else {
            let (sign, comparison) = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign))?;
            Test::Compare(*comparison, serde_json::from_str(rest[sign.len()..].trim()).ok()?)
        };
        Some(Self { key: key.to_owned(), test })
    }
}

fn in_key(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '-')
}

fn is_key(text: &str) -> bool {
    text.chars().all(in_key) && text.split('.').all(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Option<(String, Test)> {
        Condition::parse(text).map(|condition| (condition.key, condition.test))
    }

    #[test]
    fn every_form_is_read() {
        use Comparison::*;
        for (text, key, test) in [
            ("gate.open", "gate.open", Test::Truthy),
            ("  !gate.open ", "gate.open", Test::Falsy),
            ("! gate.open", "gate.open", Test::Falsy),
            ("item.a1.status == \"LOST\"", "item.a1.status", Test::Compare(Equal, json!("LOST"))),
            ("x!=null", "x", Test::Compare(Different, json!(null))),
            ("x<=3", "x", Test::Compare(AtMost, json!(3))),
            ("x < -3.5", "x", Test::Compare(Less, json!(-3.5))),
            ("x >= 0", "x", Test::Compare(AtLeast, json!(0))),
            ("x > 1e3", "x", Test::Compare(More, json!(1e3))),
            ("c.knows contains \"a b\"", "c.knows", Test::Compare(Contains, json!("a b"))),
            ("ameaça.nível == [1]", "ameaça.nível", Test::Compare(Equal, json!([1]))),
        ] {
            assert_eq!(read(text), Some((key.to_owned(), test)), "{text}");
        }
    }

    #[test]
    fn remarks_are_no_conditions() {
        for text in [
            "",
            "!",
            "if the gate is open",
            "x == LOST",
            "x ==",
            "x = 1",
            "x == 1 && y == 2",
            "a..b",
            ".a",
            "== 1",
            "x contains",
            "!x == 1",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
