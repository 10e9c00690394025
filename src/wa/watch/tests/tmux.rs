//! tmux: read by comparing texts.

use std::collections::BTreeSet;
use std::process::Command;

use super::*;

#[test]
fn what_is_printed_can_be_searched_and_is_stored_once() {
    let (live, workspace) = (TmuxFixture::new(), Workspace::new());
    let pane = live.bash();
    let watcher = workspace.start(&live);
    assert!(watcher.is_watching());
    live.types(&pane, "for n in 1 2 3; do echo line-$n wom''bat; sleep 0.2; done; seq 1 400");
    workspace.wait_for("wombat");
    // What is typed while it prints would stand between the numbers.
    wait_until("the prompt", || live.screen(&pane).ends_with("\n400\n$"));
    live.types(&pane, "printf unfin''ished; read -r x");
    workspace.wait_for("unfinished");
    live.types(&pane, "");
    live.types(&pane, "echo the-la''st");
    workspace.wait_for("\"the-last\"");
    let (log, _) = workspace.log(&pane);
    for line in ["line-1 wombat\n", "line-3 wombat\n", "\n1\n", "\n400\n", "unfinished", "the-last"]
    {
        assert_eq!(log.matches(line).count(), 1, "{line:?} in {log}");
    }
    let numbers: String = (1..=400).map(|n| format!("{n}\n")).collect();
    assert!(log.contains(&numbers));
    assert_eq!(workspace.gaps(&pane), []);
    assert!(workspace.pane(&pane).last_activity.is_some());
}

#[test]
fn a_limit_text_is_one_event_however_often_it_is_painted() {
    let (live, workspace) = (TmuxFixture::new(), Workspace::new());
    let pane = live.bash();
    let watcher = workspace.start(&live);
    let file = workspace.file("limit", &format!("{LIMIT_TEXT}\n"));
    for round in 1..=4 {
        live.types(&pane, &format!("clear; cat {file}; sleep 0.3; echo round-{round}-o''ver"));
        workspace.wait_for(&format!("\"round-{round}-over\""));
    }
    watcher.stop();
    let events = workspace.events(LIMIT_RULE);
    assert_eq!(events.len(), 1, "{events:?}");
    let event = &events[0];
    assert_eq!((event.pane_id, event.event_type.as_str()), (pane.pane_id, "usage.reached"));
    assert_eq!(event.extracted.get("reset_time").map(String::as_str), Some("3:28 PM"));
    let evidence = workspace.history.segment_text(event.segment.unwrap()).unwrap().unwrap();
    assert!(evidence.contains("usage limit"), "{evidence}");
    assert_eq!(workspace.pane(&pane).unhandled_events, 1);
    let told = workspace.told.lock().unwrap();
    assert_eq!(told.iter().filter(|rule| *rule == LIMIT_RULE).count(), 1);
}

#[test]
fn after_a_restart_nothing_is_doubled_and_what_was_missed_is_a_gap() {
    let (live, workspace) = (TmuxFixture::new(), Workspace::new());
    let pane = live.bash();
    let file = workspace.file("limit", &format!("{LIMIT_TEXT}\n"));
    let watcher = workspace.start(&live);
    live.types(&pane, &format!("cat {file}; echo fir''st"));
    workspace.wait_for("first");
    watcher.stop();

    // Little is printed meanwhile: it is read later, without a gap.
    live.types(&pane, "echo mean''while");
    wait_until("output", || live.screen(&pane).contains("meanwhile"));
    let watcher = workspace.start(&live);
    workspace.wait_for("meanwhile");
    live.types(&pane, "echo sec''ond");
    workspace.wait_for("second");
    watcher.stop();
    assert_eq!(workspace.gaps(&pane), []);
    let (log, _) = workspace.log(&pane);
    for word in ["first\n", "meanwhile\n", LIMIT_TEXT] {
        assert_eq!(log.matches(word).count(), 1, "{word:?} in {log}");
    }

    // More than tmux keeps.
    live.types(&pane, "seq 1 5000; echo much-la''ter");
    wait_until("output", || live.screen(&pane).contains("much-later"));
    let watcher = workspace.start(&live);
    workspace.wait_for("\"much-later\"");
    watcher.stop();
    let gaps = workspace.gaps(&pane);
    assert_eq!(gaps.iter().map(|gap| gap.reason).collect::<Vec<_>>(), [GapReason::Restart]);
    assert_eq!(workspace.events(GAP_RULE).len(), 1);
    assert_eq!(workspace.events(LIMIT_RULE).len(), 1);
    let (_, seq) = workspace.log(&pane);
    assert!(seq.windows(2).all(|pair| pair[0] < pair[1]), "{seq:?}");
}

