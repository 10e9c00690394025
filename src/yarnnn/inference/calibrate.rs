//! Calibration: turns cosines and shared words into a similarity that means the same in every model
//! and workspace.
//!
//! A model's cosines have no meaning of their own: 0.45 is a sure match for one and noise for another.
//! So the evidence for a basket is weighed: cosine to its centroid and to its nearest members, seen
//! against the distributions of cosines inside and across the baskets; shared words; and how near the
//! session is to everyday topics. The similarity is made of two steps: the first says that a basket is
//! likely the right one (the user is asked), the second that it is surely (`auto`). The second is steep,
//! so that recency and affinity hardly move the line. A cosine of 1 is a similarity of 1.
//!
//! For a model without a prior, the plain cosine is the similarity, until the workspace's own vectors
//! tell how the model spreads. Pure numbers; knows nothing of storage, the clock or the formula.

use super::background::{Background, background};
use super::score::round9;
use super::spread::{Spread, spread};
use super::vector::cosine;
use super::wording::{Shared, Wording, shared};

/// The model that the weights below were fitted with, on the development half of the labelled
/// placements (`tests/labelled/placement`). It reads English.
pub(crate) const ENGLISH_MODEL: &str = "all-MiniLM-L6-v2";

/// Nearest members that count.
const NEAREST: usize = 3;

/// How its cosines spread inside and across baskets, and as many cosines as that counts for.
const KNOWN: Spread = Spread { own: 0.43, other: 0.14, seen: 150.0 };
/// The background of a session with a model that has none of its own: the usual one.
const USUAL: Background = Background { nearest: 0.31, mean: 0.19, deviation: 0.045 };

// Evidence for a basket: weights of a logistic regression.
const CENTROID: f64 = 3.15;
const MEMBERS: f64 = 2.1;
const OVERLAP: f64 = 10.5;
const RARE: f64 = 1.29;
const ABOVE_BACKGROUND: f64 = 0.41;
const NEAREST_TOPIC: f64 = -9.44;
const CONSTANT: f64 = -2.46;

/// Evidence from which on a basket is likely, and from which on it is sure.
const LIKELY: f64 = -0.5;
const SURE: f64 = 2.4;
/// How sharp the second step is; the first has 1.
const SHARP: f64 = 30.0;
/// Part of the similarity that the first step makes.
const FIRST_STEP: f64 = 0.72;
/// A runner-up loses 1 - 1/e of its similarity for this much less evidence.
const MARGIN: f64 = 4.0;
/// Cosines that count as much as having no prior.
const NEUTRAL: f64 = 60.0;

// Without a readable vector, words decide: the overlap at which a basket is likely, and its scale.
const OVERLAP_LIKELY: f64 = 0.035;
const OVERLAP_SCALE: f64 = 0.015;
/// Most that words alone are worth: never enough for `auto`.
const BY_WORDS: f64 = 0.73;

/// A session to compare.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Session<'a> {
    /// Its vector.
    pub(crate) embedding: &'a [f32],
    /// The vector's model.
    pub(crate) model: &'a str,
    /// Its words.
    pub(crate) wording: &'a Wording,
    /// The model cannot read its language.
    pub(crate) by_words: bool,
}

/// A basket to compare with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known<'a> {
    /// Its vector in the session's model; empty if there is none.
    pub(crate) centroid: &'a [f32],
    /// The vectors of its newest texts.
    pub(crate) members: &'a [Vec<f32>],
    /// Their words.
    pub(crate) wording: &'a Wording,
}

/// The similarity of each basket with a session, at most 1; none where they cannot be compared.
pub(crate) fn similarities(session: &Session<'_>, baskets: &[Known<'_>]) -> Vec<Option<f64>> {
    let wordings: Vec<&Wording> = baskets.iter().map(|basket| basket.wording).collect();
    let shared = shared(session.wording, &wordings);
    if session.by_words {
        return shared.iter().map(|shared| Some(of_words(shared))).collect();
    }
    let seen = spread(baskets);
    let (spread, background, trusted) = match session.model == ENGLISH_MODEL {
        true => (seen.after(&KNOWN), background(session.embedding), 1.0),
        false => (seen, None, seen.seen / (seen.seen + NEUTRAL)),
    };
    let background = background.unwrap_or(USUAL);
    let cosines: Vec<Option<f64>> =
        baskets.iter().map(|basket| cosine(session.embedding, basket.centroid)).collect();
    if trusted == 0.0 {
        return cosines;
    }
    let evidence: Vec<Option<f64>> = baskets
        .iter()
        .zip(&shared)
        .zip(&cosines)
        .map(|((basket, shared), cosine)| {
            let centroid = spread.in_known_units((*cosine)?, &KNOWN);
            let members = nearest(session.embedding, basket.members);
            let members = members.map_or(centroid, |near| spread.in_known_units(near, &KNOWN));
            Some(weigh(centroid, members, shared, &background))
        })
        .collect();
    let best = evidence.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
    let calibrated = evidence.iter().zip(&cosines).map(|(evidence, cosine)| {
        let (evidence, cosine) = ((*evidence)?, (*cosine)?);
        let similar = steps(evidence) * ((evidence - best) / MARGIN).exp();
        Some(round9(trusted * same(similar, cosine) + (1.0 - trusted) * cosine))
    });
    calibrated.collect()
}

/// Log-odds that a session belongs to a basket.
fn weigh(centroid: f64, members: f64, shared: &Shared, background: &Background) -> f64 {
    let above = (centroid - background.mean) / background.deviation.max(0.01);
    CENTROID * centroid
        + MEMBERS * members
        + OVERLAP * shared.overlap
        + RARE * shared.rare
        + ABOVE_BACKGROUND * above
        + NEAREST_TOPIC * background.nearest
        + CONSTANT
}

