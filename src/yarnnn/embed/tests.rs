//! The kinds of embedders, the one of an API against a local server over real sockets.

use std::time::Duration;

use serde_json::{Value, json};

use super::{EmbedError, Embedder, host_model};
use crate::llm::tests::server::{Reply, Server};
use crate::llm::{BadOptions, Key, LlmOptions};

const KEY: &str = "sk-test-hush-0123456789";

fn options(server: &Server) -> LlmOptions {
    LlmOptions {
        model: " text-embedding-test ".to_owned(),
        base_url: server.base_url(),
        key: Some(Key::new(KEY).unwrap()),
        // Only a hanging server lets it pass.
        timeout: Duration::from_secs(60),
        pause: Duration::from_millis(1),
        ..LlmOptions::default()
    }
}

type Made = Result<Vec<Option<Vec<f32>>>, EmbedError>;

/// The vector that the server gives the text at `index`.
fn numbers(index: usize) -> Vec<f64> {
    (0..8).map(|at| if at == index % 8 { 1.0 } else { 0.25 }).collect()
}

fn answer(indexes: impl IntoIterator<Item = usize>) -> Reply {
    let data: Vec<Value> = indexes
        .into_iter()
        .map(|index| json!({"object": "embedding", "index": index, "embedding": numbers(index)}))
        .collect();
    let body = json!({"object": "list", "model": "x", "data": data, "usage": {"total_tokens": 3}});
    Reply::new(200, &["Content-Type: application/json"], body.to_string())
}

/// What an embedder of an API makes of the texts.
fn ask(texts: &[&str], replies: Vec<Reply>) -> (Made, Server) {
    let server = Server::start(replies);
    let embedder = Embedder::api(&options(&server)).unwrap();
    let made = embedder.embed_all(texts).map(|made| {
        made.into_iter()
            .map(|named| {
                named.map(|named| {
                    assert_eq!(named.model, "text-embedding-test");
                    named.vector
                })
            })
            .collect()
    });
    (made, server)
}

fn narrow(index: usize) -> Option<Vec<f32>> {
    Some(numbers(index).into_iter().map(|number| number as f32).collect())
}

#[test]
#[cfg(feature = "builtin-embedder")]
fn the_built_in_model_makes_one_named_vector_a_text() {
    let embedder = Embedder::builtin().unwrap();
    assert_eq!(embedder.model(), Some("all-MiniLM-L6-v2"));
    let made = embedder.embed_all(&["Refunds take five days.", " \n", "Basil likes sun."]).unwrap();
    let dims: Vec<Option<usize>> =
        made.iter().map(|named| named.as_ref().map(|named| named.vector.len())).collect();
    assert_eq!(dims, [Some(384), None, Some(384)]);
    assert_eq!(made[0].as_ref().unwrap().model, "all-MiniLM-L6-v2");
    assert_eq!(embedder.embed("Refunds take five days.").unwrap(), made[0]);
    assert!(super::plausible(&made[2].as_ref().unwrap().vector).is_ok());
}

#[test]
#[cfg(not(feature = "builtin-embedder"))]
fn without_the_built_in_model_it_is_refused_and_says_what_to_do() {
    let refused = Embedder::builtin().unwrap_err().to_string();
    assert!(refused.contains("Set `embedder.kind` to `api` or `host`"), "{refused}");
}

#[test]
fn a_host_embedder_makes_nothing() {
    let embedder = Embedder::host();
    assert_eq!(embedder.model(), None);
    assert_eq!(embedder.embed_all(&["a", "b"]), Ok(vec![None, None]));
    assert_eq!(host_model(1536), "host/1536");
}

#[test]
fn a_server_is_asked_as_its_api_wants() {
    let (made, server) = ask(&["One.", " ", "Two."], vec![answer([1, 0])]);
    assert_eq!(made.unwrap(), [narrow(0), None, narrow(1)]);
    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    assert!(requests[0].head.starts_with("post /v1/embeddings http/1.1"), "{}", requests[0].head);
    assert!(requests[0].head.contains(&format!("authorization: bearer {KEY}")));
    let expected = json!({"model": "text-embedding-test", "input": ["One.", "Two."],
                          "encoding_format": "float"});
    assert_eq!(requests[0].body, expected);
}

