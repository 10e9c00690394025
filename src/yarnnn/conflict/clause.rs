//! Parses a clause: its terms, figures, stance, and what it replaces or limits.
//!
//! This is the form in which clauses are compared. There is no grammar, only word order and
//! closed lists. Knows nothing of blocks or rules.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::condition::{self, Condition};
use super::exclusion::{self, Limit, Replaced};
use super::lexicon::{FAMILIES, HEDGES, LIGHT, OPPOSITES, STOP, VERBS, WHICH};
use super::order::{self, Order};
use super::quantity::{self, Quantity};
use super::share::{self, Share};
use super::stance::{self, Stance};
use super::stem;
use super::token::{Kind, Token};
use crate::model::ByteSpan;

/// A word that matters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Term {
    /// By which it is compared; opposites share a key.
    pub(super) key: String,
    /// As it is written, in lower case.
    pub(super) word: String,
    /// Whether it is the far side of a pair of opposites.
    pub(super) minus: bool,
    /// Whether a negation reaches it.
    pub(super) negated: bool,
    /// Whether it only frames the statement, as "use" or "have" do.
    pub(super) light: bool,
    /// Whether it is a known verb, and not in the place of a noun.
    pub(super) verb: bool,
    /// Whether it is written as a name, beyond the capital that starts a sentence.
    pub(super) name: bool,
    /// Whether it starts with a capital, be it for a name or for a sentence.
    pub(super) capital: bool,
    /// Whether it is what a figure counts.
    pub(super) unit: bool,
    /// Whether it stands after the start of the predicate.
    pub(super) predicate: bool,
    /// The preposition or verb that leads to it; empty for a subject.
    pub(super) lead: String,
    /// Its token.
    pub(super) at: usize,
}

/// A parsed clause.
#[derive(Debug, Clone)]
pub(super) struct Clause {
    /// Where it is in its text.
    pub(super) span: ByteSpan,
    /// In order; a key comes once.
    pub(super) terms: Vec<Term>,
    /// In order.
    pub(super) quantities: Vec<Quantity>,
    /// What it demands, states or denies.
    pub(super) stance: Stance,
    /// What "only" limits it to.
    pub(super) limit: Option<Limit>,
    /// What it says is over.
    pub(super) replaced: Option<Replaced>,
    /// Whether it is unsure.
    pub(super) hedged: bool,
    /// Whether it asks.
    pub(super) question: bool,
    /// Whether it adds to something: "also", "another".
    pub(super) additive: bool,
    /// How many of all it speaks of.
    pub(super) share: Option<Share>,
    /// What it says comes first.
    pub(super) order: Option<Order>,
    /// What it depends on.
    pub(super) condition: Condition,
    /// Whether it tells of one time only: "yesterday", "right now".
    pub(super) once: bool,
    /// Its words without figures and negations.
    pub(super) masked: String,
    /// Whether its text is English.
    pub(super) english: bool,
    /// The place of its sentence in the text.
    pub(super) sentence: usize,
    /// Whether it is a whole sentence of which the parts were read as well.
    pub(super) whole: bool,
    /// Keys of its sentence, where it is a part of one.
    pub(super) context: BTreeSet<String>,
    /// Keys from around it: the title, or the clause before when it starts with "it".
    pub(super) around: BTreeSet<String>,
}

fn set(words: &'static str) -> BTreeSet<String> {
    words.split_whitespace().map(stem::key).collect()
}

static STOPS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| STOP.split_whitespace().collect());
static LIGHTS: LazyLock<BTreeSet<String>> = LazyLock::new(|| set(LIGHT));
static WHICHES: LazyLock<BTreeSet<String>> = LazyLock::new(|| set(WHICH));
static VERB_KEYS: LazyLock<BTreeSet<String>> = LazyLock::new(|| set(VERBS));
static HEDGE_WORDS: LazyLock<BTreeSet<&str>> =
    LazyLock::new(|| HEDGES.split_whitespace().collect());

/// Key of a word to the key of its pair, and whether it is the far side.
static AXES: LazyLock<BTreeMap<String, (String, bool)>> = LazyLock::new(|| {
    let mut axes = BTreeMap::new();
    for (plus, minus) in OPPOSITES {
        let name = stem::key(plus.split(' ').next().unwrap_or_default());
        for (words, far) in [(plus, false), (minus, true)] {
            for word in words.split(' ') {
                axes.entry(stem::key(word)).or_insert((name.clone(), far));
            }
        }
    }
    axes
});

