//! The chapter about wa: a real pane is controlled, a dangerous command is held for approval, an
//! event is detected.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::session::{Error, TourSession, text};
use wa::embedded::Embedded;
use wa::model::{Actor, ActorKind};
use wa::mux::{Mux as _, Spawn};
use wa::policy::{self, Policy};
use wa::store::{Store, private_folder};

const LIMIT: &str = "You've hit your usage limit. Upgrade to Pro or try again at 3:00 PM.\n";

/// Runs the chapter.
pub(super) fn run(session: &mut TourSession) -> Result<(), Error> {
    let folder = session.path(".wa");
    private_folder(&folder)?;
    session.set("WA_BACKEND", "embedded");
    session.write("build/old.o", "")?;
    session.write("limit.txt", LIMIT)?;

    let program = std::env::current_exe()?.display().to_string();
    let host = vec![program, "pane-host".to_owned(), folder.display().to_string()];
    let panes = Embedded::new(&folder, host);
    let pane = panes.spawn(&Spawn {
        command: shell(),
        cwd: Some(session.path("").display().to_string()),
        ..Spawn::default()
    })?;
    let told = drive(session, pane, &folder);
    panes.close(pane)?;
    told
}

fn drive(session: &mut TourSession, pane: u64, folder: &Path) -> Result<(), Error> {
    session.step("A user opened a pane with `wa spawn`. Its state is read from the terminal.");
    let is_ready = |state: &Value| state[0]["pane_state"]["prompt_active"] == true;
    let state = until(session, "wa.state", json!({}), is_ready)?;
    let (flags, size) = (&state[0]["pane_state"], &state[0]["dimensions"]);
    session.show(&format!(
        "pane {pane} ({}): {}x{}, at its prompt: {}, alternate screen: {}",
        text(&state[0]["domain"]),
        size["cols"],
        size["rows"],
        flags["prompt_active"],
        flags["alt_screen"],
    ));

    session.step("Text is sent and its output awaited; the echo does not count.");
    let command =
        json!({"pane_id": pane, "text": "echo the answer is $((6*7))", "wait_for": "answer is 42"});
    let sent = session.call("wa.send", command)?;
    let waited = &sent["data"]["wait_for_result"];
    session.show(&format!("sent: {}, matched: {}", sent["data"]["sent"], waited["matched"]));

    session.step("A dangerous command is held, even when it is disguised.");
    let delete = json!({"pane_id": pane, "text": "cd . && env rm --force -r ./build"});
    let held = session.expect_error("wa.send", delete.clone(), "WA-MCP-0006")?;
    session.show(text(&held["hint"]));

    session.step("The agent cannot approve it. A user can: `wa approve CODE`.");
    let code = code(text(&held["hint"])).ok_or("the hint has no code")?;
    session.expect_error("wa.approve", json!({"code": code}), "WA-MCP-0011")?;
    approve(folder, session.path("").as_path(), &code)?;

    session.step("The identical command now passes, once.");
    session.call("wa.send", delete.clone())?;
    session.expect_error("wa.send", delete, "WA-MCP-0006")?;

    session.step("A usage limit message appears. The watcher turns it into an event.");
    session.call("wa.send", json!({"pane_id": pane, "text": "cat limit.txt"}))?;
    let unhandled = json!({"unhandled": true, "event_type": "usage.reached", "would_handle": true});
    let found = until(session, "wa.events", unhandled, |page| page["events"][0].is_object())?;
    let event = &found["events"][0];
    session.show(&format!(
        "{} ({}), resets {}; {} would handle it",
        text(&event["rule_id"]),
        text(&event["severity"]),
        text(&event["extracted"]["reset_time"]),
        text(&event["would_handle_with"]["workflow"]),
    ));

    session.step("All output can be searched.");
    let found = session.call("wa.search", json!({"query": "usage limit", "snippets": true}))?;
    session.show(text(&found["data"]["results"][0]["snippet"]));
    Ok(())
}

/// A shell without user configuration.
fn shell() -> Vec<String> {
    let path = std::env::var("PATH").ok();
    match toolwright_platform::process::find("bash", path.as_deref()) {
        Some(bash) => ["--norc", "--noprofile"].iter().fold(
            vec![bash.display().to_string()],
            |mut all, word| {
                all.push((*word).to_owned());
                all
            },
        ),
        None => vec!["/bin/sh".to_owned()],
    }
}

/// Calls until the answer's data is as expected; shows the first call and the last answer.
fn until(
    session: &mut TourSession,
    tool: &str,
    arguments: Value,
    expected: fn(&Value) -> bool,
) -> Result<Value, Error> {
    for _ in 0..200 {
        let answer = session.call_hidden(tool, arguments.clone())?;
        if expected(&answer["data"]) {
            session.show(&format!("> {tool} {arguments}"));
            return Ok(answer["data"].clone());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    Err(format!("{tool} never answered as expected").into())
}

/// The approval code in a hint: eight capitals and digits.
fn code(hint: &str) -> Option<String> {
    let is_code = |word: &&str| {
        word.len() == 8 && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
    };
    hint.split(|c: char| !c.is_ascii_alphanumeric()).find(is_code).map(str::to_owned)
}

/// What `wa approve` does.
fn approve(folder: &Path, workspace: &Path, code: &str) -> Result<(), Error> {
    let store = Store::open(folder, &[policy::SCHEMA])?;
    let workspace = workspace.components().as_path().display().to_string();
    let options = policy::Options { workspace, ..policy::Options::default() };
    let policy = Policy::new(store.into(), options)?;
    let person =
        Actor { kind: ActorKind::Human, id: "tour".to_owned(), session: "tour".to_owned() };
    let now = jiff::Timestamp::now().as_millisecond();
    policy.approve(code, None, None, &person, false, now)?;
    Ok(())
}
