//! The chapter about wa: a real pane is driven, an event is detected, a dangerous command is held.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::session::{Error, Stage, text};
use wa::embedded::Embedded;
use wa::model::{Actor, ActorKind};
use wa::mux::{Mux as _, Spawn};
use wa::policy::{self, Policy};
use wa::store::{Store, private_folder};

const LIMIT: &str = "You've hit your usage limit. Upgrade to Pro or try again at 3:00 PM.\n";

/// Tells the chapter.
pub(super) fn tell(stage: &mut Stage) -> Result<(), Error> {
    let folder = stage.path(".wa");
    private_folder(&folder)?;
    stage.set("WA_BACKEND", "embedded");
    stage.place("build/old.o", "")?;
    stage.place("limit.txt", LIMIT)?;

    let program = std::env::current_exe()?.display().to_string();
    let host = vec![program, "pane-host".to_owned(), folder.display().to_string()];
    let panes = Embedded::new(&folder, host);
    let pane = panes.spawn(&Spawn {
        command: shell(),
        cwd: Some(stage.path("").display().to_string()),
        ..Spawn::default()
    })?;
    let told = drive(stage, pane, &folder);
    panes.close(pane)?;
    told
}

fn drive(stage: &mut Stage, pane: u64, folder: &Path) -> Result<(), Error> {
    stage.say("A person opened a pane with `wa spawn`. What runs in it is read, never guessed.");
    let is_ready = |state: &Value| state[0]["pane_state"]["prompt_active"] == true;
    let state = until(stage, "wa.state", json!({}), is_ready)?;
    let (flags, size) = (&state[0]["pane_state"], &state[0]["dimensions"]);
    stage.show(&format!(
        "pane {pane} ({}): {}x{}, at its prompt: {}, alternate screen: {}",
        text(&state[0]["domain"]),
        size["cols"],
        size["rows"],
        flags["prompt_active"],
        flags["alt_screen"],
    ));

    stage.say("Text is typed, submitted, and its output awaited; the echo does not count.");
    let command =
        json!({"pane_id": pane, "text": "echo the answer is $((6*7))", "wait_for": "answer is 42"});
    let sent = stage.call("wa.send", command)?;
    let waited = &sent["data"]["wait_for_result"];
    stage.show(&format!("sent: {}, matched: {}", sent["data"]["sent"], waited["matched"]));

    stage.say("A dangerous command is held, however it is dressed.");
    let delete = json!({"pane_id": pane, "text": "cd . && env rm --force -r ./build"});
    let held = stage.refused("wa.send", delete.clone(), "WA-MCP-0006")?;
    stage.show(text(&held["hint"]));

    stage.say("The agent may not approve itself. A person may: `wa approve CODE`.");
    let code = code(text(&held["hint"])).ok_or("the hint has no code")?;
    stage.refused("wa.approve", json!({"code": code}), "WA-MCP-0011")?;
    approve(folder, stage.path("").as_path(), &code)?;

    stage.say("The identical command now passes, once.");
    stage.call("wa.send", delete.clone())?;
    stage.refused("wa.send", delete, "WA-MCP-0006")?;

    stage.say("An agent's limit message scrolls by. The watcher makes an event of it.");
    stage.call("wa.send", json!({"pane_id": pane, "text": "cat limit.txt"}))?;
    let unhandled = json!({"unhandled": true, "event_type": "usage.reached", "would_handle": true});
    let found = until(stage, "wa.events", unhandled, |page| page["events"][0].is_object())?;
    let event = &found["events"][0];
    stage.show(&format!(
        "{} ({}), resets {}; {} would handle it",
        text(&event["rule_id"]),
        text(&event["severity"]),
        text(&event["extracted"]["reset_time"]),
        text(&event["would_handle_with"]["workflow"]),
    ));

    stage.say("Everything that was printed can be searched.");
    let found = stage.call("wa.search", json!({"query": "usage limit", "snippets": true}))?;
    stage.show(text(&found["data"]["results"][0]["snippet"]));
    Ok(())
}

/// A shell without surprises.
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
    stage: &mut Stage,
    tool: &str,
    arguments: Value,
    expected: fn(&Value) -> bool,
) -> Result<Value, Error> {
    for _ in 0..200 {
        let answer = stage.quietly(tool, arguments.clone())?;
        if expected(&answer["data"]) {
            stage.show(&format!("> {tool} {arguments}"));
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
