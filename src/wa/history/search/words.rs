//! Splits text into words as the index's tokenizer does.

use super::stem::stem;

/// Letters that are looked up without their marks, and what they become.
const MARKED: &[(&str, char)] = &[
    ("àáâãäåāăą", 'a'),
    ("çćĉċč", 'c'),
    ("ď", 'd'),
    ("èéêëēĕėęě", 'e'),
    ("ĝğġģ", 'g'),
    ("ĥ", 'h'),
    ("ìíîïĩīĭį", 'i'),
    ("ĵ", 'j'),
    ("ķ", 'k'),
    ("ĺļľ", 'l'),
    ("ñńņň", 'n'),
    ("òóôõöōŏő", 'o'),
    ("ŕŗř", 'r'),
    ("śŝşš", 's'),
    ("ţť", 't'),
    ("ùúûüũūŭůűų", 'u'),
    ("ŵ", 'w'),
    ("ýÿŷ", 'y'),
    ("źżž", 'z'),
];

/// Whether words are made of it. The index takes some signs for letters that its old tables do not
/// know, such as new emoji; those are found and not marked.
pub(super) fn is_letter(letter: char) -> bool {
    if letter.is_ascii() { letter.is_ascii_alphanumeric() } else { letter.is_alphanumeric() }
}

/// Combining marks that are not looked up.
fn is_mark(letter: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&letter)
}

/// First and last byte of every word from byte `from` on, which is no word's middle.
pub(super) fn words(text: &str, from: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut at = from;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let start = at + rest.find(is_letter)?;
        let word = &text[start..];
        let end = word.find(|letter| !is_letter(letter) && !is_mark(letter));
        at = end.map_or(text.len(), |end| start + end);
        Some((start, at))
    })
}

/// What a word is looked up as.
pub(super) fn term(word: &str) -> Vec<u8> {
    if word.is_ascii() {
        return stem(&word.to_ascii_lowercase());
    }
    let letters = word.chars().filter(|letter| !is_mark(*letter)).flat_map(char::to_lowercase);
    let folded: String = letters
        .map(|letter| {
            let marked = MARKED.iter().find(|(letters, _)| letters.contains(letter));
            marked.map_or(letter, |(_, plain)| *plain)
        })
        .collect();
    stem(&folded)
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::super::super::testing::Numbers;
    use super::*;

    /// What the index makes of each text: its words, as they are looked up.
    fn indexed(texts: &[String]) -> Vec<Vec<Vec<u8>>> {
        let database = Connection::open_in_memory().unwrap();
        database
            .execute_batch(
                "CREATE VIRTUAL TABLE texts USING fts5 (text, tokenize = 'porter unicode61');
                 CREATE VIRTUAL TABLE found USING fts5vocab ('texts', 'instance'); BEGIN;",
            )
            .unwrap();
        for (row, text) in texts.iter().enumerate() {
            let row = i64::try_from(row).unwrap();
            let sql = "INSERT INTO texts (rowid, text) VALUES (?1, ?2)";
            database.prepare_cached(sql).unwrap().execute((row, text)).unwrap();
        }
        let mut found = vec![Vec::new(); texts.len()];
        let mut statement =
            database.prepare("SELECT doc, term FROM found ORDER BY doc, \"offset\"").unwrap();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let doc = usize::try_from(row.get::<_, i64>(0).unwrap()).unwrap();
            found[doc].push(row.get_ref(1).unwrap().as_bytes().unwrap().to_vec());
        }
        found
    }

    fn ours(text: &str) -> Vec<Vec<u8>> {
        words(text, 0).map(|(start, end)| term(&text[start..end])).collect()
    }

    fn check(texts: &[String]) {
        for (text, wanted) in texts.iter().zip(indexed(texts)) {
            let show = |terms: &[Vec<u8>]| {
                terms
                    .iter()
                    .map(|term| String::from_utf8_lossy(term).into_owned())
                    .collect::<Vec<_>>()
            };
            assert_eq!(show(&ours(text)), show(&wanted), "{text:?}");
        }
    }

    #[test]
    fn stems_are_those_of_the_index_and_differ_in_the_last_letter_at_most() {
        let roots = [
            "connect", "relat", "hop", "hopp", "fil", "fall", "y", "sky", "cri", "troubl", "siz",
            "ag", "re", "a", "e", "ee", "b", "st", "oper", "conform", "rational", "vers", "prob",
            "adjust", "depend", "analog", "call", "gyr", "xx", "wow", "box", "play", "tt", "ss",
        ];
        let endings = [
            "", "s", "es", "ies", "sses", "ed", "eed", "ing", "y", "ly", "ational", "tional",
            "enci", "anci", "izer", "logi", "logy", "bli", "alli", "entli", "eli", "ousli",
            "ization", "ation", "ator", "alism", "iveness", "fulness", "ousness", "aliti", "iviti",
            "biliti", "icate", "ative", "alize", "iciti", "ical", "ful", "ness", "al", "ance",
            "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism",
            "ate", "iti", "ous", "ive", "ize", "e", "ll", "ied", "ability", "ities", "ings",
        ];
        let mut texts: Vec<String> = Vec::new();
        for root in roots {
            texts.extend(endings.iter().map(|ending| format!("{root}{ending}")));
        }
        let mut numbers = Numbers::seeded(5);
        for _ in 0..20_000 {
            let length = 1 + numbers.below(12);
            let letters = b"aeiouybcdeginstlrxwz";
            let mut word: String = (0..length).map(|_| char::from(*numbers.one(letters))).collect();
            word += *numbers.one(&endings);
            texts.push(word);
        }
        texts.push("x".repeat(64) + "s");
        texts.push("x".repeat(63) + "s");
        check(&texts);
        for word in &texts {
            let stem = term(word);
            let same = stem.len().saturating_sub(1).max(1);
            assert!(word.as_bytes().starts_with(&stem[..same]), "{word}");
        }
    }

    #[test]
    fn words_are_those_of_the_index() {
        let mut texts: Vec<String> = [
            "foo-bar C++ error: x=1_000 /usr/lib/a.so.6 user@host",
            "Ünïcödé naïve CAFÉ Straße ÅNGSTRÖM Žluťoučký",
            "e\u{301}tude cafe\u{301}",
            "привет МИР Ελληνικά 汉字 日本語テスト",
            "\u{1b}[31mred\u{1b}[0m \0nul│box─drawing─│",
            "boxes ┌─┐ ✓ done ½ ² x² …",
        ]
        .map(str::to_owned)
        .to_vec();
        texts.extend(
            MARKED.iter().map(|(letters, _)| format!("x{letters} {}", letters.to_uppercase())),
        );
        check(&texts);
    }
}
