//! Classes of characters as BERT's tokenizer has them. Knows nothing of the vocabulary.

use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory as _};

/// A text in lower case without accents, control characters and other invisible ones, with blanks
/// for all white space and around Chinese characters.
pub(crate) fn normalised(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\0' | '\u{fffd}' => {}
            '\t' | '\n' | '\r' => spaced.push(' '),
            _ if is_hidden(character) => {}
            _ if character.is_whitespace() => spaced.push(' '),
            _ if is_chinese(character) => spaced.extend([' ', character, ' ']),
            _ => spaced.push(character),
        }
    }
    spaced
        .nfd()
        .filter(|character| character.general_category() != GeneralCategory::NonspacingMark)
        .flat_map(char::to_lowercase)
        .collect()
}

/// The words of a normalised text; every punctuation mark is a word.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(char::is_whitespace).flat_map(|piece| {
        piece.split_inclusive(is_mark).flat_map(|piece| {
            let mark = piece.chars().next_back().filter(|&last| is_mark(last));
            let (word, mark) = piece.split_at(piece.len() - mark.map_or(0, char::len_utf8));
            [word, mark].into_iter().filter(|word| !word.is_empty())
        })
    })
}

fn is_mark(character: char) -> bool {
    character.is_ascii_punctuation()
        || (!character.is_ascii()
            && character.general_category_group() == GeneralCategoryGroup::Punctuation)
}

/// Control, format, private and unassigned characters.
fn is_hidden(character: char) -> bool {
    match character {
        ' '..='~' => false,
        _ => character.general_category_group() == GeneralCategoryGroup::Other,
    }
}

/// The blocks that BERT splits by character; Japanese and Korean syllables are not among them.
fn is_chinese(character: char) -> bool {
    matches!(character,
        '\u{4E00}'..='\u{9FFF}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{20000}'..='\u{2A6DF}'
        | '\u{2A700}'..='\u{2B73F}'
        | '\u{2B740}'..='\u{2B81F}'
        | '\u{2B920}'..='\u{2CEAF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{2F800}'..='\u{2FA1F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_accents_and_hidden_characters_are_gone() {
        assert_eq!(normalised("Ångström\u{200b} İstanbul\u{7}\tŁódź"), "angstrom istanbul łodz");
        assert_eq!(normalised("a\u{0}b\u{fffd}c\u{e000}d"), "abcd");
        assert_eq!(normalised("你好a"), " 你  好 a");
    }

    #[test]
    fn marks_stand_alone() {
        let all = |text| words(text).collect::<Vec<_>>();
        assert_eq!(all("don't — go!!"), ["don", "'", "t", "—", "go", "!", "!"]);
        assert_eq!(all("a$b ^c` «d»"), ["a", "$", "b", "^", "c", "`", "«", "d", "»"]);
        assert!(all(" \u{3000} ").is_empty());
    }
}
