//! The embedder against the full-precision model: token ids, vectors, long and odd texts.

// In a test a panic is the report.
#![allow(clippy::expect_used)]

use serde_json::Value;
use toolwright_embedding::{DIMS, Embedder};

/// The texts of the reference, with what the full-precision model gives for them.
fn reference() -> Vec<Value> {
    serde_json::from_str(include_str!("reference.json")).expect("the reference is a list")
}

fn text(one: &Value) -> &str {
    one["text"].as_str().expect("a text")
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().expect("a list").iter().map(|one| one.as_f64().expect("a number")).collect()
}

fn embedder() -> &'static Embedder {
    Embedder::get().expect("the compiled-in model is whole")
}

fn embed(text: &str) -> Vec<f64> {
    let vector = embedder().embed(text).expect("a vector");
    vector.into_iter().map(f64::from).collect()
}

fn cosine(left: &[f64], right: &[f64]) -> f64 {
    assert_eq!(left.len(), right.len());
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    dot(left, right) / (dot(left, left) * dot(right, right)).sqrt()
}

#[test]
fn token_ids_are_those_of_the_reference() {
    for one in reference() {
        let expected: Vec<f64> = numbers(&one["token_ids"]);
        let ids: Vec<f64> = embedder().token_ids(text(&one)).into_iter().map(f64::from).collect();
        assert_eq!(ids, expected, "{}", text(&one));
    }
}

#[test]
fn vectors_are_as_close_to_full_precision_as_the_weights_allow() {
    for one in reference() {
        let cosine = cosine(&embed(text(&one)), &numbers(&one["vector_fp32"]));
        let expected = one["cosine_int8_to_fp32"].as_f64().expect("a cosine");
        println!("{cosine:.6} recorded {expected:.5}: {}", text(&one));
        assert!((cosine - expected).abs() < 1e-4, "{cosine} instead of {expected}: {}", text(&one));
    }
}

#[test]
fn a_vector_has_length_one_and_is_the_same_again() {
    for one in reference() {
        let vector = embed(text(&one));
        assert_eq!(vector.len(), DIMS);
        let length = vector.iter().map(|number| number * number).sum::<f64>().sqrt();
        assert!((length - 1.0).abs() < 1e-6, "{length}");
        assert_eq!(vector, embed(text(&one)));
    }
}

#[test]
fn a_text_without_tokens_has_no_vector() {
    for text in ["", " \n\t ", "\u{200b}\u{feff}"] {
        assert_eq!(embedder().embed(text), None, "{text:?}");
    }
}

#[test]
fn the_end_of_a_long_text_counts() {
    let garden = "Water the tomatoes in the garden every second evening. ".repeat(60);
    let billing = "The invoice must be paid within thirty days. ".repeat(60);
    let both = embed(&format!("{garden}{billing}"));
    let (garden, billing) = (embed(&garden), embed(&billing));
    let (near, nearer) = (cosine(&both, &garden), cosine(&both, &billing));
    assert!(near > 0.6 && nearer > 0.6, "{near} {nearer}");
    assert!(cosine(&garden, &billing) < 0.3);
}

#[test]
fn a_text_of_a_megabyte_is_read_in_bounded_work() {
    let long = "All invoices of Acme are kept for ten years in the archive. ".repeat(30_000);
    let short = "All invoices of Acme are kept for ten years in the archive. ".repeat(10);
    let alike = cosine(&embed(&long), &embed(&short));
    assert!(alike > 0.95, "{alike}");
}
