//! In real terminals.

use super::super::testing::{
    Server, eventually, row, script, type_line, until_prompt, until_state, until_text,
};
use super::*;
use crate::mux::Mux as _;

fn front(server: &Server, pane: u64) -> Foreground {
    let row = row(&server.tmux(), pane);
    foreground(&row.tty.unwrap(), row.root_pid)
}

#[test]
fn an_idle_shell_is_in_front() {
    let server = Server::start();
    let tmux = server.tmux();
    let state = until_prompt(&tmux, 0);
    assert_eq!((state.command_running, state.foreground), (Some(false), vec!["bash".to_owned()]));
    assert_eq!(state.foreground_commands, ["bash --norc --noprofile"]);
    // Also without knowing the process, and in a shell within the shell.
    let tty = row(&tmux, 0).tty.unwrap();
    assert_eq!(foreground(&tty, None).shell_in_front, Some(true));
    type_line(&tmux, 0, "dash");
    until_state(&tmux, 0, "dash", |state| {
        state.foreground == ["dash"] && state.prompt_active == Some(true)
    });
}

#[test]
fn programs_in_front_are_named() {
    let server = Server::start();
    let tmux = server.tmux();
    until_prompt(&tmux, 0);
    type_line(&tmux, 0, "sleep 600 | cat | sort");
    let (names, commands) = (["cat", "sleep", "sort"], ["cat", "sleep 600", "sort"]);
    // A program that is just being started has its name before its arguments.
    let state = until_state(&tmux, 0, "the pipeline", |state| {
        state.foreground == names && state.foreground_commands == commands
    });
    assert_eq!((state.prompt_active, state.command_running), (Some(false), Some(true)));
    tmux.send_raw(0, b"\x03").unwrap();
    until_prompt(&tmux, 0);
    // A job in the background does not matter.
    type_line(&tmux, 0, "sleep 600 & echo started");
    until_text(&tmux, 0, "\nstarted");
    assert_eq!(until_prompt(&tmux, 0).foreground, ["bash"]);
}

#[test]
fn a_script_in_front_is_a_program_and_as_the_root_unknown() {
    let server = Server::start();
    let tmux = server.tmux();
    let file = script(server.folder(), "work.sh", "echo working; sleep 600");
    let line = format!("sh {}", file.display());
    until_prompt(&tmux, 0);
    type_line(&tmux, 0, &line);
    let commands = [line, "sleep 600".to_owned()];
    let state = until_state(&tmux, 0, "the script", |state| {
        state.foreground == ["sh", "sleep"] && state.foreground_commands == commands
    });
    assert_eq!((state.prompt_active, state.command_running), (Some(false), Some(true)));
    for command in [vec!["sh", file.to_str().unwrap()], vec!["bash", "-c", "sleep 600; echo"]] {
        let pane = server.pane(&command);
        let state = until_state(&tmux, pane, "the root", |state| {
            state.foreground.iter().any(|name| name == "sleep")
        });
        assert_eq!((state.prompt_active, state.command_running), (None, None), "{command:?}");
    }
}

#[test]
fn a_repl_is_never_a_prompt() {
    let server = Server::start();
    let tmux = server.tmux();
    until_prompt(&tmux, 0);
    type_line(&tmux, 0, "python3 -q");
    until_text(&tmux, 0, ">>>");
    assert_eq!(front(&server, 0).shell_in_front, Some(false));
    let root = server.pane(&["python3", "-q"]);
    until_text(&tmux, root, ">>>");
    assert_eq!(front(&server, root).shell_in_front, None);
    assert!(!front(&server, root).names.is_empty());
}

#[test]
fn a_shell_that_works_itself_is_not_at_its_prompt() {
    let server = Server::start();
    let tmux = server.tmux();
    until_prompt(&tmux, 0);
    // A builtin that reads, a builtin that waits, a child in the shell's own group.
    for (line, shown) in
        [("read -p 'name: ' name", "\nname:"), ("echo $(echo go >&2; sleep 600)", "\ngo")]
    {
        type_line(&tmux, 0, line);
        until_text(&tmux, 0, shown);
        let state = tmux.state(&row(&tmux, 0)).unwrap();
        assert_eq!((state.prompt_active, state.command_running), (None, None), "{line}");
        tmux.send_raw(0, b"\x03").unwrap();
        until_prompt(&tmux, 0);
    }
}

#[test]
fn a_subshell_of_a_plain_shell_is_no_prompt() {
    let server = Server::start();
    let tmux = server.tmux();
    let pane = server.pane(&["dash", "-i"]);
    let shell = until_prompt(&tmux, pane).foreground_commands;
    type_line(&tmux, pane, "(echo sub; read line)");
    until_text(&tmux, pane, "\nsub");
    let state = until_state(&tmux, pane, "the subshell", |state| state.prompt_active.is_none());
    assert_eq!((state.command_running, state.foreground_commands), (None, shell));
    type_line(&tmux, pane, "");
    until_prompt(&tmux, pane);
}

#[test]
fn what_cannot_be_known_stays_unknown() {
    assert_eq!(foreground("/dev/none", None), Foreground::default());
    assert_eq!(foreground("/dev/null", Some(std::process::id())), Foreground::default());
    let server = Server::start();
    let tty = row(&server.tmux(), 0).tty.unwrap();
    // A process that is not of this terminal.
    assert_eq!(foreground(&tty, Some(1)), Foreground::default());
    assert_eq!(foreground(&tty, Some(u32::MAX)), Foreground::default());
}

#[test]
fn arguments_tell_whether_a_shell_is_talked_to() {
    let interactive = |line: &str| {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        is_interactive(&args)
    };
    for line in ["", "-i", "-l", "--norc --noprofile", "--rcfile /x -i", "-o vi", "-s a b", "--"] {
        assert!(interactive(line), "{line}");
    }
    for line in
        ["-c ls", "-lc ls", "-ic ls", "x.sh", "-e x.sh", "-- x.sh", "-o vi x.sh", "--command=ls"]
    {
        assert!(!interactive(line), "{line}");
    }
}

#[test]
fn names_with_parentheses_are_read() {
    let stat = b"42 (a) b (c) S 1 40 39 34817 41 0 0 0 0 0 0 0 0 0 20 0 1 0 777 0 0";
    let process = Process::parse(stat).unwrap();
    assert_eq!((process.pid, process.name.as_str(), process.state), (42, "a) b (c", 'S'));
    assert_eq!((process.group, process.session, process.tty), (40, 39, 34817));
    assert_eq!((process.front_group, process.started), (41, 777));
    assert_eq!(Process::parse(b"garbage"), None);
    assert_eq!(base_name("-bash"), "bash");
    assert_eq!(base_name("/usr/bin/zsh"), "zsh");
}

#[test]
fn the_status_of_an_unreaped_process() {
    for (line, status) in [("exit 7", 7), ("kill -9 $$", 137), ("true", 0)] {
        let mut child = std::process::Command::new("sh").args(["-c", line]).spawn().unwrap();
        let seen = eventually("its end", || unclaimed_status(child.id()));
        assert_eq!(seen, status, "{line}");
        child.wait().unwrap();
    }
    assert_eq!(unclaimed_status(std::process::id()), None);
    assert_eq!(unclaimed_status(u32::MAX), None);
}