/// Key of a name to what it is one of.
static FAMILY: LazyLock<BTreeMap<String, &'static str>> = LazyLock::new(|| {
    FAMILIES
        .iter()
        .flat_map(|(family, names)| {
            names.split_whitespace().map(move |name| (stem::key(name), *family))
        })
        .collect()
});

/// Whether the word says nothing of a subject.
pub(super) fn is_stop(word: &str) -> bool {
    STOPS.contains(word) || word.ends_with("n't") || super::sentence::is_foreign_stop(word)
}

/// Whether the word is a verb and seldom a noun.
pub(super) fn is_plain_verb(word: &str) -> bool {
    let key = stem::key(word);
    LIGHTS.contains(&key) && !word.ends_with("ing")
}

/// Whether the word can be a verb.
pub(super) fn is_verb(word: &str) -> bool {
    is_plain_verb(word) || VERB_KEYS.contains(&stem::key(word))
}

/// What a name is one of, such as `database`.
pub(super) fn family(key: &str) -> Option<&'static str> {
    FAMILY.get(key).copied()
}

impl Clause {
    /// Parses the tokens of one clause.
    pub(super) fn read(tokens: &[Token], span: ByteSpan, question: bool, english: bool) -> Self {
        let quantities = quantity::quantities(tokens);
        let verb = main_verb(tokens, &quantities);
        let mut terms = terms(tokens, &quantities, verb);
        let (stance, scope) = stance::read(tokens, &terms, english);
        for term in &mut terms {
            term.negated = scope.reaches(term.at);
        }
        let lower = |word: &str| tokens.iter().any(|token| token.is(word));
        Self {
            span,
            stance,
            limit: exclusion::limit(tokens, &terms, verb),
            replaced: exclusion::replaced(tokens, &terms, &quantities),
            hedged: tokens.iter().any(|token| HEDGE_WORDS.contains(token.lower.as_str())),
            question,
            additive: [
                "also",
                "another",
                "additionally",
                "besides",
                "alongside",
                "too",
                "again",
                "additional",
                "außerdem",
                "também",
                "extra",
                "auch",
                "ebenfalls",
                "zusätzlich",
            ]
            .into_iter()
            .any(lower)
                || tokens.windows(2).any(|two| {
                    (two[0].is("as") && two[1].is("well"))
                        || (two[0].is("second") && two[1].is("time"))
                }),
            share: share::read(tokens, &quantities),
            order: order::read(tokens, &terms),
            condition: condition::read(tokens, &terms),
            once: condition::once(tokens),
            masked: masked(tokens, &quantities),
            english,
            sentence: 0,
            whole: false,
            context: BTreeSet::new(),
            around: BTreeSet::new(),
            terms,
            quantities,
        }
    }

    /// The term of a key.
    pub(super) fn term(&self, key: &str) -> Option<&Term> {
        self.terms.iter().find(|term| term.key == key)
    }
}

/// The token at which the predicate starts: a helping verb, else a verb that is seldom a noun,
/// else any verb that is not first.
fn main_verb(tokens: &[Token], quantities: &[Quantity]) -> usize {
    let free = |at: &usize| !quantities.iter().any(|one| (one.at..one.end).contains(at));
    let helping = |token: &Token| {
        let word = token.lower.as_str();
        let base = word.strip_suffix("n't").unwrap_or(word);
        matches!(
            base,
            "is" | "are" | "was" | "were" | "be" | "will" | "wo" | "would" | "can" | "ca" | "could"
        ) || matches!(base, "must" | "should" | "shall" | "may" | "might" | "cannot" | "has")
            || matches!(base, "have" | "had" | "do" | "does" | "did" | "am" | "never" | "always")
    };
    let words = || (0..tokens.len()).filter(free).filter(|at| tokens[*at].kind == Kind::Word);
    let verb = |at: &usize| {
        let noun = at.checked_sub(1).is_some_and(|before| tokens[before].any(DETERMINERS));
        is_verb(&tokens[*at].lower) && !noun
    };
    // "returns" and "returned" are verbs more often than "return".
    let inflected = |at: &usize| {
        *at > 0 && verb(at) && ["s", "ed"].iter().any(|end| tokens[*at].lower.ends_with(end))
    };
    // The month is written with a capital.
    words()
        .find(|at| helping(&tokens[*at]) && !(tokens[*at].is("may") && tokens[*at].capital))
        .or_else(|| words().find(inflected))
        .or_else(|| words().filter(|at| *at > 0).find(verb))
        .unwrap_or(0)
}

