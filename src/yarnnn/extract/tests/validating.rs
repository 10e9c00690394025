//! The validator's report.

use super::block;
use crate::extract::validate;
use crate::model::{BlockState, ByteSpan, Operation, SemanticType};

fn create(content: &str, confidence: f64) -> Operation {
    Operation::CreateBlock {
        semantic_type: SemanticType::Decision,
        title: super::super::title(content),
        content: content.to_owned(),
        confidence,
        spans: vec![ByteSpan { start: 0, end: content.len() }],
        metadata: Default::default(),
    }
}

fn revise(id: &str, content: &str) -> Operation {
    let (block_id, content) = (id.to_owned(), content.to_owned());
    Operation::ReviseBlock { block_id, content, confidence: 0.8, spans: Vec::new() }
}

fn item(label: &str, confidence: f64) -> Operation {
    let (label, kind) = (label.to_owned(), "entity".to_owned());
    Operation::CreateContextItem {
        label,
        kind,
        synonyms: Vec::new(),
        confidence,
        spans: Vec::new(),
    }
}

#[test]
fn confidence_is_by_length_and_words_and_never_above_the_makers() {
    let long = "they will keep using the same old thing as it was before";
    assert!(long.len() > 50);
    let rows = [
        (vec![create("short thing", 1.0)], 0.5),
        (vec![create(long, 1.0)], 0.75),
        (vec![create(long, 0.4)], 0.4),
        (vec![create("In May the Acme office moves 12 desks to another floor nearby", 1.0)], 0.85),
        (vec![create(long, 1.0), create("short thing", 1.0)], 0.625),
        (vec![item("Atlas", 0.9)], 0.8),
        (vec![item("UX", 0.9)], 0.6),
        (vec![create(long, 1.0), item("UX", 0.9)], 0.75),
    ];
    for (operations, wanted) in rows {
        assert_eq!(validate(&operations, &[]).confidence, wanted, "{operations:?}");
    }
}

#[test]
fn what_cannot_be_applied_is_named_and_makes_the_whole_unsure() {
    let mut dead = block("dead", "An old statement about the office.");
    dead.state = BlockState::Superseded;
    let rows = [
        (vec![], "operations: nothing"),
        (vec![create("  ", 0.8)], "operations[0].content: is empty"),
        (vec![item("Atlas", 0.8), item("", 0.8)], "operations[1].label: is empty"),
        (vec![create("words", f64::NAN)], "operations[0].confidence: is NaN"),
        (vec![create("words", 1.5)], "operations[0].confidence: is 1.5"),
        (vec![revise("gone", "words")], "operations[0].block_id: `gone`"),
        (vec![revise("dead", "words")], "operations[0].block_id: `dead`"),
        (
            vec![revise("b", "words"), revise("b", "more")],
            "operations[1].block_id: `b` is revised twice",
        ),
    ];
    let existing = [dead, block("b", "A current statement about the office.")];
    for (operations, warning) in rows {
        let report = validate(&operations, &existing);
        assert_eq!(report.confidence, 0.3);
        assert!(report.warnings.iter().any(|found| found.starts_with(warning)), "{report:?}");
    }
}

#[test]
fn titles_tell_duplicates_from_merges() {
    let existing = [
        block("b1", "The Atlas launch party takes place in Lisbon"),
        block("b2", "Invoices are paid within 30 days of receipt"),
    ];
    let operations = [
        create("the atlas launch party takes place in LISBON", 0.8),
        create("The Atlas launch party takes place in Lisbon soon", 0.8),
        create("Invoices are paid within 45 days of receipt", 0.8),
        create("Nobody knows this at all", 0.8),
        create("Nobody knows this at all!", 0.8),
        item("Atlas", 0.8),
        item("atlas", 0.8),
    ];
    let report = validate(&operations, &existing);
    let dupes: Vec<(usize, Option<&str>, Option<usize>)> = report
        .dupes
        .iter()
        .map(|one| (one.operation, one.block_id.as_deref(), one.earlier))
        .collect();
    assert_eq!(dupes, [(0, Some("b1"), None), (4, None, Some(3)), (6, None, Some(5))]);
    let merges: Vec<(usize, &str)> =
        report.suggested_merges.iter().map(|one| (one.operation, one.block_id.as_str())).collect();
    assert_eq!(merges, [(1, "b1"), (2, "b2")]);
    assert!(report.impact_summary.ends_with("Possible duplicates: 3."), "{report:?}");
}

#[test]
fn equal_titles_with_another_number_inside_are_to_be_merged_not_dropped() {
    let mut known = block("b1", "The hosting budget is 12,000 euros a year.");
    known.title = "Hosting budget per year".to_owned();
    let mut change = create("The hosting budget is 15,000 euros a year.", 0.8);
    if let Operation::CreateBlock { title, .. } = &mut change {
        *title = "Hosting budget per year".to_owned();
    }
    let report = validate(&[change], &[known]);
    assert_eq!((report.dupes.len(), report.suggested_merges.len()), (0, 1));
}

#[test]
fn anchors_that_are_named_are_hits_and_protected_blocks_give_warnings() {
    let mut anchor = block("a1", "Small clinics");
    anchor.anchor = Some("customer".to_owned());
    let mut locked = block("l1", "The server runs in Frankfurt.");
    locked.state = BlockState::Locked;
    let operations = [
        create("Small rural clinics want weekly invoices.", 0.8),
        revise("l1", "The server runs in Dublin."),
    ];
    let report = validate(&operations, &[anchor, locked]);
    let hits: Vec<(usize, &str, &str)> = report
        .ontology_hits
        .iter()
        .map(|hit| (hit.operation, hit.block_id.as_str(), hit.term.as_str()))
        .collect();
    assert_eq!(hits, [(0, "a1", "customer")]);
    assert_eq!(
        report.warnings,
        ["operations[1]: revises the locked block `l1`; a person has to approve it."]
    );
    assert_eq!(report.impact_summary, "1 new block (1 decision), 1 revision.");
}
