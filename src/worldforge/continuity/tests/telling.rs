//! Promises, references, changes, rules, relationships, structure.

use super::*;

fn promises(number: u32, label: &str) -> StoryNode {
    let mut node = node(number);
    node.hooks.foreshadow = vec![label.to_owned()];
    node
}

fn keeps(number: u32, target: &str) -> StoryNode {
    let mut node = node(number);
    node.hooks.payoff_targets = vec![target.to_owned()];
    node
}

#[test]
fn promises_come_before_payoffs() {
    let code = Code::PayoffBeforeSetup;
    assert_eq!(TestStory::of([promises(1, "gun"), keeps(2, "gun")]).check(2), []);
    assert_eq!(
        TestStory::of([keeps(1, "gun"), promises(2, "gun")]).found(1, code),
        [Severity::Error]
    );
    // A node can be the target.
    assert_eq!(TestStory::of([node(1), keeps(2, &id(1))]).check(2), []);
    assert_eq!(TestStory::of([keeps(1, &id(2)), node(2)]).found(1, code), [Severity::Error]);
    // On one of two paths only.
    let tale = diamond([node(1), promises(2, "gun"), node(3), keeps(4, "gun")]);
    assert_eq!(tale.found(4, code), [Severity::Warn]);
    let both = diamond([node(1), promises(2, "gun"), promises(3, "gun"), keeps(4, "gun")]);
    assert_eq!(both.found(4, code), NOTHING);
    // On the other path.
    let apart = diamond([node(1), promises(2, "gun"), keeps(3, "gun"), node(4)]);
    assert_eq!(apart.found(3, code), [Severity::Error]);
}

#[test]
fn what_a_flashback_promises_is_promised() {
    let tale = TestStory::with(
        vec![node(1).on("Day 5"), promises(2, "gun").on("Day 1"), keeps(3, "gun").on("Day 5")],
        vec![edge(1, 2, EdgeType::Flashback), edge(2, 3, EdgeType::Timejump)],
    );
    assert_eq!(tale.check(2), []);
    assert_eq!(tale.check(3), []);
}

#[test]
fn a_payoff_has_a_promise_and_a_promise_a_payoff() {
    let tale = TestStory::of([keeps(1, "nothing")]);
    assert_eq!(tale.found(1, Code::PayoffTargetMissing), [Severity::Error]);
    let unpaid = Code::ForeshadowUnpaid;
    let mut tale = TestStory::of([promises(1, "gun"), node(2)]);
    assert_eq!(tale.found(1, unpaid), [Severity::Warn]);
    tale.nodes[1].version.status = VersionStatus::Draft;
    assert_eq!(tale.found(1, unpaid), [Severity::Info]);
    tale.nodes[1] = keeps(2, &id(1));
    assert_eq!(tale.found(1, unpaid), NOTHING);
    let before = TestStory::of([keeps(1, "gun"), promises(2, "gun")]);
    assert_eq!(before.found(2, unpaid), [Severity::Warn]);
}

#[test]
fn everything_named_exists() {
    let code = Code::RefMissing;
    let gone = 0x999;
    let mut chapter = node(1);
    chapter.chapter_node_id = Some(id(gone));
    let mut needs = node(1);
    needs.requires = vec![Requirement { entity_id: id(gone), knows: "x".to_owned() }];
    for node in [
        node(1).cast(&[gone]),
        node(1).at(gone),
        node(1).sets(&who(gone, "mood"), "sad"),
        node(1).moves(ANA, gone),
        node(1).adds(&who(ANA, "inventory"), json!([id(gone)])),
        node(1).sets(&item(RING, "holder"), id(gone)),
        needs,
        chapter,
    ] {
        assert_eq!(TestStory::of([node.clone()]).found(1, code), [Severity::Error], "{node:?}");
    }
    let dangling = TestStory::with(vec![node(1)], vec![edge(1, gone, EdgeType::Linear)]);
    assert_eq!(dangling.found(1, code), [Severity::Error]);
    // Free keys refer to no entity.
    assert_eq!(TestStory::of([node(1).sets("lore.old.gods", 1)]).check(1), []);
}

