//! The two languages in which the engine speaks to people.
//!
//! Texts are keyed by code; see `continuity`. Knows no settings.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_names_a_language_whatever_its_region() {
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
}
