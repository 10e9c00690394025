use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::*;
use crate::failure::Result;
use crate::generated::Error;
use crate::ids::{Namespace, PromptKey, PromptRef, SectionPath};
use crate::override_file::{Format, Known, OverrideFile};

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/wink");

fn golden(name: &str) -> String {
    fs::read_to_string(format!("{GOLDEN}/{name}")).unwrap()
}

fn files(paths: &[PathBuf]) -> Descriptors {
    Descriptors::new(Config { files: paths.to_vec(), ..Config::default() })
}

fn lookup(descriptors: &Descriptors, key: &str) -> Result<Lookup> {
    descriptors.lookup(&Namespace::parse("demo.app").unwrap(), &PromptKey::parse(key).unwrap())
}

fn found(descriptors: &Descriptors) -> std::sync::Arc<Prompt> {
    match lookup(descriptors, "code-review").unwrap() {
        Lookup::Found(prompt) => prompt,
        other => panic!("{other:?}"),
    }
}

fn path(text: &str) -> SectionPath {
    SectionPath::parse(text).unwrap()
}

#[test]
fn the_export_is_read_and_verified() {
    let prompt = found(&files(&[format!("{GOLDEN}/descriptors.json").into()]));
    assert_eq!(prompt.source.as_str(), "export_file");
    assert_eq!((prompt.format, prompt.name.as_deref()), (Some(Format::Two), Some("review")));
    assert!(prompt.sections.iter().all(|section| section.flaw.is_none()));
    assert!(prompt.tools.iter().all(|tool| tool.flaw.is_none()));
    assert!(matches!(prompt.known_section(Some(&path("policy"))), Known::Locked));
    assert!(matches!(prompt.known_section(Some(&path("nope"))), Known::Absent));
    assert!(matches!(prompt.known_tool("audit"), Known::Locked));
    let system = prompt.section(&path("system")).unwrap();
    assert_eq!(Vec::from_iter(system.allowed_placeholders().unwrap()), ["name"]);
    let search = prompt.tool("search_docs").unwrap();
    assert_eq!(Vec::from_iter(search.parameters.clone().unwrap()), ["limit", "query"]);
}

#[test]
fn the_librarys_own_descriptor_has_the_same_digest() {
    let export = found(&files(&[format!("{GOLDEN}/descriptors.json").into()]));
    let dump = found(&files(&[format!("{GOLDEN}/descriptor-serde-v2.json").into()]));
    let edited = found(&files(&[format!("{GOLDEN}/descriptors-edited.json").into()]));
    assert_eq!(dump.sections[0].body, None);
    assert_eq!(export.hash(), dump.hash());
    assert_ne!(export.hash(), edited.hash());
}

#[test]
fn a_wrong_hash_flags_only_its_part() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("x.json");
    let text = golden("descriptors.json")
        .replace("Use plain words.", "Use plain words!")
        .replace("\"List every hit.\"", "\"List every hit!\"");
    fs::write(&file, text).unwrap();
    let descriptors = files(std::slice::from_ref(&file));
    let prompt = found(&descriptors);
    assert!(prompt.section(&path("system/style")).unwrap().flaw.is_some());
    assert!(prompt.section(&path("system")).unwrap().flaw.is_none());
    assert!(prompt.tool("list_hits").unwrap().flaw.is_some());
    assert!(matches!(prompt.known_section(Some(&path("system/style"))), Known::Undescribed));
    assert_eq!(descriptors.catalogs().0[0].findings().len(), 2);
}

#[test]
fn unusable_exports_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("x.json");
    for text in [
        "{",
        "{}",
        r#"{"kind": "other"}"#,
        r#"{"kind": "wink.descriptors", "version": 2, "prompts": []}"#,
        r#"{"kind": "wink.descriptors", "version": 1, "override_format": 3, "prompts": []}"#,
        r#"{"kind": "wink.descriptors", "version": 1}"#,
        r#"{"ns": "demo.app", "key": "code-review", "sections": [{"path": "system"}]}"#,
        r#"{"ns": "demo.app", "key": "code-review", "sections": [{}]}"#,
        r#"{"ns": "demo.app", "key": "code-review", "tools": [{"name": 1}]}"#,
    ] {
        fs::write(&file, text).unwrap();
        let failure = lookup(&files(std::slice::from_ref(&file)), "code-review").unwrap_err();
        assert_eq!(failure.kind(), Error::DescriptorInvalid, "{text}");
        assert!(failure.message().contains("x.json"), "{}", failure.message());
    }
    let missing = files(&[dir.path().join("missing.json")]);
    assert_eq!(lookup(&missing, "code-review").unwrap_err().kind(), Error::DescriptorInvalid);
}

#[test]
fn a_prompt_in_two_files_names_both() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.json"), golden("descriptors.json")).unwrap();
    fs::write(dir.path().join("b.json"), golden("descriptors-edited.json")).unwrap();
    fs::write(dir.path().join("readme.txt"), "not an export").unwrap();
    let failure = lookup(&files(&[dir.path().to_owned()]), "code-review").unwrap_err();
    assert_eq!(failure.kind(), Error::DescriptorInvalid);
    assert!(failure.message().contains("a.json") && failure.message().contains("b.json"));
}

