//! Single objects: round trips, compare-and-set, scopes.

use std::collections::BTreeMap;

use serde_json::json;

use crate::model::*;
use crate::store::tests::fixtures::{
    TestStore, edge, entity, event, id, new_entity, new_node, next_entity, next_node, node, pack,
};
use crate::store::{AuditEvent, Change, Collection, Commit, Kind, Scope};

pub(crate) fn an_object_reads_back_exactly(test_store: &TestStore) {
    let scope = test_store.project();
    let ana = Entity {
        kind: EntityType::Item,
        summary: "Não é \"só\" uma\nbússola\u{0}.".into(),
        tags: vec!["latão".into(), "🧭".into()],
        attributes: json!({"age": 30, "b.c": {"$d": [1, 2.5, -0.0, null, true]}})
            .as_object()
            .unwrap()
            .clone(),
        relationships: vec![
            Relationship { to_entity_id: id(7), rel_type: "ally_of".into(), note: None },
            Relationship { to_entity_id: id(8), rel_type: "x".into(), note: Some("y".into()) },
        ],
        ..entity(&scope, 101, "Bússola de latão")
    };
    let scene = StoryNode {
        synopsis: "Low tide.".into(),
        goals: Goals { dramatic_goal: "a".into(), conflict: "b".into(), turn: "c".into() },
        hooks: Hooks {
            hook: "h".into(),
            foreshadow: vec!["f".into()],
            payoff_targets: vec![id(5), "label".into()],
        },
        time: Time { in_world_date: Some("Day 3".into()), order: 4_000_000_000 },
        participants: vec![Participant {
            entity_id: ana.id.clone(),
            role: ParticipantRole::Protagonist,
        }],
        locations: vec![id(9)],
        world_state_delta: vec![
            Delta { key: "a.b".into(), op: DeltaOp::Set, value: json!({"$gt": ""}) },
            Delta { key: "n".into(), op: DeltaOp::Inc, value: json!(null) },
        ],
        chapter_node_id: Some(id(3)),
        requires: vec![Requirement { entity_id: id(1), knows: "the truth".into() }],
        cinematic_settings: json!({"lens": "35 mm"}).as_object().unwrap().clone(),
        waivers: vec![Waiver {
            code: "CHAR_TELEPORT".into(),
            entity_ids: vec![id(1)],
            reason: "magic".into(),
        }],
        ..node(&scope, 201, 0)
    };
    let way = StoryEdge {
        edge_type: EdgeType::Timejump,
        conditions: vec!["item.x.status == \"DESTROYED\"".into()],
        notes: "later".into(),
        ..edge(&scope, 401, 201, 202)
    };
    let mut shots = pack(&scope, 301, 201, "in");
    shots.shots.push(Shot {
        shot_id: "S1".into(),
        variant: "A".into(),
        prompt: "wide".into(),
        negative: vec!["text".into()],
        refs: vec![],
    });
    let (new_pack, new_edge) = (Change::Pack(shots.clone()), Change::Edge(way.clone()));
    test_store
        .commit(&scope, vec![new_entity(&ana), new_node(&scene), new_edge, new_pack])
        .unwrap();
    assert_eq!(test_store.store.entity(&scope, &ana.id).unwrap(), ana);
    assert_eq!(test_store.store.node(&scope, &scene.id).unwrap(), scene);
    assert_eq!(test_store.store.edge(&scope, &way.id).unwrap(), way);
    assert_eq!(test_store.store.latest_pack(&scope, &id(201)).unwrap(), Some(shots));
    // The text is what serde writes, so that nothing need be parsed on its way to a client.
    let text = test_store.store.document(&scope, Collection::Nodes, &scene.id).unwrap();
    assert_eq!(text, serde_json::to_string(&scene).unwrap());
    let text = test_store.store.document(&scope, Collection::Entities, &ana.id).unwrap();
    assert_eq!(text, serde_json::to_string(&ana).unwrap());
}

