//! What dead writers leave behind, and what stalled writers do late.

use mongodb::bson::oid::ObjectId;
use mongodb::bson::{Bson, DateTime, doc};
use mongodb::sync::Client;

use super::ops::Op;
use super::{Mongo, pending, state};
use crate::model::{Entity, ObjectType, Version, VersionStatus};
use crate::store::tests::fixtures::{
    TestStore, edge, entity, event, id, mongo, new_entity, new_node, next_entity, next_node, node,
    project,
};
use crate::store::{Change, Collection, Kind, Publication, Scope, Search, World, publish};

/// The same database, from inside.
fn inside(test_store: &TestStore) -> Mongo {
    Mongo::open(&test_store.url, &test_store.name, std::time::Duration::from_secs(30)).unwrap()
}

fn ops(connected: &super::Connected, scope: &Scope, changes: &[Change], revision: u64) -> Vec<Op> {
    let mut ops = super::ops::prepare(connected, scope, changes).unwrap();
    ops.push(Op::record(&event(scope), revision).unwrap());
    ops
}

/// Commits the changes and applies the first `steps` of them.
fn die_after(test_store: &TestStore, scope: &Scope, changes: &[Change], steps: usize) -> Vec<Op> {
    let mongo = inside(test_store);
    let connected = mongo.connected().unwrap();
    let state = state::current(&connected, scope).unwrap();
    let ops = ops(&connected, scope, changes, state.revision + 1);
    let revision = i64::try_from(state.revision + 1).unwrap();
    let filter = state::filter(scope).unwrap();
    assert!(pending::promise(&connected, filter, &state, revision, &ops).unwrap());
    for op in &ops[..steps] {
        op.redo(&connected).unwrap();
    }
    ops
}

/// An edit of Ana, a new scene and an edge.
fn changes(scope: &Scope, ana: Entity) -> [Change; 3] {
    let edit = next_entity(ana, |next| next.name = "Beatriz".into());
    [edit, new_node(&node(scope, 201, 1)), Change::Edge(edge(scope, 401, 201, 202))]
}

#[test]
fn the_next_caller_finishes_a_dead_writers_commit() {
    for transactions in [false, true] {
        for steps in 0..=4 {
            let Some(test_store) = mongo(transactions) else { return };
            let scope = test_store.project();
            let ana = entity(&scope, 101, "Ana");
            test_store.commit(&scope, vec![new_entity(&ana)]).unwrap();
            die_after(&test_store, &scope, &changes(&scope, ana), steps);
            let store = &test_store.store;
            match steps {
                0 => assert_eq!(store.entity(&scope, &id(101)).unwrap().name, "Beatriz"),
                1 => assert_eq!(store.graph(&scope).unwrap().edges.len(), 1),
                2 => {
                    let query = "bea".to_owned();
                    let search = Search { query, kind: None, limit: 5, offset: 0 };
                    assert_eq!(store.search(&scope, &search).unwrap().total, 1);
                }
                3 => assert_eq!(store.events(&scope, None, 9).unwrap().len(), 3),
                _ => {
                    let other = vec![new_node(&node(&scope, 202, 2))];
                    assert_eq!(test_store.commit(&scope, other).unwrap(), 4);
                }
            }
            let all = [Collection::Entities, Collection::Nodes, Collection::Edges];
            let reading = store.read(&scope, &all).unwrap();
            let entities: Vec<Entity> = reading.collections[0].parse().unwrap();
            assert_eq!((&*entities[0].name, entities[0].audit.revision), ("Beatriz", 2));
            assert_eq!(reading.collections[1].len(), if steps == 4 { 2 } else { 1 });
            assert_eq!(reading.collections[2].len(), 1);
            let mongo = inside(&test_store);
            let raw = state::project(&mongo.connected().unwrap(), &scope).unwrap();
            assert!(raw.get("_pending").unwrap().is_none());
        }
    }
}

#[test]
fn late_writes_are_harmless() {
    let Some(test_store) = mongo(false) else { return };
    let scope = test_store.project();
    let ana = entity(&scope, 101, "Ana");
    test_store.commit(&scope, vec![new_entity(&ana)]).unwrap();
    let late = die_after(&test_store, &scope, &changes(&scope, ana), 0);
    // Others finish it and go on.
    let read = test_store.store.entity(&scope, &id(101)).unwrap();
    let scene = test_store.store.node(&scope, &id(201)).unwrap();
    let next = vec![
        next_entity(read, |next| next.name = "Clara".into()),
        next_node(scene, |next| next.title = "Dawn".into()),
        Change::RemoveEdge(id(401)),
    ];
    test_store.commit(&scope, next).unwrap();
    let all = [Collection::Entities, Collection::Nodes, Collection::Edges];
    let before = test_store.store.read(&scope, &all).unwrap();
    let mongo = inside(&test_store);
    for op in &late {
        op.redo(&mongo.connected().unwrap()).unwrap();
    }
    assert_eq!(test_store.store.read(&scope, &all).unwrap(), before);
    assert_eq!(test_store.store.entity(&scope, &id(101)).unwrap().name, "Clara");
    assert!(before.collections[2].is_empty(), "the edge stays removed");
    assert_eq!(test_store.store.events(&scope, None, 9).unwrap().len(), 4);
}