#[test]
fn everything_named_is_of_the_right_type() {
    let code = Code::RefWrongType;
    let mut chapter = node(2);
    chapter.chapter_node_id = Some(id(1));
    let mut needs = node(2);
    needs.requires = vec![Requirement { entity_id: id(RING), knows: "x".to_owned() }];
    for node in [
        node(2).cast(&[LAW]),
        node(2).cast(&[TALE]),
        node(2).at(ANA),
        node(2).sets(&who(RING, "mood"), "sad"),
        node(2).moves(ANA, RING),
        node(2).adds(&who(ANA, "inventory"), id(BIA)),
        node(2).sets(&item(RING, "holder"), id(LAW)),
        needs,
        chapter,
    ] {
        let tale = TestStory::of([super::node(1), node.clone()]);
        assert_eq!(tale.found(2, code), [Severity::Error], "{node:?}");
    }
    for node in
        [node(2).cast(&[ANA, RING, GANG, DOCK]), node(2).sets(&item(RING, "holder"), id(GANG))]
    {
        let tale = TestStory::of([super::node(1), node.clone()]);
        assert_eq!(tale.found(2, code), NOTHING, "{node:?}");
    }
}

#[test]
fn changes_work_with_what_is_there() {
    let tale = TestStory::of([
        node(1).sets("text", "a").sets("list", json!(["a"])),
        node(2).does("text", DeltaOp::Inc, 1),
        node(3).adds("text", "b"),
        node(4).removes("list", "b"),
        node(5).removes("nothing", "b"),
        node(6).does("count", DeltaOp::Dec, json!(null)).adds("list", "a"),
        node(7).does("count", DeltaOp::Inc, "two"),
    ]);
    for (number, code) in [
        (2, Some(Code::DeltaTypeMismatch)),
        (3, Some(Code::DeltaTypeMismatch)),
        (4, Some(Code::DeltaRemoveMissing)),
        (5, Some(Code::DeltaRemoveMissing)),
        (6, None),
        (7, Some(Code::DeltaTypeMismatch)),
    ] {
        let found: Vec<String> = tale.check(number).into_iter().map(|issue| issue.code).collect();
        let expected: Vec<String> = code.iter().map(|code| code.name().to_owned()).collect();
        assert_eq!(found, expected, "{number}");
    }
    let some =
        diamond([node(1), node(2).sets("k", "x"), node(3), node(4).does("k", DeltaOp::Inc, 1)]);
    assert_eq!(some.found(4, Code::DeltaTypeMismatch), [Severity::Warn]);
}

#[test]
fn one_key_is_set_once() {
    let code = Code::DeltaContradictory;
    let at = |node: StoryNode| TestStory::of([node]).found(1, code);
    assert_eq!(at(node(1).sets("k", 1).sets("k", 2)), [Severity::Error]);
    assert_eq!(at(node(1).sets("k", 1).sets("k", 1.0)), NOTHING);
    assert_eq!(at(node(1).sets("k", 1).does("k", DeltaOp::Inc, 2)), NOTHING);
}

fn ruled(constraint: Value, nodes: impl IntoIterator<Item = StoryNode>) -> TestStory {
    let mut tale = TestStory::of(nodes);
    tale.entity(LAW).attributes.insert("constraint".to_owned(), constraint);
    tale
}

#[test]
fn rules_forbid_and_require_where_they_are_touched() {
    let code = Code::RuleViolation;
    let forbid = json!({"when": "night", "forbid": ["gate == \"open\"", "guards < 2"]});
    let tale = ruled(
        forbid,
        [
            node(1).sets("night", true).sets("guards", 1),
            node(2).sets("gate", "open"),
            node(3).sets("weather", "rain"),
            node(4).sets("guards", 2),
            node(5).sets("night", false).sets("guards", 0),
        ],
    );
    for (number, found) in [(1, 0), (2, 1), (3, 0), (4, 0), (5, 0)] {
        assert_eq!(tale.found(number, code).len(), found, "{number}");
    }
    let require = json!({"when": "night", "require": "lamp", "severity": "WARN"});
    let tale = ruled(require, [node(1).sets("night", true), node(2).sets("lamp", true)]);
    assert_eq!(tale.found(1, code), [Severity::Warn]);
    assert_eq!(tale.found(2, code), NOTHING);
}

#[test]
fn rules_may_speak_of_the_scene() {
    let code = Code::RuleViolation;
    let here = format!("scene.locations contains \"{}\"", id(DOCK));
    let armed = format!("scene.participants contains \"{}\"", id(RING));
    let tale = ruled(
        json!({"when": here, "forbid": armed}),
        [node(1).at(DOCK).cast(&[RING]), node(2).at(MILL).cast(&[RING]), node(3).at(DOCK)],
    );
    assert_eq!(tale.found(1, code), [Severity::Error]);
    assert_eq!(tale.found(2, code), NOTHING);
    assert_eq!(tale.found(3, code), NOTHING);
}

