//! Against a small program that says what WezTerm says, and against WezTerm where it is installed.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::super::testing::{LIMIT, eventually, script};
use super::super::{BAD_ANSWER, NOT_RUNNING, PROGRAM_MISSING};
use super::*;

const LIST: &str = r#"[{"window_id":0,"tab_id":0,"pane_id":2,"workspace":"default",
"size":{"rows":4,"cols":80,"pixel_width":640,"pixel_height":384,"dpi":0},"title":"less",
"cwd":"file:///srv/","cursor_x":1,"cursor_y":3,"is_active":true,"tty_name":null}]"#;

/// Plays the command line: notes its arguments and input, answers with `body`.
fn played(body: &str) -> (tempfile::TempDir, Wezterm) {
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes");
    fs::write(folder.path().join("list.json"), LIST).unwrap();
    let body = format!(
        "dir={}; printf '%s\\n' \"$@\" > {}\n{body}",
        folder.path().display(),
        notes.display()
    );
    let program = script(folder.path(), "wezterm", &body).display().to_string();
    let wezterm = Wezterm::new(WeztermOptions { program, socket: None, timeout: LIMIT });
    (folder, wezterm)
}

fn notes(folder: &tempfile::TempDir) -> Vec<String> {
    let notes = fs::read_to_string(folder.path().join("notes")).unwrap();
    notes.lines().map(str::to_owned).collect()
}

#[test]
fn looking_never_starts_a_server() {
    let (folder, wezterm) = played("cat $dir/list.json");
    let rows = wezterm.list().unwrap();
    assert_eq!((rows.len(), rows[0].native_id, rows[0].cwd.as_deref()), (1, 2, Some("/srv")));
    assert_eq!(notes(&folder), ["cli", "--no-auto-start", "list", "--format", "json"]);
}

#[test]
fn text_is_asked_for_from_above_the_screen() {
    let (folder, wezterm) = played(r"printf 'one  \r\ntwo\r\nthree \377 \r\n\r\n\r\n'");
    let tail = wezterm.text(2, Lines::Tail(2), false).unwrap();
    assert_eq!(tail, PaneText { text: "two\nthree \u{fffd}".to_owned(), more_above: true });
    assert_eq!(notes(&folder)[2..], ["get-text", "--pane-id", "2", "--start-line=-3"]);
    let screen = wezterm.text(2, Lines::Screen, true).unwrap();
    assert_eq!(screen.text.lines().count(), 3);
    assert_eq!(notes(&folder)[2..], ["get-text", "--pane-id", "2", "--escapes"]);
    wezterm.text(2, Lines::All, false).unwrap();
    assert_eq!(notes(&folder)[5], "--start-line=-10000000");
}

#[test]
fn input_goes_through_the_standard_input() {
    let (folder, wezterm) = played("cat > $dir/input");
    let input = || fs::read_to_string(folder.path().join("input")).unwrap();
    wezterm.send_raw(2, b"-x\x03\r").unwrap();
    assert_eq!(input(), "-x\x03\r");
    assert_eq!(notes(&folder)[2..], ["send-text", "--pane-id", "2", "--no-paste"]);
    wezterm.paste(2, "a\nb").unwrap();
    assert_eq!(input(), "a\nb");
    assert_eq!(notes(&folder)[2..], ["send-text", "--pane-id", "2"]);
    assert_eq!(wezterm.send_raw(2, b"\xff").unwrap_err().kind, Kind::NotImplemented);
    assert_eq!(wezterm.paste(2, "\x1b[201~").unwrap_err().kind, Kind::InvalidArguments);
}

#[test]
fn the_alternate_screen_is_denied_by_scrollback_and_never_guessed() {
    let state = |lines: usize, names: &[&str], prompt: Option<bool>| {
        let (_folder, wezterm) = played(&format!("yes line | head -n {lines}"));
        let row = list::read(LIST.as_bytes(), &Surroundings::default()).unwrap().remove(0);
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let state = PaneState { prompt_active: prompt, foreground: names, ..PaneState::default() };
        wezterm.alternate(&row, &state).unwrap()
    };
    assert_eq!(state(50, &["less"], Some(false)), Some(false));
    assert_eq!(state(6, &["less"], Some(false)), Some(true));
    assert_eq!(state(6, &["cargo"], Some(false)), None);
    assert_eq!(state(6, &[], None), None);
    assert_eq!(state(6, &["bash"], Some(true)), Some(false));
    assert!(FULL_SCREEN.is_sorted());
}

