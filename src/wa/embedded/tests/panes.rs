use super::*;
use crate::error::Kind;
use crate::model::BackendKind;

#[test]
fn a_shell_is_driven_and_read() {
    let workspace = Workspace::new();
    let mux = &workspace.mux;
    assert!(mux.list().unwrap().is_empty());
    let pane = workspace.bash();
    mux.send_raw(pane, b"echo $((40+2)); seq 100\r").unwrap();
    workspace.shows(pane, |text| text.ends_with("100\n$"));
    let all = mux.text(pane, Lines::All, false).unwrap();
    let expected: String = (1..=100).map(|number| format!("{number}\n")).collect();
    assert_eq!(all.text, format!("$ echo $((40+2)); seq 100\n42\n{expected}$"));
    assert!(!all.more_above);
    let tail = mux.text(pane, Lines::Tail(2), false).unwrap();
    assert_eq!((tail.text.as_str(), tail.more_above), ("100\n$", true));
    assert_eq!(workspace.logged(pane), format!("$ echo $((40+2)); seq 100\n42\n{expected}"));
    let row = workspace.row(pane);
    assert_eq!((row.backend, row.domain.as_str()), (BackendKind::Embedded, "embedded"));
    assert_eq!((row.size, row.cursor), (Some((80, 24)), Some((23, 2))));
    assert_eq!(row.title.as_deref(), Some("bash"));
    let cwd = workspace.folder.path().canonicalize().unwrap();
    assert_eq!(row.cwd.as_deref(), cwd.to_str());
    assert!(row.tty.unwrap().starts_with("/dev/") && row.root_pid.is_some());
}

#[test]
fn the_state_follows_the_shell() {
    let workspace = Workspace::new();
    let mux = &workspace.mux;
    let pane = workspace.bash();
    let state = || mux.state(&workspace.row(pane)).unwrap();
    eventually("a prompt", || (state().prompt_active == Some(true)).then_some(()));
    assert_eq!(state().command_running, Some(false));
    // Bash asks for bracketed pastes while it edits a line.
    assert_eq!(state().bracketed_paste, Some(true));
    assert_eq!(workspace.row(pane).bracketed_paste, Some(true));
    mux.send_raw(pane, b"sleep 1000\r").unwrap();
    eventually("a command", || (state().command_running == Some(true)).then_some(()));
    // The process table knows before the shell's last words are read.
    eventually("plain pastes", || (state().bracketed_paste == Some(false)).then_some(()));
    assert_eq!(state().foreground, ["sleep"]);
    mux.send_raw(pane, b"\x03").unwrap();
    eventually("a prompt again", || (state().prompt_active == Some(true)).then_some(()));
    mux.send_raw(pane, b"seq 1000 | less\r").unwrap();
    eventually("a pager", || (state().alt_screen == Some(true)).then_some(()));
    assert_eq!(workspace.row(pane).alt_screen, Some(true));
    workspace.shows(pane, |text| text.starts_with("1\n2\n") && text.ends_with(':'));
    assert!(!workspace.logged(pane).contains("\n2\n"));
    mux.send_raw(pane, b"q").unwrap();
    eventually("no pager", || (state().alt_screen == Some(false)).then_some(()));
}

#[test]
fn marks_of_the_shell_count_before_the_process_table() {
    let workspace = Workspace::new();
    let mux = &workspace.mux;
    let pane = workspace.run(
        r"printf '\033]0;the title\007\033]7;file:///usr\007\033]133;A\007$ '; read a
          printf '\033]133;C\007'; read b; printf '\033]133;D;0\007x'; read c",
    );
    let state = || mux.state(&workspace.row(pane)).unwrap();
    workspace.shows(pane, |text| text == "$");
    let row = workspace.row(pane);
    assert_eq!((row.title.as_deref(), row.cwd.as_deref()), (Some("the title"), Some("/usr")));
    assert_eq!((state().prompt_active, state().command_running), (Some(true), Some(false)));
    mux.send_raw(pane, b"\r").unwrap();
    eventually("a command", || (state().command_running == Some(true)).then_some(()));
    assert_eq!(state().prompt_active, Some(false));
    mux.send_raw(pane, b"\r").unwrap();
    eventually("its end", || (state().command_running == Some(false)).then_some(()));
}

#[test]
fn ended_panes_report_their_status_and_last_output() {
    let workspace = Workspace::new();
    let mux = &workspace.mux;
    let pane = workspace.run("echo first; printf 'no newline'; exit 3");
    assert_eq!(workspace.ends(pane), Some(3));
    assert_eq!(workspace.logged(pane), "first\nno newline\n");
    assert_eq!(mux.text(pane, Lines::All, false).unwrap().text, "first\nno newline");
    let error = mux.send_raw(pane, b"x").unwrap_err();
    assert_eq!(error.kind, Kind::PaneNotFound);
    assert!(error.message.contains("status 3"), "{error}");
    let state = mux.state(&workspace.row(pane)).unwrap();
    assert_eq!((state.prompt_active, state.command_running), (Some(false), Some(false)));
    let killed = workspace.run("kill -9 $$");
    assert_eq!(workspace.ends(killed), Some(137));
    mux.close(pane).unwrap();
    assert_eq!(mux.text(pane, Lines::All, false).unwrap_err().kind, Kind::PaneNotFound);
}