#[test]
fn the_end_of_a_pane_closes_it_and_is_an_event() {
    let (live, workspace) = (TmuxFixture::new(), Workspace::new());
    let _keeps_the_server = live.bash();
    let vanishing = live.bash();
    let unwatched = live.bash();
    let watcher = workspace.start(&live);
    wait_until("panes", || workspace.history.known(unwatched.pane_id).unwrap().is_some());
    live.types(&vanishing, "exit 7");
    wait_until("the end", || workspace.pane(&vanishing).closed_at.is_some());
    wait_until("the event", || workspace.events(PANE_EXITED_RULE).len() == 1);
    assert_eq!(workspace.events(PANE_EXITED_RULE)[0].pane_id, vanishing.pane_id);

    // tmux keeps it and knows how it ended.
    live.run(&["set-option", "-g", "remain-on-exit", "on"]);
    let kept = live.bash();
    wait_until("the pane", || workspace.history.known(kept.pane_id).unwrap().is_some());
    live.types(&kept, "echo last-wo''rds; exit 3");
    wait_until("the event", || workspace.events(PANE_EXITED_RULE).len() == 2);
    let event = &workspace.events(PANE_EXITED_RULE)[0];
    assert_eq!(event.extracted.get("exit_code").map(String::as_str), Some("3"));
    workspace.wait_for("\"last-words\"");
    watcher.stop();

    // While nobody watches; and the one that is kept is no news.
    live.run(&["kill-pane", "-t", &format!("%{}", unwatched.native_id)]);
    let watcher = workspace.start(&live);
    wait_until("the event", || workspace.events(PANE_EXITED_RULE).len() == 3);
    assert_eq!(workspace.events(PANE_EXITED_RULE)[0].pane_id, unwatched.pane_id);
    live.run(&["kill-pane", "-t", &format!("%{}", kept.native_id)]);
    wait_until("the end", || workspace.pane(&kept).closed_at.is_some());
    watcher.stop();
    assert_eq!(workspace.events(PANE_EXITED_RULE).len(), 3);
    let closed: BTreeSet<u64> = workspace.closed.lock().unwrap().iter().copied().collect();
    assert_eq!(closed, BTreeSet::from([vanishing.pane_id, kept.pane_id, unwatched.pane_id]));
}

#[test]
fn the_server_may_die_and_return_and_pane_ids_be_used_again() {
    let (live, workspace) = (TmuxFixture::new(), Workspace::new());
    let watcher = workspace.start(&live);
    let first = live.bash();
    live.types(&first, "echo life-o''ne");
    workspace.wait_for("\"life-one\"");
    let before = workspace.pane(&first);
    live.kill();
    wait_until("the end", || workspace.pane(&first).closed_at.is_some());
    let second = live.bash();
    assert_eq!(first.pane_id, second.pane_id);
    live.types(&second, "echo life-t''wo");
    workspace.wait_for("\"life-two\"");
    assert!(watcher.is_watching());
    watcher.stop();
    let after = workspace.pane(&second);
    assert_ne!(before.uuid, after.uuid);
    assert_ne!(workspace.hits("\"life-one\"")[0].pane_uuid, after.uuid);
    assert_eq!(workspace.hits("\"life-two\"")[0].pane_uuid, after.uuid);
    let numbers = |words| workspace.hits(words).iter().map(|hit| hit.seq).max().unwrap();
    assert!(numbers("\"life-one\"") < numbers("\"life-two\""));
    let (log, _) = workspace.log(&second);
    assert!(!log.contains("life-one"));
    let ended = workspace.events(PANE_EXITED_RULE);
    assert_eq!(ended.len(), 1, "{ended:?}");
}