fn steps(evidence: f64) -> f64 {
    FIRST_STEP * logistic(evidence - LIKELY)
        + (1.0 - FIRST_STEP) * logistic(SHARP * (evidence - SURE))
}

/// What is nearly the same text is surely similar, whatever else is known.
fn same(similar: f64, cosine: f64) -> f64 {
    similar + (1.0 - similar) * cosine.clamp(0.0, 1.0).powi(12)
}

fn of_words(shared: &Shared) -> f64 {
    round9(BY_WORDS * logistic((shared.overlap - OVERLAP_LIKELY) / OVERLAP_SCALE))
}

/// Mean cosine to the nearest members.
fn nearest(session: &[f32], members: &[Vec<f32>]) -> Option<f64> {
    let mut near: Vec<f64> = members.iter().filter_map(|member| cosine(session, member)).collect();
    near.sort_unstable_by(|a, b| b.total_cmp(a));
    near.truncate(NEAREST);
    (!near.is_empty()).then(|| near.iter().sum::<f64>() / near.len() as f64)
}

fn logistic(number: f64) -> f64 {
    1.0 / (1.0 + (-number).exp())
}

#[cfg(test)]
mod tests {
    use super::super::testing::Numbers;
    use super::*;

    const HOST: &str = "host/64";

    fn basket<'a>(centroid: &'a [f32], members: &'a [Vec<f32>], wording: &'a Wording) -> Known<'a> {
        Known { centroid, members, wording }
    }

    fn session<'a>(embedding: &'a [f32], model: &'a str, wording: &'a Wording) -> Session<'a> {
        Session { embedding, model, wording, by_words: false }
    }

    #[test]
    fn a_model_without_a_prior_has_its_plain_cosines() {
        let words = Wording::default();
        let (near, far) = (vec![4.0, 3.0], vec![0.0, 1.0]);
        let members = [near.clone()];
        let baskets = [basket(&near, &members, &words), basket(&far, &[], &words)];
        let found = similarities(&session(&[1.0, 0.0], HOST, &words), &baskets);
        assert_eq!(found, [Some(0.8), Some(0.0)]);
        let missing = [basket(&[], &[], &words)];
        assert_eq!(similarities(&session(&[1.0, 0.0], HOST, &words), &missing), [None]);
    }

    #[test]
    fn a_workspace_tells_how_its_model_spreads() {
        // Texts have cosines of about 0.7 to their basket, and `auto` needs 0.87.
        let mut numbers = Numbers::new(5);
        let names = ["Brandvold", "Kestrel", "Dhillon", "Morant", "Pellworth", "Venlo"];
        let wordings = names.map(|name| Wording::of([name, "sends a plan"]));
        let words = Wording::of(["Brandvold has another plan"]);
        let topics: Vec<Vec<f32>> = names.iter().map(|_| numbers.vector(64)).collect();
        let near = |topic: &[f32], numbers: &mut Numbers| -> Vec<f32> {
            let noise = numbers.vector(64);
            topic.iter().zip(noise).map(|(own, other)| own + other).collect()
        };
        let members: Vec<Vec<Vec<f32>>> = topics
            .iter()
            .map(|topic| (0..12).map(|_| near(topic, &mut numbers)).collect())
            .collect();
        let baskets: Vec<Known<'_>> = topics
            .iter()
            .zip(&members)
            .zip(&wordings)
            .map(|((topic, members), words)| basket(topic, members, words))
            .collect();
        let embedding = near(&topics[0], &mut numbers);
        let plain = cosine(&embedding, &topics[0]).unwrap();
        let found = similarities(&session(&embedding, HOST, &words), &baskets);
        let own = found[0].unwrap();
        assert!(own > plain + 0.05, "{plain} became {own}");
        assert!(found[1..].iter().all(|other| other.unwrap() < own - 0.3), "{found:?}");
        let (stranger, none) = (numbers.vector(64), Wording::default());
        let found = similarities(&session(&stranger, HOST, &none), &baskets);
        assert!(found.iter().flatten().all(|other| *other < 0.53), "{found:?}");
    }

    #[test]
    fn a_cosine_of_one_is_a_similarity_of_one_whatever_is_known() {
        let mut numbers = Numbers::new(6);
        let words = Wording::of(["Invoices are sent on Monday."]);
        let vector = numbers.vector(384);
        let members = [vector.clone()];
        for model in [HOST, ENGLISH_MODEL] {
            let baskets = [basket(&vector, &members, &words)];
            assert_eq!(similarities(&session(&vector, model, &words), &baskets), [Some(1.0)]);
        }
    }

    #[test]
    fn more_evidence_is_never_less_similar() {
        let steps: Vec<f64> = (-100..100).map(|tenths| steps(f64::from(tenths) / 10.0)).collect();
        assert!(steps.is_sorted() && steps[0] < 0.01 && steps[199] > 0.99);
    }

    #[test]
    fn words_alone_are_never_enough_for_auto() {
        let words = Wording::of(["Die Zählerstände werden im März abgelesen."]);
        let other = Wording::of(["Die Hecke wird geschnitten."]);
        let baskets = [basket(&[1.0], &[], &words), basket(&[1.0], &[], &other)];
        let read = Session { by_words: true, ..session(&[1.0], ENGLISH_MODEL, &words) };
        let found = similarities(&read, &baskets);
        assert!(found[0] > found[1] && found[0].unwrap() < 0.7334, "{found:?}");
    }
}
