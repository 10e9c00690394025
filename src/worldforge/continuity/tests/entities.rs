//! Characters and items: place, life, movement, possession, appearance, knowledge.

use super::*;

#[test]
fn a_place_is_one_of_all_the_locations_of_the_node() {
    let code = Code::CharLocationMismatch;
    let at = |node: StoryNode| TestStory::of([node]).found(1, code);
    assert_eq!(at(node(1).cast(&[ANA]).at(DOCK).moves(ANA, MILL)), [Severity::Warn]);
    assert_eq!(at(node(1).cast(&[ANA]).at(DOCK).at(MILL).moves(ANA, MILL)), NOTHING);
    assert_eq!(at(node(1).cast(&[ANA]).at(DOCK)), NOTHING);
    assert_eq!(at(node(1).cast(&[ANA]).moves(ANA, MILL)), NOTHING);
    assert_eq!(at(node(1).cast(&[BIA]).at(DOCK).moves(ANA, MILL)), NOTHING);
    // A place may be called by its name.
    assert_eq!(at(node(1).cast(&[ANA]).at(DOCK).sets(&who(ANA, "location"), "Dock")), NOTHING);
    assert_eq!(
        at(node(1).cast(&[ANA]).at(DOCK).sets(&who(ANA, "location"), "elsewhere")),
        [Severity::Warn]
    );
}

#[test]
fn findings_on_some_paths_count_less() {
    let tale = diamond([
        node(1).moves(ANA, DOCK),
        node(2).moves(ANA, MILL),
        node(3),
        node(4).cast(&[ANA]).at(DOCK),
    ]);
    let issues = tale.check(4);
    assert_eq!(issues.len(), 1, "{issues:?}");
    assert_eq!(issues[0].severity, Severity::Info);
    assert!(issues[0].message.contains("Mill") && issues[0].message.contains("some paths"));
    let dead =
        diamond([node(1), node(2).sets(&who(ANA, "alive"), false), node(3), node(4).cast(&[ANA])]);
    assert_eq!(dead.found(4, Code::CharDeadActive), [Severity::Warn]);
}

#[test]
fn the_dead_do_not_act_or_learn() {
    let tale = TestStory::of([
        node(1).cast(&[ANA]).sets(&who(ANA, "alive"), false).adds(&who(ANA, "knows"), "the end"),
        node(2).cast(&[ANA]),
        node(3).adds(&who(ANA, "knows"), "more"),
        node(4).cast(&[ANA]).sets(&who(ANA, "alive"), true),
        node(5).cast(&[ANA]).adds(&who(ANA, "knows"), "again"),
    ]);
    // In the node of the death one is still there, but learns nothing after it.
    assert_eq!(tale.found(1, Code::CharDeadActive), NOTHING);
    assert_eq!(tale.found(1, Code::CharPosthumousLearning), [Severity::Error]);
    assert_eq!(tale.found(2, Code::CharDeadActive), [Severity::Error]);
    assert_eq!(tale.found(3, Code::CharPosthumousLearning), [Severity::Error]);
    assert_eq!(tale.found(4, Code::CharDeadActive), NOTHING);
    assert_eq!(tale.found(4, Code::CharResurrected), [Severity::Error]);
    assert_eq!(tale.check(5), []);
    let alive = TestStory::of([node(1).sets(&who(ANA, "alive"), true), node(2).cast(&[ANA])]);
    assert_eq!(alive.check(2), []);
}

#[test]
fn the_dead_live_in_flashbacks() {
    let edges = vec![edge(1, 2, EdgeType::Flashback), edge(2, 3, EdgeType::Timejump)];
    let tale = TestStory::with(
        vec![
            node(1).on("Day 9").sets(&who(ANA, "alive"), false),
            node(2).on("Day 2").cast(&[ANA]),
            node(3).on("Day 9").cast(&[ANA]),
        ],
        edges,
    );
    assert_eq!(tale.check(2), []);
    assert_eq!(tale.found(3, Code::CharDeadActive), [Severity::Error]);
}

#[test]
fn a_rule_of_the_world_permits_what_it_lists() {
    let mut tale = TestStory::of([
        node(1).sets(&who(ANA, "alive"), false).sets(&item(RING, "status"), "DESTROYED"),
        node(2).sets(&who(ANA, "alive"), true).sets(&item(RING, "status"), "PRESENT"),
    ]);
    assert_eq!(tale.check(2).len(), 2);
    let permits = json!(["CHAR_RESURRECTED", "ITEM_RESURRECTED"]);
    tale.entity(LAW).attributes.insert("permits".to_owned(), permits);
    assert_eq!(tale.check(2), []);
}

