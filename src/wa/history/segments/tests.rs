//! Captured output on a real database: numbers, gaps, marks, and two processes at once.

use std::collections::BTreeSet;

use super::super::testing::{NOON, history, open};
use super::*;

fn sequence(appended: &Appended) -> Vec<u64> {
    appended.segments.iter().map(|span| span.seq).collect()
}

#[test]
fn numbers_go_on_over_restarts_and_over_lives_of_a_pane_id() {
    let (folder, history) = history();
    let first = history.see(0, "a");
    assert_eq!(sequence(&history.put(first, "one\n", NOON)), [1]);
    let many: String = (0..3_000).map(|number| format!("number {number}\n")).collect();
    let appended = history.put(first, &many, NOON);
    let last = *sequence(&appended).last().unwrap();
    assert_eq!(sequence(&appended), (2..=last).collect::<Vec<_>>());
    assert!(last > 3);
    drop(history);

    let again = open(folder.path());
    let second = again.see(0, "b");
    assert_eq!(sequence(&again.put(second, "two\n", NOON)), [last + 1]);
    assert_eq!(sequence(&again.put(again.see(5, "a"), "other\n", NOON)), [1]);
    let pairs = "SELECT count(*) - count(DISTINCT pane_id || ' ' || seq) FROM segments";
    assert_eq!(again.count(pairs), 0);
}

#[test]
fn lives_of_one_id_have_histories_of_their_own() {
    let (_folder, history) = history();
    let first = history.see(0, "a");
    history.put(first, "apple pie\n", NOON);
    let mark = CaptureMark { snapshot_tail: "apple".to_owned(), output_mark: 7 };
    let gap = Gap { reason: GapReason::ContentChanged, detail: Some("why".to_owned()) };
    history.append(first, "", Some(&gap), &mark, NOON).unwrap();
    let second = history.see(0, "b");
    assert_eq!(history.mark(second).unwrap(), None);
    assert_eq!(history.mark(first).unwrap(), Some(mark));
    assert_eq!(history.gaps(second, 10).unwrap(), []);
    assert!(!history.known(0).unwrap().unwrap().recent_gap);
    history.put(second, "apple tart\n", NOON);
    assert_eq!(history.find("apple").total, 2);
    let only = super::super::testing::ask("apple");
    let page = history.search(&crate::history::SearchQuery { pane_id: Some(0), ..only });
    let snippets: Vec<_> = page.unwrap().hits.into_iter().map(|hit| hit.snippet).collect();
    assert_eq!(snippets, ["apple tart"]);
}

#[test]
fn an_append_is_stored_whole_or_not_at_all() {
    let (_folder, history) = history();
    let key = history.see(1, "a");
    let gap = Gap { reason: GapReason::Backpressure, detail: None };
    // The mark is written last.
    let refuse = "CREATE TRIGGER refuse BEFORE INSERT ON capture_marks
        BEGIN SELECT raise(ABORT, 'no'); END";
    history.store.maintain(|writer| Ok(writer.execute_batch(refuse)?)).unwrap();
    let failed = history.append(key, "lost\n", Some(&gap), &CaptureMark::default(), NOON);
    assert_eq!(failed.unwrap_err().kind, Kind::Storage);
    for table in ["segments", "gaps", "pane_numbers", "segments_fts_docsize"] {
        assert_eq!(history.count(&format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
    assert_eq!(history.known(1).unwrap().unwrap().last_activity, None);
    assert_eq!(history.find("lost").total, 0);
    history.store.maintain(|writer| Ok(writer.execute_batch("DROP TRIGGER refuse")?)).unwrap();
    assert_eq!(sequence(&history.put(key, "kept\n", NOON)), [1]);

    let unknown = history.append(PaneKey(99), "x", None, &CaptureMark::default(), NOON);
    assert_eq!(unknown.unwrap_err().kind, Kind::PaneNotFound);
}

#[test]
fn texts_gaps_and_marks_are_read_back() {
    let (_folder, history) = history();
    let key = history.see(1, "a");
    let text = format!("one\n{}two \0 é\n", "same line\n".repeat(20_000));
    let appended = history.put(key, &text, NOON);
    let whole: String = appended
        .segments
        .iter()
        .map(|span| history.segment_text(span.id).unwrap().unwrap())
        .collect();
    assert!(whole == text);
    let last = appended.segments.last().unwrap();
    assert_eq!(appended.segment_at(0), Some(appended.segments[0].id));
    assert_eq!(appended.segment_at(text.len() - 1), Some(last.id));
    assert_eq!(appended.segment_at(text.len()), Some(last.id));
    assert_eq!(Appended::default().segment_at(0), None);
    assert_eq!(history.segment_text(last.id + 1).unwrap(), None);

    for reason in GapReason::ALL {
        let gap = Gap { reason, detail: Some(reason.as_str().to_owned()) };
        history.append(key, "", Some(&gap), &CaptureMark::default(), NOON).unwrap();
    }
    let gaps = history.gaps(key, 3).unwrap();
    let reasons: Vec<_> = gaps.iter().map(|gap| gap.reason).collect();
    assert_eq!(
        reasons,
        [GapReason::OutputLost, GapReason::Restart, GapReason::Backpressure],
        "newest first"
    );
    assert_eq!(gaps[0].seq_before, Some(last.seq));

    let long = format!("x{}", "é".repeat(TAIL_BYTES / 2));
    let mark = CaptureMark { snapshot_tail: long, output_mark: u64::MAX };
    history.append(key, "", None, &mark, NOON).unwrap();
    let kept = history.mark(key).unwrap().unwrap();
    assert_eq!(kept.output_mark, u64::MAX);
    assert_eq!(kept.snapshot_tail, "é".repeat(TAIL_BYTES / 2));
}

#[test]
fn two_processes_write_at_once_and_nothing_is_lost() {
    const EACH: usize = 60;
    let (folder, history) = history();
    let key = history.see(1, "a");
    let writers: Vec<_> = (0..2)
        .map(|writer| {
            let folder = folder.path().to_owned();
            std::thread::spawn(move || {
                let history = open(&folder);
                let put = |number| {
                    let text = format!("writer{writer} wrote number{number}\n");
                    history.put(key, &text, NOON).segments[0].seq
                };
                (0..EACH).map(put).collect::<Vec<u64>>()
            })
        })
        .collect();
    let taken: Vec<Vec<u64>> = writers.into_iter().map(|one| one.join().unwrap()).collect();
    assert!(taken.iter().all(|one| one.is_sorted()));
    let all: BTreeSet<u64> = taken.into_iter().flatten().collect();
    assert_eq!(all, (1..=2 * EACH as u64).collect());
    assert_eq!(history.find("writer0").total, EACH as u64);
    assert_eq!(history.find("number59").total, 2);
}
