//! Sending and waiting on a real tmux.

use std::cell::Cell;
use std::time::Duration;

use super::new_output::read;
use super::send::Sent;
use super::tmux_fixture::{TmuxFixture, wait_until};
use super::*;
use crate::error::{Kind, Result};
use crate::model::{Agent, AgentActivity, AgentSeen, PaneRow, PaneState};
use crate::mux::Mux;
use crate::patterns::Patterns;

const LONG: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(700);

fn state(live: &TmuxFixture, pane: &PaneRow) -> PaneState {
    live.tmux.state(pane).unwrap()
}

fn sends(live: &TmuxFixture, pane: &PaneRow, text: &str) -> Sent {
    let input = classify(text).unwrap();
    // A shell that is only slow is waited for.
    let settle = Settle { react: LONG, ..Settle::default() };
    send(&live.tmux, pane, &state(live, pane), &input, &settle).unwrap()
}

/// Waits for the prompt: what is typed before it shows twice.
fn prompt(live: &TmuxFixture, pane: &PaneRow) {
    wait_until("the prompt", || live.screen(pane).ends_with('$'));
}

struct Asked<'a> {
    condition: Condition,
    timeout: Duration,
    baseline: Option<Baseline>,
    cancelled: &'a dyn Fn() -> bool,
    alive: &'a dyn Fn() -> Result<()>,
    tail: usize,
}

fn text(wanted: &str) -> Condition {
    condition("pattern", wanted, false, &Patterns::builtin().unwrap()).unwrap()
}

fn asked(condition: Condition, timeout: Duration, baseline: Option<Baseline>) -> Asked<'static> {
    Asked { condition, timeout, baseline, cancelled: &|| false, alive: &|| Ok(()), tail: 200 }
}

fn waits(live: &TmuxFixture, pane: &PaneRow, asked: Asked<'_>) -> Result<Waited> {
    let patterns = Patterns::builtin().unwrap();
    let waiter = Waiter {
        mux: &live.tmux,
        pane,
        patterns: &patterns,
        tail: asked.tail,
        timeout: asked.timeout,
        baseline: asked.baseline,
        cancelled: asked.cancelled,
        alive: asked.alive,
        progress: &mut |_| {},
    };
    wait(waiter, &asked.condition)
}

fn matches_after(
    live: &TmuxFixture,
    pane: &PaneRow,
    sent: Sent,
    wanted: &str,
    time: Duration,
) -> bool {
    waits(live, pane, asked(text(wanted), time, Some(sent.baseline))).unwrap().matched
}

#[test]
fn output_matches_and_the_echo_never_does() {
    let live = TmuxFixture::new();
    let pane = live.bash();
    let sent = sends(&live, &pane, "echo hi");
    assert_eq!((sent.attempts, sent.submitted), (1, true));
    assert!(matches_after(&live, &pane, sent, "hi", LONG));

    // The command never prints what is waited for.
    prompt(&live, &pane);
    let sent = sends(&live, &pane, "true only-in-the-echo\n");
    assert!(!matches_after(&live, &pane, sent, "only-in-the-echo", SHORT));

    // The word is in the echo at once and in the output later: a file tells which one matched.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("went-on");
    prompt(&live, &pane);
    let sent = sends(&live, &pane, &format!("read x; touch {}; echo done", file.display()));
    assert!(!file.exists());
    // The command goes on only when this wait has looked several times.
    let polls = Cell::new(0);
    let go_on = || {
        polls.set(polls.get() + 1);
        if polls.get() == 5 {
            live.tmux.send_raw(pane.native_id, b"\r").unwrap();
        }
        false
    };
    let found = asked(text("done"), LONG, Some(sent.baseline));
    assert!(waits(&live, &pane, Asked { cancelled: &go_on, ..found }).unwrap().matched);
    assert!(file.exists(), "the echo matched");
}