#[test]
fn errors_are_distinguished() {
    let error = |body: &str| played(body).1.text(99, Lines::Screen, false).unwrap_err();
    let gone = error("echo 'ERROR  wezterm > no such pane 99; terminating' >&2; exit 1");
    assert_eq!((gone.kind, gone.message.as_str()), (Kind::PaneNotFound, "WezTerm has no pane 99."));
    let down = error(r#"echo 'failed to connect to Socket("/run/sock")' >&2; exit 1"#);
    assert_eq!((down.kind, down.reason.as_deref()), (Kind::Backend, Some(NOT_RUNNING)));
    assert!(down.hint.unwrap().contains("wezterm-mux-server"));
    let usage = error("echo 'error: unexpected argument' >&2; exit 2");
    assert!(usage.kind == Kind::Backend && usage.message.contains("unexpected argument"));
    let (_folder, garbage) = played("echo what");
    for error in [garbage.list().unwrap_err(), garbage.spawn(&Spawn::default()).unwrap_err()] {
        assert_eq!((error.kind, error.reason.as_deref()), (Kind::Backend, Some(BAD_ANSWER)));
    }
    let missing = WeztermOptions { program: "/nowhere/wezterm".to_owned(), ..Default::default() };
    let error = Wezterm::new(missing).list().unwrap_err();
    assert_eq!(error.reason.as_deref(), Some(PROGRAM_MISSING));
    let hanging = played("sleep 600");
    let program = hanging.0.path().join("wezterm").display().to_string();
    let slow = WeztermOptions { program, socket: None, timeout: Duration::from_millis(100) };
    assert_eq!(Wezterm::new(slow).list().unwrap_err().kind, Kind::Timeout);
}

#[test]
fn a_new_pane_gets_a_window_a_folder_and_variables() {
    let (folder, wezterm) = played("echo 12");
    let spawn = Spawn {
        command: vec!["top".to_owned(), "-b".to_owned()],
        cwd: Some("/srv".to_owned()),
        env: vec![("A".to_owned(), "b c".to_owned())],
        ..Spawn::default()
    };
    assert_eq!(wezterm.spawn(&spawn).unwrap(), 12);
    let expected = ["spawn", "--new-window", "--cwd", "/srv", "--", "env", "A=b c", "top", "-b"];
    assert_eq!(notes(&folder)[2..], expected);
    let shell = spawn_args(&Spawn { env: spawn.env, ..Spawn::default() }, None);
    assert_eq!(shell[2..], ["--", "env", "A=b c", "/bin/sh"]);
    wezterm.spawn(&Spawn { title: Some("-t".to_owned()), ..Spawn::default() }).unwrap();
    assert_eq!(notes(&folder)[2..], ["set-tab-title", "--pane-id", "12", "--", "-t"]);
    wezterm.close(12).unwrap();
    assert_eq!(notes(&folder)[2..], ["kill-pane", "--pane-id", "12"]);
}

/// A headless WezTerm of the test's own, ended when it goes out of scope.
struct WeztermServer {
    runtime: tempfile::TempDir,
}

impl WeztermServer {
    fn start() -> Option<Self> {
        let path = std::env::var("PATH").ok();
        for program in ["wezterm", "wezterm-mux-server"] {
            if toolwright_platform::process::find(program, path.as_deref()).is_none() {
                println!("skipped: `{program}` is not on PATH");
                return None;
            }
        }
        let live = Self { runtime: tempfile::tempdir().unwrap() };
        let started = Command::new("wezterm-mux-server")
            .args(["-n", "--daemonize"])
            .env("HOME", live.runtime.path())
            .env("XDG_RUNTIME_DIR", live.runtime.path())
            .env_remove("WEZTERM_UNIX_SOCKET")
            .status();
        assert!(started.unwrap().success());
        eventually("the socket", || live.folder().join("sock").exists().then_some(()));
        Some(live)
    }

    fn folder(&self) -> PathBuf {
        self.runtime.path().join("wezterm")
    }
}

impl Drop for WeztermServer {
    fn drop(&mut self) {
        if let Ok(pid) = fs::read_to_string(self.folder().join("pid")) {
            let _ = Command::new("kill").arg(pid.trim()).status();
        }
    }
}

#[test]
fn a_real_wezterm_is_driven_where_it_is_installed() {
    let Some(live) = WeztermServer::start() else { return };
    let socket = live.folder().join("sock").display().to_string();
    let options = WeztermOptions { socket: Some(socket), timeout: LIMIT, ..Default::default() };
    let wezterm = Wezterm::new(options);
    let shell = ["bash", "--norc", "--noprofile"].map(str::to_owned).to_vec();
    let pane = wezterm.spawn(&Spawn { command: shell, ..Spawn::default() }).unwrap();
    let row = || wezterm.list().unwrap().into_iter().find(|row| row.native_id == pane);
    let state = |what: &str, wanted: fn(&PaneState) -> bool| {
        let row = row().unwrap();
        eventually(what, || wezterm.state(&row).ok().filter(wanted))
    };
    let shows = |text: &str| {
        eventually(text, || {
            wezterm.text(pane, Lines::All, false).ok().filter(|t| t.text.contains(text))
        })
    };
    state("a prompt", |state| state.prompt_active == Some(true));
    assert_eq!(row().unwrap().identity, row().unwrap().identity);
    wezterm.paste(pane, "echo a$((1+1))\necho b$((1+2))").unwrap();
    assert!(!shows("echo b").text.contains("a2"));
    wezterm.send_raw(pane, b"\r").unwrap();
    shows("a2\nb3");
    wezterm.send_raw(pane, b"seq 1 200; sleep 600\r").unwrap();
    state("sleep", |state| state.foreground == ["sleep"] && state.command_running == Some(true));
    let tail = wezterm.text(pane, Lines::Tail(100), false).unwrap();
    assert!(tail.more_above && tail.text.lines().count() == 100, "{tail:?}");
    wezterm.send_raw(pane, b"\x03").unwrap();
    state("a prompt again", |state| state.prompt_active == Some(true));
    wezterm.close(pane).unwrap();
    eventually("the end", || row().is_none().then_some(()));
    assert_eq!(wezterm.send_raw(pane, b"x").unwrap_err().kind, Kind::PaneNotFound);
}
