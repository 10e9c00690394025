//! On a real tmux server.

use std::fs;
use std::sync::Arc;

use super::super::testing::{
    LIMIT, Server, eventually, row, script, type_line, until_prompt, until_state, until_text,
};
use super::super::{BAD_ANSWER, NO_ANSWER, NOT_RUNNING, PROGRAM_MISSING, RESTING};
use super::*;

fn with_program(program: &str, timeout: Duration) -> Tmux {
    Tmux::new(TmuxOptions { program: program.to_owned(), socket: None, timeout })
}

#[test]
fn a_pane_is_listed_with_all_that_tmux_knows() {
    let (server, folder) = (Server::start(), tempfile::tempdir().unwrap());
    let tmux = server.tmux();
    until_prompt(&tmux, 0);
    type_line(&tmux, 0, &format!("cd {}", folder.path().display()));
    type_line(&tmux, 0, r"printf '\033]2;a, title; #{x}\033\\'");
    server.command(&["split-window", "-d", "-t", "%0", "-l", "10", "sleep", "600"]);
    let listed = eventually("the title", || {
        let listed = row(&tmux, 0);
        (listed.title.as_deref() == Some("a, title; #{x}")).then_some(listed)
    });
    assert_eq!(listed.cwd, Some(folder.path().canonicalize().unwrap().display().to_string()));
    assert_eq!((listed.size, listed.is_active), (Some((80, 13)), true));
    assert_eq!((listed.window_id, listed.tab_id, listed.pane_id), (0, 0, 0));
    assert_eq!(listed.domain, format!("tmux:{}", server.socket()));
    assert_eq!((listed.alt_screen, listed.dead), (Some(false), None));
    assert!(listed.tty.unwrap().starts_with("/dev/"));
    let rows = tmux.list().unwrap();
    assert_eq!(rows.iter().map(|row| row.native_id).collect::<Vec<_>>(), [0, 1]);
    assert!(!rows[1].is_active);
    assert_ne!(rows[0].identity, rows[1].identity);
}

#[test]
fn cursor_and_alternate_screen_are_reported_while_less_runs() {
    let server = Server::start();
    let (tmux, file) = (server.tmux(), server.folder().join("lines.txt"));
    fs::write(&file, (1..=200).map(|n| format!("line {n}\n")).collect::<String>()).unwrap();
    until_prompt(&tmux, 0);
    type_line(&tmux, 0, "echo before");
    until_text(&tmux, 0, "\nbefore");
    type_line(&tmux, 0, &format!("less {}", file.display()));
    let state = until_state(&tmux, 0, "less", |state| state.alt_screen == Some(true));
    assert_eq!((state.prompt_active, state.command_running), (Some(false), Some(true)));
    assert_eq!(state.foreground, ["less"]);
    assert_eq!(state.foreground_commands, [format!("less {}", file.display())]);
    until_text(&tmux, 0, "line 23");
    let listed = eventually("the cursor below the text", || {
        let listed = row(&tmux, 0);
        (listed.cursor?.0 == 23).then_some(listed)
    });
    assert_eq!((listed.alt_screen, listed.size), (Some(true), Some((80, 24))));
    // Nothing but the screen: what the shell printed before is not of this program.
    let text = tmux.text(0, Lines::Tail(100), false).unwrap();
    assert!(text.text.starts_with("line 1\n") && !text.more_above, "{text:?}");
    tmux.send_raw(0, b"q").unwrap();
    assert_eq!(until_prompt(&tmux, 0).alt_screen, Some(false));
}

#[test]
fn text_reaches_beyond_the_screen() {
    let server = Server::start();
    let tmux = server.tmux();
    until_prompt(&tmux, 0);
    type_line(&tmux, 0, "seq 1 500; echo end");
    until_text(&tmux, 0, "\nend\n$");
    let screen = tmux.text(0, Lines::Screen, false).unwrap();
    assert!(screen.more_above && screen.text.lines().count() == 24, "{screen:?}");
    let tail = tmux.text(0, Lines::Tail(100), false).unwrap();
    let lines: Vec<&str> = tail.text.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[99]), (100, "403", "$"));
    assert!(tail.more_above);
    let all = tmux.text(0, Lines::All, false).unwrap();
    assert!(all.text.starts_with("$ seq 1 500; echo end\n1\n2\n") && !all.more_above);
    let everything = tmux.text(0, Lines::Tail(10_000), false).unwrap();
    assert_eq!(everything, all);
}

