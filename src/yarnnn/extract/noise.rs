//! Sentences that are not worth storing: greetings, questions, requests to the
//! tool, and the model talking about itself.

use super::cues::starts;
use super::words::Word;
use crate::model::Speaker;

/// Filler words at the start of a sentence.
const LEAD: &[&str] = &[
    "absolutely",
    "ah",
    "alright",
    "cool",
    "exactly",
    "great",
    "hey",
    "hi",
    "hmm",
    "nice",
    "no",
    "oh",
    "ok",
    "okay",
    "perfect",
    "right",
    "so",
    "sure",
    "thanks",
    "well",
    "yeah",
    "yep",
    "yes",
];

/// Openings that ask to remember the rest.
const TOLD: &[&[&str]] = &[
    &["please", "remember", "that"],
    &["please", "note", "that"],
    &["remember", "that"],
    &["note", "that"],
    &["keep", "in", "mind", "that"],
    &["bear", "in", "mind", "that"],
    &["for", "the", "record"],
    &["just", "so", "you", "know"],
    &["fyi"],
    &["btw"],
    &["by", "the", "way"],
];

/// Openings of sentences that are skipped.
const CHATTER: &[&[&str]] = &[
    &["let", "me", "know"],
    &["hope", "this"],
    &["i", "hope"],
    &["hope", "that"],
    &["here", "is"],
    &["here", "are"],
    &["here's"],
    &["below", "is"],
    &["below", "are"],
    &["as", "an", "ai"],
    &["feel", "free"],
    &["of", "course"],
    &["happy", "to"],
    &["glad", "to"],
    &["good", "question"],
    &["great", "question"],
    &["great", "idea"],
    &["thank", "you"],
    &["thanks", "for"],
    &["thanks", "a", "lot"],
    &["good", "morning"],
    &["good", "afternoon"],
    &["good", "evening"],
    &["sounds", "good"],
    &["makes", "sense"],
    &["that", "makes", "sense"],
    &["got", "it"],
    &["no", "problem"],
    &["no", "worries"],
    &["no", "rush"],
    &["not", "at", "all"],
    &["kein", "problem"],
    &["keine", "ursache"],
    &["keine", "sorge"],
    &["kein", "stress"],
    &["soll", "ich"],
    &["möchten", "sie"],
    &["möchtest", "du"],
    &["kann", "ich"],
    &["hier", "ist"],
    &["hier", "sind"],
    &["sag", "bescheid"],
    &["sagen", "sie"],
    &["ich", "hoffe"],
    &["freut", "mich"],
    &["viel", "erfolg"],
    &["viel", "spaß"],
    &["vielen", "dank"],
    &["guten", "tag"],
    &["guten", "morgen"],
    &["guten", "abend"],
    &["gute", "idee"],
    &["gute", "frage"],
    &["gute", "entscheidung"],
    &["schönen", "tag"],
    &["schönes", "wochenende"],
    &["bis", "bald"],
    &["bis", "dann"],
    &["bis", "morgen"],
    &["sem", "problema"],
    &["sem", "problemas"],
    &["de", "nada"],
    &["imagina"],
    &["posso", "ajudar"],
    &["quer", "que"],
    &["queres", "que"],
    &["se", "quiser"],
    &["se", "quiseres"],
    &["aqui", "está"],
    &["aqui", "estão"],
    &["bom", "dia"],
    &["boa", "tarde"],
    &["boa", "noite"],
    &["boa", "ideia"],
    &["boa", "pergunta"],
    &["boa", "sorte"],
    &["até", "logo"],
    &["até", "amanhã"],
    &["tudo", "bem"],
    &["com", "certeza"],
    &["muito", "obrigado"],
    &["muito", "obrigada"],
    &["espero", "que"],
    &["diga", "me"],
    &["good", "luck"],
    &["good", "choice"],
    &["good", "point"],
    &["good", "catch"],
    &["good", "night"],
    &["take", "care"],
    &["see", "you"],
    &["talk", "soon"],
    &["sounds", "great"],
    &["sounds", "like"],
    &["anything", "else"],
    &["shall", "i"],
    &["would", "you", "like"],
    &["just", "let", "me", "know"],
    &["hope", "you"],
    &["have", "a", "good"],
    &["have", "a", "great"],
    &["have", "a", "nice"],
    &["well", "done"],
    &["never", "mind"],
    &["you're", "welcome"],
    &["you", "are", "welcome"],
    &["we'll", "see"],
    &["we", "will", "see"],
    &["let's", "see"],
    &["if", "you", "want"],
    &["if", "you'd", "like"],
    &["if", "you", "would", "like"],
    &["if", "you", "have", "any"],
    &["i", "want", "you", "to"],
    &["i'd", "like", "you", "to"],
    &["i", "would", "like", "you", "to"],
    &["i", "need", "you", "to"],
    &["i", "need", "help"],
    &["i", "want", "to", "know"],
    &["i", "wonder"],
    &["i'm", "wondering"],
    &["want", "me", "to"],
    &["hello"],
    &["hi"],
    &["hey"],
    &["help", "me"],
];

