//! What is kept and what goes, on a real database.

use super::super::testing::{NOON, history, open, pane};
use super::super::{CaptureMark, Gap, GapReason, NewEvent, PaneKey, Recorded};
use super::*;
use crate::model::{Agent, BackendKind, Severity};

/// A few KiB of words that differ.
fn log(number: usize) -> String {
    (0..100).map(|line| format!("entry e{number}x{line} of the log\n")).collect()
}

fn event(pane: PaneKey, dedupe: &str) -> NewEvent {
    NewEvent {
        pane,
        rule_id: "r".to_owned(),
        pack_id: "p".to_owned(),
        agent: Agent::Unknown,
        event_type: "t".to_owned(),
        severity: Severity::Info,
        confidence: 1.0,
        extracted: Default::default(),
        matched_text: None,
        segment: None,
        dedupe: dedupe.to_owned(),
        detected_at: NOON,
    }
}

fn index_matches_segments(history: &History) {
    let sql =
        "SELECT (SELECT count(*) FROM segments_fts_docsize) - (SELECT count(*) FROM segments)";
    assert_eq!(history.count(sql), 0);
    let check = "INSERT INTO segments_fts (segments_fts) VALUES ('integrity-check')";
    history.store.maintain(|writer| Ok(writer.execute(check, [])?)).unwrap();
}

#[test]
fn what_is_too_old_goes_and_numbers_are_not_given_again() {
    let (_folder, history) = history();
    let old = history.see(1, "a");
    let gap = Gap { reason: GapReason::Restart, detail: None };
    history.append(old, "ancient words\n", Some(&gap), &CaptureMark::default(), NOON).unwrap();
    history.record(&event(old, "d"), NOON).unwrap();
    let new = history.see(1, "b");
    history.put(new, "middle words\n", NOON + DAY);
    history.put(new, "recent words\n", NOON + 2 * DAY);
    let news = history.change_counters().unwrap();

    let policy = Retention { days: 30, max_bytes: 0 };
    let none = history.retain(&policy, NOON + 30 * DAY).unwrap();
    assert_eq!(none, Cleaned::default(), "exactly 30 days are kept");
    assert_eq!(history.change_counters().unwrap(), news);

    let cleaned = history.retain(&policy, NOON + 30 * DAY + 1).unwrap();
    assert_eq!(cleaned, Cleaned { segments: 1, bytes: 14, gaps: 1, events: 1, panes: 1 });
    assert_eq!(history.find("ancient").total, 0);
    assert_eq!(history.find("words").total, 2);
    index_matches_segments(&history);
    assert_eq!(history.count("SELECT count(*) FROM maintenance"), 1);
    assert!(history.change_counters().unwrap()["panes"] > news["panes"]);

    let cleaned = history.retain(&policy, NOON + 365 * DAY).unwrap();
    assert_eq!((cleaned.segments, cleaned.panes), (2, 0), "an open pane stays");
    assert_eq!(history.put(new, "again\n", NOON).segments[0].seq, 4);
    assert_eq!(
        history.retain(&Retention::default(), NOON + 9999 * DAY).unwrap(),
        Cleaned::default()
    );
}

#[test]
fn a_closed_pane_with_events_stays_until_they_go() {
    let (_folder, history) = history();
    let key = history.see(1, "a");
    let Recorded::New(id) = history.record(&event(key, "d"), NOON + 40 * DAY).unwrap() else {
        panic!("not new")
    };
    let ids = toolwright_runtime::clock::SystemIds;
    history.observe(&[pane(2, "a")], &[BackendKind::Tmux], &ids, NOON).unwrap();
    let policy = Retention { days: 30, max_bytes: 0 };
    assert_eq!(history.retain(&policy, NOON + 60 * DAY).unwrap().panes, 0);
    assert_eq!(history.event(id).unwrap().unwrap().pane_id, 1);
    assert_eq!(history.retain(&policy, NOON + 80 * DAY).unwrap().panes, 1);
    assert_eq!(history.known(1).unwrap(), None);
}

#[test]
fn what_is_too_much_goes_oldest_first_and_the_file_shrinks() {
    let (folder, history) = history();
    let key = history.see(1, "a");
    for number in 0..400 {
        history.put(key, &log(number), NOON + Millis::try_from(number).unwrap());
    }
    let used = |history: &History| history.store.read(|reader| super::used(reader)).unwrap();
    let before = used(&history);
    let limit = before / 2;
    let policy = Retention { days: 0, max_bytes: limit };
    let cleaned = history.retain(&policy, NOON).unwrap();
    assert!(used(&history) <= limit, "{} of {limit}", used(&history));
    assert!(used(&history) >= limit / 2, "no more than needed: {} of {limit}", used(&history));
    assert!(cleaned.segments > 50 && cleaned.segments < 399, "{cleaned:?}");
    index_matches_segments(&history);

    let first = cleaned.segments;
    assert_eq!(history.find(&format!("e{}x7", first - 1)).total, 0);
    assert_eq!(history.find(&format!("e{first}x7")).total, 1);
    assert_eq!(history.find("e399x99").total, 1);
    assert_eq!(history.find("log").total, 400 - cleaned.segments);
    assert_eq!(history.retain(&policy, NOON).unwrap(), Cleaned::default());

    history.checkpoint().unwrap();
    let size = std::fs::metadata(folder.path().join("wa.db")).unwrap().len();
    assert!(size < before, "{size} of {before}");
    assert_eq!(open(folder.path()).find("e399x99").total, 1);
}

#[test]
fn a_limit_below_what_an_empty_history_takes_ends() {
    let (_folder, history) = history();
    let key = history.see(1, "a");
    history.put(key, &log(1), NOON);
    let cleaned = history.retain(&Retention { days: 0, max_bytes: 1 }, NOON).unwrap();
    assert_eq!(cleaned.segments, 1);
    let again = history.retain(&Retention { days: 0, max_bytes: 1 }, NOON).unwrap();
    assert_eq!(again, Cleaned::default());
}
