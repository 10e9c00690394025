//! Servers that go away and come back, and unusable files.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::store::tests::fixtures::{
    TestStore, entity, event, id, new_entity, next_entity, sqlite, tenant,
};
use crate::store::tests::server::Server;
use crate::store::{Collection, Commit, Kind, Mongo, Store, open};

/// A server of its own, which may be ended.
fn servers() -> impl Iterator<Item = Server> {
    [true, false].into_iter().filter_map(Server::start)
}

/// Waits until a store finds its server again. The driver looks for one that was away only twice a
/// second, and the tests here do not let it wait much longer than that.
fn until_back(store: &dyn Store) {
    let started = Instant::now();
    while let Err(error) = store.ping() {
        assert!(started.elapsed() < Duration::from_secs(60), "{error:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_server_that_goes_away_is_unavailable_until_it_is_back() {
    for mut server in servers() {
        let url = format!("{}{}serverSelectionTimeoutMS=1000", server.url(), and(&server.url()));
        let test_store = TestStore::new(url.clone(), "outage".into(), None);
        until_back(&*test_store.store);
        let scope = test_store.project();
        test_store.commit(&scope, vec![new_entity(&entity(&scope, 101, "Ana"))]).unwrap();
        server.order("crash");
        for _ in 0..2 {
            assert_eq!(test_store.store.ping().unwrap_err().kind, Kind::Unavailable);
            let read = test_store.store.entity(&scope, &id(101)).unwrap_err();
            assert_eq!(read.kind, Kind::Unavailable, "{read:?}");
            let change = vec![new_entity(&entity(&scope, 102, "Bento"))];
            let write = test_store.commit(&scope, change).unwrap_err();
            assert_eq!(write.kind, Kind::Unavailable, "{write:?}");
        }
        // Who starts while the server is down works when it comes.
        let early = Mongo::open(&url, "outage", Duration::from_secs(10)).unwrap();
        assert_eq!(early.ping().unwrap_err().kind, Kind::Unavailable);
        server.restart();
        until_back(&*test_store.store);
        until_back(&early);
        assert_eq!(test_store.store.entity(&scope, &id(101)).unwrap().name, "Ana");
        assert_eq!(early.project_revision(&scope).unwrap(), 2);
        test_store.commit(&scope, vec![new_entity(&entity(&scope, 102, "Bento"))]).unwrap();
        assert_eq!(early.read(&scope, &[Collection::Entities]).unwrap().collections[0].len(), 2);
    }
}

#[test]
fn a_server_that_stops_answering_is_unavailable() {
    let Some(mut server) = Server::start(true) else { return };
    let patient = TestStore::new(server.url(), "frozen".into(), None);
    let scope = patient.project();
    let url = format!("{}&serverSelectionTimeoutMS=500&connectTimeoutMS=500", server.url());
    let test_store =
        TestStore::new(format!("{url}&heartbeatFrequencyMS=500"), "frozen".into(), None);
    until_back(&*test_store.store);
    server.order("freeze");
    let read = test_store.store.project(&scope).unwrap_err();
    assert_eq!(read.kind, Kind::Unavailable, "{read:?}");
    let write =
        test_store.commit(&scope, vec![new_entity(&entity(&scope, 101, "Ana"))]).unwrap_err();
    assert_eq!(write.kind, Kind::Unavailable, "{write:?}");
    server.order("thaw");
    // With so little patience, it may miss the server on a busy machine once more.
    let started = Instant::now();
    while patient.store.entity(&scope, &id(102)).is_err() {
        until_back(&*test_store.store);
        let written = test_store.commit(&scope, vec![new_entity(&entity(&scope, 102, "Bento"))]);
        if let Err(error) = written {
            // One that was in doubt may have been written after all.
            let there = patient.store.entity(&scope, &id(102)).is_ok();
            assert!(there || error.kind == Kind::Unavailable, "{error:?}");
            assert!(started.elapsed() < Duration::from_secs(60), "{error:?}");
        }
    }
    let read = || test_store.store.entity(&scope, &id(102));
    let found = std::iter::repeat_with(read).take(100).find_map(Result::ok);
    assert_eq!(found.expect("it is read again").name, "Bento");
}

#[test]
fn a_server_that_wants_a_password_denies() {
    let Some(server) = Server::start_with(false, &["--auth"]) else { return };
    let wait = Duration::from_secs(60);
    let stranger = Mongo::open(&server.url(), "x", wait).unwrap();
    let error = stranger.tenants().unwrap_err();
    assert_eq!(error.kind, Kind::Denied, "{error:?}");
    let url = server.url().replace("//", "//ana:geheim@");
    let error = Mongo::open(&url, "x", wait).unwrap().tenants().unwrap_err();
    assert_eq!(error.kind, Kind::Denied, "{error:?}");
    assert!(!format!("{error:?}").contains("geheim"), "{error:?}");
}

#[test]
fn several_may_make_the_file_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/er/worlds.db");
    std::thread::scope(|threads| {
        for number in 1..=8 {
            let path = path.to_str().unwrap();
            threads.spawn(move || {
                let store = open(path, "", Duration::from_secs(60)).unwrap();
                store.create_tenant(&tenant(number)).unwrap();
            });
        }
    });
    let store = open(path.to_str().unwrap(), "", Duration::from_secs(1)).unwrap();
    assert_eq!(store.tenants().unwrap(), (1..=8).map(tenant).collect::<Vec<_>>());
}

#[test]
fn a_server_that_is_killed_loses_no_acknowledged_write() {
    for mut server in servers() {
        let url = format!("{}{}serverSelectionTimeoutMS=1000", server.url(), and(&server.url()));
        let test_store = TestStore::new(url, "crash".into(), None);
        until_back(&*test_store.store);
        let scope = test_store.project();
        let writers = 100..104_u64;
        let all = writers.clone().map(|number| new_entity(&entity(&scope, number, "Ana")));
        test_store.commit(&scope, all.collect()).unwrap();
        let acknowledged: Mutex<Vec<(u64, u64)>> = Mutex::default();
        for _ in 0..3 {
            let before = acknowledged.lock().unwrap().len();
            let done = AtomicU64::new(0);
            std::thread::scope(|threads| {
                for number in writers.clone() {
                    let (test_store, scope, acknowledged, done) =
                        (&test_store, &scope, &acknowledged, &done);
                    threads.spawn(move || {
                        // Until the server is gone.
                        while let Ok(read) = test_store.store.entity(scope, &id(number)) {
                            let revision = read.audit.revision + 1;
                            let changes = vec![next_entity(read, |next| {
                                next.attributes.insert("revision".into(), revision.into());
                            })];
                            let commit = Commit { at: None, changes, event: event(scope) };
                            match test_store.store.commit(scope, &commit) {
                                Ok(_) => acknowledged.lock().unwrap().push((number, revision)),
                                Err(error) => {
                                    assert_eq!(error.kind, Kind::Unavailable, "{error:?}");
                                    break;
                                }
                            }
                            done.fetch_add(1, Ordering::Relaxed);
                        }
                    });
                }
                while done.load(Ordering::Relaxed) < 40 {
                    std::thread::yield_now();
                }
                server.order("crash");
            });
            server.restart();
            until_back(&*test_store.store);
            let acknowledged = acknowledged.lock().unwrap();
            assert!(acknowledged.len() >= before + 40);
            for number in writers.clone() {
                let found = test_store.store.entity(&scope, &id(number)).unwrap();
                let last = acknowledged.iter().filter(|(writer, _)| *writer == number).max();
                let last = last.map_or(1, |(_, revision)| *revision);
                // What was under way may be there, too.
                let revision = found.audit.revision;
                assert!(revision == last || revision == last + 1, "{revision} after {last}");
            }
            let events = test_store.store.events(&scope, None, u32::MAX).unwrap();
            assert_eq!(events.len() as u64, test_store.store.project_revision(&scope).unwrap());
        }
    }
}

fn and(url: &str) -> char {
    if url.contains('?') { '&' } else { '?' }
}

#[test]
fn unusable_urls_are_refused_with_a_reason() {
    let wait = Duration::from_millis(200);
    for (url, kind) in [
        ("postgres://localhost/x", Kind::Broken),
        ("mongodb://", Kind::Broken),
        ("mongodb://user:geheim@host:port/", Kind::Broken),
        ("", Kind::Broken),
        ("sqlite::memory:", Kind::Broken),
        ("/proc/nowhere/worlds.db", Kind::Denied),
    ] {
        let error = open(url, "x", wait).err().expect(url);
        assert_eq!(error.kind, kind, "{url}: {error:?}");
        assert!(!format!("{error:?}").contains("geheim"), "{error:?}");
    }
}

#[test]
fn the_file_belongs_to_the_user_alone() {
    let test_store = sqlite();
    test_store.project();
    let path = test_store.url.strip_prefix("sqlite:").unwrap();
    for suffix in ["", "-wal", "-shm"] {
        let mode = fs::metadata(format!("{path}{suffix}")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{suffix}");
    }
}

#[test]
fn a_file_of_a_later_release_or_of_another_kind_is_left_alone() {
    let test_store = sqlite();
    test_store.project();
    let path = test_store.url.strip_prefix("sqlite:").unwrap();
    let file = rusqlite::Connection::open(path).unwrap();
    file.pragma_update(None, "user_version", 99).unwrap();
    let error = open(path, "", Duration::from_secs(1)).err().unwrap();
    assert_eq!((error.kind, error.message.contains("later release")), (Kind::Broken, true));

    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("notes.txt");
    fs::write(&text, "These are notes, not a database. ".repeat(50)).unwrap();
    let error = open(text.to_str().unwrap(), "", Duration::from_secs(1)).err().unwrap();
    assert_eq!(error.kind, Kind::Broken, "{error:?}");
    assert!(fs::read_to_string(&text).unwrap().starts_with("These are notes"));
}

#[test]
fn a_file_that_is_locked_for_long_is_unavailable() {
    let test_store = sqlite();
    let scope = test_store.project();
    let path = test_store.url.strip_prefix("sqlite:").unwrap();
    let store = open(path, "", Duration::from_millis(50)).unwrap();
    let other = rusqlite::Connection::open(path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let changes = vec![new_entity(&entity(&scope, 101, "Ana"))];
    let commit = Commit { at: None, changes, event: event(&scope) };
    let error = store.commit(&scope, &commit).unwrap_err();
    assert_eq!(error.kind, Kind::Unavailable, "{error:?}");
    assert_eq!(store.project_revision(&scope).unwrap(), 1, "readers go on");
    other.execute_batch("ROLLBACK").unwrap();
    store.commit(&scope, &commit).unwrap();
}

#[test]
fn versions_cannot_be_changed_even_by_hand() {
    let test_store = sqlite();
    test_store.project();
    let file = rusqlite::Connection::open(test_store.url.strip_prefix("sqlite:").unwrap()).unwrap();
    file.execute_batch(
        "INSERT INTO versions (number, project, type, object, edition, json)
         VALUES (1, 1, 'ENTITY', 'x', 2, '{}')",
    )
    .unwrap();
    assert!(file.execute_batch("UPDATE versions SET json = '[]'").is_err());
}
