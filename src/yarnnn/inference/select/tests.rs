use super::super::testing::Numbers;
use super::*;

const DAY: Millis = 86_400_000;
const NOW: Millis = 1_700_000_000_000;

/// A session that points east; the words are those of [`basket`]'s `Stripe` baskets.
fn session() -> Fingerprint {
    Fingerprint {
        embedding: vec![1.0, 0.0],
        entities: vec!["Stripe".to_owned()],
        ..Fingerprint::default()
    }
}

/// A basket whose vector has the given similarity with [`session`]'s, refreshed now.
fn basket(id: &str, similarity: f64) -> Signature {
    let rest = (1.0 - similarity * similarity).sqrt();
    Signature {
        basket_id: id.to_owned(),
        name: format!("Basket {id}"),
        embedding: vec![similarity as f32, rest as f32],
        last_refreshed: Some(NOW),
        ..Signature::default()
    }
}

fn plain(signature: &Signature) -> Candidate<'_> {
    Candidate { signature, similarity: None, affinity: 0.0, conflict: false }
}

fn chosen(signatures: &[Signature]) -> Selection {
    select(&session(), &signatures.iter().map(plain).collect::<Vec<_>>(), NOW)
}

fn order(selection: &Selection) -> Vec<&str> {
    selection.ranked.iter().map(|score| score.basket_id.as_str()).collect()
}

fn primary(selection: &Selection) -> &str {
    &selection.primary.as_ref().unwrap().basket_id
}

#[test]
fn golden_scores_come_out_of_real_vectors() {
    // (3, 4) and (4, 3) are short enough to be exact: their cosines are 0.6 and 0.8.
    for (vector, age, affinity, conflict, expected) in [
        ([1.0, 0.0], 0, 0.0, false, 0.90),
        ([1.0, 0.0], 30, 0.0, false, 0.83),
        ([1.0, 0.0], 0, 1.0, false, 1.00),
        ([1.0, 0.0], 0, 1.0, true, 0.85),
        ([4.0, 3.0], 0, 0.5, false, 0.80),
        ([3.0, 4.0], 6, 0.0, false, 0.57),
        ([-1.0, 0.0], 99, 0.0, true, -0.82),
    ] {
        let signature = Signature {
            embedding: vector.to_vec(),
            last_refreshed: Some(NOW - age * DAY),
            ..basket("a", 1.0)
        };
        let candidate = Candidate { signature: &signature, similarity: None, affinity, conflict };
        let selection = select(&session(), &[candidate], NOW);
        let score = selection.primary.unwrap();
        assert_eq!(score.score, expected, "{vector:?}");
        assert_eq!(selection.decision, Decision::of(expected));
        assert_eq!(selection.requires_confirmation, expected < 0.80);
        assert_eq!(score.penalty, if conflict { 0.15 } else { 0.0 });
    }
}

#[test]
fn without_baskets_a_person_picks() {
    let selection = chosen(&[]);
    assert_eq!(selection.decision, Decision::Pick);
    assert_eq!(selection.primary, None);
    assert!(selection.requires_confirmation && !selection.needs_tie_break);
    assert_eq!(selection.summary, "There is no basket to compare this session with yet.");
}

#[test]
fn each_state_says_what_it_means() {
    for (similarity, decision, summary) in [
        (
            1.0,
            Decision::Auto,
            "This session belongs to “Basket a” (score 0.90); the basket can be changed.",
        ),
        (
            0.866, // 0.7995
            Decision::Confirm,
            "This session may belong to “Basket a” (score 0.79); confirm it or choose another \
             basket.",
        ),
        (
            0.5,
            Decision::Pick,
            "No basket fits well enough (best: “Basket a”, score 0.52); pick one.",
        ),
    ] {
        let selection = chosen(&[basket("a", similarity), basket("z", 0.0)]);
        assert_eq!((selection.decision, selection.summary.as_str()), (decision, summary));
    }
}

#[test]
fn the_order_is_score_then_similarity_then_refresh_then_id() {
    // All but g have 0.75; 0 by recency, with the smaller similarity. Ids run against the rest.
    let exact = |id: &str, vector: [f32; 2], refreshed: Option<Millis>| Signature {
        embedding: vector.to_vec(),
        last_refreshed: refreshed,
        ..basket(id, 1.0)
    };
    let old = Some(NOW - 31 * DAY);
    let older = Some(NOW - 40 * DAY);
    let signatures = [
        exact("0", [4.0, 3.0], Some(NOW)),
        exact("a", [1.0, 0.0], None),
        exact("b", [1.0, 0.0], older),
        exact("d", [1.0, 0.0], old),
        exact("c", [1.0, 0.0], old),
        exact("g", [1.0, 0.0], Some(NOW)),
    ];
    assert_eq!(order(&chosen(&signatures)), ["g", "c", "d", "b", "a", "0"]);
}

#[test]
fn the_answer_does_not_depend_on_the_order_of_the_baskets() {
    let mut numbers = Numbers::new(5);
    let signatures: Vec<Signature> = (0..40)
        .map(|n| Signature {
            last_refreshed: (n % 3 > 0).then(|| NOW - numbers.below(3) as Millis * DAY),
            entities: vec![if n % 2 == 0 { "Stripe" } else { "Acme" }.to_owned()],
            ..basket(&format!("b{n:02}"), numbers.below(5) as f64 / 4.0)
        })
        .collect();
    let mut candidates: Vec<Candidate<'_>> = signatures
        .iter()
        .map(|signature| Candidate {
            signature,
            similarity: None,
            affinity: numbers.below(3) as f64 / 2.0,
            conflict: numbers.below(4) == 0,
        })
        .collect();
    let first = select(&session(), &candidates, NOW);
    assert_eq!(first.ranked.len(), RANKED);
    for _ in 0..20 {
        numbers.shuffle(&mut candidates);
        assert_eq!(select(&session(), &candidates, NOW), first);
    }
}