#[test]
fn ended_panes_go_after_a_while_and_then_the_host() {
    let options = Options {
        keep_ended: Duration::from_millis(300),
        // Longer than a busy machine takes to spawn the pane.
        idle: Duration::from_secs(6),
        ..Options::default()
    };
    let workspace = Workspace::with(options);
    let pane = workspace.mux.spawn(&shell("exit 0"));
    let gone = || workspace.mux.list().unwrap().is_empty().then_some(());
    pane.unwrap();
    eventually("the pane goes", gone);
    workspace.host.join().unwrap().unwrap();
    assert!(!state_folder(&workspace.folder).join("host.sock").exists());
    assert!(workspace.mux.list().unwrap().is_empty());
}

#[test]
fn closing_ends_even_stubborn_programs() {
    let workspace = Workspace::new();
    let pane = workspace.run("trap '' HUP TERM INT; echo ready; while :; do sleep 0.1; done");
    workspace.shows(pane, |text| text == "ready");
    let pid = workspace.row(pane).root_pid.unwrap();
    workspace.mux.close(pane).unwrap();
    assert!(workspace.mux.list().unwrap().is_empty());
    let process = format!("/proc/{pid}");
    eventually("the process ends", || (!Path::new(&process).exists()).then_some(()));
}

#[test]
fn pastes_are_bracketed_where_the_program_asked() {
    let workspace = Workspace::new();
    let mux = &workspace.mux;
    let reads = "stty -icanon -echo; printf 'ready\\033[?2004h\\n'; head -c 30 | od -An -c";
    let pane = workspace.run(reads);
    eventually("the mode", || workspace.row(pane).bracketed_paste.filter(|on| *on));
    mux.paste(pane, "two\nlines\x1b[201~ more end").unwrap();
    workspace.ends(pane);
    let shown = mux.text(pane, Lines::All, false).unwrap().text;
    let bytes: String = shown.split_whitespace().skip(1).collect();
    // The end that the text brought along is not in it.
    assert_eq!(bytes, "033[200~two\\nlinesmoreend033[201~", "{shown}");
    let bash = workspace.bash();
    mux.paste(bash, "echo one\necho two").unwrap();
    workspace.shows(bash, |text| text.ends_with("echo one\necho two"));
    mux.send_raw(bash, b"\r").unwrap();
    workspace.shows(bash, |text| text.ends_with("echo two\none\ntwo\n$"));
}

#[test]
fn ten_megabytes_go_in_without_anybody_waiting() {
    let workspace = Workspace::new();
    let mux = &workspace.mux;
    let text = "0123456789abcde\n".repeat(10 << 16);
    let script = format!("stty raw -echo; printf ready; head -c {} | cksum", text.len());
    let pane = workspace.run(&script);
    workspace.shows(pane, |text| text.ends_with("ready"));
    mux.paste(pane, &text).unwrap();
    assert_eq!(workspace.ends(pane), Some(0));
    let shown = mux.text(pane, Lines::All, false).unwrap().text;
    assert!(shown.contains(&format!(" {}", text.len())), "{shown}");
    // One that echoes all of it, and one that reads nothing at all.
    let echoing = workspace.run("stty -icanon; exec cat > /dev/null");
    let deaf = workspace.run("stty raw -echo; echo deaf; exec sleep 1000");
    workspace.shows(deaf, |text| text.contains("deaf"));
    for pane in [echoing, deaf] {
        mux.send_raw(pane, text.as_bytes()).unwrap();
    }
    let other = workspace.run("echo fine");
    assert_eq!(workspace.ends(other), Some(0));
    assert_eq!(workspace.logged(other), "fine\n");
    assert_eq!(mux.text(deaf, Lines::Screen, false).unwrap().text, "deaf");
    for pane in [echoing, deaf] {
        mux.close(pane).unwrap();
    }
}

#[test]
fn a_program_that_asks_its_terminal_is_answered() {
    let workspace = Workspace::new();
    let pane = workspace.run("stty raw -echo; printf '\\033[6n'; head -c 6 | od -An -c");
    assert_eq!(workspace.ends(pane), Some(0));
    let shown = workspace.mux.text(pane, Lines::All, false).unwrap().text;
    assert_eq!(shown.split_whitespace().collect::<String>(), "033[1;1R");
}

#[test]
fn what_cannot_be_started_is_an_error() {
    let workspace = Workspace::new();
    let mux = &workspace.mux;
    let command = |program: &str| Spawn { command: vec![program.to_owned()], ..Spawn::default() };
    let refused = [
        command("no-such-program-anywhere"),
        Spawn { cwd: Some("/no/such/folder".to_owned()), ..command("sh") },
        Spawn { size: Some((0, 24)), ..command("sh") },
        Spawn { env: vec![("A=B".to_owned(), String::new())], ..command("sh") },
    ];
    for spawn in refused {
        let error = mux.spawn(&spawn).unwrap_err();
        assert_eq!(error.kind, Kind::InvalidArguments, "{spawn:?}: {error}");
    }
    assert!(mux.list().unwrap().is_empty());
    let error = mux.text(7, Lines::Screen, false).unwrap_err();
    assert_eq!(error.kind, Kind::PaneNotFound);
    let sized = Spawn { size: Some((100, 30)), title: Some("mine".to_owned()), ..shell("cat") };
    let row = workspace.row(mux.spawn(&sized).unwrap());
    assert_eq!((row.size, row.title.as_deref()), (Some((100, 30)), Some("mine")));
    mux.resize(row.pane_id, 90, 20).unwrap();
    assert_eq!(workspace.row(row.pane_id).size, Some((90, 20)));
}
