//! `toolwright check --watch` over the real binary: every save is answered by what is wrong now.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::package::ROOT;
use toolwright_testing::files::copy;

/// Only ends a test that would never end.
const FOREVER: Duration = Duration::from_secs(60);

struct Watch {
    child: Child,
    lines: Receiver<String>,
    folder: TempDir,
}

impl Watch {
    /// Watches a sound surface with one tool.
    fn start(more: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_toolwright"));
        command.args(["check", "--watch"]).args(more);
        Self::with(command)
    }

    /// The same with so few files open that the system refuses to tell news.
    fn without_news() -> Self {
        let limits = (8..64).rev();
        let mut found = limits.filter_map(|limit| {
            let mut command = Command::new("sh");
            let script = format!("ulimit -n {limit}; exec \"$0\" check --watch 2>&1");
            command.args(["-c", &script, env!("CARGO_BIN_EXE_toolwright")]);
            let watch = Self::with(command);
            watch.line().starts_with("note: ").then_some(watch)
        });
        found.next().expect("a limit that is too low for news")
    }

    fn with(mut command: Command) -> Self {
        let folder = tempfile::tempdir().unwrap();
        copy(&Path::new(ROOT).join("tests/specs/base"), &folder.path().join("specs"));
        let mut child = command.current_dir(folder.path()).stdout(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            // Ends, and closes the pipe, when the test no longer listens.
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Self { child, lines, folder }
    }

    fn tool(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("specs/demo/tools/{name}.yaml"))
    }

    fn line(&self) -> String {
        self.lines.recv_timeout(FOREVER).expect("a line")
    }

    /// Everything that is printed up to the closing line of a run.
    fn run(&self) -> String {
        let mut text = String::new();
        loop {
            let line = self.line() + "\n";
            text.push_str(&line);
            if line.contains("; checked in ") {
                return text;
            }
        }
    }

    /// The run that says this. A slow machine looks at files while they are written, moved or
    /// removed, and says what it finds; then it is a later one.
    fn run_saying(&self, said: &str) -> String {
        loop {
            let run = self.run();
            if run.contains(said) {
                return run;
            }
            eprintln!("no {said:?} yet in\n{run}");
        }
    }

    /// Puts a whole file there, in one step.
    fn put(&self, path: &Path, text: &str) {
        let beside = self.folder.path().join("unfinished");
        fs::write(&beside, text).unwrap();
        fs::rename(beside, path).unwrap();
    }

