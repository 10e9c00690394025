//! Processing of answers.

use super::*;
use crate::llm::prompt::schema;

const BUDGET: &str = "The budget is 40,000 EUR per year.";

#[test]
fn statements_become_blocks_that_point_at_the_words_they_were_read_from() {
    let answer = json!({
        "statements": [
            {"semantic_type": "constraint", "title": "yearly budget", "confidence": 0.55,
             "content": "The yearly budget is 40,000 EUR.", "quotes": [BUDGET]},
            {"semantic_type": "decision", "title": "", "confidence": 1.0,
             "content": "The index stays in SQLite, by decision of the whole team.",
             "quotes": ["We decided to keep the index in SQLite."]},
        ],
        "entities": [
            {"label": "SQLite", "kind": "entity", "synonyms": [], "confidence": 0.9},
            {"label": "Acme", "kind": "entity", "synonyms": ["Acme Cloud", "ACME"], "confidence": 1.0},
            {"label": "Postgres", "kind": "entity", "synonyms": [], "confidence": 0.9},
            {"label": "EUR", "kind": "entity", "synonyms": [], "confidence": 0.4},
        ],
    });
    let extraction = read(DUMP, &answer);
    let Operation::CreateBlock { semantic_type, title, content, confidence, metadata, .. } =
        &extraction.operations[1]
    else {
        panic!("a block")
    };
    assert_eq!((*semantic_type, title.as_str()), (SemanticType::Constraint, "Yearly budget"));
    assert_eq!((content.as_str(), *confidence), ("The yearly budget is 40,000 EUR.", 0.55));
    assert_eq!(metadata["speaker"], "user");
    let Operation::CreateBlock { title, confidence, spans, .. } = &extraction.operations[0] else {
        panic!("a block")
    };
    assert_eq!(title, "The index stays in SQLite, by decision of the whole team");
    // The validator's own 0.80, not the model's 1.
    assert_eq!(*confidence, 0.8);
    assert_eq!(&DUMP[spans[0].start..spans[0].end], "We decided to keep the index in SQLite.");
    let items: Vec<_> = extraction.operations[2..]
        .iter()
        .map(|item| match item {
            Operation::CreateContextItem { label, synonyms, confidence, spans, .. } => {
                (label.as_str(), synonyms.join(","), *confidence, spans.len())
            }
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        items,
        [("Acme", "Acme Cloud".to_owned(), 0.8, 3), ("SQLite", String::new(), 0.8, 1)]
    );
    let report = &extraction.report;
    assert_eq!(report.extractor.as_deref(), Some("model gpt-5"));
    assert_eq!(
        report.warnings,
        ["1 name of the model left out, because the text does not have it."]
    );
    assert_eq!(report.impact_summary, "2 new blocks (1 decision, 1 constraint), 2 context items.");
}

#[test]
fn a_statement_whose_quote_the_text_does_not_have_is_left_out_and_counted() {
    let quotes: [&[&str]; 5] = [
        &["We decided to drop the index."],
        &[],
        &[""],
        // Everywhere, and so nowhere.
        &["the"],
        &["we decided to keep the index in sqlite."],
    ];
    let said = quotes.map(|quotes| statement("fact", "The index stays in SQLite.", 0.9, quotes));
    let extraction = read(DUMP, &statements(&said));
    assert_eq!(extraction.operations, []);
    let warning =
        "5 statements of the model left out, because the text does not have the quoted words.";
    assert!(extraction.report.warnings.iter().any(|w| w == warning), "{:?}", extraction.report);
}

#[test]
fn of_several_quotes_those_count_that_the_text_has() {
    let quotes = ["We agreed on the index.", BUDGET, "keep the index in SQLite"];
    let said = statement("fact", "The budget for the index is 40,000 EUR.", 0.9, &quotes);
    let extraction = read(DUMP, &statements(&[said]));
    assert_eq!(
        blocks(DUMP, &extraction),
        [("The budget for the index is 40,000 EUR.", vec![BUDGET, "keep the index in SQLite"])]
    );
}

#[test]
fn white_space_may_differ_and_nothing_else() {
    let dump = "Notes\n\nThe rollout\n   starts on\tMonday — für alle   Kunden.\n";
    let quote = "The rollout starts on Monday — für alle Kunden.";
    let found = read(dump, &statements(&[statement("fact", quote, 0.9, &[quote])]));
    let place = "The rollout\n   starts on\tMonday — für alle   Kunden.";
    assert_eq!(blocks(dump, &found), [(quote, vec![place])]);
    let said = statement("fact", quote, 0.9, &["The rollout starts on Monday - für alle Kunden."]);
    assert_eq!(read(dump, &statements(&[said])).operations, []);
}

#[test]
fn where_the_model_strays_from_the_text_the_texts_own_words_stand() {
    for content in [
        "The budget is 50,000 EUR per year.",
        "The budget is not 40,000 EUR per year.",
        "The budget is 40,000 EUR per year since March.",
        "All keys of the vault are public.",
        "",
        &"word ".repeat(1_000),
    ] {
        let found = read(DUMP, &statements(&[statement("fact", content, 0.9, &[BUDGET])]));
        assert_eq!(blocks(DUMP, &found), [(BUDGET, vec![BUDGET])], "{content}");
        assert!(found.report.warnings[0].starts_with("1 statement of the model kept in the words"));
    }
}

#[test]
fn what_is_known_is_left_out_and_what_is_nearly_known_becomes_a_revision() {
    let known = [
        block("b1", "We decided to keep the index in SQLite."),
        block("b2", "The budget is 40,000 EUR per year for turbines."),
    ];
    let said = [
        statement(
            "decision",
            "We decided to keep the index in SQLite!",
            0.9,
            &["We decided to keep the index in SQLite."],
        ),
        statement("metric", BUDGET, 0.9, &[BUDGET]),
    ];
    let server = Server::start(vec![Reply::answer(&statements(&said))]);
    let llm = LlmClient::new(options(&server)).unwrap();
    let found = llm.extract(DUMP, &known, &extract::Options::default()).unwrap();
    let [Operation::ReviseBlock { block_id, content, .. }] = &found.operations[..] else {
        panic!("{found:?}")
    };
    assert_eq!((block_id.as_str(), content.as_str()), ("b2", BUDGET));
    // The memory itself is not sent.
    assert!(!server.requests()[0].body.to_string().contains("turbines"));
}

#[test]
fn the_caps_are_those_of_the_rules() {
    let lines: Vec<String> =
        ["Ada", "Bob", "Cyd"].map(|name| format!("{name} owns the {name} service.")).into();
    let said: Vec<Value> =
        lines.iter().map(|line| statement("fact", line, 0.9, &[line.as_str()])).collect();
    let names = ["Ada", "Bob", "Cyd"]
        .map(|name| json!({"label": name, "kind": "entity", "synonyms": [], "confidence": 0.9}));
    let answer = json!({"statements": said, "entities": names});
    let server = Server::start(vec![Reply::answer(&answer)]);
    let llm = LlmClient::new(options(&server)).unwrap();
    let caps = extract::Options { max_blocks: 2, max_items: 1 };
    let found = llm.extract(&lines.join("\n"), &[], &caps).unwrap();
    assert_eq!((found.operations.len(), found.dropped), (3, 2));
    // What is over the cap is in further proposals.
    assert_eq!(found.parts().map(|part| part.operations.len()).sum::<usize>(), lines.len() + 1);
    let order = server.requests()[0].body["messages"][0]["content"].to_string();
    assert!(order.contains("at most 2 statements") && order.contains("at most 1 entities"));
}

#[test]
fn an_assistants_words_are_less_sure_and_guesses_are_not_proposed() {
    let quote = "Acme Cloud may be cheaper than Acme On-Prem.";
    let said = |confidence| statement("insight", quote, confidence, &[quote]);
    let sure = read(DUMP, &statements(&[said(0.6)]));
    let Operation::CreateBlock { confidence, metadata, .. } = &sure.operations[0] else {
        panic!("{sure:?}")
    };
    assert_eq!((*confidence, metadata["speaker"].as_str()), (0.5, "assistant"));
    assert_eq!(read(DUMP, &statements(&[said(0.45)])).operations, []);
}

#[test]
fn only_an_answer_that_fits_the_schema_is_taken() {
    let good = statement("fact", BUDGET, 0.9, &[BUDGET]);
    let with = |name: &str, value: Value| {
        let mut changed = good.clone();
        changed[name] = value;
        statements(&[changed])
    };
    let validator = jsonschema::validator_for(&schema()).unwrap();
    assert!(validator.is_valid(&statements(std::slice::from_ref(&good))));
    for wrong in [
        with("semantic_type", json!("gossip")),
        with("confidence", json!("high")),
        with("quotes", json!(BUDGET)),
        with("approved", json!(true)),
        json!({"statements": []}),
        json!({"statements": [], "entities": [], "operations": []}),
        json!([]),
    ] {
        assert!(!validator.is_valid(&wrong), "{wrong}");
        assert_eq!(failure_kind(vec![Reply::answer(&wrong)]).0, ErrorKind::Invalid, "{wrong}");
    }
    // What a schema for strict output cannot say.
    let many = vec![good.clone(); 101];
    for wrong in
        [with("confidence", json!(1.5)), with("confidence", json!(-0.1)), statements(&many)]
    {
        assert_eq!(failure_kind(vec![Reply::answer(&wrong)]).0, ErrorKind::Invalid);
    }
}