#[test]
fn any_output_becomes_valid_text() {
    let server = Server::start();
    let tmux = server.tmux();
    until_prompt(&tmux, 0);
    type_line(
        &tmux,
        0,
        r"printf 'a\xff\xfe\x80b \xe2\x94\x80 \xc3\xa9 \x01 \033[31mred\033[0m'; echo; echo done",
    );
    let text = until_text(&tmux, 0, "\ndone");
    assert!(text.contains("b ─ é") && text.contains("red"), "{text}");
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    let coloured = tmux.text(0, Lines::Screen, true).unwrap().text;
    assert!(coloured.contains("\x1b[31mred"), "{coloured:?}");
}

#[test]
fn a_paste_of_several_lines_is_one_paste() {
    let server = Server::start();
    let tmux = server.tmux();
    until_prompt(&tmux, 0);
    tmux.paste(0, "echo on\\\ne ; echo $((40+2)); #ü\necho three").unwrap();
    let text = until_text(&tmux, 0, "echo three");
    // Nothing ran: bash holds all lines until Enter.
    assert!(!text.contains("42"), "{text}");
    let held = until_state(&tmux, 0, "a prompt", |state| state.prompt_active == Some(true));
    assert_eq!(held.command_running, Some(false));
    tmux.send_raw(0, b"\r").unwrap();
    until_text(&tmux, 0, "\none\n42\nthree\n$");
    assert_eq!(server.command(&["list-buffers"]), "");
}

#[test]
fn long_texts_arrive_whole() {
    let server = Server::start();
    let (tmux, file) = (server.tmux(), server.folder().join("long"));
    let long = "0123456789abcdef;".repeat(5000);
    for raw in [true, false] {
        until_prompt(&tmux, 0);
        // Without a line editor, which would take a while to draw so much.
        type_line(
            &tmux,
            0,
            &format!("stty -icanon -echo; head -c {} > {}; stty sane", long.len(), file.display()),
        );
        until_state(&tmux, 0, "head", |state| state.foreground == ["head"]);
        if raw {
            tmux.send_raw(0, long.as_bytes()).unwrap();
        } else {
            tmux.paste(0, &long).unwrap();
        }
        eventually("the whole text", || (fs::read_to_string(&file).ok()? == long).then_some(()));
        until_prompt(&tmux, 0);
        fs::remove_file(&file).unwrap();
    }
}

#[test]
fn raw_bytes_arrive_as_they_are() {
    let server = Server::start();
    let (tmux, file) = (server.tmux(), server.folder().join("bytes"));
    until_prompt(&tmux, 0);
    type_line(&tmux, 0, &format!("stty raw -echo; head -c 256 > {}; stty sane", file.display()));
    until_state(&tmux, 0, "head", |state| state.foreground == ["head"]);
    let every: Vec<u8> = (0..=255).collect();
    tmux.send_raw(0, &every).unwrap();
    eventually("all bytes", || (fs::read(&file).ok()? == every).then_some(()));
}

#[test]
fn control_c_ends_what_runs() {
    let server = Server::start();
    let tmux = server.tmux();
    until_prompt(&tmux, 0);
    type_line(&tmux, 0, "sleep 600");
    until_state(&tmux, 0, "sleep", |state| state.foreground == ["sleep"]);
    tmux.send_raw(0, b"\x03").unwrap();
    until_prompt(&tmux, 0);
    until_text(&tmux, 0, "^C");
}

#[test]
fn copy_mode_and_menus_are_left_before_input() {
    let server = Server::start();
    let tmux = server.tmux();
    until_prompt(&tmux, 0);
    for (mode, word) in [("copy-mode", "alpha"), ("choose-tree", "beta")] {
        server.command(&[mode, "-t", "%0"]);
        assert_eq!(server.command(&["display-message", "-p", "-t", "%0", "#{pane_in_mode}"]), "1");
        type_line(&tmux, 0, &format!("echo {word}"));
        until_text(&tmux, 0, &format!("\n{word}"));
    }
    server.command(&["copy-mode", "-t", "%0"]);
    tmux.paste(0, "echo gamma").unwrap();
    tmux.send_raw(0, b"\r").unwrap();
    until_text(&tmux, 0, "\ngamma");
}