#[test]
fn many_texts_are_sent_in_batches_and_long_ones_cut() {
    let long = "é".repeat(9_000);
    let texts: Vec<&str> = std::iter::repeat_n(long.as_str(), 17).collect();
    let (made, server) = ask(&texts, vec![answer(0..16), answer(0..1)]);
    assert_eq!(made.unwrap()[16], narrow(0));
    let sent = &server.requests()[1].body["input"];
    assert_eq!(sent.as_array().map(Vec::len), Some(1));
    assert_eq!(sent[0].as_str().map(|text| text.chars().count()), Some(8_000));
}

#[test]
fn without_a_text_nobody_is_asked() {
    let (made, server) = ask(&["", "\n"], Vec::new());
    assert_eq!((made, server.requests().len()), (Ok(vec![None, None]), 0));
}

#[test]
fn every_failure_has_its_name_and_says_what_to_do() {
    let text = |body: &str| Reply::new(200, &[], body);
    let vector = |embedding: Value| {
        Reply::new(200, &[], json!({"data": [{"index": 0, "embedding": embedding}]}).to_string())
    };
    for (reply, code, hint) in [
        (Reply::status(401), "ORACLE_DENIED", "Check the key"),
        (Reply::status(404), "ORACLE_NOT_FOUND", "name of the model"),
        (Reply::status(400), "ORACLE_REJECTED", "makes embeddings"),
        (text("{}"), "ORACLE_ANSWER_INVALID", "/embeddings endpoint"),
        (text("<html>"), "ORACLE_ANSWER_INVALID", "/embeddings endpoint"),
        (answer([1]), "ORACLE_ANSWER_INVALID", "/embeddings endpoint"),
        (answer([0, 1]), "ORACLE_ANSWER_INVALID", "/embeddings endpoint"),
        (vector(json!([0, 0, 0, 0, 0, 0, 0, 0])), "ORACLE_ANSWER_INVALID", "/embeddings endpoint"),
        (vector(json!([1, 2, 3])), "ORACLE_ANSWER_INVALID", "/embeddings endpoint"),
        (vector(json!("AAAA")), "ORACLE_ANSWER_INVALID", "/embeddings endpoint"),
    ] {
        let error = ask(&["One."], vec![reply]).0.unwrap_err();
        assert_eq!(error.code, code, "{error:?}");
        assert!(error.hint.contains(hint), "{error:?}");
        let shown = format!("{error:?}");
        assert!(!shown.contains(KEY) && !shown.contains("One."), "{shown}");
    }
}

#[test]
fn a_server_that_fails_for_a_moment_is_asked_again() {
    let (made, server) = ask(&["One."], vec![Reply::status(503), answer([0])]);
    assert_eq!(made.unwrap(), [narrow(0)]);
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let server = Server::start(Vec::new());
    let closed = LlmOptions { base_url: "http://127.0.0.1:1/v1".to_owned(), ..options(&server) };
    let error = Embedder::api(&closed).unwrap().embed("One.").unwrap_err();
    assert_eq!(error.code, "ORACLE_UNREACHABLE");
}

#[test]
fn unusable_options_are_refused_before_anything_is_sent() {
    let server = Server::start(Vec::new());
    let with = |change: fn(&mut LlmOptions)| {
        let mut options = options(&server);
        change(&mut options);
        Embedder::api(&options).unwrap_err()
    };
    assert_eq!(with(|options| options.model = " ".to_owned()), BadOptions::NoModel);
    assert_eq!(with(|options| options.base_url = "models".to_owned()), BadOptions::BadUrl);
    let remote = with(|options| options.base_url = "http://models.example/v1".to_owned());
    assert_eq!(remote, BadOptions::PlainKey);
}
