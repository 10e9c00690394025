//! Versions.

use serde_json::Value;

use crate::model::{Entity, ObjectType, StoryNode, VersionStatus};
use crate::store::tests::fixtures::{
    TestStore, entity, event, id, new_entity, new_node, next_entity, node,
};
use crate::store::{Kind, Publication, Scope, content_hash, publish};

fn publication(scope: &Scope, object: ObjectType, number: u64) -> Publication {
    Publication {
        object,
        id: id(number),
        by: id(1002),
        at: 1_700_000_009_000,
        project_revision: None,
        event: event(scope),
    }
}

fn published<T: serde::de::DeserializeOwned>(
    test_store: &TestStore,
    publication: &Publication,
    scope: &Scope,
) -> T {
    let object: Value = publish(&*test_store.store, scope, publication).unwrap();
    serde_json::from_value(object).unwrap()
}

pub(crate) fn publication_is_a_snapshot_a_status_and_a_number(test_store: &TestStore) {
    let scope = test_store.project();
    let (ana, scene) = (entity(&scope, 101, "Ana"), node(&scope, 201, 1));
    test_store.commit(&scope, vec![new_entity(&ana), new_node(&scene)]).unwrap();
    assert!(test_store.store.history(&scope, ObjectType::Entity, &ana.id).unwrap().is_empty());
    let canon: Entity =
        published(test_store, &publication(&scope, ObjectType::Entity, 101), &scope);
    assert_eq!((canon.version.status, canon.version.number), (VersionStatus::Published, 2));
    assert_eq!((canon.audit.revision, &*canon.audit.updated_by), (2, &*id(1002)));
    assert_eq!(test_store.store.entity(&scope, &ana.id).unwrap(), canon);
    let version = test_store.store.version(&scope, ObjectType::Entity, &ana.id, 2).unwrap();
    assert_eq!(version.snapshot, serde_json::to_value(&canon).unwrap());
    assert_eq!(version.content_hash, content_hash(&ana).unwrap());
    assert_eq!((&*version.published_by, version.published_at), (&*id(1002), 1_700_000_009_000));

    let mut order = publication(&scope, ObjectType::StoryNode, 201);
    order.project_revision = Some(2);
    let moved = publish(&*test_store.store, &scope, &order).unwrap_err();
    assert_eq!(moved.kind, Kind::Moved, "it was checked at another revision");
    assert!(test_store.store.history(&scope, ObjectType::StoryNode, &scene.id).unwrap().is_empty());
    order.project_revision = Some(3);
    let canon: StoryNode = published(test_store, &order, &scope);
    assert_eq!(canon.version.number, 2);
    assert_eq!(test_store.store.project_revision(&scope).unwrap(), 4);
    for (object, missing) in [(ObjectType::Entity, 201), (ObjectType::StoryNode, 999)] {
        let error = publish(&*test_store.store, &scope, &publication(&scope, object, missing));
        assert_eq!(error.unwrap_err().kind, Kind::NotFound);
    }
}

pub(crate) fn a_published_object_is_published_once(test_store: &TestStore) {
    let scope = test_store.project();
    test_store.commit(&scope, vec![new_entity(&entity(&scope, 101, "Ana"))]).unwrap();
    let order = || publication(&scope, ObjectType::Entity, 101);
    let first: Entity = published(test_store, &order(), &scope);
    let again: Entity = published(test_store, &order(), &scope);
    assert_eq!(first, again);
    assert_eq!(test_store.store.history(&scope, ObjectType::Entity, &id(101)).unwrap().len(), 1);
    assert_eq!(test_store.store.project_revision(&scope).unwrap(), 3);
}

pub(crate) fn versions_stay_what_they_were(test_store: &TestStore) {
    let scope = test_store.project();
    test_store.commit(&scope, vec![new_entity(&entity(&scope, 101, "Ana"))]).unwrap();
    for name in ["Ana I", "Ana II", "Ana III"] {
        let ana = test_store.store.entity(&scope, &id(101)).unwrap();
        let edit = next_entity(ana, |next| {
            next.name = name.into();
            next.version.status = VersionStatus::Draft;
        });
        test_store.commit(&scope, vec![edit]).unwrap();
        let _: Entity =
            published(test_store, &publication(&scope, ObjectType::Entity, 101), &scope);
    }
    let history = test_store.store.history(&scope, ObjectType::Entity, &id(101)).unwrap();
    assert_eq!(history.iter().map(|edition| edition.number).collect::<Vec<_>>(), [2, 3, 4]);
    for (number, name) in [(2, "Ana I"), (3, "Ana II"), (4, "Ana III")] {
        let version =
            test_store.store.version(&scope, ObjectType::Entity, &id(101), number).unwrap();
        let then: Entity = serde_json::from_value(version.snapshot).unwrap();
        assert_eq!((&*then.name, then.version.number), (name, number));
        assert_eq!(version.content_hash, content_hash(&then).unwrap());
    }
    let missing = test_store.store.version(&scope, ObjectType::Entity, &id(101), 9).unwrap_err();
    assert_eq!(missing.kind, Kind::NotFound);
    let other = test_store.project_of(2, 2);
    assert!(test_store.store.history(&other, ObjectType::Entity, &id(101)).unwrap().is_empty());
    let foreign = test_store.store.version(&other, ObjectType::Entity, &id(101), 2).unwrap_err();
    assert_eq!(foreign.kind, Kind::NotFound);
}
