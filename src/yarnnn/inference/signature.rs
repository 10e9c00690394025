//! Basket signatures: vector, words, and when they are refreshed.
//!
//! The words come from reflections and dumps by fixed rules, without a model. Knows nothing
//! of how reflections are written or stored.

use crate::model::Millis;

use super::words::{entities, keywords, one_line};

/// Approved changes after which a signature is refreshed.
pub(super) const MUTATIONS_UNTIL_REFRESH: u32 = 5;
/// Maximum age of a signature.
pub(crate) const SIGNATURE_TTL_HOURS: i64 = 336;

/// Most headlines.
const ANCHORS: usize = 5;
/// Most names, and most keywords.
const WORDS: usize = 12;
/// Characters used of a body without a headline.
const ANCHOR_CHARS: usize = 140;

const HOUR_MS: i64 = 3_600_000;

/// The data that a basket is compared by.
///
/// Deliberately not serializable: its vector must not appear in an answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Signature {
    /// The basket.
    pub basket_id: String,
    /// Its name.
    pub name: String,
    /// Its vector; empty until a write with a fingerprint was accepted.
    pub embedding: Vec<f32>,
    /// A few sentences.
    pub summary: Option<String>,
    /// Names.
    pub entities: Vec<String>,
    /// Words.
    pub keywords: Vec<String>,
    /// When it was last refreshed, if ever.
    pub last_refreshed: Option<Millis>,
}

/// The part of a reflection that a signature needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reflection<'a> {
    /// Its headline, where it has one.
    pub headline: Option<&'a str>,
    /// Its text.
    pub body: &'a str,
}

/// The words of a signature.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SignatureWords {
    /// Headlines of the reflections.
    pub anchors: Vec<String>,
    /// Names in recent dumps.
    pub entities: Vec<String>,
    /// Topics of summary and anchors.
    pub keywords: Vec<String>,
}

/// Why a signature must be refreshed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RefreshReason {
    /// There is none yet.
    Missing,
    /// A dump was misrouted here.
    Misrouted,
    /// Enough has changed.
    Changed,
    /// It is too old.
    Expired,
}

/// Computes the words of a signature; the newest reflections and dumps come first.
pub(crate) fn signature_words(
    summary: &str,
    reflections: &[Reflection<'_>],
    dumps: &[&str],
) -> SignatureWords {
    let anchors: Vec<String> = reflections
        .iter()
        .filter_map(|reflection| {
            let headline = reflection.headline.map(|text| one_line(text, ANCHOR_CHARS));
            headline
                .filter(|text| !text.is_empty())
                .or_else(|| Some(one_line(reflection.body, ANCHOR_CHARS)))
                .filter(|text| !text.is_empty())
        })
        .take(ANCHORS)
        .collect();
    let mut said = summary.to_owned();
    for anchor in &anchors {
        said.push('\n');
        said.push_str(anchor);
    }
    SignatureWords {
        entities: entities(&dumps.join("\n"), WORDS),
        keywords: keywords(&said, WORDS),
        anchors,
    }
}

/// Whether a signature must be refreshed, and why.
pub(crate) fn refresh_due(
    last_refreshed: Option<Millis>,
    mutations: u32,
    misrouted: bool,
    now: Millis,
) -> Option<RefreshReason> {
    let Some(last) = last_refreshed else { return Some(RefreshReason::Missing) };
    if misrouted {
        Some(RefreshReason::Misrouted)
    } else if mutations >= MUTATIONS_UNTIL_REFRESH {
        Some(RefreshReason::Changed)
    } else if now.saturating_sub(last) >= SIGNATURE_TTL_HOURS * HOUR_MS {
        Some(RefreshReason::Expired)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_from_the_places_that_the_canon_names() {
        let long = "word ".repeat(100);
        let words = signature_words(
            "Billing moves to Stripe. Billing is late.",
            &[
                Reflection { headline: Some("  Refunds\nare slow "), body: "ignored" },
                Reflection { headline: Some(" "), body: "No headline here" },
                Reflection { headline: None, body: &long },
                Reflection { headline: None, body: "  " },
            ],
            &["We met Ada Lovelace. Then Ada Lovelace left for Paris."],
        );
        assert_eq!(words.anchors[..2], ["Refunds are slow", "No headline here"]);
        assert_eq!(words.anchors.len(), 3);
        assert!(words.anchors[2].chars().count() <= 140);
        assert_eq!(words.entities, ["Ada Lovelace", "Paris"]);
        assert_eq!(words.keywords[..2], ["word", "billing"]);
        assert!(words.keywords.contains(&"refunds".to_owned()), "{words:?}");
    }

    #[test]
    fn there_are_at_most_five_anchors_and_twelve_words() {
        let many: Vec<String> = (0..30).map(|n| format!("Alpha{n} topic{n}word")).collect();
        let reflections: Vec<Reflection<'_>> =
            many.iter().map(|text| Reflection { headline: Some(text), body: "" }).collect();
        let dumps: Vec<&str> = many.iter().map(String::as_str).collect();
        let words = signature_words(&many.join(" "), &reflections, &dumps);
        let counts = (words.anchors.len(), words.entities.len(), words.keywords.len());
        assert_eq!(counts, (5, 12, 12));
    }

    #[test]
    fn a_signature_is_refreshed_for_each_of_the_canons_reasons() {
        let now = 1_700_000_000_000;
        let ttl = 14 * 24 * HOUR_MS;
        for (last, mutations, misrouted, expected) in [
            (None, 0, false, Some(RefreshReason::Missing)),
            (Some(now), 4, false, None),
            (Some(now), 5, false, Some(RefreshReason::Changed)),
            (Some(now), 0, true, Some(RefreshReason::Misrouted)),
            (Some(now - ttl + 1), 0, false, None),
            (Some(now - ttl), 0, false, Some(RefreshReason::Expired)),
        ] {
            assert_eq!(refresh_due(last, mutations, misrouted, now), expected);
        }
    }
}