#[test]
fn nobody_is_at_two_places_at_one_moment() {
    let code = Code::CharDoubleBooked;
    let scene = |number, place, date: &str| node(number).on(date).cast(&[ANA]).at(place);
    let tale = |dates: [&str; 2], places: [u32; 2]| {
        TestStory::of([scene(1, places[0], dates[0]), node(2), scene(3, places[1], dates[1])])
            .found(3, code)
    };
    let noon = "Day 1 12:00";
    assert_eq!(tale([noon, noon], [DOCK, MILL]), [Severity::Error]);
    assert_eq!(tale([noon, noon], [DOCK, DOCK]), NOTHING);
    assert_eq!(tale([noon, "Day 1 12:01"], [DOCK, MILL]), NOTHING);
    assert_eq!(tale(["Day 1", "Day 1"], [DOCK, MILL]), NOTHING);
    let apart = diamond([node(1), scene(2, DOCK, noon), scene(3, MILL, noon), node(4)]);
    assert_eq!(apart.found(3, code), NOTHING);
}

#[test]
fn movement_needs_time() {
    let code = Code::CharTeleport;
    let tale = |first: &str, second: StoryNode| {
        TestStory::of([node(1).on(first).moves(ANA, DOCK), second.moves(ANA, MILL)])
    };
    let noon = "Day 1 12:00";
    assert_eq!(tale(noon, node(2).on(noon)).found(2, code), [Severity::Warn]);
    assert_eq!(tale(noon, node(2).on(noon)).jumping(0).found(2, code), NOTHING);
    assert_eq!(tale(noon, node(2).on("Day 1 12:05")).found(2, code), NOTHING);
    assert_eq!(tale("Day 1", node(2).on("Day 1")).found(2, code), NOTHING);
    assert_eq!(tale("once", node(2).on("once")).found(2, code), NOTHING);
    // A scene that spans both places shows the way.
    assert_eq!(tale(noon, node(2).on(noon).at(DOCK).at(MILL)).found(2, code), NOTHING);
}

#[test]
fn a_way_takes_the_time_it_takes() {
    let code = Code::TravelTooFast;
    let far = |attributes: bool, dates: [&str; 3]| {
        let [one, two, three] = dates;
        let mut tale = TestStory::of([
            node(1).on(one).moves(ANA, DOCK),
            node(2).on(two),
            node(3).on(three).moves(ANA, MILL),
        ]);
        if attributes {
            let hours = json!({id(DOCK): 30});
            tale.entity(MILL).attributes.insert("travelHours".to_owned(), hours);
        } else {
            tale.entity(DOCK).relationships.push(Relationship {
                to_entity_id: id(MILL),
                rel_type: "travel_to".to_owned(),
                note: Some("1.25 days by cart".to_owned()),
            });
        }
        tale.found(3, code)
    };
    for attributes in [true, false] {
        let found = |dates| far(attributes, dates);
        assert_eq!(found(["Day 1 08:00", "Day 2 08:00", "Day 2 09:00"]), [Severity::Error]);
        // Last seen long before, whatever happened between.
        assert_eq!(found(["Day 1 08:00", "Day 2 14:00", "Day 2 14:00"]), NOTHING);
        assert_eq!(found(["Day 1", "Day 1", "Day 1"]), [Severity::Error]);
        assert_eq!(found(["Day 1", "Day 2", "Day 2"]), NOTHING);
        assert_eq!(found(["Day 1", "once", "Year 2"]), NOTHING);
        assert_eq!(found(["once", "Day 1", "Day 1"]), NOTHING);
    }
}

#[test]
fn destroyed_items_stay_destroyed() {
    let tale = TestStory::of([
        node(1).sets(&item(RING, "status"), "destroyed"),
        node(2).cast(&[RING]),
        node(3).adds(&who(ANA, "inventory"), id(RING)),
        node(4).sets(&item(RING, "colour"), "red"),
        node(5).removes(&who(ANA, "inventory"), id(RING)).sets(&item(RING, "holder"), json!(null)),
        node(6).sets(&item(RING, "status"), "PRESENT").cast(&[RING]),
        node(7).cast(&[RING]),
    ]);
    for (number, found) in [(1, 0), (2, 1), (3, 1), (4, 1), (5, 0), (6, 0), (7, 0)] {
        assert_eq!(tale.found(number, Code::ItemDestroyedPresent).len(), found, "{number}");
    }
    assert_eq!(tale.found(6, Code::ItemResurrected), [Severity::Error]);
    let lost = TestStory::of([
        node(1).sets(&item(RING, "status"), "LOST"),
        node(2).cast(&[RING]),
        node(3).cast(&[RING]).sets(&item(RING, "status"), "PRESENT"),
    ]);
    assert_eq!(lost.found(2, Code::ItemDestroyedPresent), [Severity::Error]);
    assert_eq!(lost.check(3), []);
}

