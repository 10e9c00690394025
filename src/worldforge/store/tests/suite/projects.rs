//! Projects, their revision, and their whole content.

use serde_json::{Value, json};

use crate::model::{Entity, Snapshot, StoryNode};
use crate::store::tests::fixtures::{
    TestStore, edge, entity, event, id, new_entity, new_node, next_node, node, pack, project,
    tenant,
};
use crate::store::{Change, Collection, Commit, Kind, Scope, World};

pub(crate) fn a_project_is_found_in_its_tenant_only(test_store: &TestStore) {
    let one = test_store.project_of(1, 1);
    test_store.project_of(1, 2);
    test_store.project_of(2, 3);
    let store = &test_store.store;
    assert_eq!(store.project(&one).unwrap(), project(&one));
    let ids = |tenant| -> Vec<String> {
        store.projects(&id(tenant)).unwrap().into_iter().map(|project| project.id).collect()
    };
    assert_eq!((ids(1), ids(2), ids(9)), (vec![id(1), id(2)], vec![id(3)], vec![]));
    let foreign = store.project(&Scope::new(&id(2), &id(1))).unwrap_err();
    assert_eq!(foreign, store.project(&Scope::new(&id(2), &id(99))).unwrap_err());
    assert_eq!(foreign.kind, Kind::NotFound);
    let homeless = Scope::new(&id(99), &id(50));
    let error = store.create_project(&World::empty(project(&homeless)), &event(&homeless));
    assert_eq!(error.unwrap_err().kind, Kind::NotFound, "of a tenant that is not there");
}

fn world(scope: &Scope) -> World {
    let version = |object, number| Snapshot {
        tenant_id: scope.tenant.clone(),
        project_id: scope.project.clone(),
        object_type: crate::model::ObjectType::Entity,
        object_id: id(object),
        number,
        content_hash: "abc".into(),
        snapshot: json!({"name": "Ana"}),
        published_by: id(1001),
        published_at: 1_700_000_005_000,
    };
    let mut late = pack(scope, 301, 202, "two");
    late.created_at += 1;
    World {
        entities: vec![entity(scope, 102, "Bento"), entity(scope, 101, "Ana")],
        nodes: vec![node(scope, 203, 1), node(scope, 201, 7), node(scope, 202, 7)],
        edges: vec![edge(scope, 402, 201, 202), edge(scope, 401, 203, 201)],
        packs: vec![late, pack(scope, 302, 201, "one")],
        snapshots: vec![version(102, 2), version(101, 3), version(101, 2)],
        ..World::empty(project(scope))
    }
}

pub(crate) fn a_project_starts_with_everything_or_not_at_all(test_store: &TestStore) {
    test_store.project_of(1, 1);
    let scope = Scope::new(&id(1), &id(2));
    let store = &test_store.store;
    let mut broken = world(&scope);
    broken.edges.push(edge(&scope, 403, 201, 202));
    let error = store.create_project(&broken, &event(&scope)).unwrap_err();
    assert_eq!(error.kind, Kind::Conflict, "{error:?}");
    assert_eq!(store.project(&scope).unwrap_err().kind, Kind::NotFound);
    assert_eq!(store.projects(&id(1)).unwrap().len(), 1);

    store.create_project(&world(&scope), &event(&scope)).unwrap();
    assert_eq!(store.project_revision(&scope).unwrap(), 1);
    let all = [Collection::Entities, Collection::Nodes, Collection::Edges, Collection::Packs];
    let reading = store.read(&scope, &all).unwrap();
    let counts: Vec<usize> = reading.collections.iter().map(|documents| documents.len()).collect();
    assert_eq!((reading.revision, counts), (1, vec![2, 3, 2, 2]));
    assert_eq!(store.events(&scope, None, 10).unwrap().len(), 1);
    let error = store.create_project(&world(&scope), &event(&scope)).unwrap_err();
    assert_eq!(error.kind, Kind::Conflict, "the id is taken");
    assert_eq!(store.read(&scope, &all).unwrap(), reading);
}

