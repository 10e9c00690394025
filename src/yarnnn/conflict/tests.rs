//! The answer as a whole: gate, order, formulas, evidence, bad input.

use super::{Analysis, Conflict, Idea, Kind, Known, LISTED, Recommendation, Severity, compare};
use crate::model::{Block, BlockState, SemanticType};

/// An accepted block.
pub(super) fn block(id: &str, content: &str) -> Block {
    Block {
        id: id.to_owned(),
        semantic_type: SemanticType::Fact,
        title: String::new(),
        content: content.to_owned(),
        confidence: 0.8,
        state: BlockState::Accepted,
        anchor: None,
    }
}

/// An idea without focus against accepted blocks.
fn against(text: &str, blocks: &[Block]) -> Analysis {
    focused(text, &[], blocks)
}

fn focused(text: &str, focus: &[&str], blocks: &[Block]) -> Analysis {
    let focus: Vec<String> = focus.iter().map(|&word| word.to_owned()).collect();
    let known: Vec<_> = blocks.iter().map(|block| Known { block, similarity: None }).collect();
    compare(&Idea { text, focus: &focus }, &known)
}

fn only(analysis: &Analysis) -> &Conflict {
    assert_eq!(analysis.conflicts.len(), 1, "{analysis:#?}");
    &analysis.conflicts[0]
}

fn close(left: f64, right: f64) {
    assert!((left - right).abs() < 1e-9, "{left} is not {right}");
}

#[test]
fn no_vector_gets_past_the_gate() {
    let tomatoes = block("b1", "Tomatoes need 6 hours of sun per day.");
    let known = [Known { block: &tomatoes, similarity: Some(0.99) }];
    let idea = Idea { text: "Retrieval needs 6 ms per query.", focus: &[] };
    let analysis = compare(&idea, &known);
    assert_eq!((analysis.related, analysis.conflicts.len()), (0, 0));
    close(analysis.alignment_score, 0.5);
    assert_eq!(analysis.recommendation, Recommendation::Proceed);
    assert!(analysis.summary.contains("No related substrate"), "{}", analysis.summary);
}

#[test]
fn a_near_vector_makes_an_overlap_of_what_shares_a_term() {
    let known = block("b1", "Customers leave during checkout since the form is long.");
    let idea = Idea { text: "Checkout is where we lose most buyers.", focus: &[] };
    let answer = |similarity| compare(&idea, &[Known { block: &known, similarity }]);
    assert!(answer(Some(0.91)).conflicts.is_empty());
    let near = answer(Some(0.92));
    assert_eq!((only(&near).kind, only(&near).severity), (Kind::Overlap, Severity::Medium));
}

#[test]
fn a_near_vector_hides_no_contradiction() {
    let known = block("b1", "The API supports webhooks.");
    let idea = Idea { text: "The API does not support webhooks.", focus: &[] };
    let analysis = compare(&idea, &[Known { block: &known, similarity: Some(0.99) }]);
    assert_eq!(only(&analysis).kind, Kind::Contradiction);
}

#[test]
fn a_denial_weighs_more_where_the_block_is_firm() {
    let denied = "The API does not support webhooks.";
    let mut known = block("b1", "The API supports webhooks.");
    assert_eq!(only(&against(denied, &[known.clone()])).severity, Severity::Medium);
    for state in [BlockState::Locked, BlockState::Constant] {
        known.state = state;
        assert_eq!(only(&against(denied, &[known.clone()])).severity, Severity::High);
    }
    known.state = BlockState::Accepted;
    known.semantic_type = SemanticType::Constraint;
    let analysis = against(denied, &[known]);
    assert_eq!((only(&analysis).severity, only(&analysis).rule), (Severity::High, "polarity"));
}