    fn interrupt(&self) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn ten_edits_are_answered_by_the_finding_of_each() {
    let watch = Watch::start(&[]);
    assert!(watch.run().contains("watching specs; checked in "));
    let tool = watch.tool("get");
    let sound = fs::read_to_string(&tool).unwrap();
    let edits = [
        ("title:", "titel:", "a tool has no key `titel`"),
        ("effects: read", "effects: reed", "unknown value `reed` for `effects`"),
        ("open_world: false", "open_world: 7", "`open_world` must be `true` or `false`"),
        ("required: [id]", "required: [ib]", "unknown property `ib`"),
        ("type: boolean", "type: boolaen", "unknown type `boolaen`"),
        ("default: false", "default: maybe", "the default is not allowed"),
        ("Thing\"", "Thingy\"", "unknown type `Thingy`"),
        ("errors: [gone]", "errors: [went]", "unknown error kind `went`"),
        ("input: {id: a}", "input: {id: 1}", "would be rejected"),
        ("tool: get", "tool: got", "tool `got` is in file `get.yaml`"),
    ];
    for (from, to, said) in edits {
        assert!(sound.contains(from), "{from}");
        fs::write(&tool, sound.replacen(from, to, 1)).unwrap();
        let run = watch.run_saying(said);
        assert!(run.contains(said) && run.contains('^'), "{said}:\n{run}");
        assert!(run.contains("specs/demo/tools/get.yaml changed; checked in "), "{run}");
        assert!(!run.contains("no errors"), "{run}");
    }
    fs::write(&tool, sound).unwrap();
    let run = watch.run_saying("no errors");
    assert!(run.ends_with(": 1 surface, 1 tool: no errors\n"), "{run}");
}

#[test]
fn it_does_not_matter_how_an_editor_saves() {
    let watch = Watch::start(&[]);
    watch.run();
    let tool = watch.tool("get");
    let sound = fs::read_to_string(&tool).unwrap();
    let broken = sound.replace("effects:", "efects:");

    // Renamed over.
    let beside = watch.tool(".get.swap");
    fs::write(&beside, &broken).unwrap();
    fs::rename(&beside, &tool).unwrap();
    watch.run_saying("efects");
    // Touched only: the next answer belongs to the next change.
    fs::write(&tool, &broken).unwrap();
    // Deleted and created.
    fs::remove_file(&tool).unwrap();
    fs::write(&tool, &sound).unwrap();
    let mut run = watch.run();
    // Slow machines see the file empty or missing in between.
    while !run.contains("no errors") {
        run = watch.run();
    }
}

#[test]
fn files_and_folders_that_come_and_go_are_seen() {
    let watch = Watch::start(&[]);
    watch.run();
    let specs = watch.folder.path().join("specs");
    // A new tool with a fault.
    watch.put(&watch.tool("put"), "tool: put\ntitel: Put\n");
    let run = watch.run_saying("put.yaml:2:1");
    assert!(run.contains("did you mean `title`?"), "{run}");
    fs::remove_file(watch.tool("put")).unwrap();
    watch.run_saying("1 surface, 1 tool: no errors");

    // A whole surface, which comes in one piece, and a change in it.
    let made = watch.folder.path().join("made");
    copy(&specs.join("demo"), &made);
    let text = fs::read_to_string(made.join("surface.yaml")).unwrap();
    fs::write(made.join("surface.yaml"), text.replace("surface: demo", "surface: other")).unwrap();
    fs::rename(&made, specs.join("other")).unwrap();
    let run = watch.run_saying("2 surfaces, 2 tools: no errors");
    assert!(run.contains("specs/other/surface.yaml"), "{run}");
    watch.put(&specs.join("other/types.yaml"), "$defs: 7\n");
    watch.run_saying("specs/other/types.yaml changed");

    // The folder itself goes and comes back.
    let away = watch.folder.path().join("away");
    fs::rename(&specs, &away).unwrap();
    watch.run_saying("cannot read the specs folder");
    fs::remove_dir_all(away.join("other")).unwrap();
    fs::rename(&away, &specs).unwrap();
    watch.run_saying("1 surface, 1 tool: no errors");
    watch.put(&watch.tool("get"), "tool: get\n");
    watch.run_saying("specs/demo/tools/get.yaml changed");
}

#[test]
fn where_the_system_tells_no_news_the_folder_is_read_again_and_again() {
    let watch = Watch::without_news();
    watch.run();
    let tool = watch.tool("get");
    let sound = fs::read_to_string(&tool).unwrap();
    watch.put(&tool, &sound.replace("effects:", "efects:"));
    assert!(watch.run().contains("did you mean `effects`?"));
    watch.put(&tool, &sound);
    assert!(watch.run().contains("no errors"));
}

#[test]
fn programs_get_one_json_line_for_each_run() {
    let watch = Watch::start(&["--format", "json"]);
    let first: Value = serde_json::from_str(&watch.line()).unwrap();
    assert_eq!(first["errors"], 0);
    assert_eq!(first["changed"], serde_json::json!([]));
    watch.put(&watch.tool("get"), "tool: get\ntitel: Get\n");
    let second: Value = serde_json::from_str(&watch.line()).unwrap();
    assert_eq!(second["changed"], serde_json::json!(["specs/demo/tools/get.yaml"]));
    assert!(second["elapsedMs"].is_u64());
    let findings = second["findings"].as_array().unwrap();
    assert!(findings.iter().any(|one| one["code"] == "TW003" && one["at"]["line"] == 2));
}

#[test]
fn an_interrupt_and_a_closed_output_end_it_with_0() {
    let mut watch = Watch::start(&[]);
    watch.run();
    watch.interrupt();
    assert_eq!(watch.child.wait().unwrap().code(), Some(0));

    // Nobody reads and nothing changes: it ends all the same.
    let folder = tempfile::tempdir().unwrap();
    copy(&Path::new(ROOT).join("tests/specs/base"), &folder.path().join("specs"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_toolwright"))
        .args(["check", "--watch"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut String::new()).unwrap();
    drop(output);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
