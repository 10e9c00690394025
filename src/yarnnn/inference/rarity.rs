//! How rare a word is in English: shared rare words say that two texts are of one topic, shared
//! common ones do not.
//!
//! The vocabulary of the built-in model is sorted by frequency. Without that model, and for words of
//! other languages, every word counts as rare.

/// From 0 for the commonest words to 1 for those that the vocabulary does not hold.
#[cfg(feature = "builtin-embedder")]
pub(super) fn rarity(lower: &str) -> f64 {
    /// Id of the first word; marks and single characters are before it.
    const FIRST: u32 = 1_996;
    /// Ranks above this count as the same.
    const LAST: f64 = 30_000.0;
    let Ok(model) = toolwright_embedding::Embedder::get() else { return 1.0 };
    // The ids of a word are between two special ones.
    match *model.token_ids(lower) {
        [_, id, _] if id >= FIRST => {
            (f64::from(id - FIRST + 2).ln() / (LAST + 1.0).ln()).clamp(0.0, 1.0)
        }
        _ => 1.0,
    }
}

/// Unknown without the model.
#[cfg(not(feature = "builtin-embedder"))]
pub(super) fn rarity(_: &str) -> f64 {
    1.0
}

#[cfg(all(test, feature = "builtin-embedder"))]
mod tests {
    use super::rarity;

    #[test]
    fn names_and_terms_are_rarer_than_common_words() {
        let ordered = ["the", "house", "invoice", "brandvold"].map(rarity);
        assert!(ordered.is_sorted() && ordered[0] < 0.2 && ordered[3] == 1.0, "{ordered:?}");
        assert_eq!(rarity("zählerstand"), 1.0);
    }
}