#[test]
fn each_rule_names_itself_and_its_severity() {
    use Severity::{High, Low, Medium};
    for (known, idea, rule, severity) in [
        ("Deploys must never happen at night.", "Deploys may happen at night.", "modality", High),
        ("Only admins can delete projects.", "Members can delete projects.", "modality", High),
        ("The plan has 5 seats.", "The plan has 10 seats.", "number", High),
        ("The plan has 100 seats.", "The plan has 110 seats.", "number", Medium),
        ("The plan has 80 seats.", "The plan has 100 seats.", "number", Medium),
        ("The plan has 79 seats.", "The plan has 100 seats.", "number", High),
        ("The beta starts on May 3.", "The beta starts on May 9.", "date", Medium),
        ("The beta starts on May 3.", "The beta starts on August 9.", "date", High),
        ("Hosting is on AWS.", "Hosting is on Azure.", "exclusive_choice", Medium),
        ("The roadmap is public.", "The roadmap is private.", "antonym", Medium),
        ("We use Trello.", "We no longer use Trello.", "supersession", Medium),
        ("The roadmap is public.", "The roadmap is public.", "overlap", Medium),
        (
            "Sales calls are recorded.",
            "Sales calls with banks are recorded on tape.",
            "more_exact",
            Low,
        ),
    ] {
        let analysis = against(idea, &[block("b1", known)]);
        let found = only(&analysis);
        assert_eq!((found.rule, found.severity), (rule, severity), "{known} / {idea}");
    }
}

#[test]
fn an_unsure_idea_weighs_less() {
    let known = [block("b1", "The roadmap is public.")];
    let analysis = against("Maybe the roadmap is private.", &known);
    assert_eq!(only(&analysis).severity, Severity::Low);
    close(analysis.alignment_score, 0.4);
    assert_eq!(analysis.recommendation, Recommendation::Proceed);
}

#[test]
fn a_question_contradicts_nothing() {
    let known = [block("b1", "The roadmap is public.")];
    let analysis = against("Is the roadmap private?", &known);
    assert!(analysis.conflicts.iter().all(|found| found.kind != Kind::Contradiction));
}

#[test]
fn the_score_follows_the_formula() {
    let high = block("b1", "The plan has 5 seats.");
    let analysis = against("The plan has 10 seats.", std::slice::from_ref(&high));
    close(analysis.alignment_score, 0.1);
    assert_eq!(analysis.recommendation, Recommendation::Revise);

    // Two high ones go below zero and stop there.
    let twice = [high, block("b2", "The plan has 7 seats.")];
    close(against("The plan has 10 seats.", &twice).alignment_score, 0.0);

    let same = [block("b1", "The roadmap is public.")];
    let analysis = against("The roadmap is public.", &same);
    close(analysis.support, 1.0);
    close(analysis.alignment_score, 1.0);
    assert_eq!(analysis.recommendation, Recommendation::Merge);

    // Two of four terms are covered; nothing speaks against it.
    let half = [block("b1", "The roadmap is public and lists every integration.")];
    let analysis = against("The public roadmap gets a comment box.", &half);
    close(analysis.support, 0.5);
    close(analysis.alignment_score, 0.75);
    assert_eq!(analysis.recommendation, Recommendation::Proceed);
}

#[test]
fn a_medium_contradiction_without_support_is_to_be_revised() {
    let analysis = against("The roadmap is private.", &[block("b1", "The roadmap is public.")]);
    close(analysis.alignment_score, 0.25);
    assert_eq!(analysis.recommendation, Recommendation::Revise);
}

#[test]
fn only_the_memory_counts() {
    for state in [BlockState::Proposed, BlockState::Rejected, BlockState::Superseded] {
        let mut known = block("b1", "The roadmap is public.");
        known.state = state;
        assert_eq!(against("The roadmap is private.", &[known]).related, 0);
    }
}

#[test]
fn the_focus_leaves_blocks_out_and_says_so() {
    let mut price = block("b1", "The Pro plan costs $20 per month.");
    price.anchor = Some("pricing".to_owned());
    let seats = block("b2", "The Pro plan includes 5 seats.");
    let idea = "The Pro plan costs $30 per month. The Pro plan includes 9 seats.";
    let blocks = [price, seats];
    assert_eq!(against(idea, &blocks).conflicts.len(), 2);
    for word in ["seat", "Seats", "how many seats"] {
        let analysis = focused(idea, &[word], &blocks);
        assert_eq!(only(&analysis).block_id, "b2");
        assert!(analysis.summary.contains("1 more outside"), "{}", analysis.summary);
    }
    assert_eq!(only(&focused(idea, &["pricing"], &blocks)).block_id, "b1");
    assert_eq!(focused(idea, &["onboarding"], &blocks).related, 0);
}