#[test]
fn a_second_watcher_waits_for_its_turn() {
    let (live, workspace) = (TmuxFixture::new(), Workspace::new());
    let pane = live.bash();
    let first = workspace.start(&live);
    let Started::Held { by } = Watcher::try_start(workspace.context(&live)).unwrap() else {
        panic!("two watchers");
    };
    assert_eq!(by, format!("process {}", std::process::id()));
    assert_eq!(holder(workspace.folder.path()), Some(by));
    let second = Watcher::stand_by(workspace.context(&live)).unwrap();
    live.types(&pane, "echo for-the-fir''st");
    workspace.wait_for("\"for-the-first\"");
    assert!(!second.is_watching());
    first.stop();
    wait_until("the second one", || second.is_watching());
    live.types(&pane, "echo for-the-sec''ond");
    workspace.wait_for("\"for-the-second\"");
    second.stop();
    assert_eq!(holder(workspace.folder.path()), None);
}

#[test]
fn panes_that_are_filtered_out_are_known_but_not_recorded() {
    let live = TmuxFixture::new();
    let ignored = live.bash();
    let seen = live.bash();
    let mut workspace = Workspace::new();
    workspace.exclude = vec![format!("id:{}", ignored.pane_id)];
    let _watcher = workspace.start(&live);
    live.types(&ignored, "echo sec''ret");
    wait_until("output", || live.screen(&ignored).contains("secret"));
    live.types(&seen, "echo pub''lic");
    workspace.wait_for("public");
    assert!(workspace.history.known(ignored.pane_id).unwrap().is_some());
    assert_eq!(workspace.hits("secret"), []);
}

#[test]
fn the_alternate_screen_is_a_gap_that_a_prompt_ends() {
    let (live, workspace) = (TmuxFixture::new(), Workspace::new());
    let pane = live.bash();
    let _watcher = workspace.start(&live);
    live.types(&pane, "echo be''fore");
    workspace.wait_for("before");
    let file = workspace.file("paged", "paged-text\n");
    live.types(
        &pane,
        &format!("printf '\\033[?1049h'; cat {file}; read -r x; printf '\\033[?1049l'"),
    );
    wait_until("the gap", || workspace.pane(&pane).recent_gap);
    live.types(&pane, "");
    live.types(&pane, "echo af''ter");
    workspace.wait_for("after");
    wait_until("the end of the gap", || !workspace.pane(&pane).recent_gap);
    let reasons: Vec<GapReason> = workspace.gaps(&pane).iter().map(|gap| gap.reason).collect();
    assert_eq!(reasons, [GapReason::AltScreenExited, GapReason::AltScreenEntered]);
    let (log, _) = workspace.log(&pane);
    assert_eq!(log.matches("before\n").count(), 1, "{log}");
    assert!(!log.contains("paged-text"), "{log}");
    assert_eq!(workspace.events(GAP_RULE), []);
}

#[test]
fn an_agent_on_the_alternate_screen_is_recorded_and_found_out_once() {
    let (live, workspace) = (TmuxFixture::new(), Workspace::new());
    let shell = live.bash();
    // Repaints its whole screen ten times a second, with a counter. Without newlines, so that
    // bash writes a frame at once.
    let code = format!(
        "#!/bin/bash\nprintf '\\033[?1049h'\nfor n in $(seq 1 10000); do\n\
         printf \"\\033[2J\\033[H> earlier words\\033[2H{LIMIT_TEXT}\\033[4HWorking (${{n}}s)\"\n\
         sleep 0.1\ndone\n"
    );
    // Another process writes what is run: a file that this one has open for writing, or a child
    // forked meanwhile by another test, cannot be.
    let text = workspace.file("codex.txt", &code);
    let script = workspace.folder.path().join("codex").display().to_string();
    let made = Command::new("install").args(["-m", "755", &text, &script]).status();
    assert!(made.unwrap().success());
    let watcher = workspace.start(&live);
    let pane = live.start(&script);
    workspace.wait_for("\"earlier words\"");
    wait_until("the event", || !workspace.events(LIMIT_RULE).is_empty());
    let painted = || live.screen(&pane);
    let before = painted();
    wait_until("more frames", || painted() != before);
    watcher.stop();
    let watcher = workspace.start(&live);
    // By the time this is stored, the agent's screen has been checked many times.
    live.types(&shell, "sleep 2; echo mar''ker");
    workspace.wait_for("marker");
    watcher.stop();
    assert_eq!(workspace.events(LIMIT_RULE).len(), 1);
    let (log, _) = workspace.log(&pane);
    assert!(log.matches("Working").count() <= 2, "{log}");
}