#[test]
fn stale_text_does_not_match_after_a_send_but_does_without_one() {
    let live = TmuxFixture::new();
    let pane = live.bash();
    let sent = sends(&live, &pane, "echo sta''le");
    assert!(matches_after(&live, &pane, sent, "stale", LONG));
    prompt(&live, &pane);
    let sent = sends(&live, &pane, "echo other");
    assert!(!matches_after(&live, &pane, sent, "stale", SHORT));
    let plain = waits(&live, &pane, asked(text("stale"), SHORT, None)).unwrap();
    assert!(plain.matched);
    assert_eq!(plain.polls, 1);
    let now = Baseline::of(read(&live.tmux, &pane).unwrap(), &state(&live, &pane));
    assert!(!waits(&live, &pane, asked(text("stale"), SHORT, Some(now))).unwrap().matched);
}

#[test]
fn the_same_text_again_is_an_answer_too() {
    let live = TmuxFixture::new();
    let pane = live.bash();
    for command in ["echo again", "echo again", "clear; echo again", "seq 1 3000; echo again"] {
        let sent = sends(&live, &pane, command);
        assert!(matches_after(&live, &pane, sent, "again", LONG), "{command}");
        prompt(&live, &pane);
    }
    // A program that answers what it was sent.
    sends(&live, &pane, "cat");
    wait_until("the program", || state(&live, &pane).foreground == ["cat"]);
    let sent = sends(&live, &pane, "mirror");
    assert!(matches_after(&live, &pane, sent, "mirror", LONG));
}

#[test]
fn output_that_scrolled_far_away_is_seen() {
    let live = TmuxFixture::new();
    let pane = live.bash();
    let sent = sends(&live, &pane, "echo need''le; seq 1 1500");
    assert!(matches_after(&live, &pane, sent, "needle", LONG));
}

#[test]
fn several_lines_arrive_as_one_paste() {
    let live = TmuxFixture::new();
    let pane = live.bash();
    let sent = sends(&live, &pane, "cat <<'END'\nfirst line\n\tsecond \"line\"\nEND\n");
    assert!(sent.submitted);
    let found = asked(text("second \"line\""), LONG, Some(sent.baseline.clone()));
    assert!(waits(&live, &pane, found).unwrap().matched);
    let screen = live.screen(&pane);
    assert_eq!(screen.matches("first line").count(), 2, "echo and output: {screen}");
    // Submitted line by line, a shell would have asked with its second prompt.
    assert!(!screen.contains("> first"), "{screen}");
    assert!(!matches_after(&live, &pane, sent, "END", SHORT), "the echo matched");
}

#[test]
fn a_shell_that_takes_lines_one_by_one_loses_no_output() {
    let live = TmuxFixture::new();
    let pane = live.start("PS1='% ' exec sh");
    wait_until("a prompt", || live.screen(&pane).ends_with('%'));
    let sent = sends(&live, &pane, "expr 20 + 1\nexpr 30 + 2");
    let both = condition("pattern", "(?s)21.*32", true, &Patterns::builtin().unwrap()).unwrap();
    assert!(waits(&live, &pane, asked(both, LONG, Some(sent.baseline))).unwrap().matched);
}

#[test]
fn a_wrapped_line_is_neither_missed_nor_taken_for_an_answer() {
    let live = TmuxFixture::new();
    let pane = live.bash();
    let long = "x".repeat(100);
    let sent = sends(&live, &pane, &format!("true {long} word"));
    assert!(!matches_after(&live, &pane, sent, "word", SHORT));
    prompt(&live, &pane);
    let sent = sends(&live, &pane, "printf '%070d-%s\\n' 7 joined-over-the-edge");
    assert!(matches_after(&live, &pane, sent, "07-joined-over-the-edge", LONG));
}

#[test]
fn keys_are_pressed_without_enter() {
    let live = TmuxFixture::new();
    let pane = live.bash();
    sends(&live, &pane, "sleep 1000");
    wait_until("the program", || state(&live, &pane).command_running == Some(true));
    let sent = sends(&live, &pane, "\x03");
    assert!(matches_after(&live, &pane, sent, "^C", LONG));
    wait_until("the prompt", || state(&live, &pane).prompt_active == Some(true));
    sends(&live, &pane, "\x1b[A");
    wait_until("the last command", || live.screen(&pane).ends_with("$ sleep 1000"));
    sends(&live, &pane, "\x15");
    wait_until("an empty line", || live.screen(&pane).ends_with('$'));
}

