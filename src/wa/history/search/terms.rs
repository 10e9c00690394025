//! Parses search queries: the phrases an FTS5 query matches, and an FTS5 query for arbitrary text.

use super::words::{term, words};

/// A word that is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Term {
    /// What it is looked up as.
    pub(super) stem: Vec<u8>,
    /// Words that only begin so will do.
    pub(super) prefix: bool,
}

/// Words that are looked for next to each other; at least one.
pub(super) type Phrase = Vec<Term>;

/// A part of an FTS5 query.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Word(String),
    Text(String),
    Sign(char),
}

/// The phrases that a valid FTS5 query wants found. What it wants absent is left out.
pub(super) fn phrases(query: &str) -> Vec<Phrase> {
    let parts = parts(query);
    let mut phrases = Vec::new();
    // Whether what comes next is wanted absent, here and outside of each open bracket.
    let (mut absent, mut outer) = (false, vec![false]);
    let mut at = 0;
    while let Some(part) = parts.get(at) {
        at += 1;
        match part {
            Part::Word(word) if word == "NOT" => absent = true,
            Part::Word(word) if word == "AND" || word == "OR" => {
                absent = outer.last().copied().unwrap_or_default();
            }
            Part::Word(_) if parts.get(at) == Some(&Part::Sign(':')) => at += 1,
            Part::Word(word) if word == "NEAR" && parts.get(at) == Some(&Part::Sign('(')) => {}
            Part::Word(text) | Part::Text(text) => {
                let mut phrase = looked_up(text);
                while let [Part::Sign('+'), Part::Word(more) | Part::Text(more), ..] = &parts[at..]
                {
                    phrase.extend(looked_up(more));
                    at += 2;
                }
                if parts.get(at) == Some(&Part::Sign('*'))
                    && let Some(last) = phrase.last_mut()
                {
                    last.prefix = true;
                }
                if !absent && !phrase.is_empty() {
                    phrases.push(phrase);
                }
            }
            Part::Sign('(') => outer.push(absent),
            Part::Sign(')') => {
                outer.pop();
                absent = outer.last().copied().unwrap_or_default();
            }
            // The distance of a NEAR, and the names of columns.
            Part::Sign(',') => at += 1,
            Part::Sign('{') => {
                at += parts[at..].iter().take_while(|part| **part != Part::Sign('}')).count();
            }
            Part::Sign(_) => {}
        }
    }
    phrases
}

fn looked_up(text: &str) -> Phrase {
    let words = words(text, 0);
    words.map(|(start, end)| Term { stem: term(&text[start..end]), prefix: false }).collect()
}

fn parts(query: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut letters = query.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '"' {
            let mut text = String::new();
            while let Some(letter) = letters.next() {
                // Two quotes are one quote; one is the end.
                if letter == '"' && letters.next_if_eq(&'"').is_none() {
                    break;
                }
                text.push(letter);
            }
            parts.push(Part::Text(text));
        } else if is_bare(letter) {
            let mut word = String::from(letter);
            while let Some(letter) = letters.next_if(|letter| is_bare(*letter)) {
                word.push(letter);
            }
            parts.push(Part::Word(word));
        } else if !letter.is_whitespace() {
            parts.push(Part::Sign(letter));
        }
    }
    parts
}

/// What FTS5 takes into a word without quotes.
fn is_bare(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_' || letter == '\u{1a}' || !letter.is_ascii()
}

/// Whether the index may have it in a word; beyond ASCII only the index knows.
fn may_be_word(letter: char) -> bool {
    if letter.is_ascii() { letter.is_ascii_alphanumeric() } else { !letter.is_whitespace() }
}

/// An FTS5 query that looks for the words of any text. Text in quotes stays a phrase, a `*` at the
/// end of a word stays, and so do AND, OR and NOT between words. `None` when there is no word.
pub(super) fn plain(text: &str) -> Option<String> {
    let mut units: Vec<String> = Vec::new();
    let mut operator = None;
    for (unit, quoted) in units_of(text) {
        let is_operator = !quoted && matches!(unit, "AND" | "OR" | "NOT");
        if is_operator && !units.is_empty() && operator.is_none() {
            operator = Some(unit);
            continue;
        }
        if !unit.contains(may_be_word) {
            continue;
        }
        units.extend(operator.take().map(str::to_owned));
        let star = if !quoted && unit.ends_with('*') { "*" } else { "" };
        units.push(format!("\"{}\"{star}", unit.replace('"', "\"\"")));
    }
    // An operator that nothing follows is a word like any other.
    units.extend(operator.map(|word| format!("\"{word}\"")));
    (!units.is_empty()).then(|| units.join(" "))
}

/// Words between blanks, and texts between quotes where there are two.
fn units_of(text: &str) -> Vec<(&str, bool)> {
    let mut units = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let quoted = rest.strip_prefix('"').and_then(|inner| inner.split_once('"'));
        if let Some((inner, after)) = quoted {
            units.push((inner, true));
            rest = after.trim_start();
            continue;
        }
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        units.push((&rest[..end], false));
        rest = rest[end..].trim_start();
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(query: &str) -> Vec<String> {
        let show = |term: &Term| {
            let star = if term.prefix { "*" } else { "" };
            format!("{}{star}", String::from_utf8_lossy(&term.stem))
        };
        phrases(query)
            .iter()
            .map(|phrase| phrase.iter().map(show).collect::<Vec<_>>().join(" "))
            .collect()
    }

    #[test]
    fn what_a_query_wants_found() {
        for (query, wanted) in [
            ("connecting host", vec!["connect", "host"]),
            ("\"connection refused\" port", vec!["connect refus", "port"]),
            ("one + two three*", vec!["on two", "three*"]),
            ("\"foo-bar\"*", vec!["foo bar*"]),
            ("a NOT b", vec!["a"]),
            ("a NOT (b OR c) OR d", vec!["a", "d"]),
            ("(a NOT b c) AND d", vec!["a", "d"]),
            ("NEAR(alpha beta, 5) gamma", vec!["alpha", "beta", "gamma"]),
            ("captured_text : x OR {captured_text} : y", vec!["x", "y"]),
            ("^first \"say \"\"hi\"\" now\"", vec!["first", "sai hi now"]),
            ("near (x)", vec!["near", "x"]),
            ("\"--\"", vec![]),
        ] {
            assert_eq!(found(query), wanted, "{query}");
        }
    }

    #[test]
    fn any_text_becomes_a_query() {
        for (text, query) in [
            ("foo-bar", Some("\"foo-bar\"")),
            ("C++", Some("\"C++\"")),
            ("error: x", Some("\"error:\" \"x\"")),
            ("\"connection refused\" foo-bar", Some("\"connection refused\" \"foo-bar\"")),
            ("say\"hi", Some("\"say\"\"hi\"")),
            ("\"open", Some("\"\"\"open\"")),
            ("a-b OR c-d*", Some("\"a-b\" OR \"c-d*\"*")),
            ("OR a-b AND", Some("\"OR\" \"a-b\" \"AND\"")),
            ("a-b OR AND c", Some("\"a-b\" OR \"AND\" \"c\"")),
            ("=> done.", Some("\"done.\"")),
            ("\"", None),
            ("-- ++ \"\"", None),
        ] {
            assert_eq!(plain(text).as_deref(), query, "{text}");
        }
    }
}