pub(crate) fn missing_and_foreign_objects_look_the_same(test_store: &TestStore) {
    let (mine, sibling, foreign) =
        (test_store.project_of(1, 1), test_store.project_of(1, 2), test_store.project_of(2, 3));
    let store = &test_store.store;
    for (scope, number) in [(&sibling, 102), (&foreign, 103)] {
        let changes = vec![
            new_entity(&entity(scope, number, "Ana")),
            new_node(&node(scope, number, 1)),
            Change::Edge(edge(scope, number, number, number + 1)),
            Change::Pack(pack(scope, number, number, "in")),
        ];
        test_store.commit(scope, changes).unwrap();
    }
    for number in [102, 103] {
        for collection in
            [Collection::Entities, Collection::Nodes, Collection::Edges, Collection::Packs]
        {
            let there = store.document(&mine, collection, &id(number)).unwrap_err();
            let nowhere = store.document(&mine, collection, &id(999)).unwrap_err();
            assert_eq!((there.kind, &there), (Kind::NotFound, &nowhere), "{collection:?}");
            assert!(store.documents(&mine, collection, &[id(number)]).unwrap().is_empty());
        }
        let put = |number| next_entity(entity(&mine, number, "Mine"), |_| {});
        let there = test_store.commit(&mine, vec![put(number)]).unwrap_err();
        let nowhere = test_store.commit(&mine, vec![put(999)]).unwrap_err();
        assert_eq!((there.kind, &there), (Kind::NotFound, &nowhere));
        let put = next_node(node(&mine, number, 1), |_| {});
        assert_eq!(test_store.commit(&mine, vec![put]).unwrap_err().kind, Kind::NotFound);
        let removal = test_store.commit(&mine, vec![Change::RemoveEdge(id(number))]).unwrap_err();
        assert_eq!(removal.kind, Kind::NotFound);
        assert_eq!(store.latest_pack(&mine, &id(number)).unwrap(), None);
        assert_eq!(store.pack_by_input(&mine, &id(number), "in").unwrap(), None);
    }
    // A project in a tenant that is not its own is not there for any question.
    let stolen = Scope::new(&mine.tenant, &foreign.project);
    assert_eq!(
        store.document(&stolen, Collection::Entities, &id(103)).unwrap_err().kind,
        Kind::NotFound
    );
    assert_eq!(store.read(&stolen, &[Collection::Nodes]).unwrap_err().kind, Kind::NotFound);
    assert_eq!(store.project_revision(&stolen).unwrap_err().kind, Kind::NotFound);
    assert_eq!(store.events(&stolen, None, 5).unwrap_err().kind, Kind::NotFound);
    let change = vec![new_entity(&entity(&stolen, 500, "Thief"))];
    assert_eq!(test_store.commit(&stolen, change).unwrap_err().kind, Kind::NotFound);
    // Neither can a document be smuggled into another project.
    let smuggled = vec![new_entity(&entity(&foreign, 501, "Thief"))];
    assert_eq!(test_store.commit(&mine, smuggled).unwrap_err().kind, Kind::Broken);
    assert_eq!(store.entity(&foreign, &id(103)).unwrap().name, "Ana");
}

pub(crate) fn only_the_expected_revision_is_replaced(test_store: &TestStore) {
    let scope = test_store.project();
    test_store
        .commit(
            &scope,
            vec![new_entity(&entity(&scope, 101, "One")), new_node(&node(&scope, 201, 1))],
        )
        .unwrap();
    let first = test_store.store.entity(&scope, &id(101)).unwrap();
    let to =
        |entity: &Entity, name: &str| next_entity(entity.clone(), |next| next.name = name.into());
    test_store.commit(&scope, vec![to(&first, "Two")]).unwrap();
    let late = test_store.commit(&scope, vec![to(&first, "Lost")]).unwrap_err();
    assert_eq!(late.kind, Kind::Conflict);
    assert!(late.message.contains("revision 2, not 1"), "{late}");
    let second = test_store.store.entity(&scope, &id(101)).unwrap();
    assert_eq!((&*second.name, second.audit.revision), ("Two", 2));
    let again =
        test_store.commit(&scope, vec![new_entity(&entity(&scope, 101, "New"))]).unwrap_err();
    assert_eq!((again.kind, again.message.contains("entity")), (Kind::Conflict, true));
    let mut skips = second.clone();
    skips.audit.revision = 9;
    let skips =
        Change::Entity { document: Box::new(skips), replaces: Some(Box::new(second.clone())) };
    assert_eq!(test_store.commit(&scope, vec![skips]).unwrap_err().kind, Kind::Broken);
    let ahead = next_node(
        StoryNode { audit: Audit { revision: 5, ..second.audit.clone() }, ..node(&scope, 201, 1) },
        |_| {},
    );
    assert_eq!(test_store.commit(&scope, vec![ahead]).unwrap_err().kind, Kind::Conflict);
    assert_eq!(test_store.store.entity(&scope, &id(101)).unwrap(), second);
}