#[test]
fn a_pane_with_input_off_is_an_error() {
    let server = Server::start();
    let tmux = server.tmux();
    server.command(&["select-pane", "-d", "-t", "%0"]);
    let error = tmux.send_raw(0, b"x").unwrap_err();
    assert_eq!((error.kind, error.reason.as_deref()), (Kind::Backend, Some(INPUT_OFF)));
    assert_eq!(tmux.paste(0, "x").unwrap_err(), error);
}

#[test]
fn a_dead_pane_is_kept_with_its_status_and_text_and_takes_no_input() {
    let server = Server::start();
    let tmux = server.tmux();
    let pane = server.pane(&["bash", "--norc"]);
    let alive = row(&tmux, pane);
    until_prompt(&tmux, pane);
    type_line(&tmux, pane, "echo last words; exit 7");
    let dead =
        eventually("the end", || Some(row(&tmux, pane)).filter(|row| row.dead == Some(Some(7))));
    assert_eq!(dead.identity, alive.identity);
    assert!(tmux.text(pane, Lines::All, false).unwrap().text.contains("\nlast words"));
    for error in [tmux.paste(pane, "x").unwrap_err(), tmux.send_raw(pane, b"x").unwrap_err()] {
        assert_eq!(error.kind, Kind::PaneNotFound);
        assert!(error.message.contains("has ended"), "{error}");
    }
    // The guard that keeps tmux alive holds also when the pane ends after the first look.
    assert!(tmux.paste_through_buffer(pane, b"x", "-r").is_err());
    let state = tmux.state(&dead).unwrap();
    assert_eq!((state.prompt_active, state.command_running), (Some(false), Some(false)));
    server.command(&["respawn-pane", "-k", "-t", &target(pane), "sleep", "600"]);
    let reborn = row(&tmux, pane);
    assert_eq!(reborn.dead, None);
    assert_ne!(reborn.identity, dead.identity);
}

#[test]
fn a_pane_that_is_not_there_is_not_found() {
    let server = Server::start();
    let tmux = server.tmux();
    let gone = PaneRow { native_id: 99, ..row(&tmux, 0) };
    let errors = [
        tmux.text(99, Lines::Screen, false).unwrap_err(),
        tmux.send_raw(99, b"x").unwrap_err(),
        tmux.paste(99, "x").unwrap_err(),
        tmux.state(&gone).unwrap_err(),
        tmux.close(99).unwrap_err(),
        tmux.paste_through_buffer(99, b"x", "-r").unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.kind, Kind::PaneNotFound, "{error}");
        assert!(error.message.contains("%99") && error.hint.is_some(), "{error:?}");
    }
    assert_eq!(server.command(&["list-buffers"]), "");
}

#[test]
fn the_end_of_a_paste_cannot_be_smuggled_in() {
    let server = Server::start();
    let error = server.tmux().paste(0, "a\x1b[201~b").unwrap_err();
    assert_eq!(error.kind, Kind::InvalidArguments);
    assert!(error.message.contains("`text`"), "{error}");
}

#[test]
fn a_killed_server_is_an_error_and_recovers() {
    let server = Server::start();
    let tmux = server.tmux();
    let before = row(&tmux, 0);
    server.kill();
    let reason = || {
        let error = tmux.list().unwrap_err();
        assert_eq!(error.kind, Kind::Backend, "{error}");
        assert!(error.hint.as_deref().unwrap().contains("tmux new-session"), "{error:?}");
        error.reason.unwrap()
    };
    for _ in 0..5 {
        assert_eq!(reason(), NOT_RUNNING);
    }
    // A machine that stalls misses a rest; the next failure begins another.
    eventually("a rest", || (reason() == RESTING).then_some(()));
    server.restart();
    let after = eventually("an answer again", || tmux.list().ok());
    assert_eq!(after[0].native_id, before.native_id);
    assert_ne!(after[0].identity, before.identity);
}