/// The words of a clause, without its figures and negations.
fn masked(tokens: &[Token], quantities: &[Quantity]) -> String {
    let figure = |at: usize| {
        quantities.iter().any(|quantity| {
            let unit = matches!(quantity.unit, quantity::Unit::Count(_));
            let end = if unit { quantity.at + 1 } else { quantity.end };
            (quantity.at..end).contains(&at)
        })
    };
    let words = tokens.iter().enumerate().filter(|(at, token)| {
        token.kind != Kind::Mark && !figure(*at) && !stance::is_negation(token)
    });
    words.map(|(_, token)| token.lower.as_str()).collect::<Vec<_>>().join(" ")
}

/// Words before a noun.
const DETERMINERS: &[&str] = &[
    "the", "a", "an", "our", "your", "their", "its", "my", "his", "her", "this", "each", "every",
    "all", "no", "any", "of", "for", "in", "on", "per", "with", "by",
];

fn terms(tokens: &[Token], quantities: &[Quantity], verb: usize) -> Vec<Term> {
    let mut found: Vec<Term> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let inside = quantities.iter().any(|quantity| (quantity.at..quantity.end).contains(&at));
        // "have to" is a duty, not a having.
        let duty = token.any(&["have", "has", "had"])
            && tokens.get(at + 1).is_some_and(|next| next.is("to"));
        let before = at.checked_sub(1).map(|before| &tokens[before]);
        let moved = before.and_then(|before| moved(before, token));
        let named = quantity::identifies(tokens, at);
        let moved = moved.or_else(|| {
            let noun = before.filter(|_| named)?;
            let key = format!("{} {}", stem::key(&noun.lower), token.lower);
            Some(Word { key, minus: false, axis: false })
        });
        let moved = moved.or_else(|| switched(tokens, at));
        let word = moved.or_else(|| word(token, at == 0)).filter(|_| !inside && !duty);
        let Some(word) = word else { continue };
        let Word { key, minus, axis } = word;
        if found.iter().any(|term| term.key == key && term.minus == minus) {
            continue;
        }
        let first = at == 0 && !token.lower.bytes().any(|byte| byte.is_ascii_digit());
        let camel = token.capital && !first;
        found.push(Term {
            light: !axis && (LIGHTS.contains(&key) || WHICHES.contains(&key)),
            word: token.lower.clone(),
            capital: token.capital,
            verb: !axis && at >= verb && VERB_KEYS.contains(&key),
            name: camel || named || family(&key).is_some(),
            unit: quantities.iter().any(|quantity| counts(quantity, &key)),
            predicate: at >= verb,
            negated: false,
            lead: lead(tokens, at),
            key,
            minus: minus != without(tokens, at),
            at,
        });
    }
    found
}

fn counts(quantity: &Quantity, key: &str) -> bool {
    matches!(&quantity.unit, quantity::Unit::Count(noun) if noun == key)
}

/// "went up", "is down": which way something goes.
fn moved(before: &Token, token: &Token) -> Option<Word> {
    let goes = ["go", "be", "come", "trend", "move", "drive", "bring", "push"];
    let key = stem::key(&before.lower);
    let minus = token.is("down");
    let led = (minus || token.is("up")) && goes.iter().any(|verb| stem::key(verb) == key);
    led.then(|| Word { key: stem::key("increase"), minus, axis: true })
}

/// "switched on", "the lid off": on against off.
fn switched(tokens: &[Token], at: usize) -> Option<Word> {
    let token = tokens.get(at)?;
    let next = tokens.get(at + 1);
    let ends = next.is_none_or(|next| {
        next.kind == Kind::Mark
            || next.any(&["by", "while", "when", "for", "until", "during", "at"])
    });
    let before = at.checked_sub(1).map(|before| &tokens[before]);
    let led = before.is_some_and(|before| {
        let verb = ["switch", "turn", "be", "stay", "keep", "leave", "put"];
        let key = stem::key(&before.lower);
        verb.iter().any(|verb| stem::key(verb) == key)
    });
    let minus = token.is("off");
    (token.any(&["on", "off"]) && (led || ends)).then(|| Word {
        key: "on or off".to_owned(),
        minus,
        axis: true,
    })
}

/// The preposition or verb before a phrase.
fn lead(tokens: &[Token], at: usize) -> String {
    let leads = |token: &&Token| token.any(PREPOSITIONS) || is_verb(&token.lower);
    let before = tokens[at.saturating_sub(4)..at].iter().rev().find(leads);
    before.map(|token| stem::key(&token.lower)).unwrap_or_default()
}

const PREPOSITIONS: &[&str] = &[
    "in", "on", "at", "by", "with", "to", "for", "from", "of", "via", "over", "through", "into",
    "as", "is", "are", "was", "be", "mit", "bei", "von", "auf", "nach", "em", "com", "por", "para",
    "no", "na", "ist", "é", "under", "behind", "than", "wird", "fica", "go", "goes", "going",
    "get", "gets",
];

