//! Processes that are killed while they work, fifty times each.
//!
//! The worker is this test program, started with an instruction in its environment. It prints what has
//! been acknowledged; then it is killed, and its leftovers are checked.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::model::{Entity, ObjectType, VersionStatus};
use crate::store::tests::fixtures::{self, TestStore, entity, event, id, new_entity, next_entity};
use crate::store::{
    AuditEvent, Commit, Kind, Publication, Result, Scope, Search, Store, open, publish,
};

const ORDER: &str = "WORLDFORGE_TEST_ORDER";
const KILLS: u64 = 50;

/// Not a test of its own: what the worker does.
#[test]
fn worker() {
    let Ok(order) = std::env::var(ORDER) else { return };
    let mut order = order.splitn(3, '|');
    let mut next = || order.next().expect("an order").to_owned();
    let (work, name, url) = (next(), next(), next());
    let store = open(&url, &name, Duration::from_secs(60)).expect("a store");
    let scope = Scope::new(&id(1), &id(1));
    let mut begun = false;
    loop {
        let acknowledged = match &*work {
            "upsert" => upsert(&*store, &scope),
            _ => edit_and_publish(&*store, &scope),
        };
        let acknowledged = match acknowledged {
            // What the worker before had asked of the server came late.
            Err(error) if !begun && error.kind == Kind::Conflict => continue,
            done => done.expect("the store works"),
        };
        begun = true;
        // In one piece: a line that is cut by the kill would be another number.
        let line = format!("ack {acknowledged}\n");
        std::io::stderr().write_all(line.as_bytes()).expect("somebody listens");
    }
}

fn fresh(scope: &Scope) -> AuditEvent {
    let ids = toolwright_runtime::clock::SystemIds;
    let object_id = Some(id(101));
    AuditEvent { id: crate::store::fresh_id(0, &ids), object_id, ..event(scope) }
}

/// The next revision, with a word that identifies it.
fn upsert(store: &dyn Store, scope: &Scope) -> Result<u64> {
    let read = store.entity(scope, &id(101))?;
    let revision = read.audit.revision + 1;
    let change = next_entity(read, |next| {
        next.attributes.insert("revision".into(), revision.into());
        next.tags = vec![format!("r{revision}")];
        next.version.status = VersionStatus::Draft;
    });
    store.commit(scope, &Commit { at: None, changes: vec![change], event: fresh(scope) })?;
    Ok(revision)
}

/// One more version; answers its number.
fn edit_and_publish(store: &dyn Store, scope: &Scope) -> Result<u64> {
    upsert(store, scope)?;
    let publication = Publication {
        object: ObjectType::Entity,
        id: id(101),
        by: id(1001),
        at: 1,
        project_revision: None,
        event: fresh(scope),
    };
    let object = publish(store, scope, &publication)?;
    Ok(object["version"]["number"].as_u64().expect("a number"))
}

/// Lets a worker begin, kills it at the `round`th moment, and answers what it had acknowledged.
fn kill_a_worker(test_store: &TestStore, work: &str, round: u64) -> u64 {
    let mut worker = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "store::tests::killed::worker", "--nocapture"])
        .env(ORDER, format!("{work}|{}|{}", test_store.name, test_store.url))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a worker");
    let mut lines = BufReader::new(worker.stderr.take().expect("its output")).lines();
    let mut last = 0;
    let mut acknowledged = |line: std::io::Result<String>| {
        let line = line.expect("a line");
        let number = line.strip_prefix("ack ").and_then(|number| number.parse().ok());
        last = number.unwrap_or_else(|| panic!("the worker says: {line}"));
    };
    acknowledged(lines.next().expect("the worker begins"));
    // From the first moment after an acknowledgement to some writes later.
    std::thread::sleep(Duration::from_micros(round * 379 % 9000));
    worker.kill().expect("it is killed");
    lines.for_each(acknowledged);
    worker.wait().expect("it has ended");
    last
}

fn begin(test_store: &TestStore) -> Scope {
    let scope = test_store.project();
    test_store.commit(&scope, vec![new_entity(&entity(&scope, 101, "Ana"))]).unwrap();
    scope
}

/// What is to be seen of the store. The last thing that a dead worker asked of a server may happen
/// while one looks; then one looks again.
fn settled<T>(test_store: &TestStore, scope: &Scope, look: impl Fn() -> T) -> T {
    let events = || test_store.store.events(scope, None, u32::MAX).unwrap().len();
    loop {
        let before = events();
        let seen = look();
        if events() == before {
            return seen;
        }
    }
}

fn upserts_survive(test_store: &TestStore) {
    let scope = begin(test_store);
    for round in 0..KILLS {
        let acknowledged = kill_a_worker(test_store, "upsert", round);
        let find = |query: String| {
            let search = Search { query, kind: None, limit: 9, offset: 0 };
            test_store.store.search(&scope, &search).unwrap().total
        };
        let (found, words, project, events) = settled(test_store, &scope, || {
            let found = test_store.store.entity(&scope, &id(101)).unwrap();
            let revision = found.audit.revision;
            let words = [revision, revision + 1].map(|revision| find(format!("r{revision}")));
            let project = test_store.store.project_revision(&scope).unwrap();
            (
                found,
                words,
                project,
                test_store.store.events(&scope, Some(&id(101)), u32::MAX).unwrap(),
            )
        });
        let revision = found.audit.revision;
        assert!(revision == acknowledged || revision == acknowledged + 1, "{revision}");
        assert_eq!(found.attributes["revision"], revision);
        assert_eq!(words, [1, 0], "the words are those of the revision");
        assert_eq!(project, revision + 1);
        assert_eq!(events.len() as u64, revision - 1, "one event for each");
    }
}

fn publications_are_whole(test_store: &TestStore) {
    let scope = begin(test_store);
    for round in 0..KILLS {
        let acknowledged = kill_a_worker(test_store, "publish", round);
        let (found, history, last) = settled(test_store, &scope, || {
            let found = test_store.store.entity(&scope, &id(101)).unwrap();
            let history = test_store.store.history(&scope, ObjectType::Entity, &id(101)).unwrap();
            let number = found.version.number;
            let last = test_store.store.version(&scope, ObjectType::Entity, &id(101), number);
            (found, history, last.unwrap())
        });
        let number = found.version.number;
        assert!(number == acknowledged || number == acknowledged + 1, "{number}");
        let numbers: Vec<u64> = history.iter().map(|edition| edition.number).collect();
        assert_eq!(numbers, (2..=number).collect::<Vec<_>>(), "a version for each number");
        let then: Entity = serde_json::from_value(last.snapshot).unwrap();
        match found.version.status {
            VersionStatus::Published => assert_eq!(then, found),
            VersionStatus::Draft => assert_eq!(then.audit.revision + 1, found.audit.revision),
        }
    }
}

#[test]
fn upserts_survive_in_sqlite() {
    upserts_survive(&fixtures::sqlite());
}

#[test]
fn upserts_survive_in_mongodb() {
    fixtures::mongo(true).iter().for_each(upserts_survive);
}

#[test]
fn upserts_survive_in_mongodb_without_transactions() {
    fixtures::mongo(false).iter().for_each(upserts_survive);
}

#[test]
fn publications_are_whole_in_sqlite() {
    publications_are_whole(&fixtures::sqlite());
}

#[test]
fn publications_are_whole_in_mongodb() {
    fixtures::mongo(true).iter().for_each(publications_are_whole);
}

#[test]
fn publications_are_whole_in_mongodb_without_transactions() {
    fixtures::mongo(false).iter().for_each(publications_are_whole);
}
