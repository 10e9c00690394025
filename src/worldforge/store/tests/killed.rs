//! Processes that are killed in the middle of their work, fifty times each.
//!
//! The worker is this very test program, started with an order in its environment. It says on its
//! output what has been acknowledged; then it is killed, and what it left is looked at.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::worldforge::model::{Entity, ObjectType, VersionStatus};
use crate::worldforge::store::tests::stage::{
    self, Bench, entity, event, id, new_entity, next_entity,
};
use crate::worldforge::store::{
    AuditEvent, Commit, Publication, Result, Scope, Search, Store, open, publish,
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
    let store = open(&url, &name, Duration::from_secs(10)).expect("a store");
    let scope = Scope::new(&id(1), &id(1));
    loop {
        let acknowledged = match &*work {
            "upsert" => upsert(&*store, &scope),
            _ => edit_and_publish(&*store, &scope),
        };
        let acknowledged = acknowledged.expect("the store works");
        // In one piece: a line that is cut by the kill would be another number.
        let line = format!("ack {acknowledged}\n");
        std::io::stderr().write_all(line.as_bytes()).expect("somebody listens");
    }
}

fn fresh(scope: &Scope) -> AuditEvent {
    let ids = toolwright_runtime::sources::SystemIds;
    let object_id = Some(id(101));
    AuditEvent { id: crate::worldforge::store::fresh_id(0, &ids), object_id, ..event(scope) }
}

/// One more revision, with a word that tells it.
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
fn kill_a_worker(bench: &Bench, work: &str, round: u64) -> u64 {
    let mut worker = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "worldforge::store::tests::killed::worker", "--nocapture"])
        .env(ORDER, format!("{work}|{}|{}", bench.name, bench.url))
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

fn begin(bench: &Bench) -> Scope {
    let scope = bench.project();
    bench.commit(&scope, vec![new_entity(&entity(&scope, 101, "Ana"))]).unwrap();
    scope
}

fn upserts_survive(bench: &Bench) {
    let scope = begin(bench);
    for round in 0..KILLS {
        let acknowledged = kill_a_worker(bench, "upsert", round);
        let found = bench.store.entity(&scope, &id(101)).unwrap();
        let revision = found.audit.revision;
        assert!(revision == acknowledged || revision == acknowledged + 1, "{revision}");
        assert_eq!(found.attributes["revision"], revision);
        let find = |query: String| {
            let search = Search { query, kind: None, limit: 9, offset: 0 };
            bench.store.search(&scope, &search).unwrap().total
        };
        assert_eq!(find(format!("r{revision}")), 1, "the words are those of the revision");
        assert_eq!(find(format!("r{}", revision + 1)), 0);
        assert_eq!(bench.store.project_revision(&scope).unwrap(), revision + 1);
        let events = bench.store.events(&scope, Some(&id(101)), u32::MAX).unwrap();
        assert_eq!(events.len() as u64, revision - 1, "one event for each");
    }
}

fn publications_are_whole(bench: &Bench) {
    let scope = begin(bench);
    for round in 0..KILLS {
        let acknowledged = kill_a_worker(bench, "publish", round);
        let found = bench.store.entity(&scope, &id(101)).unwrap();
        let number = found.version.number;
        assert!(number == acknowledged || number == acknowledged + 1, "{number}");
        let history = bench.store.history(&scope, ObjectType::Entity, &id(101)).unwrap();
        let numbers: Vec<u64> = history.iter().map(|edition| edition.number).collect();
        assert_eq!(numbers, (2..=number).collect::<Vec<_>>(), "a version for each number");
        let last = bench.store.version(&scope, ObjectType::Entity, &id(101), number).unwrap();
        let then: Entity = serde_json::from_value(last.snapshot).unwrap();
        match found.version.status {
            VersionStatus::Published => assert_eq!(then, found),
            VersionStatus::Draft => assert_eq!(then.audit.revision + 1, found.audit.revision),
        }
    }
}

#[test]
fn upserts_survive_in_sqlite() {
    upserts_survive(&stage::sqlite());
}

#[test]
fn upserts_survive_in_mongodb() {
    stage::mongo(true).iter().for_each(upserts_survive);
}

#[test]
fn upserts_survive_in_mongodb_without_transactions() {
    stage::mongo(false).iter().for_each(upserts_survive);
}

#[test]
fn publications_are_whole_in_sqlite() {
    publications_are_whole(&stage::sqlite());
}

#[test]
fn publications_are_whole_in_mongodb() {
    stage::mongo(true).iter().for_each(publications_are_whole);
}

#[test]
fn publications_are_whole_in_mongodb_without_transactions() {
    stage::mongo(false).iter().for_each(publications_are_whole);
}