#[test]
fn an_open_tie_lowers_auto_to_confirm() {
    let selection = chosen(&[basket("a", 1.0), basket("b", 0.95)]);
    assert_eq!(selection.decision, Decision::Confirm);
    assert!(selection.lowered && selection.needs_tie_break && selection.requires_confirmation);
    assert_eq!(selection.tie_break.unwrap().decided_for, None);
    assert_eq!(
        selection.summary,
        "“Basket a” (score 0.90) and “Basket b” (0.86) fit about equally well; confirm one of them."
    );
}

#[test]
fn a_tie_ends_at_six_hundredths() {
    // 0.90 and 0.75 + 0.15·0.6 = 0.84.
    let aged = |by| {
        let older = Signature { last_refreshed: Some(NOW - by), ..basket("b", 1.0) };
        chosen(&[basket("a", 1.0), older])
    };
    let selection = aged(12 * DAY);
    assert_eq!((selection.ranked[0].score, selection.ranked[1].score), (0.90, 0.84));
    assert!(!selection.needs_tie_break);
    assert_eq!((selection.decision, selection.tie_break), (Decision::Auto, None));
    let selection = aged(12 * DAY - 1_000);
    assert!(selection.needs_tie_break);
    assert_eq!(selection.decision, Decision::Confirm);
}

#[test]
fn words_that_speak_for_the_second_make_it_the_basket() {
    let speaks =
        |similarity| Signature { entities: vec!["stripe".to_owned()], ..basket("b", similarity) };
    let selection = chosen(&[basket("a", 1.0), speaks(0.95)]);
    assert_eq!((primary(&selection), selection.decision), ("b", Decision::Auto));
    assert_eq!(order(&selection), ["a", "b"]);
    assert!(!selection.lowered && selection.needs_tie_break);
    assert!(selection.summary.contains("decided by shared words"), "{}", selection.summary);
    // Its own score decides: 0.81 and 0.7875.
    let selection = chosen(&[basket("a", 0.88), speaks(0.85)]);
    assert_eq!((primary(&selection), selection.decision), ("b", Decision::Confirm));
}

#[test]
fn baskets_too_weak_to_write_to_are_not_looked_at_twice() {
    let weak = Signature { entities: vec!["Stripe".to_owned()], ..basket("b", 0.5) };
    let selection = chosen(&[basket("a", 0.55), weak]); // 0.5625 and 0.525
    assert_eq!((primary(&selection), selection.decision), ("a", Decision::Confirm));
    assert!(selection.needs_tie_break);
    assert_eq!(selection.tie_break, None);
}

#[test]
fn a_tie_of_more_than_are_ranked_is_left_to_a_person() {
    let seven: Vec<Signature> = ["a", "b", "c", "d", "e", "f", "g"]
        .into_iter()
        .map(|id| Signature {
            entities: if id == "c" { vec!["Stripe".to_owned()] } else { Vec::new() },
            ..basket(id, 1.0)
        })
        .collect();
    assert_eq!(primary(&chosen(&seven[..6])), "c");
    let selection = chosen(&seven);
    assert_eq!((primary(&selection), selection.decision), ("a", Decision::Confirm));
    assert_eq!(selection.tie_break.unwrap().between.len(), RANKED);
}

#[test]
fn a_basket_that_cannot_be_compared_is_ranked_with_nothing_and_counted() {
    let longer = Signature { embedding: vec![1.0; 3], ..basket("b", 1.0) };
    let empty = Signature { embedding: Vec::new(), ..basket("c", 1.0) };
    let broken = Signature { embedding: vec![f32::NAN, 1.0], ..basket("d", 1.0) };
    let selection = chosen(&[longer, empty, broken, basket("a", 1.0)]);
    assert_eq!(order(&selection), ["a", "b", "c", "d"]);
    assert_eq!(selection.not_compared, 3);
    assert_eq!(selection.ranked[1].similarity, 0.0);
    assert_eq!(selection.ranked[1].score, 0.15);
}

#[test]
fn a_basket_given_twice_is_not_tied_with_itself() {
    let selection = chosen(&[basket("a", 0.95), basket("a", 1.0)]);
    assert_eq!(selection.ranked.len(), 1);
    assert_eq!((selection.decision, selection.needs_tie_break), (Decision::Auto, false));
}

#[test]
fn an_answer_never_holds_a_vector() {
    let selection = chosen(&[basket("a", 1.0), basket("b", 0.99), basket("c", 0.2)]);
    let text = serde_json::to_string(&selection).unwrap();
    assert!(!text.contains("embedding") && !text.contains("vector"), "{text}");
    fn no_numbers_in_lists(value: &serde_json::Value) {
        match value {
            serde_json::Value::Array(list) => {
                assert!(!list.iter().any(serde_json::Value::is_number), "{value}");
                list.iter().for_each(no_numbers_in_lists);
            }
            serde_json::Value::Object(map) => map.values().for_each(no_numbers_in_lists),
            _ => {}
        }
    }
    no_numbers_in_lists(&serde_json::from_str(&text).unwrap());
    let back: Selection = serde_json::from_str(&text).unwrap();
    assert_eq!(back, selection);
}