pub(crate) fn the_revision_grows_with_the_story_only(test_store: &TestStore) {
    let (one, other) = (test_store.project_of(1, 1), test_store.project_of(1, 2));
    let revision = || test_store.store.project_revision(&one).unwrap();
    assert_eq!(revision(), 1);
    assert_eq!(test_store.commit(&one, vec![new_entity(&entity(&one, 101, "Ana"))]).unwrap(), 2);
    test_store
        .commit(&one, vec![new_node(&node(&one, 201, 1)), new_node(&node(&one, 202, 2))])
        .unwrap();
    assert_eq!(revision(), 3);
    assert_eq!(test_store.commit(&one, vec![Change::Edge(edge(&one, 401, 201, 202))]).unwrap(), 4);
    assert_eq!(test_store.commit(&one, vec![Change::Pack(pack(&one, 301, 201, "x"))]).unwrap(), 4);
    assert_eq!(revision(), 4, "a pack changes no story");
    test_store.commit(&one, vec![new_entity(&entity(&one, 101, "Twice"))]).unwrap_err();
    assert_eq!(revision(), 4, "a commit that fails changes nothing");
    assert_eq!(test_store.store.project_revision(&other).unwrap(), 1);
}

pub(crate) fn whole_collections_come_in_order(test_store: &TestStore) {
    let scope = Scope::new(&id(1), &id(2));
    test_store.store.create_tenant(&tenant(1)).unwrap();
    test_store.store.create_project(&world(&scope), &event(&scope)).unwrap();
    // Those of other tenants are not among them.
    let other = test_store.project_of(1, 3);
    test_store.commit(&other, vec![new_node(&node(&other, 299, 1))]).unwrap();
    let all = [
        Collection::Versions,
        Collection::Packs,
        Collection::Edges,
        Collection::Nodes,
        Collection::Entities,
    ];
    let reading = test_store.store.read(&scope, &all).unwrap();
    let ids: Vec<Vec<String>> = reading.collections[1..]
        .iter()
        .map(|documents| {
            let values: Vec<Value> = documents.parse().unwrap();
            values.iter().map(|value| value["_id"].as_str().unwrap().to_owned()).collect()
        })
        .collect();
    let expected = [vec![302, 301], vec![401, 402], vec![203, 201, 202], vec![101, 102]];
    assert_eq!(ids, expected.map(|ids| ids.into_iter().map(id).collect::<Vec<_>>()));
    let versions: Vec<Snapshot> = reading.collections[0].parse().unwrap();
    let versions: Vec<_> = versions.iter().map(|one| (one.object_id.clone(), one.number)).collect();
    assert_eq!(versions, [(id(101), 2), (id(101), 3), (id(102), 2)]);

    let graph = test_store.store.graph(&scope).unwrap();
    assert_eq!(graph.nodes, reading.collections[3]);
    assert_eq!(graph.edges, reading.collections[2]);
    let moved = test_store.store.node(&scope, &id(203)).unwrap();
    test_store.commit(&scope, vec![next_node(moved, |node| node.time.order = 9)]).unwrap();
    let graph = test_store.store.graph(&scope).unwrap();
    let nodes: Vec<StoryNode> = graph.nodes.parse().unwrap();
    assert_eq!(graph.revision, 2);
    assert_eq!(nodes.iter().map(|node| &*node.id).collect::<Vec<_>>(), [id(201), id(202), id(203)]);
}

pub(crate) fn writes_are_there_after_reopening(test_store: &TestStore) {
    let scope = test_store.project();
    let ana: Entity = entity(&scope, 101, "Ana");
    test_store.commit(&scope, vec![new_entity(&ana)]).unwrap();
    let again = test_store.again();
    assert_eq!(again.entity(&scope, &ana.id).unwrap(), ana);
    let commit = Commit {
        at: Some(2),
        changes: vec![new_node(&node(&scope, 201, 1))],
        event: event(&scope),
    };
    assert_eq!(again.commit(&scope, &commit).unwrap(), 3);
    assert_eq!(test_store.store.node(&scope, &id(201)).unwrap(), node(&scope, 201, 1));
}
