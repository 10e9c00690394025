//! Edges, cycles, conditions, and the notes of the engine.

use super::*;
use EdgeType::{Branch, Choice, Flashback, Linear, Timejump};

#[test]
fn the_telling_goes_forward_along_straight_edges() {
    let code = Code::TimeOrderInversion;
    for (kind, found) in [(Linear, 1), (Branch, 1), (Choice, 1), (Timejump, 0), (Flashback, 0)] {
        let tale = TestStory::with(vec![node(1), node(2).order(1)], vec![edge(1, 2, kind)]);
        assert_eq!(tale.found(2, code).len(), found, "{kind:?}");
    }
    let forward = TestStory::of([node(1), node(2)]);
    assert_eq!(forward.found(2, code), NOTHING);
}

#[test]
fn dates_go_forward_unless_time_jumps() {
    let code = Code::InworldDateRegression;
    let dated = |one: &str, other: &str| TestStory::of([node(1).on(one), node(2).on(other)]);
    assert_eq!(dated("Day 3", "Day 2").found(2, code), [Severity::Warn]);
    assert_eq!(dated("Day 3", "Day 2").jumping(0).found(2, code), NOTHING);
    assert_eq!(dated("Day 3", "Day 3").found(2, code), NOTHING);
    assert_eq!(dated("Night 3", "Day 3").found(2, code), NOTHING);
    assert_eq!(dated("Day 3", "Year 1").found(2, code), NOTHING);
    assert_eq!(dated("after", "before").found(2, code), NOTHING);
}

#[test]
fn a_flashback_goes_back_from_a_date_to_a_date() {
    let tale = |one: &str, other: &str| {
        TestStory::with(vec![node(1).on(one), node(2).on(other)], vec![edge(1, 2, Flashback)])
    };
    let (late, unanchored) = (Code::FlashbackNotEarlier, Code::FlashbackUnanchored);
    assert_eq!(tale("Day 3", "Day 2").check(2), []);
    assert_eq!(tale("Day 3", "Day 3").found(2, late), [Severity::Warn]);
    assert_eq!(tale("Day 3", "Day 4").found(2, late), [Severity::Warn]);
    assert_eq!(tale("Day 3", "Day 2").found(2, unanchored), NOTHING);
    assert_eq!(tale("Day 3", "long ago").found(2, unanchored), [Severity::Info]);
    assert_eq!(tale("now", "Day 2").found(2, unanchored), [Severity::Info]);
}

#[test]
fn equal_orders_on_one_path_are_reported() {
    let code = Code::TimeOrderDuplicate;
    let tale = TestStory::of([node(1), node(2), node(3).order(1)]);
    assert_eq!(tale.found(3, code), [Severity::Info]);
    assert_eq!(tale.found(1, code), NOTHING);
    // Branches may have equal orders.
    let apart = diamond([node(1), node(2), node(3).order(2), node(4)]);
    assert_eq!(apart.found(3, code), NOTHING);
}

#[test]
fn a_condition_that_never_holds_closes_the_way() {
    let tale = TestStory::with(
        vec![node(1).sets("gate", "shut"), node(2), node(3)],
        vec![when(1, 2, Branch, "gate == \"open\""), edge(2, 3, Linear)],
    );
    let issues = tale.check(2);
    assert_eq!(issues.len(), 1, "{issues:?}");
    assert_eq!(issues[0].code, "EDGE_CONDITION_UNSATISFIABLE");
    assert_eq!(tale.found(3, Code::GraphUnreachable), [Severity::Warn]);
    assert!(tale.check(3)[0].message.contains("condition"));
}

#[test]
fn conditions_of_one_edge_hold_together_or_not_at_all() {
    let condition = |texts: [&str; 2]| {
        let mut tale = diamond([
            node(1),
            node(2).sets("a", 1).sets("b", 1),
            node(3).sets("a", 2).sets("b", 2),
            node(4),
        ]);
        tale.nodes.push(node(5));
        let mut edge = edge(4, 5, Branch);
        edge.conditions = texts.map(str::to_owned).to_vec();
        tale.edges.push(edge);
        tale.found(5, Code::EdgeConditionUnsatisfiable)
    };
    assert_eq!(condition(["a == 1", "b == 1"]), NOTHING);
    assert_eq!(condition(["a == 1", "b == 2"]), [Severity::Error]);
}

#[test]
fn a_condition_speaks_of_keys_by_name() {
    let condition = format!("{} == \"PRESENT\"", item(RING, "status"));
    let tale = TestStory::with(
        vec![node(1).sets(&item(RING, "status"), "LOST"), node(2)],
        vec![when(1, 2, Branch, &condition)],
    );
    let issue = &tale.check(2)[0];
    assert!(issue.message.contains("Ring.status == \"PRESENT\""), "{}", issue.message);
    assert_eq!(issue.entity_ids, [id(RING)]);
}

