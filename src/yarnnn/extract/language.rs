//! Whether a text is English, by its commonest words.
//!
//! Only decides which cue tables apply; does not identify the other language.

use super::words::words;

const ENGLISH: &[&str] = &[
    "and", "are", "be", "by", "for", "from", "have", "i", "is", "it", "must", "need", "not", "of",
    "our", "should", "that", "the", "they", "this", "to", "we", "will", "with", "you",
];

/// Common words of other languages in Latin letters.
const OTHER: &[&str] = &[
    "avec", "bir", "che", "com", "con", "dans", "das", "de", "del", "della", "der", "des", "die",
    "du", "een", "ein", "eine", "el", "en", "est", "et", "haben", "het", "il", "im", "ist", "je",
    "jest", "la", "las", "le", "les", "los", "mit", "na", "nicht", "niet", "nous", "och", "para",
    "per", "por", "pour", "que", "se", "sich", "sie", "sono", "um", "una", "und", "une", "ve",
    "von", "wij", "wir", "zu",
];

/// Whether the first words of a text are English; none if undecided.
pub(crate) fn english(text: &str, sample: usize) -> Option<bool> {
    // Few words are longer than this; what is cut off does not matter.
    let all = words(&text[..text.floor_char_boundary(sample * 12)]);
    let all = &all[..all.len().min(sample)];
    let count = |table: &[&str]| {
        all.iter().filter(|word| table.binary_search(&word.text.as_ref()).is_ok()).count()
    };
    let (known, other) = (count(ENGLISH), count(OTHER));
    let foreign = all.iter().filter(|word| !word.text.is_ascii()).count();
    if foreign > 0
        && (foreign * 2 >= all.len() || foreign * 10 >= all.len() && known * 12 < all.len())
    {
        return Some(false);
    }
    (known != other).then_some(known > other)
}

#[cfg(test)]
mod tests {
    use super::{ENGLISH, OTHER, english};

    #[test]
    fn tables_are_sorted_and_apart() {
        assert!(ENGLISH.is_sorted() && OTHER.is_sorted());
        assert!(ENGLISH.iter().all(|word| !OTHER.contains(word)));
    }

    #[test]
    fn a_few_words_tell() {
        let rows = [
            ("The café in Zürich is open and we like it.", Some(true)),
            ("Die Kosten sind zu hoch.", Some(false)),
            ("Nous avons choisi la base de données.", Some(false)),
            ("Zespół wybrał nową bazę danych.", Some(false)),
            ("Команда решила.", Some(false)),
            ("PostgreSQL 15", None),
            ("", None),
        ];
        for (text, wanted) in rows {
            assert_eq!(english(text, 400), wanted, "{text}");
        }
    }
}
