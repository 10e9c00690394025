//! Two cues of a statement's kind that take more than a phrase: somebody does something at a
//! time, and a number that is compared or summed up.

use super::language::Language;
use super::lexicon::{Classes, classes};
use super::words::{Word, dated, stop};

/// Whether a person is said to do something at a time: `Dorte books the hall for Thursday`.
pub(super) fn promised(text: &str, words: &[Word<'_>], language: Language) -> bool {
    let timed =
        words.iter().any(|word| dated(&word.text) || classes(&word.text).any(Classes::TIME));
    timed && words.windows(2).take(3).any(|pair| acts(text, &pair[0], &pair[1], language))
}

fn acts(text: &str, agent: &Word<'_>, verb: &Word<'_>, language: Language) -> bool {
    let spelled = &text[agent.start..agent.end];
    let name = spelled.starts_with(char::is_uppercase)
        && !stop(&agent.text)
        && !dated(&agent.text)
        && classes(&agent.text) == Classes::default()
        && text[agent.end..verb.start].trim().is_empty();
    let small = text[verb.start..].starts_with(char::is_lowercase);
    let verb = verb.text.as_ref();
    if !small || classes(verb).any(Classes::STATE) {
        return false;
    }
    match language {
        Language::English => {
            let me = agent.text == "i" && verb == "will" || agent.text == "i'll";
            let does = verb.len() > 3 && verb.ends_with('s') && !verb.ends_with("ss");
            me || name && (does || matches!(verb, "will" | "can"))
        }
        Language::German => name && verb.len() > 3 && verb.ends_with('t'),
        Language::Portuguese => {
            matches!(agent.text.as_ref(), "eu" | "vou")
                || name && (verb == "vai" || verb.ends_with("rá"))
        }
        Language::Other => false,
    }
}

/// Words that compare numbers or sum them up.
const COMPARES: &[&str] = &[
    "about",
    "above",
    "again",
    "against",
    "altogether",
    "anstatt",
    "average",
    "avg",
    "baixou",
    "below",
    "bislang",
    "caiu",
    "cerca",
    "compared",
    "contra",
    "desceu",
    "down",
    "drop",
    "dropped",
    "durchschnitt",
    "durchschnittlich",
    "each",
    "erst",
    "fell",
    "from",
    "gesamt",
    "gestiegen",
    "gesunken",
    "increased",
    "insgesamt",
    "instead",
    "jetzt",
    "less",
    "liegen",
    "liegt",
    "mais",
    "median",
    "mehr",
    "menos",
    "mittel",
    "more",
    "média",
    "nearly",
    "now",
    "nur",
    "only",
    "per",
    "pro",
    "rose",
    "rund",
    "shows",
    "since",
    "statt",
    "subiu",
    "than",
    "together",
    "total",
    "turnover",
    "up",
    "was",
    "weniger",
    "were",
    "zusammen",
];

/// Whether a number of the sentence is compared with another, or sums others up.
pub(super) fn compares(text: &str, words: &[Word<'_>]) -> bool {
    text.contains(['%', '=', '→', '±', '~'])
        || words.iter().any(|word| COMPARES.binary_search(&word.text.as_ref()).is_ok())
}

#[cfg(test)]
mod tests {
    use super::COMPARES;

    #[test]
    fn tables_are_sorted() {
        assert!(COMPARES.is_sorted());
    }
}
