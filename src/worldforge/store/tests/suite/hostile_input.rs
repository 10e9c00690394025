//! Hostile and oversized input.

use serde_json::{Map, Value, json};

use crate::model::{Delta, DeltaOp, Entity, StoryNode};
use crate::store::tests::fixtures::{
    TestStore, entity, event, id, new_entity, new_node, node, project,
};
use crate::store::{Change, Collection, Kind, Scope, World};

fn fields(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

/// What comes back for an entity with these attributes.
fn through(test_store: &TestStore, scope: &Scope, number: u64, attributes: Value) -> Value {
    let ana = Entity { attributes: fields(attributes), ..entity(scope, number, "Ana") };
    test_store.commit(scope, vec![new_entity(&ana)]).unwrap();
    test_store.store.entity(scope, &id(number)).unwrap().attributes.into()
}

pub(crate) fn free_fields_hold_any_json(test_store: &TestStore) {
    let scope = test_store.project();
    for (number, attributes) in (101..).zip([
        json!({"": "", " ": [[], {}, [[]]], "é": "\u{0}\u{1f}\u{7f}\u{10ffff}"}),
        json!({"i": [i64::MIN, i64::MAX, 0, -1, 2147483648_i64, 1]}),
        json!({"f": [1.0, 1e308, 5e-324, 0.1, -0.0, 123456789.125]}),
        json!({"_id": "x", "tenantId": "y", "_words": 1, "audit": {"updatedAt": 5}}),
        json!({"0": {"0": {"00": null}}, "10": 1, "9": 2}),
        json!({"a": id(5), "createdAt": 1_700_000_000_000_i64}),
    ]) {
        assert_eq!(through(test_store, &scope, number, attributes.clone()), attributes);
    }
    let mut styled = project(&Scope::new(&scope.tenant, &id(50)));
    styled.style_bible = fields(json!({"$palette": {"a.b": ["#fff", 1, null]}}));
    let other = Scope::new(&styled.tenant_id, &styled.id);
    test_store.store.create_project(&World::empty(styled.clone()), &event(&other)).unwrap();
    assert_eq!(test_store.store.project(&other).unwrap(), styled);
}

pub(crate) fn operator_documents_are_data(test_store: &TestStore) {
    let scope = test_store.project();
    for (number, attributes) in (101..).zip([
        json!({"$gt": ""}),
        json!({"a": {"$gt": "", "$where": "sleep(1000)"}}),
        json!({"a.b": 1, "a": {"b": 2}, "$a.$b": {".": {"$": 1}}}),
        json!({"$ref": 1, "$id": {"$ref": "x"}, "$db": null}),
        json!({"$oid": "000000000000000000000001", "x": {"$date": 5}, "y": {"$numberLong": "5"}}),
        json!({"$set": {"version": {"status": "PUBLISHED"}}, "$unset": ["name"]}),
    ]) {
        assert_eq!(through(test_store, &scope, number, attributes.clone()), attributes);
    }
    let delta = Delta { key: "$where".into(), op: DeltaOp::Set, value: json!({"$ne": null}) };
    let scene = StoryNode { world_state_delta: vec![delta], ..node(&scope, 201, 1) };
    test_store.commit(&scope, vec![new_node(&scene)]).unwrap();
    assert_eq!(test_store.store.node(&scope, &id(201)).unwrap(), scene);
}

pub(crate) fn unstorable_values_are_refused(test_store: &TestStore) {
    let scope = test_store.project();
    let deep = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!({"a": inner}));
    for (attributes, why) in [
        (deep(200), "deep"),
        (json!({"n": u64::MAX}), "number"),
        (json!({"a\0b": 1}), "NUL"),
        (json!({"text": "x".repeat(5 << 20)}), "bytes"),
    ] {
        let ana = Entity { attributes: fields(attributes), ..entity(&scope, 101, "Ana") };
        let error = test_store.commit(&scope, vec![new_entity(&ana)]).unwrap_err();
        assert_eq!(error.kind, Kind::Refused, "{why}");
        assert!(error.message.contains(why) && error.message.contains("entity"), "{error}");
    }
    let mut late = node(&scope, 201, u64::MAX);
    assert_eq!(test_store.commit(&scope, vec![new_node(&late)]).unwrap_err().kind, Kind::Refused);
    late.time.order = 1;
    late.id = "not an id".into();
    assert_eq!(test_store.commit(&scope, vec![new_node(&late)]).unwrap_err().kind, Kind::Refused);
    assert_eq!(test_store.store.project_revision(&scope).unwrap(), 1);
    let fits = deep(75);
    assert_eq!(through(test_store, &scope, 102, fits.clone()), fits);
}

pub(crate) fn malformed_ids_are_not_found(test_store: &TestStore) {
    let scope = test_store.project();
    let capital = format!("{}A", &id(0)[1..]);
    for malformed in
        ["", "1", "zz", "{\"$gt\": \"\"}", "' OR 1=1 --", &"0".repeat(25), "é", &capital]
    {
        for collection in [Collection::Entities, Collection::Nodes, Collection::Versions] {
            let error = test_store.store.document(&scope, collection, malformed).unwrap_err();
            assert_eq!(error.kind, Kind::NotFound, "{malformed}");
        }
        let none =
            test_store.store.documents(&scope, Collection::Entities, &[malformed.into()]).unwrap();
        assert!(none.is_empty());
        let elsewhere = Scope::new(&scope.tenant, malformed);
        assert_eq!(test_store.store.project(&elsewhere).unwrap_err().kind, Kind::NotFound);
        let nobodys = Scope::new(malformed, &scope.project);
        assert_eq!(test_store.store.project(&nobodys).unwrap_err().kind, Kind::NotFound);
        assert_eq!(
            test_store.store.user(&scope.tenant, malformed).unwrap_err().kind,
            Kind::NotFound
        );
        assert_eq!(test_store.store.tenant(malformed).unwrap_err().kind, Kind::NotFound);
        assert!(test_store.store.users(malformed).unwrap().is_empty());
        assert!(test_store.store.projects(malformed).unwrap().is_empty());
        assert_eq!(test_store.store.latest_pack(&scope, malformed).unwrap(), None);
        assert!(test_store.store.events(&scope, Some(malformed), 9).unwrap().is_empty());
        let removal = test_store.commit(&scope, vec![Change::RemoveEdge(malformed.into())]);
        assert_eq!(removal.unwrap_err().kind, Kind::Refused);
    }
}

pub(crate) fn large_documents_fit(test_store: &TestStore) {
    let scope = test_store.project();
    let text = "palavra única ".repeat(70_000);
    let ana = Entity {
        attributes: fields(json!({"text": text})),
        summary: (0..20_000).map(|number| format!("w{number} ")).collect(),
        ..entity(&scope, 101, "Ana")
    };
    test_store.commit(&scope, vec![new_entity(&ana)]).unwrap();
    assert_eq!(test_store.store.entity(&scope, &id(101)).unwrap(), ana);
}
