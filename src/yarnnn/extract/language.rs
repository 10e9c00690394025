//! Which language a text is in: English, German, Portuguese or another one.
//!
//! Commonest words count, then letters and word endings that only one of them has. Decides which
//! cue words apply and whether the built-in embedder can read a text; does not name other
//! languages.

use super::words::{Word, words};

/// A language that the rules know, or another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// English.
    English,
    /// German.
    German,
    /// Portuguese.
    Portuguese,
    /// Any other language.
    Other,
}

/// Words that are looked at.
const SAMPLE: usize = 2_000;
/// Points of a common word, and of a telling letter or ending.
const COMMON: usize = 3;
const TELLING: usize = 2;

/// Commonest words of a language that mean nothing, or are rare, in the others.
const ENGLISH: &[&str] = &[
    "and", "are", "because", "been", "but", "by", "can", "can't", "could", "did", "does", "don't",
    "every", "for", "from", "get", "has", "have", "he", "her", "his", "how", "i", "i'd", "i'll",
    "i'm", "i've", "if", "is", "isn't", "it", "it's", "its", "last", "must", "my", "need", "needs",
    "next", "not", "of", "off", "only", "our", "out", "she", "should", "that", "the", "their",
    "then", "there", "they", "this", "to", "up", "us", "we", "were", "what", "when", "which",
    "who", "will", "with", "won't", "would", "yes", "you", "your",
];

const GERMAN: &[&str] = &[
    "aber", "als", "am", "auch", "auf", "aus", "bei", "beim", "bin", "bis", "bitte", "das", "dass",
    "dem", "den", "der", "des", "die", "doch", "durch", "ein", "eine", "einem", "einen", "einer",
    "er", "es", "für", "gibt", "haben", "hat", "hatte", "ich", "ihr", "im", "immer", "ins", "ist",
    "jede", "jeden", "jetzt", "kann", "kein", "keine", "mehr", "mit", "morgen", "muss", "nach",
    "nicht", "noch", "nur", "oder", "ohne", "pro", "schon", "sehr", "sein", "sich", "sie", "sind",
    "soll", "statt", "um", "und", "uns", "unser", "vom", "von", "vor", "war", "wegen", "weil",
    "wenn", "werden", "wie", "wir", "wird", "zu", "zum", "zur", "über",
];

const PORTUGUESE: &[&str] = &[
    "ao", "aos", "as", "até", "com", "como", "da", "das", "de", "depois", "do", "dos", "e", "ela",
    "ele", "eles", "em", "então", "essa", "esse", "esta", "estou", "está", "eu", "foi", "isso",
    "isto", "já", "mais", "mas", "meu", "minha", "muito", "na", "nas", "no", "nos", "nossa",
    "nosso", "não", "o", "os", "ou", "para", "pela", "pelo", "por", "porque", "pra", "quando",
    "que", "se", "sem", "ser", "seu", "sua", "são", "só", "também", "tem", "todas", "todos", "tá",
    "um", "uma", "vai", "vamos", "você", "à", "às", "é",
];

/// Common words of further languages in Latin letters.
const OTHER: &[&str] = &[
    "alla", "avec", "bir", "che", "con", "cu", "dans", "de", "del", "della", "des", "di", "du",
    "een", "el", "en", "est", "et", "från", "för", "het", "i", "il", "jag", "je", "jest", "la",
    "las", "le", "les", "los", "met", "más", "na", "nie", "niet", "nous", "och", "og", "op", "par",
    "pas", "per", "pero", "por", "pour", "que", "se", "si", "som", "sono", "sont", "su", "sur",
    "una", "une", "van", "ve", "voor", "vous", "wij", "y", "zijn", "è",
];

/// The language of a text. A text that does not tell, such as a name or a number, is
/// [`Language::English`] when its letters are, else [`Language::Other`].
pub fn language(text: &str) -> Language {
    decided(text).unwrap_or(match text.chars().any(|one| one.is_alphabetic() && !one.is_ascii()) {
        true => Language::Other,
        false => Language::English,
    })
}

