//! Servers killed in the middle of an apply: whatever the moment, the next start leaves all files old or
//! all new.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::sandbox::{REPO, Sandbox, Session, confirmed};

const KILLS: u32 = 50;
const FILES: usize = 200;
const FOLDER: &str = "home/.codex/skills/big";

/// Writes the text of this version to every file of the skill.
fn source(sandbox: &Sandbox, version: u32) {
    for number in 0..FILES {
        sandbox.repo(&format!("modules/big/notes/{number}.md"), &text(version, number));
    }
}

fn text(version: u32, number: usize) -> String {
    format!("version {version}, file {number}\n{}", "All work and no play. ".repeat(40))
}

/// The version of a deployed file; a torn one has none.
fn version_of(sandbox: &Sandbox, number: usize, possible: [u32; 2]) -> u32 {
    let found = sandbox.read(&format!("{FOLDER}/notes/{number}.md"));
    let whole = possible.into_iter().find(|version| found == text(*version, number));
    whole.unwrap_or_else(|| panic!("file {number} is torn: {found:?}"))
}

fn journals(home: &Path) -> usize {
    files(&home.join("state/journal"), |name| !name.starts_with('.')).len()
}

/// Names in a folder.
fn files(folder: &Path, chosen: impl Fn(&str) -> bool) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| chosen(name)).collect()
}

/// Sends an apply and waits until its journal is there.
fn begin(session: &mut Session, home: &Path) {
    let token = session.token(json!({}));
    session.stdio.begin_call("deploy_apply", &confirmed(json!({}), &token));
    let start = Instant::now();
    while journals(home) == 0 && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_micros(200));
    }
}

#[test]
fn kill_minus_nine_leaves_all_old_or_all_new_and_the_next_start_is_clean() {
    let sandbox = Sandbox::in_memory();
    let home = sandbox.path("home/.agentpack");
    sandbox.config(
        "targets:\n  codex: {mode: files, scope: user}\n",
        &[("skill:big", "skill", "modules/big")],
    );
    sandbox.repo("modules/big/SKILL.md", "---\nname: big\ndescription: Big\n---\nBig.\n");
    source(&sandbox, 0);
    sandbox.commit(REPO);
    sandbox.deploy(json!({}));

    // One apply to the end, to know how long a journal lives.
    source(&sandbox, 1);
    let mut session = sandbox.session();
    begin(&mut session, &home);
    let start = Instant::now();
    session.stdio.receive();
    let life = start.elapsed();
    drop(session);

    let mut deployed = 1;
    let mut interrupted = 0;
    for kill in 0..KILLS {
        let next = kill + 2;
        source(&sandbox, next);
        let mut session = sandbox.session();
        begin(&mut session, &home);
        // Spread evenly from the first moment to a little after the end.
        std::thread::sleep(life * kill * 11 / (KILLS * 10));
        session.stdio.kill();

        interrupted += journals(&home);
        for number in 0..FILES {
            version_of(&sandbox, number, [deployed, next]);
        }
        let mut session = sandbox.session();
        let first = version_of(&sandbox, 0, [deployed, next]);
        for number in 1..FILES {
            assert_eq!(version_of(&sandbox, number, [deployed, next]), first, "kill {kill}");
        }
        assert_eq!(journals(&home), 0, "kill {kill}");
        let doctor = session.data("doctor", json!({}));
        let checks = doctor["checks"].as_array().expect("checks");
        let journal = checks.iter().find(|check| check["name"] == "journal").expect("a check");
        assert_eq!(journal["ok"], true, "kill {kill}: {journal}");
        let notes = sandbox.path(&format!("{FOLDER}/notes"));
        let strays = files(&notes, |name| !name.ends_with(".md"));
        assert!(strays.is_empty(), "kill {kill}: {strays:?}");

        let status = session.data("status", json!({}));
        let outdated = if first == next { 0 } else { FILES };
        assert_eq!(status["summary"], json!({"modified": outdated, "missing": 0, "extra": 0}));
        deployed = first;
    }
    assert!(interrupted > 0, "no kill hit an apply");

    // The next apply goes through, whatever the last kill left.
    source(&sandbox, KILLS + 2);
    let mut session = sandbox.session();
    session.deploy(json!({}));
    assert_eq!(session.data("status", json!({}))["drift"], json!([]));
    for folder in ["state/journal", "state/snapshots"] {
        let strays = files(&home.join(folder), |name| name.starts_with('.'));
        assert!(strays.is_empty(), "{folder}: {strays:?}");
    }
}