#[test]
fn an_item_has_one_holder() {
    let code = Code::ItemTwoHolders;
    let given = |node: StoryNode| {
        let first = super::node(1).adds(&who(ANA, "inventory"), id(RING)).cast(&[ANA]);
        TestStory::of([first, node.cast(&[ANA, BIA])])
    };
    let (ana, bia) = (who(ANA, "inventory"), who(BIA, "inventory"));
    assert_eq!(given(node(2).adds(&bia, id(RING))).found(2, code), [Severity::Error]);
    assert_eq!(given(node(2).adds(&bia, id(RING)).removes(&ana, id(RING))).found(2, code), NOTHING);
    let holder = item(RING, "holder");
    assert_eq!(given(node(2).sets(&holder, id(BIA))).found(2, code), [Severity::Error]);
    assert_eq!(given(node(2).sets(&holder, id(ANA))).found(2, code), NOTHING);
}

#[test]
fn holders_on_different_paths_do_not_meet() {
    let holder = item(RING, "holder");
    let tale = diamond([
        node(1),
        node(2).sets(&holder, id(ANA)).adds(&who(ANA, "inventory"), id(RING)),
        node(3).sets(&holder, id(BIA)).adds(&who(BIA, "inventory"), id(RING)),
        node(4).cast(&[RING, ANA, BIA]).adds(&who(ANA, "inventory"), "rope"),
    ]);
    assert_eq!(tale.found(4, Code::ItemTwoHolders), NOTHING);
    assert_eq!(tale.found(4, Code::ItemHolderAbsent), NOTHING);
    assert_eq!(tale.found(4, Code::BranchStateDivergence).len(), 3);
}

#[test]
fn an_item_is_used_by_those_who_have_it() {
    let code = Code::ItemHolderAbsent;
    let tale = |node: StoryNode| {
        let first = super::node(1).cast(&[ANA]).sets(&item(RING, "holder"), id(ANA));
        TestStory::of([first, node]).found(2, code)
    };
    assert_eq!(tale(node(2).cast(&[RING, BIA])), [Severity::Warn]);
    assert_eq!(tale(node(2).cast(&[RING, ANA])), NOTHING);
    assert_eq!(tale(node(2).sets(&item(RING, "glow"), true)), [Severity::Warn]);
    assert_eq!(tale(node(2).sets(&item(RING, "location"), id(MILL))), NOTHING);
    let here = TestStory::of([
        node(1).cast(&[ANA]).sets(&item(RING, "holder"), id(ANA)),
        node(2).sets(&item(RING, "location"), id(MILL)),
        node(3).cast(&[RING]).at(MILL),
    ]);
    assert_eq!(here.found(3, code), NOTHING);
}

#[test]
fn a_hand_over_is_seen() {
    let code = Code::ItemTransferUnseen;
    let holder = item(RING, "holder");
    let tale = |node: StoryNode| {
        let first = super::node(1).cast(&[ANA]).sets(&item(RING, "holder"), id(ANA));
        TestStory::of([first, node]).found(2, code)
    };
    assert_eq!(tale(node(2).cast(&[BIA]).sets(&holder, id(BIA))), [Severity::Warn]);
    assert_eq!(tale(node(2).cast(&[ANA, BIA]).sets(&holder, id(BIA))), NOTHING);
    assert_eq!(tale(node(2).cast(&[BIA]).sets(&holder, id(ANA))), NOTHING);
    assert_eq!(tale(node(2).cast(&[BIA]).adds(&who(BIA, "inventory"), id(RING))), [Severity::Warn]);
}

#[test]
fn injuries_heal_with_time() {
    let code = Code::InjuryVanished;
    let injuries = who(ANA, "injuries");
    let tale = |last: StoryNode| {
        TestStory::of([
            node(1).on("Day 1").adds(&injuries, "cut").adds(&injuries, "burn"),
            node(2).on("Day 2"),
            last,
        ])
    };
    let healed = |node: StoryNode| node.removes(&injuries, "cut");
    assert_eq!(tale(healed(node(3).on("Day 1"))).found(3, code), [Severity::Warn]);
    assert_eq!(tale(healed(node(3))).found(3, code), [Severity::Warn]);
    assert_eq!(tale(healed(node(3).on("Day 2"))).found(3, code), NOTHING);
    assert_eq!(tale(healed(node(3))).jumping(0).found(3, code), NOTHING);
    // Replacing the list takes away what it leaves out.
    assert_eq!(tale(node(3).sets(&injuries, json!(["burn"]))).found(3, code), [Severity::Warn]);
    assert_eq!(tale(node(3).sets(&injuries, json!(null))).found(3, code).len(), 2);
    assert_eq!(tale(node(3).adds(&injuries, "bruise")).found(3, code), NOTHING);
}