#[test]
fn a_dead_import_is_hidden_and_taken_over() {
    let Some(test_store) = mongo(true) else { return };
    let other = test_store.project();
    let scope = Scope::new(&other.tenant, &id(77));
    let client = Client::with_uri_str(&test_store.url).unwrap();
    let database = client.database(&test_store.name);
    let (import, tenant) = (ObjectId::new(), super::bson::id(&scope.tenant).unwrap());
    let home = super::bson::id(&scope.project).unwrap();
    let left = doc! {"_id": home, "tenantId": tenant, "title": "x", "createdAt": DateTime::from_millis(1),
    "_revision": 1_i64, "_writes": 1_i64, "_importing": import};
    database.collection("projects").insert_one(left).run().unwrap();
    let mut stray = super::bson::document(&entity(&scope, 101, "Ana")).unwrap();
    stray.append(mongodb::bson::cstr!("_import"), import);
    let entities = database.collection::<mongodb::bson::RawDocumentBuf>("entities");
    entities.insert_one(stray).run().unwrap();

    assert_eq!(test_store.store.project(&scope).unwrap_err().kind, Kind::NotFound);
    assert_eq!(test_store.store.projects(&scope.tenant).unwrap().len(), 1);
    assert_eq!(test_store.store.entity(&scope, &id(101)).unwrap_err().kind, Kind::NotFound);
    let world =
        World { entities: vec![entity(&scope, 101, "Bento")], ..World::empty(project(&scope)) };
    test_store.store.create_project(&world, &event(&scope)).unwrap();
    assert_eq!(test_store.store.entity(&scope, &id(101)).unwrap().name, "Bento");
    assert_eq!(
        test_store.store.read(&scope, &[Collection::Entities]).unwrap().collections[0].len(),
        1
    );
}

#[test]
fn what_the_original_program_wrote_can_be_read_and_changed() {
    let Some(test_store) = mongo(true) else { return };
    let scope = test_store.project();
    let client = Client::with_uri_str(&test_store.url).unwrap();
    let database = client.database(&test_store.name);
    let oid = |number| super::bson::id(&id(number)).unwrap();
    let (tenant, home) = (oid(1), oid(2));
    let now = DateTime::from_millis(1_700_000_000_000);
    let version = doc! {"status": "DRAFT", "number": 1};
    let audit = doc! {"createdBy": oid(1001), "updatedBy": oid(1001), "updatedAt": now};
    let scoped = |more: mongodb::bson::Document| {
        let mut all = doc! {"tenantId": tenant, "projectId": home};
        all.extend(more);
        all
    };
    let put = |collection: &str, document| {
        database.collection(collection).insert_one(document).run().unwrap();
    };
    put(
        "projects",
        doc! {"_id": home, "tenantId": tenant, "title": "Old", "logline": "", "createdAt": now},
    );
    put(
        "entities",
        scoped(doc! {"_id": oid(101), "type": "CHARACTER", "name": "Conexão",
        "summary": "", "attributes": {}, "relationships": [], "version": version.clone(), "audit": audit.clone()}),
    );
    put(
        "storyNodes",
        scoped(doc! {"_id": oid(201), "nodeType": "SCENE", "title": "Old scene",
        "synopsis": "", "time": {"order": 3}, "version": version, "audit": audit}),
    );
    put(
        "storyEdges",
        scoped(doc! {"_id": oid(401), "fromNodeId": oid(201), "toNodeId": oid(202),
        "edgeType": "LINEAR", "conditions": [], "notes": ""}),
    );
    put(
        "promptPacks",
        scoped(doc! {"_id": oid(301), "nodeId": oid(201), "target": "HIGGSFIELD",
        "shots": [], "createdAt": now}),
    );

    let old = Scope::new(&scope.tenant, &id(2));
    let store = test_store.again();
    assert_eq!(store.project(&old).unwrap().title, "Old");
    assert_eq!(store.project_revision(&old).unwrap(), 0);
    assert_eq!(store.node(&old, &id(201)).unwrap().time.order, 3);
    assert_eq!(store.edge(&old, &id(401)).unwrap().audit.revision, 0);
    let pack = store.latest_pack(&old, &id(201)).unwrap().unwrap();
    assert_eq!((&*pack.input_hash, pack.template_revision), ("", 1));
    let search = Search { query: "conexao".into(), kind: None, limit: 5, offset: 0 };
    assert_eq!(store.search(&old, &search).unwrap().total, 1);
    let publication = Publication {
        object: ObjectType::Entity,
        id: id(101),
        by: id(1001),
        at: 5,
        project_revision: Some(0),
        event: event(&old),
    };
    publish(&*store, &old, &publication).unwrap();
    let canon = store.entity(&old, &id(101)).unwrap();
    assert_eq!(canon.version, Version { status: VersionStatus::Published, number: 2 });
    assert_eq!((canon.audit.revision, store.project_revision(&old).unwrap()), (1, 1));
    let raw: mongodb::bson::Document =
        database.collection("entities").find_one(doc! {"_id": oid(101)}).run().unwrap().unwrap();
    assert!(matches!(raw.get("tenantId"), Some(Bson::ObjectId(_))));
    assert!(matches!(raw.get_document("audit").unwrap().get("updatedAt"), Some(Bson::DateTime(_))));
}

#[test]
fn a_transaction_that_nobody_ends_does_not_stop_the_others() {
    let Some(test_store) = mongo(true) else { return };
    let scope = test_store.project();
    let dead = inside(&test_store);
    let connected = dead.connected().unwrap();
    let mut session = connected.client.start_session().run().unwrap();
    let project = state::filter(&scope).unwrap();
    super::writers::enlist(&connected, &project, session.id()).unwrap();
    session.start_transaction().run().unwrap();
    let touch = doc! {"$set": {"_revision": 99_i64}};
    connected.projects().update_one(project, touch).session(&mut session).run().unwrap();
    // Its writer never comes back.
    test_store.commit(&scope, vec![new_entity(&entity(&scope, 101, "Ana"))]).unwrap();
    assert_eq!(test_store.store.project_revision(&scope).unwrap(), 2);
    assert!(session.commit_transaction().run().is_err());
    assert_eq!(test_store.store.project_revision(&scope).unwrap(), 2);
}
