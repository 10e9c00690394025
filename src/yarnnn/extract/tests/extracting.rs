//! Limits, duplicates, names, and hostile texts.

use super::{block, blocks, items, read, spans};
use crate::extract::{Options, extract};
use crate::model::{BlockState, Operation};

fn with(dump: &str, existing: &[crate::model::Block]) -> Vec<Operation> {
    extract(dump, existing, &Options::default()).operations
}

#[test]
fn what_is_known_is_not_proposed_again() {
    let known = [block("b1", "We decided to move to PostgreSQL 15 in March.")];
    for dump in [
        "We decided to move to PostgreSQL 15 in March.",
        "we DECIDED to move to **PostgreSQL** 15, in March",
        "So, we have decided to move to PostgreSQL 15 in March!",
    ] {
        assert_eq!(with(dump, &known), [], "{dump}");
    }
}

#[test]
fn a_changed_number_date_or_negation_is_a_revision_however_alike_the_rest() {
    let old = "The yearly budget for cloud hosting of the Atlas project in Europe is limited to 12,000 euros.";
    let known = [block("b1", old), block("b2", "Something else entirely is written here.")];
    for (from, to) in [("12,000", "15,000"), ("is limited", "is not limited")] {
        let dump = old.replace(from, to);
        let found = with(&dump, &known);
        let [Operation::ReviseBlock { block_id, content, .. }] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!((block_id.as_str(), content), ("b1", &dump));
    }
}

#[test]
fn a_block_is_revised_once_and_dead_blocks_are_not_looked_at() {
    let mut known =
        [block("b1", "The Atlas launch event takes place in the Lisbon office on May 3.")];
    let dump = "The Atlas launch event takes place in the Lisbon office on May 4.\n\
        The Atlas launch event takes place in the Lisbon office on May 5.\n";
    let kinds = |known: &[_]| -> Vec<bool> {
        let found = with(dump, known);
        found
            .iter()
            .filter(|one| !matches!(one, Operation::CreateContextItem { .. }))
            .map(|one| matches!(one, Operation::ReviseBlock { .. }))
            .collect()
    };
    assert_eq!(kinds(&known), [true, false]);
    known[0].state = BlockState::Rejected;
    assert_eq!(kinds(&known), [false, false]);
}

#[test]
fn the_surest_statements_are_kept_in_the_order_of_the_text() {
    let mut dump = String::new();
    for number in 0..30 {
        dump.push_str(&format!(
            "The room with the letter {} is quiet today.\n",
            "x".repeat(number + 1)
        ));
    }
    dump.push_str("We decided to paint all rooms green.\n");
    let options = Options { max_blocks: 3, max_items: 0 };
    let found = extract(&dump, &[], &options);
    let contents: Vec<&str> = blocks(&found).iter().map(|(_, content)| *content).collect();
    let wanted = [
        "The room with the letter x is quiet today.",
        "The room with the letter xx is quiet today.",
        "We decided to paint all rooms green.",
    ];
    assert_eq!((contents.as_slice(), found.dropped), (&wanted[..], 0));
    // The rest is in further proposals.
    let parts: Vec<usize> = found.parts().map(|part| part.operations.len()).collect();
    assert_eq!(parts, [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 1]);
    let told = "28 statements more in 10 further proposals, because one holds no more.";
    assert_eq!(found.report.warnings, [told]);
    let none = extract(&dump, &[], &Options { max_blocks: 0, max_items: 0 });
    assert_eq!((none.operations.len(), none.dropped), (0, 31));
}

#[test]
fn what_is_said_twice_counts_once_and_points_at_both_places() {
    let dump = "Every basket belongs to one workspace.\n\nUnrelated: yes.\n\nevery basket belongs to one workspace!";
    let found = read(dump);
    assert_eq!(blocks(&found).len(), 1);
    let quotes: Vec<&str> =
        spans(&found.operations[0]).iter().map(|at| &dump[at.start..at.end]).collect();
    assert_eq!(
        quotes,
        ["Every basket belongs to one workspace.", "every basket belongs to one workspace!"]
    );
}

#[test]
fn names_that_occur_twice_become_items() {
    let dump = "We met Acme Corp in June. The people of Acme Corp like PostgreSQL.\n\
        Postgres is not PostgreSQL, says Maria. Acme Corp's lawyer and Bank of America agree.\n\
        Call `flush_all` and then flush_all again. The \"north star\" is the \"North Star\".\n\
        Later is better. Later we saw Bank of America. In June it rained on Monday and Monday.\n";
    let found = read(dump);
    let wanted = [
        ("Acme Corp", "entity"),
        ("PostgreSQL", "entity"),
        ("Bank of America", "entity"),
        ("flush_all", "code"),
        ("north star", "quote"),
    ];
    assert_eq!(items(&found), wanted);
    for operation in &found.operations {
        if let Operation::CreateContextItem { label, synonyms, spans, confidence, .. } = operation {
            assert!(spans.len() >= 2 && *confidence >= 0.8);
            for at in spans {
                let quote = &dump[at.start..at.end];
                assert!(quote == label || synonyms.iter().any(|other| other == quote), "{quote}");
            }
        }
    }
}

#[test]
fn a_shouted_line_and_a_title_are_no_names() {
    let dump =
        "# Big Atlas Plan\nTHIS IS VERY LOUD TEXT\n# Big Atlas Plan\nTHIS IS VERY LOUD TEXT\n";
    assert_eq!(items(&read(dump)), []);
}

#[test]
fn nothing_gives_nothing() {
    for dump in
        ["", " \n\t ", "ok", "\u{200b}\u{200b}", "[]", "```\nWe must not read this code.\n```"]
    {
        let found = read(dump);
        assert_eq!((found.operations.len(), found.report.confidence), (0, 0.3), "{dump:?}");
    }
}

#[test]
fn hidden_characters_are_gone_from_all_that_people_approve() {
    let dump = "We deci\u{200b}ded to pay\u{202e} Acme in \u{7}May.";
    let found = read(dump);
    assert_eq!(blocks(&found)[0].1, "We decided to pay Acme in May.");
    let at = spans(&found.operations[0])[0];
    assert_eq!(&dump[at.start..at.end], dump);
    assert!(found.report.warnings.iter().any(|warning| warning.starts_with("3 characters")));
}

/// Linear work is seen by these coming back at all: each is quadratic poison for a careless reader.
#[test]
fn hostile_texts_are_read_to_the_end() {
    let size = 100_000;
    let texts = [
        "!".repeat(size) + "x",
        "?! ".repeat(size / 3),
        "a. ".repeat(size / 3),
        "\"".repeat(size),
        "`a".repeat(size / 2),
        "User:".repeat(size / 5),
        "User:\n".repeat(size / 6),
        "Aa Bb ".repeat(size / 6),
        "\n".repeat(size),
        "- ".repeat(size / 2),
        "#".repeat(size),
        "{\"role\":".repeat(size / 8),
        "word ".repeat(size / 5),
        "a\u{200b}".repeat(size / 4),
        "line without an end\n".repeat(size / 20),
        "x".repeat(size),
    ];
    for text in texts {
        let found = read(&text);
        assert!(found.operations.len() <= 22, "{}", &text[..8]);
    }
}
