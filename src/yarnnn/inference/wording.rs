//! The words of texts, for comparing a session with baskets by what they share.
//!
//! A text is a bag of stems and of pieces of four letters, so that compounds and inflected words of
//! any language meet. What few baskets say, and what is rare in the language, counts most. Words are
//! kept as hashes only.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

use super::rarity::rarity;
use crate::text::{pieces, stem};

/// Shorter words say little.
const SHORTEST: usize = 3;
/// Longer words are keys, hashes or noise; in characters.
const LONGEST: usize = 40;
/// Letters of a piece.
const PIECE: usize = 4;
/// How much more a stem counts than a piece.
const STEM_WEIGHT: f64 = 2.0;

/// The words of a text, or of all texts of a basket.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Wording {
    /// In the order of their hashes.
    features: Vec<(u64, Feature)>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Feature {
    count: f32,
    /// See [`rarity`].
    rarity: f32,
    is_stem: bool,
    /// It has a letter.
    is_word: bool,
}

/// What a session and a basket share.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Shared {
    /// Cosine of the weighted bags, 0 to 1.
    pub(super) overlap: f64,
    /// Logarithm of the weight of the shared stems; long texts may share more.
    pub(super) rare: f64,
}

impl Wording {
    /// The words of texts.
    pub(crate) fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut features = BTreeMap::new();
        for text in texts {
            read(text, &mut features);
        }
        Self { features: features.into_iter().collect() }
    }
}

fn read(text: &str, features: &mut BTreeMap<u64, Feature>) {
    let mut count = |hash: u64, rarity: f32, is_stem: bool, is_word: bool| {
        let known = features.entry(hash);
        let feature = known.or_insert(Feature { count: 0.0, rarity, is_stem, is_word });
        feature.count += 1.0;
        feature.rarity = feature.rarity.max(rarity);
    };
    for piece in pieces(text, |joint| joint.mark.is_none()).filter(|piece| piece.is_word) {
        let word = piece.text.to_lowercase();
        let letters: Vec<char> = word.chars().collect();
        if !(SHORTEST..=LONGEST).contains(&letters.len()) {
            continue;
        }
        let rarity = rarity(&word) as f32;
        let is_word = letters.iter().any(|letter| letter.is_alphabetic());
        count(hash(b's', stem(&word).bytes()), rarity, true, is_word);
        let enclosed: Vec<char> = ['^'].into_iter().chain(letters).chain(['$']).collect();
        for part in enclosed.windows(PIECE) {
            let part: String = part.iter().collect();
            count(hash(b'p', part.bytes()), rarity, false, is_word);
        }
    }
}

/// What a session shares with each of the baskets.
pub(super) fn shared(session: &Wording, baskets: &[&Wording]) -> Vec<Shared> {
    let mut said_by: HashMap<u64, f64, BuildHasherDefault<Hashed>> = HashMap::default();
    for (hash, _) in baskets.iter().flat_map(|basket| &basket.features) {
        *said_by.entry(*hash).or_default() += 1.0;
    }
    let idf = |hash: &u64| {
        let said_by = said_by.get(hash).copied().unwrap_or_default();
        ((baskets.len() as f64 - said_by + 0.5) / (said_by + 0.5)).ln_1p()
    };
    let weight = |hash: &u64, feature: &Feature| {
        let kind = if feature.is_stem { STEM_WEIGHT } else { 1.0 };
        kind * idf(hash) * f64::from(feature.rarity).powi(2)
    };
    let norm = |wording: &Wording| -> f64 {
        let square = |(hash, feature): &(u64, Feature)| {
            weight(hash, feature).powi(2) * f64::from(feature.count)
        };
        wording.features.iter().map(square).sum::<f64>().sqrt()
    };
    let own = norm(session);
    let compare = |basket: &&Wording| {
        let (mut both, mut rare) = (0.0, 0.0);
        for (hash, feature) in &session.features {
            let Ok(at) = basket.features.binary_search_by_key(hash, |(hash, _)| *hash) else {
                continue;
            };
            let Some((_, theirs)) = basket.features.get(at) else { continue };
            let counts = f64::from(feature.count * theirs.count).sqrt();
            both += weight(hash, feature) * weight(hash, theirs) * counts;
            if feature.is_stem && feature.is_word {
                rare += f64::from(feature.rarity).powi(2) * idf(hash);
            }
        }
        let norms = own * norm(basket);
        Shared { overlap: if norms > 0.0 { both / norms } else { 0.0 }, rare: rare.ln_1p() }
    };
    baskets.iter().map(compare).collect()
}

/// What is already a hash needs no other.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 << 8) | u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// FNV-1a with a final mix, begun with the kind of a feature.
fn hash(kind: u8, bytes: impl Iterator<Item = u8>) -> u64 {
    let mut state: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in std::iter::once(kind).chain(bytes) {
        state = (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    state = (state ^ (state >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    state ^ (state >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(session: &str, baskets: &[&str]) -> Vec<Shared> {
        let baskets: Vec<Wording> = baskets.iter().map(|text| Wording::of([*text])).collect();
        shared(&Wording::of([session]), &baskets.iter().collect::<Vec<_>>())
    }

    #[test]
    fn what_one_basket_says_counts_more_than_what_all_say() {
        let found = compared(
            "Brandvold delivers the report on Monday.",
            &["Brandvold builds the columns.", "The report is due on Monday.", "Report of Monday."],
        );
        assert!(found[0].overlap > found[1].overlap, "{found:?}");
        assert!(found[0].rare > found[1].rare, "{found:?}");
    }

    #[test]
    fn compounds_and_endings_of_other_languages_meet() {
        let found = compared(
            "Zählerstände stimmen nicht.",
            &["Der Stromzähler wird abgelesen.", "Die Hecke wird geschnitten."],
        );
        assert!(found[0].overlap > 2.0 * found[1].overlap, "{found:?}");
    }

    #[test]
    fn texts_without_words_share_nothing_and_a_text_is_like_itself() {
        assert_eq!(compared("?!", &["", "One two three."]), [Shared::default(); 2]);
        let same = compared("Invoices are late.", &["Invoices are late."])[0];
        assert!((same.overlap - 1.0).abs() < 1e-6, "{same:?}");
    }
}
