//! Events on a real database: each once, counted and handled.

use toolwright_runtime::clock::SystemIds;

use super::super::testing::{NOON, history, open, pane};
use super::*;
use crate::error::Kind;
use crate::model::BackendKind;

const MINUTE: Millis = 60 * 1000;

fn finding(pane: PaneKey, dedupe: &str, segment: Option<i64>) -> NewEvent {
    NewEvent {
        pane,
        rule_id: "core.codex:usage_reached".to_owned(),
        pack_id: "core.codex".to_owned(),
        agent: Agent::Codex,
        event_type: "usage.reached".to_owned(),
        severity: Severity::Critical,
        confidence: 0.95,
        extracted: BTreeMap::from([("reset".to_owned(), "3 pm".to_owned())]),
        matched_text: Some("You've hit your usage limit".to_owned()),
        segment,
        dedupe: dedupe.to_owned(),
        detected_at: NOON,
    }
}

fn all() -> EventFilter {
    EventFilter { limit: 100, ..EventFilter::default() }
}

#[test]
fn an_event_is_read_back_as_it_was_recorded() {
    let (_folder, history) = history();
    let key = history.see(4, "a");
    let event = finding(key, "d", Some(7));
    let Recorded::New(id) = history.record(&event, NOON).unwrap() else { panic!("not new") };
    let row = history.event(id).unwrap().unwrap();
    assert_eq!((row.pane, row.pane_id), (key, 4));
    assert_eq!((row.rule_id, row.pack_id), (event.rule_id, event.pack_id));
    assert_eq!((row.agent, row.event_type), (event.agent, event.event_type));
    assert_eq!((row.severity, row.confidence), (event.severity, event.confidence));
    assert_eq!((row.extracted, row.matched_text), (event.extracted, event.matched_text));
    assert_eq!((row.segment, row.detected_at), (Some(7), NOON));
    assert_eq!((row.handled_at, row.workflow_id, row.handled_status), (None, None, None));
    assert_eq!(history.event(id + 1).unwrap(), None);
    let unknown = history.record(&finding(PaneKey(99), "d", None), NOON);
    assert_eq!(unknown.unwrap_err().kind, Kind::PaneNotFound);
}

#[test]
fn a_repaint_storm_is_one_event_and_the_same_again_later_is_another() {
    let (_folder, history) = history();
    let key = history.see(1, "a");
    let event = finding(key, "limit", None);
    let Recorded::New(id) = history.record(&event, NOON).unwrap() else { panic!("not new") };
    // For an hour, never more than five minutes apart.
    let mut now = NOON;
    for _ in 0..12 {
        now += 5 * MINUTE;
        assert_eq!(history.record(&event, now).unwrap(), Recorded::Duplicate(id));
    }
    let row = history.event(id).unwrap().unwrap();
    assert_eq!((row.sightings, row.last_seen, row.detected_at), (13, now, NOON));
    let other = finding(key, "limit resets at 4 pm", None);
    assert!(matches!(history.record(&other, now).unwrap(), Recorded::New(_)));
    assert!(matches!(history.record(&event, now + 10 * MINUTE).unwrap(), Recorded::New(_)));
    assert_eq!(history.events(&all()).unwrap().total, 3);
}

#[test]
fn what_is_read_again_after_a_restart_is_no_event() {
    let (folder, history) = history();
    let key = history.see(1, "a");
    let Recorded::New(id) = history.record(&finding(key, "d", Some(10)), NOON).unwrap() else {
        panic!("not new")
    };
    let again = history.record(&finding(key, "d", Some(14)), NOON + MINUTE).unwrap();
    assert_eq!(again, Recorded::Duplicate(id));
    drop(history);

    let later = NOON + 60 * MINUTE;
    let history = open(folder.path());
    for segment in [10, 12, 14] {
        let again = history.record(&finding(key, "d", Some(segment)), later).unwrap();
        assert_eq!(again, Recorded::Duplicate(id), "{segment}");
    }
    // Reading again is no sighting: what is new now is not held back.
    let row = history.event(id).unwrap().unwrap();
    assert_eq!((row.sightings, row.last_seen), (2, NOON + MINUTE));
    let fresh = history.record(&finding(key, "d", Some(15)), later + MINUTE).unwrap();
    assert!(matches!(fresh, Recorded::New(_)));
}

#[test]
fn the_same_text_in_another_pane_or_another_life_is_another_event() {
    let (_folder, history) = history();
    let first = history.see(1, "a");
    let second = history.see(1, "b");
    let rows = [pane(1, "b"), pane(2, "a")];
    let keys = history.observe(&rows, &[BackendKind::Tmux], &SystemIds, NOON).unwrap();
    for key in [first, second, keys[&2]] {
        assert!(matches!(history.record(&finding(key, "d", None), NOON), Ok(Recorded::New(_))));
    }
    let known = history.known_all().unwrap();
    assert_eq!((known[&1].unhandled_events, known[&2].unhandled_events), (1, 1));
}