#[test]
fn a_rule_is_broken_on_the_paths_where_all_goes_together() {
    let constraint = json!({"when": "a == 1", "forbid": "b == 2"});
    let mut tale = diamond([
        node(1),
        node(2).sets("a", 1).sets("b", 1),
        node(3).sets("a", 2).sets("b", 2),
        node(4).does("a", DeltaOp::Inc, 0),
    ]);
    tale.entity(LAW).attributes.insert("constraint".to_owned(), constraint);
    assert_eq!(tale.found(4, Code::RuleViolation), NOTHING);
    tale.nodes[3] = node(4).sets("a", 1);
    assert_eq!(tale.found(4, Code::RuleViolation), [Severity::Warn]);
}

#[test]
fn relationships_fit_together() {
    let relation = |to: u32, rel_type: &str| Relationship {
        to_entity_id: id(to),
        rel_type: rel_type.to_owned(),
        note: None,
    };
    let tale = |ana: &[&str], bia: &[&str]| {
        let mut tale = TestStory::of([node(1).cast(&[ANA, BIA]), node(2).cast(&[ANA])]);
        tale.entity(ANA).relationships = ana.iter().map(|one| relation(BIA, one)).collect();
        tale.entity(BIA).relationships = bia.iter().map(|one| relation(ANA, one)).collect();
        let issues = tale.check(1);
        assert_eq!(tale.check(2), []);
        issues.into_iter().map(|issue| issue.code).collect::<Vec<_>>()
    };
    let nothing: [&str; 0] = [];
    assert_eq!(tale(&["ally_of"], &["ally_of"]), nothing);
    assert_eq!(tale(&["ally_of", "enemy_of"], &[]), ["RELATION_CONTRADICTION"]);
    assert_eq!(tale(&["ally_of"], &["enemy_of"]), ["RELATION_CONTRADICTION"]);
    assert_eq!(tale(&["ally_of"], &[]), ["RELATION_ASYMMETRIC"]);
    assert_eq!(tale(&["aunt_of"], &["nephew_of"]), nothing);
    assert_eq!(tale(&["aunt_of"], &["aunt_of"]), ["RELATION_ASYMMETRIC", "RELATION_ASYMMETRIC"]);
    assert_eq!(tale(&["owes_money_to"], &[]), nothing);
}

#[test]
fn scenes_have_what_scenes_need() {
    let mut scene = node(1).at(DOCK).cast(&[ANA]);
    scene.node_type = NodeType::Scene;
    scene.goals.dramatic_goal = "a".to_owned();
    scene.goals.conflict = "b".to_owned();
    scene.goals.turn = "c".to_owned();
    assert_eq!(TestStory::of([scene.clone()]).check(1), []);
    scene.goals.turn = " ".to_owned();
    scene.locations.clear();
    scene.participants[0].role = ParticipantRole::Support;
    let codes: Vec<String> =
        TestStory::of([scene.clone()]).check(1).into_iter().map(|issue| issue.code).collect();
    assert_eq!(codes, ["SCENE_NO_LOCATION", "SCENE_GOALS_EMPTY", "SCENE_NO_PROTAGONIST"]);
    scene.node_type = NodeType::Beat;
    assert_eq!(TestStory::of([scene]).check(1), []);
}

#[test]
fn canon_rests_on_canon() {
    let code = Code::PublishedUsesDraft;
    let mut tale = TestStory::of([node(1).cast(&[ANA]).at(DOCK).moves(BIA, MILL)]);
    assert_eq!(tale.found(1, code), NOTHING);
    for number in [ANA, DOCK, BIA, MILL, RING] {
        tale.entity(number).version.status = VersionStatus::Draft;
    }
    assert_eq!(tale.found(1, code), [Severity::Warn; 4]);
    assert!(tale.check(1)[0].message.contains("changes"));
    tale.entity(ANA).version.number = 1;
    assert!(tale.check(1).iter().any(|issue| issue.message.contains("Ana is a draft")));
    tale.nodes[0].version.status = VersionStatus::Draft;
    assert_eq!(tale.found(1, code), NOTHING);
}
