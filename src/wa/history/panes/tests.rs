//! Panes and their lives, on a real database.

use toolwright_runtime::clock::SystemIds;

use super::super::testing::{NOON, history, open, pane};
use super::super::{CaptureMark, Gap, GapReason, History};
use super::*;

const TMUX: [BackendKind; 1] = [BackendKind::Tmux];

fn observe(history: &History, rows: &[PaneRow], now: Millis) -> BTreeMap<u64, PaneKey> {
    history.observe(rows, &TMUX, &SystemIds, now).unwrap()
}

#[test]
fn a_pane_keeps_its_uuid_and_another_life_of_its_id_gets_another() {
    let (folder, history) = history();
    let first = history.see(0, "a");
    let uuid = history.known(0).unwrap().unwrap().uuid;
    assert_eq!(uuid.len(), 32);
    assert!(uuid.bytes().all(|byte| byte.is_ascii_hexdigit()));
    assert_eq!(open(folder.path()).see(0, "a"), first);

    let second = open(folder.path()).see(0, "b");
    assert_ne!(second, first);
    let known = history.known(0).unwrap().unwrap();
    assert_eq!((known.key, known.closed_at), (second, None));
    assert_ne!(known.uuid, uuid);
    assert_eq!(history.count("SELECT count(*) FROM panes WHERE closed_at IS NOT NULL"), 1);
}

#[test]
fn panes_that_are_gone_are_closed_and_may_come_back() {
    let (_folder, history) = history();
    let keys = observe(&history, &[pane(1, "a"), pane(2, "a")], NOON);
    assert_eq!(observe(&history, &[pane(1, "a")], NOON + 5), BTreeMap::from([(1, keys[&1])]));
    assert_eq!(history.known(2).unwrap().unwrap().closed_at, Some(NOON + 5));
    assert_eq!(history.known_all().unwrap().keys().copied().collect::<Vec<_>>(), [1, 2]);

    let back = observe(&history, &[pane(1, "a"), pane(2, "a")], NOON + 9);
    assert_eq!(back, keys);
    assert_eq!(history.known(2).unwrap().unwrap().closed_at, None);
    assert_eq!(history.known(7).unwrap(), None);
}

#[test]
fn panes_of_a_backend_that_does_not_answer_stay_open_unless_replaced() {
    let (_folder, history) = history();
    let old = history.see(1, "a");
    assert!(history.observe(&[], &[BackendKind::Embedded], &SystemIds, NOON).unwrap().is_empty());
    assert_eq!(history.known(1).unwrap().unwrap().closed_at, None);

    let new = history.observe(&[pane(1, "b")], &[], &SystemIds, NOON + 1).unwrap()[&1];
    assert_ne!(new, old);
    assert_eq!(history.known_all().unwrap()[&1].key, new);
    assert_eq!(history.count("SELECT count(*) FROM panes WHERE closed_at IS NULL"), 1);
}

#[test]
fn seeing_the_same_again_writes_nothing() {
    let (_folder, history) = history();
    let rows = [pane(1, "a"), pane(2, "a"), pane(2, "a")];
    observe(&history, &rows, NOON);
    history
        .store
        .read(|watching| {
            let version = |connection: &Connection| pragma(connection, "data_version");
            let before = version(watching);
            let news = history.change_counters()?["panes"];
            observe(&history, &rows, NOON + 1);
            history.clear_gap(history.known(1)?.unwrap().key, NOON + 1)?;
            assert_eq!((version(watching), history.change_counters()?["panes"]), (before, news));

            let renamed = PaneRow { title: Some("vim".to_owned()), ..pane(1, "a") };
            observe(&history, &[renamed, pane(2, "a")], NOON + 2);
            assert_ne!(version(watching), before);
            assert_eq!(history.change_counters()?["panes"], news + 1);
            assert_eq!(history.known(1)?.unwrap().title.as_deref(), Some("vim"));
            Ok(())
        })
        .unwrap();
}

fn pragma(connection: &Connection, name: &str) -> i64 {
    connection.pragma_query_value(None, name, |row| row.get(0)).unwrap()
}

#[test]
fn a_pane_under_another_id_goes_on_counting() {
    let (_folder, history) = history();
    let key = history.see(3, "a");
    assert_eq!(history.put(key, "one\n", NOON).segments[0].seq, 1);
    assert_eq!(history.put(key, "two\n", NOON).segments[0].seq, 2);
    let moved = PaneRow { pane_id: 1_000_003, ..pane(3, "a") };
    assert_eq!(observe(&history, &[moved], NOON), BTreeMap::from([(1_000_003, key)]));
    assert_eq!(history.put(key, "three\n", NOON).segments[0].seq, 3);
    let hits = history.find("two OR three").hits;
    assert!(hits.iter().all(|hit| hit.pane_id == 1_000_003), "{hits:?}");
}

#[test]
fn a_gap_is_recent_until_the_pane_is_verified() {
    let (_folder, history) = history();
    let key = history.see(1, "a");
    let gap = Gap { reason: GapReason::Restart, detail: None };
    let news = history.change_counters().unwrap()["panes"];
    history.append(key, "x\n", Some(&gap), &CaptureMark::default(), NOON + 3).unwrap();
    let known = history.known(1).unwrap().unwrap();
    assert_eq!((known.recent_gap, known.last_activity), (true, Some(NOON + 3)));
    history.clear_gap(key, NOON + 4).unwrap();
    assert!(!history.known(1).unwrap().unwrap().recent_gap);
    assert_eq!(history.change_counters().unwrap()["panes"], news + 2);
}