pub(crate) fn a_commit_happens_as_a_whole_or_not_at_all(test_store: &TestStore) {
    let scope = test_store.project();
    test_store.commit(&scope, vec![new_entity(&entity(&scope, 101, "Ana"))]).unwrap();
    let ana = test_store.store.entity(&scope, &id(101)).unwrap();
    let stale = next_entity(
        Entity { audit: Audit { revision: 7, ..ana.audit.clone() }, ..ana.clone() },
        |_| {},
    );
    let changes = vec![
        new_entity(&entity(&scope, 102, "Bento")),
        new_node(&node(&scope, 201, 1)),
        next_entity(ana.clone(), |next| next.name = "Changed".into()),
        Change::Edge(edge(&scope, 401, 201, 202)),
        stale,
    ];
    assert_eq!(test_store.commit(&scope, changes).unwrap_err().kind, Kind::Conflict);
    let all = [Collection::Entities, Collection::Nodes, Collection::Edges];
    let reading = test_store.store.read(&scope, &all).unwrap();
    assert_eq!(reading.revision, 2);
    assert_eq!(reading.collections[0].parse::<Entity>().unwrap(), [ana]);
    assert!(reading.collections[1].is_empty() && reading.collections[2].is_empty());
    assert_eq!(test_store.store.events(&scope, None, 10).unwrap().len(), 2);
}

pub(crate) fn a_commit_changes_nothing_twice(test_store: &TestStore) {
    let scope = test_store.project();
    let (ana, scene) = (entity(&scope, 101, "Ana"), node(&scope, 201, 1));
    let draw = |number| Change::Edge(edge(&scope, number, 201, 202));
    for changes in [
        vec![new_entity(&ana), new_entity(&ana)],
        vec![new_entity(&ana), next_entity(ana.clone(), |_| {})],
        vec![new_node(&scene), new_node(&scene)],
        vec![draw(401), draw(402)],
        vec![draw(401), Change::RemoveEdge(id(401))],
    ] {
        assert_eq!(test_store.commit(&scope, changes).unwrap_err().kind, Kind::Conflict);
    }
    // One edge can take the place of another.
    test_store.commit(&scope, vec![draw(401)]).unwrap();
    test_store.commit(&scope, vec![Change::RemoveEdge(id(401)), draw(402)]).unwrap();
    let edges: Vec<StoryEdge> = test_store.store.graph(&scope).unwrap().edges.parse().unwrap();
    assert_eq!(edges, [edge(&scope, 402, 201, 202)]);
}

pub(crate) fn a_commit_can_rely_on_the_projects_revision(test_store: &TestStore) {
    let scope = test_store.project();
    let commit = |at, number| {
        let changes = vec![new_node(&node(&scope, number, 1))];
        test_store.store.commit(&scope, &Commit { at: Some(at), changes, event: event(&scope) })
    };
    assert_eq!(commit(1, 201).unwrap(), 2);
    let moved = commit(1, 202).unwrap_err();
    assert_eq!(moved.kind, Kind::Moved);
    assert_eq!(commit(3, 202).unwrap_err().kind, Kind::Moved);
    assert_eq!(test_store.store.node(&scope, &id(202)).unwrap_err().kind, Kind::NotFound);
    assert_eq!(commit(2, 202).unwrap(), 3);
}

pub(crate) fn one_edge_of_a_type_leads_from_one_node_to_another(test_store: &TestStore) {
    let (scope, other) = (test_store.project_of(1, 1), test_store.project_of(1, 2));
    test_store.commit(&scope, vec![Change::Edge(edge(&scope, 401, 201, 202))]).unwrap();
    let twice =
        test_store.commit(&scope, vec![Change::Edge(edge(&scope, 402, 201, 202))]).unwrap_err();
    assert_eq!((twice.kind, twice.message.contains("edge")), (Kind::Conflict, true), "{twice}");
    let branch = StoryEdge { edge_type: EdgeType::Branch, ..edge(&scope, 403, 201, 202) };
    test_store.commit(&scope, vec![Change::Edge(branch)]).unwrap();
    test_store.commit(&scope, vec![Change::Edge(edge(&scope, 404, 202, 201))]).unwrap();
    test_store.commit(&other, vec![Change::Edge(edge(&other, 405, 201, 202))]).unwrap();
    assert_eq!(test_store.store.graph(&scope).unwrap().edges.len(), 3);
}