/// Verbs of requests to a tool.
const REQUESTS: &[&str] = &[
    "analyse",
    "analyze",
    "answer",
    "compare",
    "continue",
    "convert",
    "describe",
    "draft",
    "elaborate",
    "expand",
    "explain",
    "find",
    "format",
    "generate",
    "give",
    "go",
    "help",
    "improve",
    "list",
    "look",
    "make",
    "outline",
    "paraphrase",
    "propose",
    "read",
    "redo",
    "rephrase",
    "rewrite",
    "search",
    "shorten",
    "show",
    "suggest",
    "summarise",
    "summarize",
    "tell",
    "translate",
    "try",
    "turn",
    "write",
];

const AUXILIARIES: &[&str] = &[
    "am", "are", "can", "could", "did", "do", "does", "had", "has", "have", "is", "may", "might",
    "must", "shall", "should", "was", "were", "will", "would",
];

const ASKED_ABOUT: &[&str] = &[
    "a", "an", "any", "anyone", "he", "i", "it", "our", "she", "that", "the", "there", "these",
    "they", "this", "those", "we", "you", "your",
];

const ASKING: &[&str] =
    &["how", "how's", "what", "what's", "when", "where", "where's", "which", "who", "who's", "why"];

/// How many words at the start are filler, and whether the speaker asks to remember the rest.
pub(super) fn opening(text: &str, words: &[Word<'_>]) -> (usize, bool) {
    let mut skipped = greeting(text, words);
    while let [first, second, ..] = &words[skipped..]
        && LEAD.binary_search(&first.text.as_ref()).is_ok()
    {
        let between = &text[first.end..second.start];
        let bare = matches!(first.text.as_ref(), "ok" | "okay" | "yeah" | "yep");
        if !bare && !between.contains([',', '!', '.', ':', ';', '-', '–', '—']) {
            break;
        }
        skipped += 1;
    }
    for phrase in TOLD {
        let rest = &words[skipped..];
        if starts(rest, phrase) && rest.len() > phrase.len() {
            return (skipped + phrase.len(), true);
        }
    }
    (skipped, false)
}

/// How many words are a greeting before a comma: `Hi all, …`
fn greeting(text: &str, words: &[Word<'_>]) -> usize {
    let greets = words
        .first()
        .is_some_and(|first| matches!(first.text.as_ref(), "hi" | "hello" | "hey" | "dear"));
    let comma = words.windows(2).take(4).position(|pair| match pair {
        [first, second] => text[first.end..second.start].contains([',', '!']),
        _ => false,
    });
    if greets { comma.map_or(0, |at| at + 1) } else { 0 }
}

/// Whether a sentence is not worth storing.
pub(super) fn noise(text: &str, words: &[Word<'_>], speaker: Speaker) -> bool {
    let end = text.trim_end_matches(|found: char| "*_\"'”’)] ".contains(found));
    end.ends_with(['?', '？', ':', '：'])
        || question(words)
        || CHATTER.iter().any(|phrase| starts(words, phrase))
        || speaker == Speaker::User && request(words)
        || speaker == Speaker::Assistant && about_itself(words)
}

/// A question without its mark.
fn question(words: &[Word<'_>]) -> bool {
    let [first, second, ..] = words else { return false };
    let auxiliary = |word: &Word<'_>| AUXILIARIES.binary_search(&word.text.as_ref()).is_ok();
    ASKING.binary_search(&first.text.as_ref()).is_ok() && auxiliary(second)
        || auxiliary(first) && ASKED_ABOUT.binary_search(&second.text.as_ref()).is_ok()
}

fn request(words: &[Word<'_>]) -> bool {
    let polite = words
        .iter()
        .take_while(|word| matches!(word.text.as_ref(), "please" | "now" | "then"))
        .count();
    words.get(polite).is_some_and(|word| REQUESTS.binary_search(&word.text.as_ref()).is_ok())
}

/// Whether a model talks about its own actions or abilities.
fn about_itself(words: &[Word<'_>]) -> bool {
    let first = words.first().map_or("", |word| word.text.as_ref());
    matches!(first, "i" | "i'm" | "i'll" | "i've" | "i'd" | "my") || starts(words, &["let", "me"])
}

#[cfg(test)]
mod tests {
    use super::{ASKED_ABOUT, ASKING, AUXILIARIES, LEAD, REQUESTS};

    #[test]
    fn tables_are_sorted() {
        assert!(
            [ASKED_ABOUT, ASKING, AUXILIARIES, LEAD, REQUESTS]
                .iter()
                .all(|table| table.is_sorted())
        );
    }
}
