//! Generates a text that matches a regular expression of a schema.
//!
//! Supports what such expressions use in practice: literals, classes, groups, alternatives and
//! repetitions; returns nothing for others, such as lookahead. The result is a proposal: the caller
//! must check it against the schema.

use std::iter::Peekable;
use std::ops::RangeInclusive;
use std::str::Chars;

/// Maximum length of a generated text, in characters.
const LONGEST: usize = 4096;
/// Tried in this order for negated classes.
const LETTERS: &str = "a0A_- .x1/";

/// A text that matches the pattern. Repetitions occur `more` times more than required.
pub fn text(pattern: &str, more: usize) -> Option<String> {
    let mut reader = Reader { left: pattern.chars().peekable(), more };
    let text = reader.alternatives()?;
    reader.left.next().is_none().then_some(text)
}

struct Reader<'p> {
    left: Peekable<Chars<'p>>,
    more: usize,
}

impl Reader<'_> {
    /// Reads up to the end or a closing parenthesis; returns the text of the first alternative.
    fn alternatives(&mut self) -> Option<String> {
        let first = self.sequence()?;
        while self.left.next_if_eq(&'|').is_some() {
            self.sequence()?;
        }
        Some(first)
    }

    fn sequence(&mut self) -> Option<String> {
        let mut text = String::new();
        while self.left.peek().is_some_and(|next| !matches!(next, '|' | ')')) {
            let atom = self.atom()?;
            let times = self.times()?;
            if text.len().saturating_add(atom.len().saturating_mul(times)) > LONGEST {
                return None;
            }
            text.push_str(&atom.repeat(times));
        }
        Some(text)
    }

    fn atom(&mut self) -> Option<String> {
        Some(match self.left.next()? {
            '^' | '$' => String::new(),
            '.' => "a".to_owned(),
            '(' => self.group()?,
            '[' => self.class()?.to_string(),
            '\\' => match self.left.next()? {
                'b' => String::new(),
                letter => first(&escaped(letter, &mut self.left)?, false)?.to_string(),
            },
            letter => letter.to_string(),
        })
    }

    fn group(&mut self) -> Option<String> {
        if self.left.next_if_eq(&'?').is_some() {
            match self.left.next()? {
                ':' => {}
                // `(?<name>…)`; `(?<=…)` and `(?<!…)` look behind.
                '<' if self.left.peek().is_some_and(|next| next.is_alphabetic()) => {
                    self.left.by_ref().find(|letter| *letter == '>')?;
                }
                _ => return None,
            }
        }
        let text = self.alternatives()?;
        self.left.next_if_eq(&')')?;
        Some(text)
    }

    fn class(&mut self) -> Option<char> {
        let negated = self.left.next_if_eq(&'^').is_some();
        let mut ranges: Vec<RangeInclusive<char>> = Vec::new();
        loop {
            let low = match self.left.next()? {
                ']' => break,
                '\\' => {
                    let letter = self.left.next()?;
                    let known = escaped(letter, &mut self.left)?;
                    match known.as_slice() {
                        [one] if one.start() == one.end() => *one.start(),
                        _ => {
                            ranges.extend(known);
                            continue;
                        }
                    }
                }
                letter => letter,
            };
            let mut ahead = self.left.clone();
            let is_range =
                ahead.next() == Some('-') && ahead.next().is_some_and(|next| next != ']');
            if !is_range {
                ranges.push(low..=low);
                continue;
            }
            self.left.next();
            let high = match self.left.next()? {
                '\\' => self.left.next()?,
                letter => letter,
            };
            ranges.push(low..=high);
        }
        first(&ranges, negated)
    }

    /// Number of repetitions of the last atom.
    fn times(&mut self) -> Option<usize> {
        let (least, most) = match self.left.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                let counts: String =
                    self.left.by_ref().skip(1).take_while(|letter| *letter != '}').collect();
                let (least, most) = counts.split_once(',').unwrap_or((&counts, &counts));
                let most = if most.is_empty() { None } else { Some(most.parse().ok()?) };
                self.left.next_if_eq(&'?');
                return Some(self.within(least.parse().ok()?, most));
            }
            _ => return Some(1),
        };
        self.left.next();
        self.left.next_if_eq(&'?');
        Some(self.within(least, most))
    }

    fn within(&self, least: usize, most: Option<usize>) -> usize {
        least.saturating_add(self.more).min(most.unwrap_or(usize::MAX)).max(least)
    }
}

/// The characters that `\letter` matches; the letter is already read.
fn escaped(letter: char, left: &mut Peekable<Chars<'_>>) -> Option<Vec<RangeInclusive<char>>> {
    let one = |letter: char| vec![letter..=letter];
    let mut code = |digits: usize| {
        let text: String = left.by_ref().take(digits).collect();
        u32::from_str_radix(&text, 16).ok().and_then(char::from_u32)
    };
    Some(match letter {
        'd' => vec!['0'..='9'],
        'w' => vec!['a'..='z', 'A'..='Z', '0'..='9', '_'..='_'],
        's' => one(' '),
        'D' | 'S' | 'W' => one(if letter == 'W' { '-' } else { 'a' }),
        'n' => one('\n'),
        'r' => one('\r'),
        't' => one('\t'),
        'x' => one(code(2)?),
        'u' => one(code(4)?),
        letter if letter.is_alphanumeric() => return None,
        letter => one(letter),
    })
}

fn first(ranges: &[RangeInclusive<char>], negated: bool) -> Option<char> {
    match negated {
        false => ranges.first().map(|range| *range.start()),
        true => LETTERS.chars().find(|letter| !ranges.iter().any(|range| range.contains(letter))),
    }
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn a_text_matches_its_pattern() {
        for pattern in [
            "^[0-9a-f]{24}$",
            "^v[1-9][0-9]*$",
            "^[a-z][a-z0-9_-]{0,62}$",
            r"^\d{4}-\d{2}-\d{2}T\d+(\.\d+)?Z$",
            r"^(?:sha256|sha512):[^:\s]+$",
            r"^(?<year>\d{4})/(a|b)$",
            r"^[\w.+-]+@[\w-]+\.[a-z]{2,}$",
            "^[x-]?$",
            r"^\u0041\x42$",
            "^.{3,5}?$",
        ] {
            let expression = regress::Regex::new(pattern).unwrap();
            for more in [0, 1, 7] {
                let text = text(pattern, more).unwrap();
                assert!(expression.find(&text).is_some(), "{pattern} {text:?}");
            }
        }
    }

    #[test]
    fn more_is_longer_where_the_pattern_allows_it() {
        assert_eq!(text("^a+b?c{2}$", 0).as_deref(), Some("acc"));
        assert_eq!(text("^a+b?c{2}$", 3).as_deref(), Some("aaaabcc"));
    }

    #[test]
    fn what_is_not_known_gives_no_text() {
        for pattern in
            ["^(?=a)b$", "(?<!a)b", r"^\p{L}$", "a)", "(a", "[a", "a{x}", "a{9999}{9999}"]
        {
            assert_eq!(text(pattern, 0), None, "{pattern}");
        }
    }
}
