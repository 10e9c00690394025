//! With small scripts in a temporary folder.

use std::sync::Arc;

use super::super::testing::{eventually, script};
use super::*;

const DIALECT: Dialect = Dialect {
    name: "thing",
    unreachable: |said| said.contains("no server"),
    start: "Start it.",
    install: "Install it.",
};

fn cli(folder: &Path, body: &str, timeout: Duration) -> Cli {
    let program = script(folder, "thing", body).display().to_string();
    Cli::new(DIALECT, program, vec!["base".to_owned()], &[], timeout)
}

const LONG: Duration = Duration::from_secs(30);

/// The error of a call that is not even tried. A machine that stalls for as long as a rest takes
/// misses it; the next failure begins another.
fn until_resting(cli: &Cli) -> Error {
    eventually("a rest", || {
        let error = cli.run(&[], b"").unwrap_err();
        (error.reason.as_deref() == Some(RESTING)).then_some(error)
    })
}

#[test]
fn arguments_input_and_environment_reach_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let program = script(folder.path(), "thing", "printf '%s|' \"$@\" \"$EXTRA\"; cat");
    let env = [("EXTRA".to_owned(), "more".to_owned())];
    let cli = Cli::new(DIALECT, program.display().to_string(), vec!["-u".to_owned()], &env, LONG);
    let done = cli.run(&["a b", "; rm $x"], b"input").unwrap();
    assert_eq!(done.text(), "-u|a b|; rm $x|more|input");
}

#[test]
fn five_failures_in_a_row_bring_a_rest_and_one_success_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    let flag = folder.path().join("up");
    let body = format!("test -e {} || {{ echo no server >&2; exit 1; }}", flag.display());
    let cli = cli(folder.path(), &body, LONG);
    let reason = || cli.run(&[], b"").unwrap_err().reason.unwrap();
    for _ in 0..4 {
        assert_eq!(reason(), NOT_RUNNING);
    }
    assert!(cli.breaker().rest_until.is_none());
    std::fs::write(&flag, "").unwrap();
    cli.run(&[], b"").unwrap();
    std::fs::remove_file(&flag).unwrap();
    for _ in 0..5 {
        assert_eq!(reason(), NOT_RUNNING);
    }
    assert!(cli.breaker().rest_until.is_some());
    let resting = until_resting(&cli);
    assert_eq!(resting.kind, Kind::Backend);
    assert!(resting.message.contains("no server") && resting.hint.is_some(), "{resting:?}");
    // What may start the server is tried all the same.
    assert_eq!(cli.run_now(&[], b"").unwrap_err().reason.unwrap(), NOT_RUNNING);
    std::fs::write(&flag, "").unwrap();
    eventually("an answer after the rest", || cli.run(&[], b"").ok());
}

#[test]
fn a_hanging_program_counts_as_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let cli = cli(folder.path(), "sleep 600", Duration::from_millis(50));
    for _ in 0..5 {
        assert_eq!(cli.run(&[], b"").unwrap_err().kind, Kind::Timeout);
    }
    assert!(cli.breaker().rest_until.is_some());
    until_resting(&cli);
}

#[test]
fn only_so_many_calls_run_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let running = folder.path().join("running");
    std::fs::create_dir(&running).unwrap();
    let body = format!("cd {}; touch $$; ls | wc -l; sleep 0.05; rm $$", running.display());
    let cli = Arc::new(cli(folder.path(), &body, LONG));
    let callers: Vec<_> = (0..3 * MAX_CONCURRENT)
        .map(|_| {
            let cli = Arc::clone(&cli);
            std::thread::spawn(move || cli.run(&[], b"").unwrap().text().trim().parse::<usize>())
        })
        .collect();
    for caller in callers {
        assert!(caller.join().unwrap().unwrap() <= MAX_CONCURRENT);
    }
}

#[test]
fn a_call_that_gets_no_turn_times_out() {
    let folder = tempfile::tempdir().unwrap();
    let cli = cli(folder.path(), "exit 0", Duration::from_millis(50));
    *cli.running.lock().unwrap() = MAX_CONCURRENT;
    assert_eq!(cli.run(&[], b"").unwrap_err().kind, Kind::Timeout);
    *cli.running.lock().unwrap() = 0;
    let _permit = cli.acquire_permit(Instant::now()).unwrap();
    assert_eq!(*cli.running.lock().unwrap(), 1);
}

#[test]
fn a_flood_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let cli = cli(folder.path(), "head -c 40000000 /dev/zero", LONG);
    let error = cli.run(&[], b"").unwrap_err();
    assert_eq!((error.kind, error.reason.as_deref()), (Kind::Backend, Some(BAD_ANSWER)));
    assert!(error.message.contains("32 MiB"), "{error}");
}

#[test]
fn a_missing_program_and_one_that_may_not_run() {
    let missing = Cli::new(DIALECT, "/nowhere/thing", Vec::new(), &[], LONG);
    let error = missing.run(&[], b"").unwrap_err();
    assert_eq!(
        (error.reason.as_deref(), error.hint.as_deref()),
        (Some(PROGRAM_MISSING), Some("Install it."))
    );
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("plain");
    std::fs::write(&plain, "text").unwrap();
    let error = Cli::new(DIALECT, plain.display().to_string(), Vec::new(), &[], LONG).run(&[], b"");
    assert_eq!(error.unwrap_err().reason.as_deref(), Some(REFUSED));
}

#[test]
fn last_words_are_short_and_printable() {
    assert_eq!(shorten("a\x1b[31m\nb."), "a [31m b");
    assert_eq!(shorten(&"ü".repeat(1000)).chars().count(), MAX_MESSAGE);
}
