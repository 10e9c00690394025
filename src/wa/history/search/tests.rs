//! Search on a real database.

use super::super::testing::{NOON, ask, history};
use super::*;

fn snippets(page: &SearchPage) -> Vec<&str> {
    page.hits.iter().map(|hit| hit.snippet.as_str()).collect()
}

/// A history with one segment per text.
fn with(texts: &[&str]) -> (tempfile::TempDir, History) {
    let (folder, history) = history();
    let key = history.see(1, "a");
    for text in texts {
        history.put(key, text, NOON);
    }
    (folder, history)
}

#[test]
fn the_query_language_is_that_of_fts5() {
    let (_folder, history) = with(&[
        "connection refused by host\n",
        "the host refused a connection\n",
        "connecting to the database\n",
        "alpha one two three four five six seven eight nine ten eleven twelve omega\n",
    ]);
    for (query, total) in [
        ("connection", 3),
        ("CONNECTED", 3),
        ("connection refused", 2),
        ("\"connection refused\"", 1),
        ("connection NOT refused", 1),
        ("database OR omega", 2),
        ("datab*", 1),
        ("data", 0),
        ("NEAR(refused host, 2)", 2),
        ("NEAR(alpha omega)", 0),
        ("NEAR(alpha omega, 12)", 1),
        ("(database OR omega) AND connect*", 1),
        ("^the", 1),
    ] {
        let page = history.find(query);
        assert_eq!((page.total, page.rewritten), (total, false), "{query}");
        assert_eq!(page.hits.len(), usize::try_from(total).unwrap(), "{query}");
        assert!(page.hits.iter().all(|hit| hit.snippet.contains(">>")), "{page:?}");
    }
}

#[test]
fn any_other_text_is_searched_for_as_it_is() {
    let (_folder, history) = with(&[
        "built foo-bar with g++ and C++ 20\n",
        "error: x is not defined at main.rs:12:5\n",
        "she said \"hello there\" twice\n",
    ]);
    for (query, total) in [
        ("foo-bar", 1),
        ("bar-foo", 0),
        ("C++", 1),
        ("error: x", 1),
        ("main.rs:12", 1),
        ("\"hello", 1),
        ("hello\"", 1),
        ("(unbalanced", 0),
        ("foo-bar OR main.rs:12", 2),
        ("foo-b*", 1),
        ("AND", 1),
        ("twice AND", 0),
        ("x'; DROP TABLE segments; --", 0),
    ] {
        let page = history.find(query);
        assert_eq!((page.total, page.rewritten), (total, true), "{query}");
    }
    let page = history.find("foo-bar");
    assert_eq!(page.searched, "\"foo-bar\"");
    assert_eq!(snippets(&page), ["built >>foo-bar<< with g++ and C++ 20"]);
}

#[test]
fn a_query_without_words_is_refused() {
    let (_folder, history) = with(&["text\n"]);
    let long = "word ".repeat(1000);
    for query in ["", "  \n", "\"", "***", "-- ||", "\0", &long] {
        let error = history.search(&ask(query)).unwrap_err();
        assert_eq!(error.kind, Kind::InvalidArguments, "{query:?}");
        assert!(error.message.contains("`query`") && error.hint.is_some(), "{error:?}");
    }
    // As long and as deep as it may be.
    let deep = "(".repeat(2000) + "text" + &")".repeat(2000);
    let page = history.find(&deep);
    assert_eq!((page.total, page.rewritten), (1, true));
    assert_eq!(history.find("text\0").total, 1);
}

#[test]
fn every_script_is_found() {
    let (_folder, history) =
        with(&["naïve café résumé\n", "привет МИР\n", "汉字 テスト\n", "a 🦀 b\n"]);
    for (query, snippet) in [
        ("cafe", "naïve >>café<< résumé"),
        ("NAIVE", ">>naïve<< café résumé"),
        ("résumé", "naïve café >>résumé<<"),
        ("мир", "привет >>МИР<<"),
        ("汉字", ">>汉字<< テスト"),
        ("🦀", "a 🦀 b"),
    ] {
        assert_eq!(snippets(&history.find(query)), [snippet], "{query}");
    }
}