#[test]
fn a_clock_that_was_set_back_holds_nothing_back() {
    let (_folder, history) = history();
    let key = history.see(1, "a");
    let event = finding(key, "d", None);
    history.record(&event, NOON).unwrap();
    let slightly = history.record(&event, NOON - MINUTE).unwrap();
    assert!(matches!(slightly, Recorded::Duplicate(_)));
    let back = history.record(&event, NOON - 60 * MINUTE).unwrap();
    assert!(matches!(back, Recorded::New(_)));
}

#[test]
fn filters_count_all_and_give_the_newest_first() {
    let (_folder, history) = history();
    let rows = [pane(1, "a"), pane(2, "a")];
    let keys = history.observe(&rows, &[BackendKind::Tmux], &SystemIds, NOON).unwrap();
    for number in 0..10 {
        let mut event = finding(keys[&(1 + number % 2)], &number.to_string(), None);
        event.detected_at = NOON + Millis::try_from(number).unwrap();
        if number % 5 == 0 {
            event.rule_id = "core.wezterm:gap".to_owned();
            event.event_type = "gap".to_owned();
        }
        history.record(&event, NOON).unwrap();
    }
    let dates = |filter: &EventFilter| -> (Vec<Millis>, u64) {
        let page = history.events(filter).unwrap();
        (page.events.iter().map(|event| event.detected_at - NOON).collect(), page.total)
    };
    assert_eq!(dates(&EventFilter { limit: 3, ..all() }), (vec![9, 8, 7], 10));
    assert_eq!(dates(&EventFilter { pane_id: Some(2), ..all() }), (vec![9, 7, 5, 3, 1], 5));
    assert_eq!(dates(&EventFilter { pane_id: Some(3), ..all() }), (vec![], 0));
    let typed = EventFilter { event_type: Some("gap".to_owned()), ..all() };
    assert_eq!(dates(&typed), (vec![5, 0], 2));
    let ruled = EventFilter { rule_ids: vec!["core.wezterm:gap".to_owned()], ..all() };
    assert_eq!(dates(&ruled), (vec![5, 0], 2));
    let since = EventFilter { since: Some(NOON + 8), limit: 0, ..all() };
    assert_eq!(dates(&since), (vec![], 2));
    let both = EventFilter { pane_id: Some(1), since: Some(NOON + 6), ..all() };
    assert_eq!(dates(&both), (vec![8, 6], 2));

    let newest = history.events(&all()).unwrap().events[0].id;
    assert!(history.handle(newest, "run-1", HandledStatus::Failed, NOON + 99).unwrap());
    let open = EventFilter { unhandled_only: true, limit: 1, ..all() };
    assert_eq!(dates(&open), (vec![8], 9));
}

#[test]
fn an_event_is_handled_once_and_that_is_news() {
    let (_folder, history) = history();
    let key = history.see(1, "a");
    let before = history.change_counters().unwrap()["events"];
    let Recorded::New(id) = history.record(&finding(key, "d", None), NOON).unwrap() else {
        panic!("not new")
    };
    assert_eq!(history.change_counters().unwrap()["events"], before + 1);
    history.record(&finding(key, "d", None), NOON).unwrap();
    assert_eq!(history.change_counters().unwrap()["events"], before + 1, "a sighting is no news");

    assert_eq!(history.known(1).unwrap().unwrap().unhandled_events, 1);

    assert!(history.handle(id, "run-1", HandledStatus::Completed, NOON + 5).unwrap());
    assert!(!history.handle(id, "run-2", HandledStatus::Failed, NOON + 6).unwrap());
    assert!(!history.handle(id + 1, "run-2", HandledStatus::Failed, NOON + 6).unwrap());
    assert_eq!(history.change_counters().unwrap()["events"], before + 2);
    let row = history.event(id).unwrap().unwrap();
    assert_eq!(row.handled_at, Some(NOON + 5));
    assert_eq!(row.workflow_id.as_deref(), Some("run-1"));
    assert_eq!(row.handled_status, Some(HandledStatus::Completed));
    assert_eq!(history.known(1).unwrap().unwrap().unhandled_events, 0);
}

#[test]
fn what_makes_events_equal_is_not_stored_as_text() {
    let (folder, history) = history();
    let key = history.see(1, "a");
    history.record(&finding(key, "rule|token=sk-very-secret", None), NOON).unwrap();
    history.checkpoint().unwrap();
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(!bytes.windows(11).any(|window| window == b"very-secret"));
    }
}
