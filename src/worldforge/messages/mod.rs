//! Continuity messages and suggestions in two languages, by code.
//!
//! `{node}` is the node's title; `{0}`, `{1}` … are the arguments of the finding. Knows no settings.

mod english;
mod portuguese;

use crate::continuity::Code;

/// A language of messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// `en`
    #[default]
    English,
    /// `pt`
    Portuguese,
}

impl Language {
    /// The language of a tag such as `en`, `pt` or `pt-BR`.
    pub fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_']).next().unwrap_or_default();
        match primary.to_ascii_lowercase().as_str() {
            "en" => Some(Self::English),
            "pt" => Some(Self::Portuguese),
            _ => None,
        }
    }

    /// Chooses between the same text in both languages.
    pub fn pick<T>(self, english: T, portuguese: T) -> T {
        match self {
            Self::English => english,
            Self::Portuguese => portuguese,
        }
    }
}

/// The message of a finding, and the suggested fix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) message: &'static str,
    pub(crate) suggestion: &'static str,
}

/// The texts of a code. A rule that finds different things has one for each.
pub(crate) fn texts(code: Code, language: Language) -> &'static [Text] {
    language.pick(english::texts as fn(Code) -> _, portuguese::texts)(code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::continuity::CODES;

    #[test]
    fn a_language_tag_is_read_without_its_region() {
        for (tag, language) in [
            ("en", Some(Language::English)),
            ("EN-gb", Some(Language::English)),
            ("pt", Some(Language::Portuguese)),
            ("pt_BR", Some(Language::Portuguese)),
            ("fr", None),
            ("", None),
        ] {
            assert_eq!(Language::from_tag(tag), language, "{tag}");
        }
        assert_eq!(Language::Portuguese.pick(1, 2), 2);
    }

    fn places(text: &str) -> Vec<&str> {
        let mut places: Vec<&str> = text
            .split('{')
            .skip(1)
            .filter_map(|rest| rest.split_once('}').map(|(name, _)| name))
            .collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    #[test]
    fn both_languages_have_the_same_texts_and_arguments() {
        for info in CODES {
            let [english, portuguese] = [Language::English, Language::Portuguese]
                .map(|language| texts(info.code, language));
            assert!(!english.is_empty(), "{}", info.name);
            assert_eq!(english.len(), portuguese.len(), "{}", info.name);
            for (one, other) in english.iter().zip(portuguese) {
                assert_eq!(places(one.message), places(other.message), "{}", info.name);
                assert_ne!(one.message, other.message, "{}", info.name);
                for text in [one, other] {
                    assert!(text.message.ends_with(['.', '}']), "{}: {}", info.name, text.message);
                    assert!(text.suggestion.ends_with('.'), "{}: {}", info.name, text.suggestion);
                }
            }
        }
    }
}
