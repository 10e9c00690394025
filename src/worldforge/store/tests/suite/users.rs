//! Tenants and users.

use crate::model::User;
use crate::store::Kind;
use crate::store::tests::fixtures::{TestStore, id, tenant, user};

pub(crate) fn tenants_are_found_by_id_and_listed_by_name(test_store: &TestStore) {
    let store = &test_store.store;
    assert!(store.tenants().unwrap().is_empty());
    for number in [2, 1, 3] {
        store.create_tenant(&tenant(number)).unwrap();
    }
    assert_eq!(store.tenants().unwrap(), [1, 2, 3].map(tenant));
    assert_eq!(store.tenant(&id(2)).unwrap(), tenant(2));
    assert_eq!(store.tenant(&id(9)).unwrap_err().kind, Kind::NotFound);
}

pub(crate) fn names_and_emails_are_taken_once(test_store: &TestStore) {
    let store = &test_store.store;
    store.create_tenant(&tenant(1)).unwrap();
    let mut same_name = tenant(2);
    same_name.name = tenant(1).name;
    let taken = store.create_tenant(&same_name).unwrap_err();
    assert_eq!((taken.kind, taken.message.contains("tenant")), (Kind::Conflict, true));
    store.add_user(&user(1, 1)).unwrap();
    let same_email = User { id: id(77), ..user(1, 1) };
    let taken = store.add_user(&same_email).unwrap_err();
    assert_eq!((taken.kind, taken.message.contains("user")), (Kind::Conflict, true));
    let same_id = User { email: "other@example.org".into(), ..user(1, 1) };
    assert_eq!(store.add_user(&same_id).unwrap_err().kind, Kind::Conflict);
    assert_eq!(store.users(&id(1)).unwrap(), [user(1, 1)]);
}

pub(crate) fn users_belong_to_one_tenant(test_store: &TestStore) {
    let store = &test_store.store;
    store.create_tenant(&tenant(1)).unwrap();
    store.create_tenant(&tenant(2)).unwrap();
    let nobody = store.add_user(&user(3, 1)).unwrap_err();
    assert_eq!(nobody.kind, Kind::NotFound, "a user of a tenant that is not there");
    store.add_user(&user(1, 2)).unwrap();
    store.add_user(&user(1, 1)).unwrap();
    store.add_user(&user(2, 1)).unwrap();
    assert_eq!(store.users(&id(1)).unwrap(), [user(1, 1), user(1, 2)]);
    assert_eq!(store.user(&id(1), &user(1, 2).id).unwrap(), user(1, 2));
    assert_eq!(store.user_by_email(&id(2), &user(1, 1).email).unwrap(), user(2, 1));
    let foreign = store.user(&id(2), &user(1, 2).id).unwrap_err();
    assert_eq!(foreign, store.user(&id(2), &id(424_242)).unwrap_err());
    assert_eq!(foreign.kind, Kind::NotFound);
    assert_eq!(store.user_by_email(&id(2), &user(1, 2).email).unwrap_err().kind, Kind::NotFound);
}