#[test]
fn the_total_is_true_and_the_order_is_stable() {
    let (_folder, history) = history();
    let key = history.see(1, "a");
    for number in 0..50 {
        history.put(key, "needle in equal hay\n", NOON + number % 7);
    }
    history.put(key, "needle needle needle\n", NOON);
    let page = history.find("needle");
    assert_eq!((page.total, page.hits.len()), (51, 20));
    assert_eq!(page, history.find("needle"));
    assert_eq!(page.hits[0].snippet, ">>needle<< >>needle<< >>needle<<");
    let order = |hit: &SearchHit| (hit.score, -hit.captured_at, -hit.segment_id);
    assert!(page.hits.is_sorted_by(|one, other| order(one) < order(other)), "{page:?}");
    let all = history.search(&SearchQuery { limit: 1000, ..ask("needle") }).unwrap();
    assert_eq!(all.hits.len(), 51);
    assert!(all.hits.is_sorted_by(|one, other| order(one) < order(other)));
    let none = history.search(&SearchQuery { limit: 0, ..ask("needle") }).unwrap();
    assert_eq!((none.total, none.hits.len()), (51, 0));
}

#[test]
fn panes_and_times_narrow_the_search() {
    let (_folder, history) = history();
    let first = history.see(1, "a");
    history.put(first, "needle of the first\n", NOON);
    let second = history.see(2, "a");
    history.put(second, "needle of the second\n", NOON + 10);
    history.put(second, "needle once more\n", NOON + 20);
    let find = |pane_id, since| {
        let page = history.search(&SearchQuery { pane_id, since, ..ask("needle") }).unwrap();
        assert_eq!(page.total, page.hits.len() as u64);
        let mut found: Vec<_> = page.hits.iter().map(|hit| hit.captured_at - NOON).collect();
        found.sort_unstable();
        found
    };
    assert_eq!(find(None, None), [0, 10, 20]);
    // The first pane is gone since the second was seen, and is found all the same.
    assert_eq!(find(Some(1), None), [0]);
    assert_eq!(find(Some(2), None), [10, 20]);
    assert_eq!(find(None, Some(NOON + 10)), [10, 20]);
    assert_eq!(find(None, Some(NOON + 11)), [20]);
    assert_eq!(find(Some(2), Some(NOON + 20)), [20]);
    assert_eq!(find(Some(1), Some(NOON + 1)), Vec::<Millis>::new());
    assert_eq!(find(Some(9), None), Vec::<Millis>::new());
}

#[test]
fn snippets_show_thirty_words_and_plain_ones_the_line() {
    let words: Vec<String> = (0..100).map(|number| format!("w{number}")).collect();
    let text = format!("first line\n{}\nlast line\n", words.join(" "));
    let (_folder, history) = with(&[&text]);
    let page = history.find("w50");
    let wanted: Vec<String> = (42..72)
        .map(|number| if number == 50 { ">>w50<<".to_owned() } else { format!("w{number}") })
        .collect();
    assert_eq!(snippets(&page), [format!("...{}...", wanted.join(" "))]);
    let plain = history.search(&ask("w50")).unwrap();
    assert_eq!(snippets(&plain), [format!("{}...", words[..30].join(" "))]);
    assert_eq!(snippets(&history.search(&ask("last")).unwrap()), ["last line"]);
    assert_eq!(snippets(&history.find("first"))[0].split_whitespace().count(), 30);
    // Two words of the query: the place that has both.
    let (_folder, history) = with(&[&format!("disk ok\n{}disk full here\n", "x y z\n".repeat(2))]);
    history.put(history.see(1, "a"), &format!("disk{}disk full", " -\n".repeat(300)), NOON);
    for snippet in snippets(&history.find("disk full")) {
        assert!(snippet.contains(">>disk<< >>full<<"), "{snippet}");
    }
    assert!(snippets(&history.find("\"disk full\""))[0].contains(">>disk full<<"));
}

#[test]
fn snippets_of_huge_words_stay_small() {
    let huge = format!("{} needle {}\n", "a".repeat(20_000), "é".repeat(10_000));
    let (_folder, history) = with(&[&huge]);
    for highlight in [true, false] {
        let query = SearchQuery { highlight, ..ask("needle") };
        let page = history.search(&query).unwrap();
        assert!(page.hits[0].snippet.len() <= 500, "{}", page.hits[0].snippet.len());
        assert_eq!(page.hits[0].snippet.contains(">>needle<<"), highlight);
    }
    let long = "b".repeat(3_000);
    assert_eq!(history.find(&long).total, 0);
}

#[test]
fn repeated_lines_are_found_once_a_segment() {
    let (_folder, history) = history();
    let key = history.see(1, "a");
    let appended = history.put(key, &"over and over\n".repeat(50_000), NOON);
    let page = history.find("over");
    assert_eq!(page.total, appended.segments.len() as u64);
    assert_eq!(page.hits[0].snippet, ">>over<< and >>over<<");
}