#[test]
fn outfits_change_off_screen() {
    let code = Code::OutfitChangeUnmotivated;
    let outfit = who(ANA, "outfit");
    let tale = |second: StoryNode| {
        let first = node(1).on("Day 1 10:00").cast(&[ANA]).at(DOCK).sets(&outfit, "coat");
        TestStory::of([first, second.cast(&[ANA])])
    };
    let changed = |node: StoryNode| node.sets(&outfit, "dress");
    assert_eq!(tale(changed(node(2).at(DOCK))).found(2, code), [Severity::Warn]);
    assert_eq!(tale(changed(node(2).at(MILL))).found(2, code), NOTHING);
    assert_eq!(tale(changed(node(2).at(DOCK).on("Day 1 11:00"))).found(2, code), NOTHING);
    assert_eq!(tale(changed(node(2).at(DOCK))).jumping(0).found(2, code), NOTHING);
    assert_eq!(tale(node(2).at(DOCK).sets(&outfit, "coat")).found(2, code), NOTHING);
}

#[test]
fn knowledge_is_learned_on_the_way() {
    let code = Code::KnowledgeLeak;
    let needs = |number| {
        let mut node = node(number);
        node.requires = vec![Requirement { entity_id: id(ANA), knows: "truth".to_owned() }];
        node
    };
    let knows = who(ANA, "knows");
    assert_eq!(TestStory::of([node(1), needs(2)]).found(2, code), [Severity::Error]);
    assert_eq!(TestStory::of([node(1).adds(&knows, "truth"), needs(2)]).found(2, code), NOTHING);
    assert_eq!(
        TestStory::of([node(1).adds(&knows, "lie"), needs(2)]).found(2, code),
        [Severity::Error]
    );
    assert_eq!(TestStory::of([node(1), needs(2).adds(&knows, "truth")]).found(2, code), NOTHING);
    let other = node(1).adds(&who(BIA, "knows"), "truth");
    assert_eq!(TestStory::of([other, needs(2)]).found(2, code), [Severity::Error]);
    let tale = diamond([node(1), node(2).adds(&knows, "truth"), node(3), needs(4)]);
    assert_eq!(tale.found(4, code), [Severity::Warn]);
}

#[test]
fn a_condition_on_knowledge_reports_what_was_never_learned() {
    let knows = who(ANA, "knows");
    let condition = format!("{knows} contains \"truth\"");
    let tale = TestStory::with(
        vec![node(1).adds(&knows, "lie"), node(2)],
        vec![when(1, 2, EdgeType::Branch, &condition)],
    );
    let issues = tale.check(2);
    assert_eq!(issues.len(), 1, "{issues:?}");
    assert_eq!(issues[0].code, "KNOWLEDGE_LEAK");
    assert!(issues[0].message.contains("Ana") && issues[0].message.contains("truth"));
}

#[test]
fn many_optional_facts_are_still_told_apart() {
    let knows = who(ANA, "knows");
    let (mut nodes, mut edges) = (vec![node(1).adds(&knows, "always")], Vec::new());
    for step in 0..12 {
        let (from, detour, next) = (1 + 2 * step, 2 + 2 * step, 3 + 2 * step);
        nodes.push(node(detour).adds(&knows, format!("fact {step}")));
        nodes.push(node(next));
        edges.push(edge(from, detour, EdgeType::Branch));
        edges.push(edge(from, next, EdgeType::Branch));
        edges.push(edge(detour, next, EdgeType::Linear));
    }
    let need = |fact: &str| Requirement { entity_id: id(ANA), knows: fact.to_owned() };
    let last = nodes.last_mut().unwrap();
    last.requires = vec![need("always"), need("fact 3"), need("never")];
    let tale = TestStory::with(nodes, edges);
    let found: Vec<(Severity, bool)> = tale
        .check(25)
        .iter()
        .map(|issue| (issue.severity, issue.message.contains("never")))
        .collect();
    assert_eq!(found, [(Severity::Error, true), (Severity::Warn, false)]);
}