/// The language of a text; none if it does not tell.
pub(super) fn decided(text: &str) -> Option<Language> {
    // Few words are longer than this; what is cut off does not matter.
    let all = words(&text[..text.floor_char_boundary(SAMPLE * 12)]);
    let all = &all[..all.len().min(SAMPLE)];
    let foreign = all.iter().filter(|word| word.text.chars().any(|one| !latin(one))).count();
    if foreign * 2 > all.len() {
        return Some(Language::Other);
    }
    let points = |common: &[&str], tells: fn(&str) -> bool| -> usize {
        let of = |word: &Word<'_>| match common.binary_search(&word.text.as_ref()) {
            Ok(_) => COMMON,
            Err(_) if tells(&word.text) => TELLING,
            Err(_) => 0,
        };
        all.iter().map(of).sum()
    };
    let mut ranked = [
        (points(ENGLISH, english), Language::English),
        (points(GERMAN, german), Language::German),
        (points(PORTUGUESE, portuguese), Language::Portuguese),
        (points(OTHER, other), Language::Other),
    ];
    // Stable: of equal ones the first stays first.
    ranked.sort_by_key(|(points, _)| std::cmp::Reverse(*points));
    let [(most, first), (next, _), ..] = ranked;
    (most > next).then_some(first)
}

/// A letter of a Latin script, or no letter.
fn latin(one: char) -> bool {
    !one.is_alphabetic() || one <= '\u{24f}'
}

fn english(word: &str) -> bool {
    let ends = ["ing", "tion", "ness", "ly", "'s", "ght", "ed", "ould"];
    word.is_ascii() && word.len() > 4 && ends.iter().any(|end| word.ends_with(end))
}

fn german(word: &str) -> bool {
    let ends = ["ung", "ungen", "keit", "heit", "lich", "schaft", "isch", "iert", "chen"];
    word.contains(['ä', 'ö', 'ü', 'ß'])
        || word.len() > 4 && ends.iter().any(|end| word.ends_with(end))
}

fn portuguese(word: &str) -> bool {
    let ends = ["ção", "ções", "mente", "dade", "inho", "inha", "eira", "eiro", "agem", "nh"];
    word.contains(['ã', 'õ'])
        || word.contains(['ç', 'ê', 'â']) && !word.contains("ça")
        || word.len() > 4 && (ends.iter().any(|end| word.ends_with(end)) || word.contains("lh"))
}

fn other(word: &str) -> bool {
    word.contains(|one: char| "ñ¿¡èëîïœøåæłśżźćńęąěščřžğışőű".contains(one))
        || word.ends_with("ción")
        || word.starts_with("l'")
        || word.starts_with("d'")
        || word.starts_with("qu'")
}

#[cfg(test)]
mod tests {
    use super::{ENGLISH, GERMAN, Language, OTHER, PORTUGUESE, decided, language};
    use Language::{English, German, Other, Portuguese};

    #[test]
    fn tables_are_sorted() {
        assert!(ENGLISH.is_sorted() && GERMAN.is_sorted());
        assert!(PORTUGUESE.is_sorted() && OTHER.is_sorted());
    }

    #[test]
    fn a_few_words_tell() {
        let rows = [
            ("The café in Zürich is open and we like it.", English),
            ("Kitchen tap dripping again", English),
            ("Invoices are due within 14 days", English),
            ("Die Kosten sind zu hoch.", German),
            ("Heizung nachts auf 16 Grad", German),
            ("Termin beim Zahnarzt verschoben", German),
            ("O prazo é sexta-feira.", Portuguese),
            ("Reunião adiada para quinta", Portuguese),
            ("comprar tinta branca para a cozinha", Portuguese),
            ("Nous avons choisi la base de données.", Other),
            ("El equipo decidió cambiar la base de datos.", Other),
            ("Il prezzo della casa è alto.", Other),
            ("Zespół wybrał nową bazę danych.", Other),
            ("De vergadering is niet op maandag.", Other),
            ("Команда решила.", Other),
            ("我们决定更换数据库。", Other),
        ];
        for (text, wanted) in rows {
            assert_eq!(language(text), wanted, "{text}");
        }
        assert_eq!((decided("PostgreSQL 15"), language("PostgreSQL 15")), (None, English));
        assert_eq!(decided(""), None);
    }
}
