//! Settings without which a server serves nobody: chosen, asked for at a terminal, or refused.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};

use crate::harness::{Machine, TOOLWRIGHT, servers};

const CURSOR: &str = "home/.cursor/mcp.json";

fn entry(machine: &Machine, name: &str) -> Value {
    servers("cursor", &machine.read(CURSOR))[name].clone()
}

/// `toolwright install SURFACE --client cursor` with more arguments.
fn install<'a>(surface: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["install", surface, "--client", "cursor"], more].concat()
}

#[test]
fn a_server_that_would_serve_nobody_is_not_registered() {
    let machine = Machine::new();
    let before = machine.tree();
    for (surface, more, words) in [
        (
            "yarnnn",
            &[][..],
            &["would serve nobody", "`token`", "--env YARNNN_TOKEN=", "token create"][..],
        ),
        ("yarnnn", &["--env", "YARNNN_TOKEN="], &["`token`"]),
        ("yarnnn", &["--dry-run"], &["`token`"]),
        ("worldforge", &[], &["`identity.tenant`", "--tenant", "`identity.users`", "tenant list"]),
        ("worldforge", &["--tenant", "t"], &["`identity.users`", "--users"]),
        ("worldforge", &["--env", "WORLDFORGE_USERS=u"], &["`identity.tenant`"]),
    ] {
        let done = machine.run(TOOLWRIGHT, &install(surface, more)).fails(1, words);
        assert!(done.stdout.is_empty(), "{}", done.stdout);
    }
    assert_eq!(machine.tree(), before);
    // What is set in the environment of this shell is not set in the client's.
    let mut command = machine.command(TOOLWRIGHT);
    command.env("YARNNN_TOKEN", "hush").args(install("yarnnn", &[]));
    toolwright_testing::run(command).fails(1, &["`token`"]);
}

#[test]
fn a_setting_counts_wherever_the_server_will_find_it() {
    let machine = Machine::new();
    let given = ["--env", "YARNNN_TOKEN=hush"];
    let done = machine.run(TOOLWRIGHT, &install("yarnnn", &given)).ok();
    assert!(!done.stdout.contains("hush") && done.stdout.contains("YARNNN_TOKEN"));
    // It stays with the entry.
    machine.run(TOOLWRIGHT, &install("yarnnn", &["--force", "--read-only"])).ok();
    assert_eq!(entry(&machine, "yarnnn")["env"], json!({"YARNNN_TOKEN": "hush"}));
    machine.run(TOOLWRIGHT, &["uninstall", "yarnnn", "--client", "cursor"]).ok();

    machine.write("home/.config/yarnnn/config.toml", "token = 'hush'\n");
    machine.run(TOOLWRIGHT, &install("yarnnn", &[])).ok();
    assert!(entry(&machine, "yarnnn").get("env").is_none());

    let flags = ["--tenant", "t", "--users", "u"];
    machine.run(TOOLWRIGHT, &install("worldforge", &flags)).ok();
    let args = entry(&machine, "worldforge")["args"].to_string();
    assert!(args.contains("--tenant=t") && args.contains("--users=u"), "{args}");
}

#[test]
fn a_secret_in_a_file_that_others_see_is_told() {
    let machine = Machine::new();
    let file = "project/.cursor/mcp.json";
    machine.write(file, "{}");
    for folder in ["", "project", "project/.cursor"] {
        let open = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(machine.path(folder), open).unwrap();
    }
    std::fs::set_permissions(machine.path(file), std::fs::Permissions::from_mode(0o644)).unwrap();
    let more = ["--scope", "project", "--env", "YARNNN_TOKEN=hush"];
    let done = machine.run(TOOLWRIGHT, &install("yarnnn", &more)).ok();
    for words in ["do not commit", "YARNNN_TOKEN", "can be opened by others"] {
        assert!(done.stderr.contains(words), "no {words} in {}", done.stderr);
    }
}

/// Runs at a terminal, where a person answers each question, and returns what the terminal showed.
fn at_a_terminal(machine: &Machine, arguments: &[&str], answers: &[(&str, &str)]) -> (i32, String) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap().into_string().unwrap();
    let side = || -> Stdio {
        let open = OpenOptions::new().read(true).write(true).open(&name).unwrap();
        OwnedFd::from(open).into()
    };
    let mut command = machine.command(TOOLWRIGHT);
    command.args(arguments).stdin(side()).stderr(side()).stdout(Stdio::null());
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut terminal = File::from(terminal);
    let (mut shown, mut answers) = (String::new(), answers.iter());
    let mut next = answers.next();
    let mut buffer = [0; 1024];
    // At the end of the program the terminal is closed.
    while let Ok(count @ 1..) = terminal.read(&mut buffer) {
        shown.push_str(&String::from_utf8_lossy(&buffer[..count]));
        if let Some((_, answer)) = next.filter(|(question, _)| shown.ends_with(question)) {
            terminal.write_all(format!("{answer}\n").as_bytes()).unwrap();
            next = answers.next();
        }
    }
    (child.wait().unwrap().code().unwrap(), shown)
}

#[test]
fn a_person_at_a_terminal_is_asked() {
    let machine = Machine::new();
    let yarnnn = install("yarnnn", &[]);
    let (code, shown) = at_a_terminal(&machine, &yarnnn, &[("token: ", "hush")]);
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("token create") && !shown.contains("hush"), "{shown}");
    assert_eq!(entry(&machine, "yarnnn")["env"], json!({"YARNNN_TOKEN": "hush"}));

    let answers = [("identity.tenant: ", "t"), ("separated by commas: ", "a,b")];
    let worldforge = install("worldforge", &[]);
    let (code, shown) = at_a_terminal(&machine, &worldforge, &answers);
    assert_eq!(code, 0, "{shown}");
    let args = entry(&machine, "worldforge")["args"].clone();
    for expected in ["--tenant=t", "--users=a", "--users=b"] {
        assert!(args.as_array().unwrap().contains(&json!(expected)), "no {expected} in {args}");
    }

    let before = machine.tree();
    let again = install("yarnnn", &["--name", "second"]);
    let (code, shown) = at_a_terminal(&machine, &again, &[("token: ", "")]);
    assert!(code == 1 && shown.contains("would serve nobody"), "{shown}");
    assert_eq!(machine.tree(), before);
}