pub(crate) fn an_edge_can_be_removed_and_drawn_again(test_store: &TestStore) {
    let scope = test_store.project();
    test_store.commit(&scope, vec![Change::Edge(edge(&scope, 401, 201, 202))]).unwrap();
    assert_eq!(test_store.commit(&scope, vec![Change::RemoveEdge(id(401))]).unwrap(), 3);
    assert!(test_store.store.graph(&scope).unwrap().edges.is_empty());
    assert_eq!(test_store.store.edge(&scope, &id(401)).unwrap_err().kind, Kind::NotFound);
    let gone = test_store.commit(&scope, vec![Change::RemoveEdge(id(401))]).unwrap_err();
    assert_eq!(gone.kind, Kind::NotFound);
    let again = edge(&scope, 402, 201, 202);
    test_store.commit(&scope, vec![Change::Edge(again.clone())]).unwrap();
    assert_eq!(
        test_store.store.graph(&scope).unwrap().edges.parse::<StoryEdge>().unwrap(),
        [again]
    );
}

pub(crate) fn packs_are_found_by_their_input_and_the_latest_wins(test_store: &TestStore) {
    let scope = test_store.project();
    let (one, mut two) = (pack(&scope, 301, 201, "one"), pack(&scope, 302, 201, "two"));
    two.created_at += 1;
    test_store.commit(&scope, vec![Change::Pack(two.clone())]).unwrap();
    test_store.commit(&scope, vec![Change::Pack(one.clone())]).unwrap();
    test_store.commit(&scope, vec![Change::Pack(pack(&scope, 303, 202, "one"))]).unwrap();
    let store = &test_store.store;
    assert_eq!(store.pack_by_input(&scope, &id(201), "one").unwrap(), Some(one));
    assert_eq!(store.pack_by_input(&scope, &id(201), "three").unwrap(), None);
    assert_eq!(store.latest_pack(&scope, &id(201)).unwrap(), Some(two));
    assert_eq!(store.latest_pack(&scope, &id(209)).unwrap(), None);
    let twice = test_store.commit(&scope, vec![Change::Pack(pack(&scope, 304, 201, "one"))]);
    assert_eq!(twice.unwrap_err().kind, Kind::Conflict);
}

pub(crate) fn every_commit_leaves_an_event(test_store: &TestStore) {
    let scope = test_store.project();
    for number in [101, 102] {
        let event = AuditEvent { object_id: Some(id(number)), ..event(&scope) };
        let changes = vec![new_entity(&entity(&scope, number, "Ana"))];
        test_store.store.commit(&scope, &Commit { at: None, changes, event }).unwrap();
    }
    let events = test_store.store.events(&scope, None, 10).unwrap();
    let told: Vec<_> =
        events.iter().map(|event| (event.object_id.clone(), event.revision)).collect();
    assert_eq!(told, [(Some(id(102)), 3), (Some(id(101)), 2), (None, 1)]);
    assert_eq!(test_store.store.events(&scope, None, 2).unwrap(), events[..2]);
    assert_eq!(test_store.store.events(&scope, Some(&id(101)), 10).unwrap(), events[1..2]);
    assert_eq!(events[0].user_id, id(1001));
}

pub(crate) fn the_types_of_entities_are_returned(test_store: &TestStore) {
    let scope = test_store.project();
    let place = Entity { kind: EntityType::Location, ..entity(&scope, 102, "Pier") };
    test_store
        .commit(&scope, vec![new_entity(&entity(&scope, 101, "Ana")), new_entity(&place)])
        .unwrap();
    let ids = [102, 101, 999, 102].map(id);
    let types = test_store.store.entity_types(&scope, &ids).unwrap();
    let expected = [(id(101), EntityType::Character), (id(102), EntityType::Location)];
    assert_eq!(types, BTreeMap::from(expected));
    assert!(test_store.store.entity_types(&scope, &[]).unwrap().is_empty());
}