#[test]
fn unparseable_conditions_are_reported() {
    let tale = |condition: &str| {
        TestStory::with(
            vec![node(1).sets("gate", "shut"), node(2)],
            vec![when(1, 2, Branch, condition)],
        )
    };
    assert_eq!(tale("door == 1").found(2, Code::EdgeConditionUnknownKey), [Severity::Warn]);
    assert_eq!(tale("door == 1").check(2).len(), 1);
    assert_eq!(tale("if she dares").found(2, Code::EdgeConditionFreeform), [Severity::Info]);
    assert_eq!(tale("gate").check(2), []);
}

#[test]
fn a_cycle_is_reported_where_it_closes() {
    let mut tale = TestStory::of([node(1), node(2), node(3)]);
    tale.edges.push(edge(3, 2, Branch));
    assert_eq!(tale.found(3, Code::GraphCycle), [Severity::Error]);
    assert_eq!(tale.check(2), []);
    tale.edges[2].edge_type = Timejump;
    assert_eq!(tale.check(3), []);
    let alone = TestStory::with(vec![node(1)], vec![edge(1, 1, Linear)]);
    assert_eq!(alone.found(1, Code::GraphCycle), [Severity::Error]);
}

#[test]
fn an_ending_is_in_the_last_chapter() {
    let code = Code::GraphDeadEnd;
    let nodes = vec![node(1).chapter(), node(2), node(3), node(4).chapter(), node(5), node(6)];
    let edges = [(2, 3), (2, 5), (2, 6)].map(|(a, b)| edge(a, b, Branch)).to_vec();
    let tale = TestStory::with(nodes, edges);
    assert_eq!(tale.found(3, code), [Severity::Info]);
    for number in [1, 2, 4, 5, 6] {
        assert_eq!(tale.found(number, code), NOTHING, "{number}");
    }
    let flat = TestStory::with(
        vec![node(1), node(2), node(3)],
        vec![edge(1, 2, Branch), edge(1, 3, Branch)],
    );
    assert_eq!(flat.found(2, code), [Severity::Info]);
    assert_eq!(flat.found(3, code), NOTHING);
    // A flashback ends by itself.
    let memory = TestStory::with(
        vec![node(1), node(2), node(3)],
        vec![edge(1, 2, Flashback), edge(1, 3, Linear)],
    );
    assert_eq!(memory.found(2, code), NOTHING);
}

#[test]
fn one_choice_is_no_choice() {
    let code = Code::ChoiceSingleOption;
    let nodes = || vec![node(1), node(2), node(3)];
    let one = TestStory::with(nodes(), vec![edge(1, 2, Choice), edge(1, 3, Branch)]);
    assert_eq!(one.found(1, code), [Severity::Warn]);
    let two = TestStory::with(nodes(), vec![edge(1, 2, Choice), edge(1, 3, Choice)]);
    assert_eq!(two.found(1, code), NOTHING);
}

#[test]
fn nodes_without_a_way_in_are_told_unless_they_begin_or_head() {
    let code = Code::NodeUnlinked;
    let tale = TestStory::with(
        vec![node(1).chapter(), node(2), node(3), node(4)],
        vec![edge(2, 3, Linear)],
    );
    let found: Vec<u32> = (1..=4).filter(|number| !tale.found(*number, code).is_empty()).collect();
    assert_eq!(found, [4]);
    let loose = TestStory::with(vec![node(1), node(2)], Vec::new());
    assert_eq!(loose.check(2), []);
}

#[test]
fn paths_that_disagree_are_told_where_they_meet_and_only_there() {
    let code = Code::BranchStateDivergence;
    let outfit = who(ANA, "outfit");
    let mut tale = diamond([
        node(1),
        node(2).sets(&outfit, "coat"),
        node(3).sets(&outfit, "dress"),
        node(4).cast(&[ANA]),
    ]);
    tale.nodes.push(node(5).cast(&[ANA]));
    tale.edges.push(edge(4, 5, Linear));
    assert_eq!(tale.found(4, code), [Severity::Info]);
    assert_eq!(tale.found(5, code), NOTHING);
    tale.nodes[3] = node(4).cast(&[ANA]).sets(&outfit, "rags");
    assert_eq!(tale.found(4, code), NOTHING);
    tale.nodes[3] = node(4).cast(&[BIA]);
    assert_eq!(tale.found(4, code), NOTHING);
}

#[test]
fn what_only_follows_a_closed_node_in_the_telling_is_not_closed() {
    let tale = TestStory::with(
        vec![node(1).sets("gate", "shut"), node(2), node(3).chapter(), node(4), node(5)],
        vec![when(1, 2, Branch, "gate == \"open\""), edge(4, 5, Linear)],
    );
    assert_eq!(tale.found(2, Code::EdgeConditionUnsatisfiable), [Severity::Error]);
    for number in 3..=5 {
        assert_eq!(tale.found(number, Code::GraphUnreachable), NOTHING, "{number}");
    }
}
