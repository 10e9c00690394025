//! Turns and sentences.

use crate::extract::sentences::{Form, sentences};
use crate::extract::turns;
use crate::model::{SemanticType, Speaker};

fn said(text: &str) -> Vec<(Speaker, &str)> {
    turns(text).iter().map(|turn| (turn.speaker, &text[turn.span.start..turn.span.end])).collect()
}

fn split(text: &str) -> Vec<&str> {
    sentences(text).iter().map(|one| &text[one.span.start..one.span.end]).collect()
}

use Speaker::{Assistant, Unknown, User};

#[test]
fn labels_of_all_habits_part_turns() {
    let rows: [&str; 8] = [
        "User: one\nAssistant: two",
        "Human: one\n\nAI: two\n",
        "**You**\none\n**ChatGPT**\ntwo",
        "**User:** one\n**Assistant:** two",
        "### User\none\n### Claude\ntwo",
        "You said:\none\nChatGPT said:\ntwo",
        "[10:32] user: one\n[10:33] assistant: two",
        "[User]: one\n[Model]: two",
    ];
    for text in rows {
        assert_eq!(said(text), [(User, "one"), (Assistant, "two")], "{text}");
    }
}

#[test]
fn what_comes_before_the_first_label_is_nobodys_and_machines_say_nothing() {
    let text =
        "Notes of today\nSystem: be nice\nUser: one\ntwo\nTool: {\"x\": 1}\nAssistant: three";
    assert_eq!(said(text), [(Unknown, "Notes of today"), (User, "one\ntwo"), (Assistant, "three")]);
}

#[test]
fn a_note_that_looks_a_little_like_a_transcript_stays_whole() {
    for text in
        ["Model: T5\nTool: hammer", "AI: a survey", "The user: a person", "```\nUser: x\n```"]
    {
        assert_eq!(said(text), [(Unknown, text)]);
    }
    assert_eq!(said("  \n "), []);
}

#[test]
fn json_messages_are_turns_with_their_escapes() {
    let list = r#" [{"role":"user","content":"one \"x\"\n"},{"role":"system","content":"no"},
        {"role":"assistant","content":[{"type":"image","url":"u"},{"type":"text","text":"two"}]}] "#;
    assert_eq!(said(list), [(User, r#"one \"x\"\n"#), (Assistant, "two")]);
    assert!(turns(list).iter().all(|turn| turn.escaped));
    let lines = "{\"role\":\"user\",\"content\":\"one\"}\n{\"role\":\"model\",\"text\":\"two\"}\n";
    assert_eq!(said(lines), [(User, "one"), (Assistant, "two")]);
    let wrapped = r#"{"id":7,"messages":[{"author":"human","content":"one"}]}"#;
    assert_eq!(said(wrapped), [(User, "one")]);
}

#[test]
fn json_of_another_shape_is_text() {
    for text in
        ["[1, 2]", "{\"a\": 1}", "[link](x) and more", "[{\"role\": \"user\"", "{} {}", "[]"]
    {
        let found = said(text);
        assert_eq!(found, [(Unknown, text)]);
    }
    let deep = "[".repeat(100_000);
    assert_eq!(said(&deep), [(Unknown, deep.as_str())]);
}

#[test]
fn sentences_end_where_a_reader_would_end_them() {
    let rows: &[(&str, &[&str])] = &[
        ("One is here. Two is there.", &["One is here.", "Two is there."]),
        ("all small. still two.", &["all small.", "still two."]),
        ("Ask Dr. Lee, e.g. on Monday. He knows.", &["Ask Dr. Lee, e.g. on Monday.", "He knows."]),
        ("It took 200 ms. Then it stopped.", &["It took 200 ms.", "Then it stopped."]),
        ("It takes approx. 5 min. per run.", &["It takes approx. 5 min. per run."]),
        ("Apples, pears, etc. We eat.", &["Apples, pears, etc.", "We eat."]),
        ("Pay Acme Inc. in May. Done.", &["Pay Acme Inc. in May.", "Done."]),
        ("J. Smith chose Plan B. We agree.", &["J. Smith chose Plan B.", "We agree."]),
        ("The U.S. economy grew 3.5 percent.", &["The U.S. economy grew 3.5 percent."]),
        ("See No. 5. The answer is no. Stop.", &["See No. 5.", "The answer is no.", "Stop."]),
        ("Well... maybe not. Fine!", &["Well... maybe not.", "Fine!"]),
        ("He said “it works.” Then he left.", &["He said “it works.”", "Then he left."]),
        ("Open src/main.rs and v1.2. Then run.", &["Open src/main.rs and v1.2.", "Then run."]),
        ("今日は晴れ。明日は雨。", &["今日は晴れ。", "明日は雨。"]),
        ("Really?! yes", &["Really?!", "yes"]),
    ];
    for (text, wanted) in rows {
        assert_eq!(split(text), *wanted);
    }
}

#[test]
fn wrapped_lines_are_one_sentence_and_list_items_are_not() {
    assert_eq!(
        split("We use the\nPostgres store and\nit works"),
        ["We use the\nPostgres store and\nit works"]
    );
    assert_eq!(split("First thought\nSecond thought"), ["First thought", "Second thought"]);
    assert_eq!(
        split("- one\n- two\n  goes on\n2) three\n\nfour"),
        ["one", "two\n  goes on", "three", "four"]
    );
}

#[test]
fn markdown_says_how_a_sentence_stands() {
    let text =
        "# Action items\n- [ ] call\n- [x] done\n> words\n\n| a | b |\n---\nDecisions:\n* tabs\n";
    let found: Vec<(Form, Option<SemanticType>)> =
        sentences(text).iter().map(|one| (one.form, one.under)).collect();
    let (action, decision) = (Some(SemanticType::Action), Some(SemanticType::Decision));
    let wanted = [
        (Form::Heading, None),
        (Form::Task, action),
        (Form::Bullet, action),
        (Form::Quoted, action),
        (Form::Prose, decision),
        (Form::Bullet, decision),
    ];
    assert_eq!(found, wanted);
}

#[test]
fn code_is_not_read_and_a_fence_that_nobody_closes_hides_nothing() {
    assert_eq!(split("a b\n```\ncode. Here.\n```\nc d"), ["a b", "c d"]);
    assert_eq!(split("a b\n```\nc d"), ["a b", "c d"]);
}

#[test]
fn endless_lines_are_cut_between_words() {
    let text = "word ".repeat(1_000);
    let found = split(&text);
    assert!(found.len() > 10 && found.iter().all(|one| one.len() <= 400));
    assert!(found.iter().all(|one| one.split(' ').all(|word| word == "word")));
    assert_eq!(split(&"é".repeat(2_000)).concat(), "é".repeat(2_000));
}