#[test]
fn the_order_is_total_and_does_not_depend_on_the_input() {
    let blocks = [
        block("b3", "The roadmap is public."),
        block("b1", "The roadmap is public."),
        block("b4", "The roadmap has 5 milestones."),
        block("b2", "The roadmap is private."),
    ];
    let idea = "The roadmap is private. The roadmap has 9 milestones.";
    let answer = against(idea, &blocks);
    let ids: Vec<_> = answer.conflicts.iter().map(|found| found.block_id.as_str()).collect();
    assert_eq!(ids, ["b4", "b1", "b3", "b2"]);
    let mut turned = blocks;
    turned.reverse();
    assert_eq!(against(idea, &turned), answer);
    turned.swap(0, 2);
    assert_eq!(against(idea, &turned), answer);
}

#[test]
fn evidence_quotes_both_texts() {
    let content = "Größe egal. – Preise: „fest“.\n* The roadmap is public, but the budget isn’t.";
    let idea = "Übrigens… 🚀 The roadmap is private; das war’s.";
    let blocks = [block("b1", content)];
    let analysis = against(idea, &blocks);
    let evidence = &only(&analysis).evidence;
    assert_eq!(evidence.idea_quote, "The roadmap is private");
    assert_eq!(evidence.block_quote, "The roadmap is public");
    let (ours, theirs) = (evidence.idea_span, evidence.block_span);
    assert_eq!(&idea[ours.start..ours.end], evidence.idea_quote);
    assert_eq!(&content[theirs.start..theirs.end], evidence.block_quote);
}

#[test]
fn the_title_tells_what_a_block_is_about() {
    let mut known = block("b1", "Kept for 30 days, then the logs are gone.");
    known.title = "Retention of audit logs".to_owned();
    let analysis = against("Audit logs are kept for 365 days.", &[known]);
    assert_eq!(only(&analysis).rule, "number");
}

#[test]
fn descriptions_use_the_words_of_the_idea() {
    let known = [block("b1", "The pricing policies are public.")];
    let analysis = against("The pricing policies are private.", &known);
    let said = &only(&analysis).description;
    assert!(said.contains("policies") && said.contains("private"), "{said}");
}

#[test]
fn empty_and_odd_texts_are_no_trouble() {
    let blocks =
        [block("b1", ""), block("b2", "…?!"), block("b3", "\u{200b}\u{202e}x"), block("b4", "42")];
    for text in [
        "",
        " \n\t",
        "?",
        "....",
        "-",
        "don't",
        "only",
        "not",
        "from to",
        "no longer",
        "5",
        "$",
        "%",
    ] {
        let analysis = against(text, &blocks);
        assert!((0.0..=1.0).contains(&analysis.alignment_score), "{text:?}");
    }
    let huge = format!("{}9 seats", "1".repeat(400));
    assert!(against(&huge, &[block("b1", "9e999 seats, 1.2.3 seats")]).alignment_score.is_finite());
}

#[test]
fn long_texts_are_cut_and_the_summary_says_so() {
    let known = [block("b1", "The roadmap is public.")];
    let mut texts = vec!["The roadmap is private. ".repeat(50_000), "a1-".repeat(500_000)];
    texts.push("roadmap ".repeat(200_000));
    texts.push("é".repeat(1_000_000));
    for text in texts {
        let analysis = against(&text, &known);
        assert!(analysis.conflicts.len() <= LISTED);
        assert!(analysis.summary.contains("only its beginning was read"), "{}", analysis.summary);
    }
    let many = vec![block("b1", &"The roadmap is public. ".repeat(1000)); 4];
    assert_eq!(against(&"The roadmap is private. ".repeat(30), &many).conflicts.len(), LISTED);
}
