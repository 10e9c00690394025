//! The extractor: rules, model, and the fallback from model to rules.

use super::*;
use crate::extract::extract;
use crate::llm::Extractor;

fn by_model(replies: Vec<Reply>, fallback: bool) -> Result<Extraction, LlmError> {
    let server = Server::start(replies);
    let llm = LlmClient::new(options(&server)).unwrap();
    Extractor::Model { llm, fallback }.extract(DUMP, &[], &extract::Options::default())
}

#[test]
fn the_report_says_who_read() {
    let rules = Extractor::Rules.extract(DUMP, &[], &extract::Options::default()).unwrap();
    assert_eq!(rules.report.extractor.as_deref(), Some("rules"));
    assert!(!rules.operations.is_empty());
    let model = by_model(vec![Reply::answer(&statements(&[]))], true).unwrap();
    assert_eq!(model.report.extractor.as_deref(), Some("model gpt-5"));
    assert_eq!(model.operations, []);
}

#[test]
fn the_rules_stand_in_for_a_model_that_fails_and_say_so() {
    let mut fallen = by_model(vec![Reply::status(401)], true).unwrap();
    assert_eq!(
        fallen.report.warnings.remove(0),
        "Extracted by the rules, because the model `gpt-5` failed: The model's server does not accept \
         the key. Check the key and which models it may use. (ORACLE_DENIED)"
    );
    assert_eq!(fallen, extract(DUMP, &[], &extract::Options::default()));
}

#[test]
fn without_leave_to_fall_back_the_failure_is_the_answer() {
    let failed = by_model(vec![Reply::status(401)], false);
    assert_eq!(failed.unwrap_err().kind, ErrorKind::Denied);
}

#[test]
fn a_dump_is_read_once_and_compared_as_often_as_needed() {
    let quote = "The budget is 40,000 EUR per year.";
    let answer = statements(&[statement("metric", quote, 0.9, &[quote])]);
    let server = Server::start(vec![Reply::answer(&answer)]);
    let llm = LlmClient::new(options(&server)).unwrap();
    let extractor = Extractor::Model { llm, fallback: false };
    let caps = extract::Options::default();
    let reading = extractor.read(DUMP, &caps).unwrap();
    assert_eq!(blocks(DUMP, &reading.against(&[], &caps)), [(quote, vec![quote])]);
    assert_eq!(reading.against(&[block("b1", quote)], &caps).operations, []);
    assert_eq!(server.requests().len(), 1);
}