#[test]
fn enter_that_is_swallowed_is_pressed_again_where_that_is_safe() {
    let live = TmuxFixture::new();
    // Takes text, ignores the first Enter, and says nothing about it.
    let script = "stty raw -echo; printf 'box> '; n=0; \
                  while c=$(dd bs=64 count=1 2>/dev/null | od -An -tx1); do \
                  case $c in *0d) n=$((n+1)); [ $n = 2 ] && printf '\\r\\ntaken\\r\\n';; \
                  *) printf '.';; esac; done";
    let pane = live.start(script);
    wait_until("the program", || live.screen(&pane).contains("box>"));
    let agent = AgentSeen { agent: Agent::Codex, activity: AgentActivity::Idle };
    let state = PaneState { agent: Some(agent), ..state(&live, &pane) };
    let input = classify("hello").unwrap();
    // It is given more time than it needs on a busy machine.
    let settle = Settle { limit: LONG, react: Duration::from_secs(4), ..Settle::default() };
    let sent = send(&live.tmux, &pane, &state, &input, &settle).unwrap();
    assert_eq!((sent.attempts, sent.submitted), (2, true));
    assert!(matches_after(&live, &pane, sent, "taken", LONG));

    // A program that reads silently may have taken it, and a shell may be slow: one Enter only.
    let pane = live.start("stty -echo; echo ready; while read -r line; do :; done");
    wait_until("the program", || live.screen(&pane).contains("ready"));
    let input = classify("secret").unwrap();
    let shell = PaneState { prompt_active: Some(true), ..PaneState::default() };
    for state in [PaneState::default(), shell] {
        let sent = send(&live.tmux, &pane, &state, &input, &Settle::default()).unwrap();
        assert_eq!((sent.attempts, sent.submitted), (1, false));
    }
}

#[test]
fn an_agents_repainted_echo_is_no_answer() {
    let live = TmuxFixture::new();
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("agent");
    // Paints what was typed into its transcript, then thinks, then answers.
    let code = "stty -echo\nprintf 'welcome\\n+----+\\n| > '\nread -r line\n\
                printf '\\033[2A\\033[0J> %s\\n  thinking\\n+----+\\n| > ' \"$line\"\n\
                sleep 2\ntouch \"$0.ready\"\n\
                printf '\\033[2A\\r\\033[0J  all done\\n+----+\\n| > '\nsleep 1000\n";
    std::fs::write(&script, code).unwrap();
    let pane = live.start(&format!("bash {}", script.display()));
    wait_until("the program", || live.screen(&pane).ends_with("| >"));
    let agent = AgentSeen { agent: Agent::ClaudeCode, activity: AgentActivity::Idle };
    let state = PaneState { agent: Some(agent), ..state(&live, &pane) };
    let input = classify("tell me when you are done").unwrap();
    let sent = send(&live.tmux, &pane, &state, &input, &Settle::default()).unwrap();
    assert!(matches_after(&live, &pane, sent, "done", LONG));
    assert!(folder.path().join("agent.ready").exists(), "the echo matched");
}

#[test]
fn leaving_a_pager_brings_no_stale_text_back() {
    let live = TmuxFixture::new();
    let pane = live.bash();
    sends(&live, &pane, "echo before''hand");
    wait_until("output", || live.screen(&pane).contains("beforehand"));
    prompt(&live, &pane);
    let other_screen =
        "printf '\\033[?1049hin''side'; read -r x; printf '\\033[?1049l'; echo af''ter";
    let sent = sends(&live, &pane, other_screen);
    let since = |wanted: &str| asked(text(wanted), LONG, Some(sent.baseline.clone()));
    assert!(waits(&live, &pane, since("inside")).unwrap().matched);
    // The other screen is left while this wait looks on; it ends when it has seen enough of that.
    let polls = Cell::new(0);
    let seen_enough = || {
        polls.set(polls.get() + 1);
        if polls.get() == 3 {
            live.tmux.send_raw(pane.native_id, b"\r").unwrap();
        }
        polls.get() > 6 && live.screen(&pane).contains("after")
    };
    let stale = Asked { cancelled: &seen_enough, ..since("beforehand") };
    let stale = waits(&live, &pane, stale).unwrap();
    assert!(stale.cancelled && !stale.matched);
    assert!(waits(&live, &pane, since("after")).unwrap().matched);
}

