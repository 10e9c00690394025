//! How findings are rendered: order, waivers, languages, the world beside them.

use super::*;

fn spoilt() -> StoryNode {
    let mut node = node(1).cast(&[ANA, BIA]).at(DOCK).moves(ANA, MILL).moves(BIA, MILL);
    node.node_type = NodeType::Scene;
    node.hooks.payoff_targets = vec!["nothing".to_owned()];
    node
}

#[test]
fn the_worst_comes_first_then_codes_then_entities() {
    let issues = TestStory::of([spoilt()]).check(1);
    let told: Vec<(&str, &[String])> =
        issues.iter().map(|issue| (issue.code.as_str(), &issue.entity_ids[..])).collect();
    assert_eq!(
        told,
        [
            ("PAYOFF_TARGET_MISSING", &[][..]),
            ("CHAR_LOCATION_MISMATCH", &[id(ANA)][..]),
            ("CHAR_LOCATION_MISMATCH", &[id(BIA)][..]),
            ("SCENE_GOALS_EMPTY", &[][..]),
        ]
    );
    assert!(issues.iter().all(|issue| issue.node_id == id(1)));
}

#[test]
fn waived_findings_become_info_with_the_reason() {
    let mut node = spoilt();
    let waiver = |code: &str, entity_ids: &[u32], reason: &str| Waiver {
        code: code.to_owned(),
        entity_ids: entity_ids.iter().map(|number| id(*number)).collect(),
        reason: reason.to_owned(),
    };
    node.waivers = vec![
        waiver("CHAR_LOCATION_MISMATCH", &[BIA], "It is a dream."),
        waiver("PAYOFF_TARGET_MISSING", &[], "The next book."),
        waiver("GRAPH_CYCLE", &[], "Nothing to waive."),
    ];
    let issues = TestStory::of([node]).check(1);
    let told: Vec<(Severity, &str)> =
        issues.iter().map(|issue| (issue.severity, issue.code.as_str())).collect();
    assert_eq!(
        told,
        [
            (Severity::Warn, "CHAR_LOCATION_MISMATCH"),
            (Severity::Info, "CHAR_LOCATION_MISMATCH"),
            (Severity::Info, "PAYOFF_TARGET_MISSING"),
            (Severity::Info, "SCENE_GOALS_EMPTY"),
        ]
    );
    assert!(issues[1].message.ends_with("Waived: It is a dream."), "{}", issues[1].message);
    assert!(issues[0].message.contains("Ana"));
}

#[test]
fn portuguese_messages_report_the_same() {
    let tale = TestStory::of([spoilt()]);
    let (english, portuguese) = (
        check(&tale.story(), &id(1), Language::English),
        check(&tale.story(), &id(1), Language::Portuguese),
    );
    assert_eq!(english.len(), portuguese.len());
    for (one, other) in english.iter().zip(&portuguese) {
        assert_eq!((&one.code, one.severity), (&other.code, other.severity));
        assert_ne!(one.message, other.message);
        assert_ne!(one.suggestion, other.suggestion);
    }
    assert_eq!(portuguese[1].message, "Ana está em Mill, mas “Node 1” se passa em Dock.");
}

#[test]
fn an_answer_shows_the_world_that_concerns_the_node() {
    let tale = TestStory::of([
        node(1).moves(ANA, DOCK).moves(BIA, DOCK).sets("gate", "shut").sets("weather", "rain"),
        node(2).cast(&[ANA]).at(MILL).moves(ANA, MILL).sets("gate", "open"),
    ]);
    let answer = answer(&tale.story(), &id(2), Language::English).unwrap();
    assert_eq!(answer.issues, []);
    let ana = who(ANA, "location");
    assert_eq!(json!(answer.pre_state.state), json!({&ana: id(DOCK), "gate": "shut"}));
    assert_eq!(json!(answer.post_state.state), json!({&ana: id(MILL), "gate": "open"}));
}

#[test]
fn a_node_that_is_not_there_has_no_issues_and_no_answer() {
    let story = TestStory::of([node(1)]).story();
    assert_eq!(check(&story, &id(9), Language::English), []);
    assert!(answer(&story, &id(9), Language::English).is_none());
    assert!(check_all(&Story::new(&[], &[], &[]), Language::English).is_empty());
}

#[test]
fn a_list_that_holds_everything_twice_is_checked_once() {
    let tale = TestStory::of([node(1).cast(&[0x999, 0x999])]);
    assert_eq!(tale.found(1, Code::RefMissing), [Severity::Error]);
    let line = line(&[1, 2]);
    let twice = TestStory::with(vec![node(1), node(2)], [line.clone(), line].concat());
    assert_eq!(twice.check(2), []);
}