#[test]
fn files_are_read_again_when_they_change() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("descriptors.json");
    let config = Config { default_file: Some(file.clone()), ..Config::default() };
    let descriptors = Descriptors::new(config);
    assert!(matches!(lookup(&descriptors, "code-review").unwrap(), Lookup::NoSource));
    fs::write(&file, golden("descriptors.json")).unwrap();
    let before = found(&descriptors).hash();
    fs::write(&file, golden("descriptors-edited.json")).unwrap();
    assert_ne!(found(&descriptors).hash(), before);
    match lookup(&descriptors, "code-reviews").unwrap() {
        Lookup::NotFound(near) => assert_eq!(near, ["demo.app/code-review"]),
        other => panic!("{other:?}"),
    }
}

fn command(script: &str, watch: Vec<PathBuf>) -> Descriptors {
    command_within(Duration::from_secs(60), script, watch)
}

fn command_within(timeout: Duration, script: &str, watch: Vec<PathBuf>) -> Descriptors {
    let argv = ["sh", "-c", script].map(str::to_owned).to_vec();
    let command = ExportCommand { argv, cwd: None, timeout, watch };
    Descriptors::new(Config { command: Some(command), ..Config::default() })
}

#[test]
fn a_commands_output_is_cached() {
    let dir = tempfile::tempdir().unwrap();
    let count = dir.path().join("count");
    let script =
        format!("echo x >> {0}; echo talk >&2; cat {GOLDEN}/descriptors.json", count.display());
    let watched = dir.path().join("app");
    fs::create_dir(&watched).unwrap();
    let descriptors = command(&script, vec![watched.clone()]);
    assert_eq!(found(&descriptors).source.as_str(), "export_command");
    found(&descriptors);
    let runs = || fs::read_to_string(&count).unwrap().lines().count();
    assert_eq!(runs(), 1);
    fs::write(watched.join("prompts.py"), "").unwrap();
    found(&descriptors);
    assert_eq!(runs(), 2);
    let unwatched = command(&script, Vec::new());
    found(&unwatched);
    found(&unwatched);
    assert_eq!(runs(), 4);
}

#[test]
fn a_failing_command_reports_its_error() {
    let failure = lookup(&command("echo boom >&2; exit 3", Vec::new()), "code-review").unwrap_err();
    assert_eq!(failure.kind(), Error::DescriptorCommandFailed);
    assert!(failure.message().contains("exit status 3"));
    assert_eq!(failure.erase().details["stderr"], "boom");

    let missing = ExportCommand {
        argv: vec!["/no/such/program".to_owned()],
        cwd: None,
        timeout: Duration::from_secs(1),
        watch: Vec::new(),
    };
    let missing = Descriptors::new(Config { command: Some(missing), ..Config::default() });
    let failure = lookup(&missing, "code-review").unwrap_err();
    assert_eq!(failure.kind(), Error::DescriptorCommandFailed);

    let nonsense = lookup(&command("echo hello", Vec::new()), "code-review").unwrap_err();
    assert_eq!(nonsense.kind(), Error::DescriptorInvalid);
}

#[test]
fn a_hanging_command_is_killed_with_its_children() {
    let dir = tempfile::tempdir().unwrap();
    let child = dir.path().join("child");
    let script = format!("sleep 600 & echo $! > {}; sleep 600", child.display());
    let started = Instant::now();
    let hanging = command_within(Duration::from_secs(2), &script, Vec::new());
    // Where the machine was too busy to start the child in time, once more.
    let child = loop {
        let failure = lookup(&hanging, "code-review").unwrap_err();
        assert!(failure.message().contains("did not end"), "{}", failure.message());
        assert!(started.elapsed() < Duration::from_secs(60));
        let child = fs::read_to_string(&child).unwrap_or_default();
        if let Ok(child) = child.trim().parse::<i32>() {
            break child;
        }
    };
    while runs(child) {
        assert!(started.elapsed() < Duration::from_secs(120), "the child was not ended too");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether a process runs; a zombie does not.
fn runs(pid: i32) -> bool {
    if cfg!(target_os = "linux") {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        return stat.rsplit(')').next().is_some_and(|rest| {
            let state = rest.trim_start();
            !state.is_empty() && !state.starts_with('Z')
        });
    }
    let process = rustix::process::Pid::from_raw(pid);
    process.is_some_and(|process| rustix::process::test_kill_process(process).is_ok())
}

#[test]
fn a_seeded_file_reveals_what_it_can() {
    let prompt = PromptRef::parse("demo.app", "code-review", None).unwrap();
    let at = format!("{GOLDEN}/seed-v2/demo.app/code-review/latest.json");
    let bytes = fs::read(&at).unwrap();
    let file = OverrideFile::parse(&bytes, std::path::Path::new(&at)).unwrap();
    let seeded = from_seeded_file(&prompt, &file, &at);
    assert!(seeded.section(&path("system")).unwrap().body.is_some());
    assert!(seeded.section(&path("policy")).is_none());
    assert_eq!(seeded.tools.len(), 2);
    assert_eq!(seeded.hash(), None);
}

#[test]
fn the_exporter_is_shipped() {
    assert!(EXPORTER.contains("wink.descriptors"));
    let python = ["python3".to_owned()];
    let modules = ["app.prompts".to_owned()];
    let command =
        ExportCommand::for_modules(&python, &modules, None, Duration::from_secs(1), Vec::new());
    assert_eq!(command.display(), "python3 -c … app.prompts");
}
