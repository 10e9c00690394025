use super::*;

/// Reads everything a pane logs while it runs, until it has ended.
fn follow(workspace: &Workspace, pane: u64, max_bytes: usize) -> (String, bool) {
    let mux = Embedded::new(&workspace.place(), vec![]);
    let (mut text, mut mark, mut lost, mut change) = (String::new(), 0, false, 0);
    loop {
        let ended = workspace.row(pane).dead.is_some();
        loop {
            let output = mux.output_since(pane, mark, max_bytes).unwrap().unwrap();
            text.push_str(&output.text);
            lost |= output.lost;
            mark = output.next;
            if !output.more {
                break;
            }
        }
        if ended {
            return (text, lost);
        }
        change = mux.wait_for_change(change, Duration::from_secs(5)).unwrap();
    }
}

#[test]
fn a_burst_is_read_whole_by_two_clients_while_it_runs() {
    let workspace = Workspace::new();
    let pane = workspace.run("seq 200000");
    let (one, two) = std::thread::scope(|scope| {
        let one = scope.spawn(|| follow(&workspace, pane, 64 << 10));
        let two = scope.spawn(|| follow(&workspace, pane, 1000));
        (one.join().unwrap(), two.join().unwrap())
    });
    let expected: String = (1..=200_000).map(|number| format!("{number}\n")).collect();
    for (text, lost) in [one, two] {
        assert!(!lost);
        assert!(text == expected, "{} bytes", text.len());
    }
    let all = workspace.mux.text(pane, Lines::All, false).unwrap().text;
    assert!(all.ends_with("\n199999\n200000"));
    assert!(all.lines().count() >= 10_000);
}

#[test]
fn coloured_and_wrapped_output_is_whole_too() {
    let workspace = Workspace::new();
    let script = r"i=0; while [ $i -lt 20000 ]; do i=$((i+1));
        printf '\033[3%dm%d\033[m ä %0100d\n' $((i%8)) $i $i; done";
    let pane = workspace.run(script);
    let (text, lost) = follow(&workspace, pane, 1 << 20);
    let expected: String = (1..=20_000).map(|i| format!("{i} ä {i:0100}\n")).collect();
    assert!(!lost && text == expected, "{} of {} bytes", text.len(), expected.len());
}

#[test]
fn what_a_small_ring_could_not_keep_is_reported() {
    let workspace = Workspace::with(Options { log_bytes: 4096, ..Options::default() });
    let pane = workspace.run("seq 100000");
    workspace.ends(pane);
    let output = workspace.mux.output_since(pane, 0, 1 << 20).unwrap().unwrap();
    assert!(output.lost && !output.more);
    assert!(output.text.ends_with("\n99999\n100000\n") && output.text.len() <= 4096);
    let next = workspace.mux.output_since(pane, output.next, 1 << 20).unwrap().unwrap();
    assert_eq!((next.text.as_str(), next.lost), ("", false));
}

#[test]
fn progress_bars_and_clearing() {
    let workspace = Workspace::new();
    let script = r"for i in $(seq 500); do printf '\rat %d' $i; done; printf '\rdone  \n';
        echo same; clear; echo same; clear; echo last";
    let pane = workspace.run(script);
    workspace.ends(pane);
    assert_eq!(workspace.logged(pane), "done\nsame\nsame\nlast\n");
    assert_eq!(workspace.mux.text(pane, Lines::All, false).unwrap().text, "last");
}

#[test]
fn rows_that_were_painted_over_are_logged_when_the_program_is_quiet() {
    let workspace = Workspace::new();
    let pane = workspace.run(r"echo one; echo two; printf '\033[2Athree\r\n\n'; exec sleep 1000");
    eventually("the new text", || (workspace.logged(pane) == "one\ntwo\nthree\n").then_some(()));
}

#[test]
fn bytes_that_are_no_text_and_wide_characters() {
    let workspace = Workspace::new();
    // By chance it asks its terminal something. No echo of the answer may come after the end.
    let pane = workspace.run(
        r"stty -echo; printf 'a\377\376b\n漢字 👍\n'; head -c 300000 /dev/urandom
          printf '\030\033cend\n'",
    );
    workspace.ends(pane);
    let logged = workspace.logged(pane);
    assert!(logged.starts_with("ab\n漢字 👍\n"), "{:?}", logged.get(..40));
    assert!(logged.ends_with("end\n"));
}

#[test]
fn waiting_ends_with_a_change_and_only_then() {
    let workspace = Workspace::new();
    let mux = &workspace.mux;
    let pane = workspace.run("read line; echo heard; read line");
    eventually("it is quiet", || {
        let seen = mux.wait_for_change(0, Duration::ZERO).unwrap();
        (mux.wait_for_change(seen, Duration::from_millis(300)).unwrap() == seen).then_some(())
    });
    let seen = mux.wait_for_change(0, LIMIT).unwrap();
    let activity = workspace.row(pane).activity;
    let later = std::thread::scope(|scope| {
        let waiter = scope.spawn(|| mux.wait_for_change(seen, LIMIT).unwrap());
        mux.send_raw(pane, b"\r").unwrap();
        waiter.join().unwrap()
    });
    assert_ne!(later, seen);
    workspace.shows(pane, |text| text.contains("heard"));
    assert!(workspace.row(pane).activity > activity);
}