#[test]
fn spawn_starts_a_server_even_after_failures_and_close_ends_the_pane() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("own.sock").display().to_string();
    let options =
        TmuxOptions { socket: Some(socket.clone()), timeout: LIMIT, ..Default::default() };
    let tmux = Tmux::new(options);
    for _ in 0..6 {
        assert!(tmux.list().is_err());
    }
    let words = [
        "sh",
        "-c",
        "printf '%s|' \"$GREETING\" \"$@\" \"$PWD\"; exec sleep 600",
        "sh",
        "a b;",
        "#{pid}",
    ];
    let odd = folder.path().join("odd #{pid} folder;");
    fs::create_dir(&odd).unwrap();
    let pane = tmux
        .spawn(&Spawn {
            command: words.map(str::to_owned).to_vec(),
            cwd: Some(odd.display().to_string()),
            size: Some((60, 10)),
            title: Some("my #{pid} title;".to_owned()),
            env: vec![("GREETING".to_owned(), "hello;".to_owned())],
        })
        .unwrap();
    let ended = Ended(Arc::new(tmux), socket);
    let tmux = &ended.0;
    until_text(tmux, pane, "hello;|a b;|#{pid}|");
    let listed = row(tmux, pane);
    assert_eq!((listed.size, listed.title.as_deref()), (Some((60, 10)), Some("my #{pid} title;")));
    assert_eq!(listed.cwd, Some(odd.canonicalize().unwrap().display().to_string()));
    let single =
        tmux.spawn(&Spawn { command: vec!["cat".to_owned()], ..Spawn::default() }).unwrap();
    until_state(tmux, single, "cat", |state| state.foreground == ["cat"]);
    tmux.close(single).unwrap();
    assert!(tmux.list().unwrap().iter().all(|row| row.native_id != single));
}

/// Ends the server of a test that started it through the backend.
struct Ended(Arc<Tmux>, String);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = std::process::Command::new("tmux").args(["-S", &self.1, "kill-server"]).output();
    }
}

#[test]
fn the_activity_number_stands_still_while_nothing_is_printed() {
    let server = Server::start();
    let tmux = server.tmux();
    until_prompt(&tmux, 0);
    let activity = || row(&tmux, 0).activity.unwrap();
    let still =
        eventually("two equal numbers", || Some(activity()).filter(|seen| *seen == activity()));
    // The same text at the same place.
    type_line(&tmux, 0, "clear");
    let changed = eventually("another number", || Some(activity()).filter(|seen| *seen != still));
    assert_ne!(still, changed);
}

#[test]
fn a_missing_program_has_an_install_hint() {
    let error = with_program("/nowhere/tmux", Duration::from_secs(5)).list().unwrap_err();
    assert_eq!((error.kind, error.reason.as_deref()), (Kind::Backend, Some(PROGRAM_MISSING)));
    assert!(error.message.contains("/nowhere/tmux") && error.hint.is_some(), "{error:?}");
}

#[test]
fn a_hanging_program_is_a_timeout() {
    let folder = tempfile::tempdir().unwrap();
    let program = script(folder.path(), "tmux", "sleep 600");
    let tmux = with_program(program.to_str().unwrap(), Duration::from_millis(200));
    let error = tmux.list().unwrap_err();
    assert_eq!((error.kind, error.reason.as_deref()), (Kind::Timeout, Some(NO_ANSWER)));
    assert!(error.message.contains("200 ms") && error.hint.is_some(), "{error:?}");
}

#[test]
fn garbage_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let program = script(folder.path(), "tmux", r"printf 'what\377\n\000is this\n'");
    let tmux = with_program(program.to_str().unwrap(), Duration::from_secs(20));
    for error in [
        tmux.list().unwrap_err(),
        tmux.text(0, Lines::Screen, false).unwrap_err(),
        tmux.spawn(&Spawn::default()).unwrap_err(),
    ] {
        assert_eq!((error.kind, error.reason.as_deref()), (Kind::Backend, Some(BAD_ANSWER)));
        assert!(error.hint.is_some(), "{error:?}");
    }
    let failing = script(folder.path(), "failing", "echo 'unknown command: x' >&2; exit 1");
    let error =
        with_program(failing.to_str().unwrap(), Duration::from_secs(20)).list().unwrap_err();
    assert!(error.message.contains("unknown command"), "{error}");
    assert_eq!(error.kind, Kind::Backend);
}

#[test]
fn sockets_are_files_or_names() {
    let named = Tmux::new(TmuxOptions { socket: Some("side".to_owned()), ..Default::default() });
    assert_eq!(named.domain, "tmux:side");
    assert_eq!(Tmux::new(TmuxOptions::default()).domain, "tmux");
    let name = format!("wa-test-{}", std::process::id());
    let tmux = Tmux::new(TmuxOptions { socket: Some(name.clone()), ..Default::default() });
    let error = tmux.list().unwrap_err();
    assert!(error.message.contains(&name), "{error}");
}
