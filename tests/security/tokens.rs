//! Guessing tokens and codes: wrong ones are all answered alike, and only so many are looked at.
//!
//! Replays have tests where the tokens are made: agentpack, wa, yarnnn and the runtime.

use serde_json::json;
use toolwright_testing::StdioSession;

use crate::served::Served;
use crate::server_homes::empty_home;
use toolwright_testing::http_client::{Response, message};

const RIGHT: &str = "q7w2-Kd93.mLp_~x8ZcV0+hJ/1=";

fn ping(server: &Served, authorization: &str) -> Response {
    let body = message(1, "ping", json!({})).to_string();
    server.connect().post(&[("Authorization", authorization)], &body)
}

/// All of an answer but for its time.
fn told(answer: &Response) -> String {
    let headers = answer.headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("date"));
    format!("{} {:?} {}", answer.status, headers.collect::<Vec<_>>(), answer.body)
}

#[test]
fn wrong_tokens_are_answered_alike_however_near_they_are() {
    let server = Served::wink_with_tokens(RIGHT, &[]);
    assert_eq!(ping(&server, &format!("Bearer {RIGHT}")).status, 200);
    let first = told(&ping(&server, "Bearer x"));
    assert!(first.starts_with("401 "), "{first}");
    let shorter = &RIGHT[..RIGHT.len() - 1];
    for wrong in [
        shorter.to_owned(),
        format!("{RIGHT}="),
        format!("x{}", &RIGHT[1..]),
        RIGHT.to_lowercase(),
        RIGHT.to_uppercase(),
        RIGHT.chars().rev().collect(),
        format!("{RIGHT},{RIGHT}"),
        format!("{RIGHT} {RIGHT}"),
        format!("\"{RIGHT}\""),
        "a".repeat(8_000),
        "%71%37".to_owned(),
        "é".to_owned(),
    ] {
        let answer = told(&ping(&server, &format!("Bearer {wrong}")));
        assert_eq!(answer, first, "{wrong}");
    }
    for odd in [format!("Basic {RIGHT}"), format!("Bearer:{RIGHT}"), RIGHT.to_owned()] {
        assert_eq!(ping(&server, &odd).status, 401, "{odd}");
    }
    let log = server.log();
    assert!(!log.contains(RIGHT) && !log.contains(shorter), "{log}");
}

#[test]
fn a_token_counts_in_its_header_only() {
    let server = Served::wink_with_tokens(RIGHT, &[]);
    let body = message(1, "ping", json!({"_meta": {"token": RIGHT, "bearer": RIGHT}})).to_string();
    for (path, header) in [
        (format!("/mcp?access_token={RIGHT}"), ("X-None", "1")),
        (format!("/mcp?token={RIGHT}"), ("X-None", "1")),
        ("/mcp".to_owned(), ("Cookie", RIGHT)),
        ("/mcp".to_owned(), ("X-Api-Key", RIGHT)),
        ("/mcp".to_owned(), ("Proxy-Authorization", RIGHT)),
    ] {
        let answer = server.connect().exchange("POST", &path, &[header], &body);
        assert!(matches!(answer.status, 401 | 404), "{path} {header:?}: {answer:?}");
    }
}

#[test]
fn an_address_may_guess_only_so_often() {
    let server = Served::wink_with_tokens(&format!("{RIGHT}\nknown-before"), &[]);
    assert_eq!(ping(&server, "Bearer known-before").status, 200);
    let mut guesses =
        (0..100).map(|number| ping(&server, &format!("Bearer guess-{number}")).status);
    assert!(guesses.any(|status| status == 429), "nobody stops it");
    assert_eq!(ping(&server, "Bearer known-before").status, 200, "others are not locked out");
}

#[test]
fn codes_of_approval_cannot_be_tried_out() {
    let home = empty_home("wa");
    let mut client = StdioSession::start(home.server(), "guesser");
    let mut answers = Vec::new();
    for number in 0..40 {
        let code = format!("ABCD{:04}", 2222 + number);
        let answer = client.call("wa.approve", json!({"code": code}));
        assert!(answer.is_error, "{answer:?}");
        let said = answer.body["error"].as_str().unwrap_or_default();
        answers.push(said.split(':').next().unwrap_or_default().to_owned());
    }
    let first = answers.iter().position(|said| said == "E_TOO_MANY_ATTEMPTS");
    let first = first.unwrap_or_else(|| panic!("nobody stops it: {answers:?}"));
    assert!(first <= 10, "{answers:?}");
    assert!(answers[..first].iter().all(|said| said == "E_APPROVAL_NOT_FOUND"), "{answers:?}");
}
