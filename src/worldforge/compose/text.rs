//! Text helpers for prompts: single lines, cuts at word boundaries, sentence splitting.
//!
//! Knows no story.

use std::collections::BTreeSet;

/// Words with a full stop that ends no sentence.
const ABBREVIATIONS: [&str; 12] =
    ["dr", "mr", "mrs", "ms", "st", "sr", "sra", "dra", "jr", "no", "vs", "prof"];

/// The text on one line: every run of white space and control characters is one space.
pub(super) fn line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// At most `most` characters, cut where a word ends. A single word that is longer is cut inside, but
/// never between a letter and its accent.
pub(super) fn cut(text: &str, most: usize) -> &str {
    let Some((end, next)) = text.char_indices().nth(most) else { return text };
    let head = &text[..end];
    let word_ends = next.is_whitespace();
    let head = match head.rfind(char::is_whitespace) {
        _ if word_ends => head,
        Some(space) => &head[..space],
        None => whole_letters(head, next),
    };
    head.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '-' | '–'))
}

/// Without the last letter where `next` would belong to it.
fn whole_letters(head: &str, next: char) -> &str {
    let mut head = head;
    let mut next = next;
    while let Some((at, last)) = head.char_indices().next_back() {
        if !joins(next) && last != '\u{200d}' {
            break;
        }
        (head, next) = (&head[..at], last);
    }
    head
}

/// Characters that change the one before: accents, joiners, variants, skin tones.
fn joins(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{20d0}'..='\u{20ff}'
        | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}')
}

/// The sentences of a text, each on one line.
pub(super) fn sentences(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for paragraph in text.lines() {
        let mut rest = paragraph;
        while let Some(end) = sentence_end(rest) {
            found.push(line(&rest[..end]));
            rest = &rest[end..];
        }
        found.push(line(rest));
    }
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// Where the first sentence ends, if another one follows.
fn sentence_end(text: &str) -> Option<usize> {
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let next = text[end..].chars().next();
        match c {
            '。' | '！' | '？' => return Some(end),
            '.' | '!' | '?' | '…'
                if next.is_some_and(char::is_whitespace) && !abbreviates(c, &text[..at]) =>
            {
                return Some(end);
            }
            _ => {}
        }
    }
    None
}

fn abbreviates(stop: char, before: &str) -> bool {
    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    stop == '.' && (initial || ABBREVIATIONS.contains(&word.to_lowercase().as_str()))
}

/// `Ana`, `Ana and Bento`, `Ana, Bento and Célia`.
pub(super) fn list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}

/// The non-empty phrases, each once, in their order.
pub(super) fn distinct(phrases: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    phrases
        .into_iter()
        .filter(|phrase| !phrase.is_empty() && seen.insert(phrase.to_lowercase()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_no_breaks_and_no_runs_of_space() {
        assert_eq!(line("  a\n\tb\u{0}c\u{a0} d \r\n"), "a b c d");
        assert_eq!(line(" \n "), "");
    }

    #[test]
    fn texts_are_cut_where_a_word_ends() {
        for (text, most, head) in [
            ("one two three", 13, "one two three"),
            ("one two three", 12, "one two"),
            ("one two three", 7, "one two"),
            ("one two three", 6, "one"),
            ("one, two", 5, "one"),
            ("one", 0, ""),
            ("", 5, ""),
            ("coração em chamas", 7, "coração"),
            ("coração em chamas", 8, "coração"),
        ] {
            assert_eq!(cut(text, most), head, "{text} {most}");
        }
    }

    #[test]
    fn a_word_that_is_too_long_is_cut_between_letters() {
        assert_eq!(cut("霧の中の灯台", 3), "霧の中");
        assert_eq!(cut("e\u{301}e\u{301}e\u{301}", 3), "e\u{301}");
        assert_eq!(cut("👩\u{200d}🚀👩", 2), "");
        assert_eq!(cut("ab👍\u{1f3fd}", 3), "ab");
    }

    #[test]
    fn sentences_end_with_a_stop_and_not_with_an_abbreviation() {
        assert_eq!(
            sentences("Dr. A. Lima rows out. It rains!  Why?"),
            ["Dr. A. Lima rows out.", "It rains!", "Why?"]
        );
        assert_eq!(sentences("No stop"), ["No stop"]);
        assert_eq!(sentences("Costs 3.5 crowns. Done."), ["Costs 3.5 crowns.", "Done."]);
        assert_eq!(sentences("One line\nanother\n\n"), ["One line", "another"]);
        assert_eq!(sentences("霧が出る。灯台。"), ["霧が出る。", "灯台。"]);
        assert_eq!(sentences(" \n"), Vec::<String>::new());
    }

    #[test]
    fn names_are_listed_as_people_do() {
        assert_eq!(list(&[]), "");
        assert_eq!(list(&["Ana"]), "Ana");
        assert_eq!(list(&["Ana", "Bento"]), "Ana and Bento");
        assert_eq!(list(&["Ana", "Bento", "Célia"]), "Ana, Bento and Célia");
    }

    #[test]
    fn no_phrase_is_repeated() {
        let phrases = ["Fog", "", "fog", "rain"].map(str::to_owned);
        assert_eq!(distinct(phrases), ["Fog", "rain"]);
    }
}