#[test]
fn cancellation_and_the_end_of_the_pane_end_a_wait() {
    let live = TmuxFixture::new();
    let _keeps_the_server = live.bash();
    let pane = live.bash();
    let polls = Cell::new(0);
    let cancelled = || {
        polls.set(polls.get() + 1);
        polls.get() > 3
    };
    let waited =
        waits(&live, &pane, Asked { cancelled: &cancelled, ..asked(text("never"), LONG, None) });
    let waited = waited.unwrap();
    assert!(waited.cancelled && !waited.matched);

    // The pane is gone.
    let sent = sends(&live, &pane, "sleep 1; exit");
    let ended = waits(&live, &pane, asked(text("never"), LONG, Some(sent.baseline))).unwrap_err();
    assert_eq!(ended.kind, Kind::PaneNotFound);

    // The backend kept it, and only the list tells.
    live.run(&["set-option", "-g", "remain-on-exit", "on"]);
    let pane = live.bash();
    let alive = || match live.row(pane.native_id).dead {
        None => Ok(()),
        Some(_) => Err(Kind::PaneNotFound.because("ended")),
    };
    let sent = sends(&live, &pane, "sleep 1; exit 3");
    let found = asked(text("never"), LONG, Some(sent.baseline));
    let ended = waits(&live, &pane, Asked { alive: &alive, ..found }).unwrap_err();
    assert_eq!(ended.kind, Kind::PaneNotFound);
}

#[test]
fn time_and_progress() {
    let live = TmuxFixture::new();
    let pane = live.bash();
    let patterns = Patterns::builtin().unwrap();
    let mut told = Vec::new();
    let waiter = Waiter {
        mux: &live.tmux,
        pane: &pane,
        patterns: &patterns,
        tail: 0,
        timeout: Duration::from_millis(2500),
        baseline: None,
        cancelled: &|| false,
        alive: &|| Ok(()),
        progress: &mut |time| told.push(time),
    };
    let waited = wait(waiter, &text("never")).unwrap();
    assert!(!waited.matched && !waited.cancelled);
    assert!(!told.is_empty());
    let at_once = waits(&live, &pane, asked(text("never"), Duration::ZERO, None)).unwrap();
    assert_eq!((at_once.matched, at_once.polls), (false, 1));
    let quiet = Condition::Quiet(Duration::from_millis(300));
    assert!(waits(&live, &pane, asked(quiet, LONG, None)).unwrap().matched);
}

#[test]
fn rules_can_be_waited_for_by_any_of_their_names() {
    let patterns = Patterns::builtin().unwrap();
    let live = TmuxFixture::new();
    let pane = live.bash();
    for name in ["core.codex:usage_reached", "codex.usage.reached"] {
        let rule = condition("pattern", name, false, &patterns).unwrap();
        let Condition::Rule(id) = &rule else { panic!("{name} is no rule") };
        assert_eq!(id, "core.codex:usage_reached");
        let example = &patterns.rule(id).unwrap().fixtures.matches[0].text;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("text");
        std::fs::write(&file, example).unwrap();
        let sent = sends(&live, &pane, &format!("clear; cat {}", file.display()));
        let waited = waits(&live, &pane, asked(rule, LONG, Some(sent.baseline))).unwrap();
        assert!(waited.matched, "{name}: {}", live.screen(&pane));
        let detection = waited.detection.unwrap();
        assert_eq!((detection.rule_id.as_str(), detection.event_type.as_str()), {
            ("core.codex:usage_reached", "usage.reached")
        });
        prompt(&live, &pane);
    }
    let error = condition("wait_for", "core.codex:usage_reachd", false, &patterns).unwrap_err();
    assert_eq!(error.kind, Kind::InvalidArguments);
    assert!(error.message.contains("`wait_for`"), "{error}");
    assert!(matches!(text("core: dumped"), Condition::Text(_)));
    assert!(condition("pattern", "", false, &patterns).is_err());
    assert!(condition("pattern", "(", true, &patterns).is_err());
    assert!(condition("pattern", "(", false, &patterns).is_ok());
}
