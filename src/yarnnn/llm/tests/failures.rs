//! Every failure, and that none reveals a secret.

use super::*;
use crate::llm::{BadOptions, MAX_TEXT_BYTES};

/// A reply, what it means, and how often the server is asked before that is said.
type Case = (fn() -> Reply, ErrorKind, usize);

#[test]
fn every_failure_has_its_name_and_only_those_that_pass_are_tried_again() {
    let coded = |status, code: &str| {
        let body = json!({"error": {"message": "…", "code": code}});
        Reply::new(status, &[], body.to_string())
    };
    let message = |message: Value, reason| Reply::message(message, reason);
    let table: [Case; 18] = [
        (|| Reply::status(401), ErrorKind::Denied, 1),
        (|| Reply::status(403), ErrorKind::Denied, 1),
        (|| Reply::status(404), ErrorKind::NotFound, 1),
        (|| Reply::status(400), ErrorKind::Rejected { status: 400 }, 1),
        (|| Reply::status(402), ErrorKind::NoCredit, 1),
        (|| Reply::status(413), ErrorKind::TooLong, 1),
        (
            || Reply::new(302, &["Location: http://127.0.0.1:1/"], ""),
            ErrorKind::Rejected { status: 302 },
            1,
        ),
        (|| Reply::status(204), ErrorKind::Rejected { status: 204 }, 1),
        (|| Reply::status(408), ErrorKind::Failed { status: 408 }, 3),
        (|| Reply::status(429), ErrorKind::RateLimited { retry_after: None }, 3),
        (|| Reply::status(500), ErrorKind::Failed { status: 500 }, 3),
        (|| Reply::status(503), ErrorKind::Failed { status: 503 }, 3),
        (|| Reply::status(500).breaks_after(0), ErrorKind::Unreachable, 3),
        (|| Reply::answer(&statements(&[])).breaks_after(120), ErrorKind::Unreachable, 3),
        (|| Reply::new(200, &[], "<html>"), ErrorKind::Invalid, 1),
        (|| Reply::new(200, &[], r#"{"choices": []}"#), ErrorKind::Invalid, 1),
        (|| Reply::text("```json\n{}\n```"), ErrorKind::Invalid, 1),
        (|| Reply::text(r#"{"statements": [], "ent"#), ErrorKind::Invalid, 1),
    ];
    for (reply, expected, asked) in table {
        let replies = std::iter::repeat_with(reply).take(3).collect();
        assert_eq!(failure_kind(replies), (expected, asked));
    }
    assert_eq!(failure_kind(vec![coded(429, "insufficient_quota")]), (ErrorKind::NoCredit, 1));
    assert_eq!(failure_kind(vec![coded(400, "context_length_exceeded")]), (ErrorKind::TooLong, 1));
    let refused = json!({"role": "assistant", "content": null, "refusal": "I cannot help."});
    assert_eq!(failure_kind(vec![message(refused, "stop")]), (ErrorKind::Declined, 1));
    let half = json!({"role": "assistant", "content": "{\"statements\": [{"});
    assert_eq!(failure_kind(vec![message(half.clone(), "length")]), (ErrorKind::Truncated, 1));
    assert_eq!(failure_kind(vec![message(half, "content_filter")]), (ErrorKind::Declined, 1));
    assert_eq!(
        failure_kind(vec![message(json!({"content": null}), "stop")]),
        (ErrorKind::Invalid, 1)
    );
}

#[test]
fn nobody_listening_is_unreachable() {
    let (result, server) = ask(DUMP, Vec::new());
    assert_eq!(result.unwrap_err().kind, ErrorKind::Unreachable);
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn a_failure_that_passes_is_forgotten() {
    let good = Reply::answer(&statements(&[]));
    let wait = Reply::new(429, &["Retry-After: 0"], "{}");
    let (result, server) = ask(DUMP, vec![Reply::status(502), wait, good]);
    assert_eq!(result.unwrap().operations, []);
    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    assert_eq!(requests[0].body, requests[2].body);
}

#[test]
fn a_server_that_wants_more_time_than_there_is_is_not_waited_for() {
    let wait = Reply::new(429, &["Retry-After: 3600"], "{}");
    let (result, server) = ask(DUMP, vec![wait, Reply::answer(&statements(&[]))]);
    let error = result.unwrap_err();
    assert_eq!(error.kind, ErrorKind::RateLimited { retry_after: Some(3600) });
    assert_eq!(
        error.to_string(),
        "The model's server is rate limiting requests. Try again in 3600 s."
    );
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn no_retries_means_one_attempt() {
    let server = Server::start(vec![Reply::status(500), Reply::status(500)]);
    let llm = LlmClient::new(LlmOptions { retries: 0, ..options(&server) }).unwrap();
    let failed = llm.extract(DUMP, &[], &extract::Options::default());
    assert_eq!(failed.unwrap_err().kind, ErrorKind::Failed { status: 500 });
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn silence_ends_with_the_time_limit_before_and_within_the_answer() {
    let good = || Reply::answer(&statements(&[]));
    for reply in [good().stops_after(0), good().stops_after(20), good().stops_after(120)] {
        let server = Server::start(vec![reply]);
        let timeout = Duration::from_millis(200);
        let llm = LlmClient::new(LlmOptions { timeout, ..options(&server) }).unwrap();
        let late = llm.extract(DUMP, &[], &extract::Options::default());
        assert_eq!(late.unwrap_err().kind, ErrorKind::TimedOut);
    }
}

#[test]
fn a_huge_answer_is_not_read_to_its_end_and_a_huge_text_is_not_sent() {
    let huge = " ".repeat(3 << 20);
    assert_eq!(failure_kind(vec![Reply::new(200, &[], &huge)]), (ErrorKind::TooLarge, 1));
    // A huge body does not hide what the status says.
    assert_eq!(failure_kind(vec![Reply::new(401, &[], &huge)]), (ErrorKind::Denied, 1));
    let long = "The index is large. ".repeat(MAX_TEXT_BYTES / 20 + 1);
    let (result, server) = ask(&long, vec![Reply::answer(&statements(&[]))]);
    assert_eq!(result.unwrap_err().kind, ErrorKind::TooLong);
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn neither_key_nor_dump_nor_the_servers_words_are_shown() {
    let told = format!("Incorrect API key provided: {KEY}. {DUMP}");
    let body = json!({"error": {"message": &told, "code": KEY, "type": KEY}}).to_string();
    let wrong = json!({"statements": told, "entities": []});
    for reply in [
        Reply::new(401, &[], &body),
        Reply::new(400, &[], &body),
        Reply::new(500, &[], &body),
        Reply::new(429, &[&format!("Retry-After: {KEY}")], &body),
        Reply::new(200, &[], &body),
        Reply::answer(&wrong),
        Reply::message(json!({"refusal": told, "content": null}), "stop"),
        Reply::status(500).breaks_after(0),
    ] {
        let server = Server::start(vec![reply]);
        let llm = LlmClient::new(LlmOptions { retries: 0, ..options(&server) }).unwrap();
        let error = llm.extract(DUMP, &[], &extract::Options::default()).unwrap_err();
        let shown = format!("{error} {error:?} {llm:?} {:?}", options(&server));
        for secret in [KEY, "hush", "SQLite", "Incorrect"] {
            assert!(!shown.contains(secret), "{shown}");
        }
        assert!(error.code().starts_with("ORACLE_") && !error.hint().is_empty());
    }
}

#[test]
fn options_that_cannot_work_are_refused_before_anything_is_sent() {
    let key = Some(Key::new(KEY).unwrap());
    let with = |base_url: &str, key: &Option<Key>| {
        let (base_url, key) = (base_url.to_owned(), key.clone());
        LlmClient::new(LlmOptions { base_url, key, ..LlmOptions::default() }).map(drop)
    };
    for url in [
        "",
        "api.openai.com/v1",
        "ftp://x/v1",
        "https://",
        "file:///v1",
        "https://a b/v1",
        "https://u:p@x/v1",
        "https://x/v1?a=b",
        "https://x/v1#f",
    ] {
        assert_eq!(with(url, &key), Err(BadOptions::BadUrl), "{url}");
    }
    for url in ["http://example.com/v1", "http://10.0.0.7:8000/v1", "http://127.0.0.1.example.com/"]
    {
        assert_eq!(with(url, &key), Err(BadOptions::PlainKey), "{url}");
        assert_eq!(with(url, &None), Ok(()), "{url}");
    }
    for url in ["http://localhost:1/v1", "http://127.8.0.1/v1", "http://[::1]:1/v1", "https://x/"] {
        assert_eq!(with(url, &key), Ok(()), "{url}");
    }
    for wrong in ["", "  ", "two words", "line\nbreak", "schlüssel"] {
        assert_eq!(Key::new(wrong).err(), Some(BadOptions::BadKey), "{wrong}");
    }
    let model = LlmOptions { model: " ".to_owned(), ..LlmOptions::default() };
    assert_eq!(LlmClient::new(model).err(), Some(BadOptions::NoModel));
    let hasty = LlmOptions { timeout: Duration::ZERO, ..LlmOptions::default() };
    assert_eq!(LlmClient::new(hasty).err(), Some(BadOptions::NoTime));
}