/// "tax-free": the word is there to be denied.
fn without(tokens: &[Token], at: usize) -> bool {
    let non = at >= 2 && tokens[at - 1].is("-") && tokens[at - 2].is("non");
    non || tokens.get(at + 1).is_some_and(|mark| mark.is("-"))
        && tokens.get(at + 2).is_some_and(|free| free.is("free"))
}

struct Word {
    key: String,
    minus: bool,
    axis: bool,
}

/// The key of a token, unless it says nothing.
fn word(token: &Token, first: bool) -> Option<Word> {
    let lower = token.lower.as_str();
    // "Series A".
    if token.capital && !first && lower.len() == 1 && lower != "i" {
        return Some(Word { key: format!("letter {lower}"), minus: false, axis: false });
    }
    // With a capital inside a sentence it is the language.
    if lower == "go" && token.capital && !first {
        return Some(Word { key: stem::key("golang"), minus: false, axis: false });
    }
    if token.kind != Kind::Word || lower.chars().count() < 2 {
        return None;
    }
    let key = stem::key(lower);
    if let Some((axis, minus)) = AXES.get(&key) {
        return Some(Word { key: axis.clone(), minus: *minus, axis: true });
    }
    if is_stop(lower) || stance::is_marker(lower) {
        return None;
    }
    // "unencrypted" is the opposite of "encrypted".
    const WHOLE: [&str; 11] = [
        "under",
        "unit",
        "union",
        "unique",
        "until",
        "unless",
        "univers",
        "unicode",
        "unify",
        "uninstall",
        "unicorn",
    ];
    if let Some(rest) = lower.strip_prefix("un").or_else(|| lower.strip_prefix("non"))
        && rest.len() >= 4
        && !WHOLE.iter().any(|start| lower.starts_with(start))
    {
        let key = stem::key(rest);
        let (key, far) = AXES.get(&key).cloned().unwrap_or((key, false));
        return Some(Word { key, minus: !far, axis: true });
    }
    Some(Word { key, minus: false, axis: false })
}

#[cfg(test)]
mod tests {
    use super::super::lexicon::SAME;
    use super::super::sentence::clauses;
    use super::*;

    fn keys(text: &str) -> Vec<(String, bool)> {
        let terms = clauses(text, "", 1).remove(0).terms;
        terms.into_iter().filter(|term| !term.light).map(|term| (term.key, term.minus)).collect()
    }

    #[test]
    fn a_word_has_one_opposite_and_one_group() {
        let rows = OPPOSITES.iter().map(|(plus, minus)| format!("{plus} {minus}"));
        for rows in [rows.collect::<Vec<_>>(), SAME.iter().map(|row| (*row).to_owned()).collect()] {
            let mut words: Vec<_> = rows.iter().flat_map(|row| row.split(' ')).collect();
            let all = words.len();
            words.sort_unstable();
            words.dedup();
            assert_eq!(words.len(), all, "a word is in two rows");
        }
    }

    #[test]
    fn opposites_share_a_key_and_differ_in_sign() {
        for (left, right) in [
            ("Access is public", "Access is private"),
            ("Backups are encrypted", "Backups are unencrypted"),
            ("Traffic went up", "Traffic went down"),
            ("Interns are paid", "Interns are unpaid"),
        ] {
            let (left, right) = (keys(left), keys(right));
            assert_eq!(left[0], right[0]);
            assert_eq!(left[1].0, right[1].0);
            assert_ne!(left[1].1, right[1].1);
        }
    }

    #[test]
    fn the_predicate_starts_at_the_verb() {
        for (text, subject) in [
            ("The invoice API returns XML", "invoice api"),
            ("The free plan includes five seats", "free plan"),
            ("Sales calls are recorded", "sales calls"),
            ("In May costs will fall", "costs"),
        ] {
            let clause = clauses(text, "", 1).remove(0);
            let before = clause.terms.iter().filter(|term| !term.predicate);
            let words: Vec<_> = before.map(|term| term.word.as_str()).collect();
            assert_eq!(words.join(" "), subject, "{text}");
        }
    }

    #[test]
    fn names_are_told_from_the_start_of_a_sentence() {
        let clause = clauses("Deploys go through Jenkins and iOS boxes in Lisbon", "", 1).remove(0);
        let names = clause.terms.iter().filter(|term| term.name);
        let words: Vec<_> = names.map(|term| term.word.as_str()).collect();
        assert_eq!(words, ["jenkins", "ios", "lisbon"]);
    }
}
