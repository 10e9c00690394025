//! Files that others on the machine may read or change: a server that starts warns about each, and
//! `doctor` has a row for it.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::Value;
use toolwright_testing::{HttpServer, StdioSession, program, run};

use crate::fixtures::{self, SurfaceFixture};

fn open_to_all(path: &Path) {
    let mode = if path.is_dir() { 0o755 } else { 0o644 };
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("it is there");
}

/// What a server warns of when it starts: the checks, sorted, and the whole log.
fn warnings(fixture: &SurfaceFixture, arguments: &[&str]) -> (Vec<String>, String) {
    let log = fixture.path("log");
    let mut server = fixture.command(&[&["mcp"], arguments].concat());
    let stderr = std::fs::File::create(&log).expect("writable");
    if arguments.contains(&"--http-token-file") {
        let _listens = HttpServer::spawn_logging(server, stderr);
    } else {
        server.stderr(stderr);
        StdioSession::start(server, "exposure").close();
    }
    let log = std::fs::read_to_string(log).expect("readable");
    let events = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let found = events.filter(|line| line["event"] == "file.exposed");
    let mut checks: Vec<String> =
        found.map(|line| line["context"]["check"].as_str().expect("a check").to_owned()).collect();
    checks.sort_unstable();
    (checks, log)
}

/// The checks of `doctor` about files that others can open.
fn rows(fixture: &SurfaceFixture, arguments: &[&str]) -> Vec<String> {
    let words = [&["doctor", fixture.name(), "--json"], arguments].concat();
    let report = run(fixture.command_of(program("toolwright"), &words));
    let report: Value = serde_json::from_str(&report.stdout).expect("JSON");
    let rows = report["surfaces"][0]["rows"].as_array().expect("rows");
    let mut checks: Vec<String> = rows
        .iter()
        .filter_map(|row| row["check"].as_str().filter(|check| check.ends_with(".private")))
        .map(str::to_owned)
        .collect();
    checks.sort_unstable();
    checks
}

#[test]
fn databases_and_folders_that_others_can_read_are_warned_of() {
    for (name, file) in
        [("yarnnn", "YARNNN_DATABASE_FILE"), ("worldforge", "WORLDFORGE_DATA_DIR"), ("wa", "")]
    {
        let fixture = fixtures::named(name);
        open_to_all(fixture.folder());
        if name == "wa" {
            open_to_all(fixture.folder().parent().expect("its temporary folder"));
        }
        assert_eq!(warnings(&fixture, &[]).0, Vec::<String>::new(), "{name}");
        assert_eq!(rows(&fixture, &[]), Vec::<String>::new(), "{name}");
        let exposed = match name {
            "wa" => {
                let folder = fixture.path(".wa");
                let database = folder.join("wa.db");
                open_to_all(&database);
                open_to_all(&folder);
                database
            }
            _ => {
                let set = fixture.environment().get(file).expect("a path");
                let set = Path::new(set);
                let database =
                    if set.is_dir() { set.join("worldforge.db") } else { set.to_owned() };
                open_to_all(&database);
                open_to_all(database.parent().expect("a folder"));
                // What SQLite keeps beside it counts too.
                let log = format!("{}-journal", database.display());
                std::fs::write(&log, "").expect("writable");
                open_to_all(Path::new(&log));
                database
            }
        };
        let expected = if name == "wa" { 1 } else { 2 };
        let (checks, log) = warnings(&fixture, &[]);
        assert_eq!(checks, vec!["store.private"; expected], "{name}: {log}");
        assert!(log.contains(&exposed.display().to_string()), "{name}: {log}");
        assert!(log.contains("chmod"), "{name}: {log}");
        assert_eq!(rows(&fixture, &[]), vec!["store.private"; expected], "{name}");
    }
}

#[test]
fn tokens_settings_and_the_trail_are_warned_of() {
    let fixture = fixtures::named("yarnnn");
    open_to_all(fixture.folder());
    let secret = format!("[jwt]\nsecret = \"{}\"\n", "x".repeat(40));
    let settings = fixture.write("settings.toml", secret);
    let tokens = fixture.write("tokens", "a-token-of-some-length\n");
    let trail = fixture.write("audit.jsonl", "");
    let path = |path: &Path| path.display().to_string();
    let (settings_file, trail_file) = (path(&settings), path(&trail));
    let shared = ["--config", &settings_file, "--audit-file", &trail_file];
    for file in [&settings, &trail] {
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600)).expect("there");
    }
    assert_eq!(warnings(&fixture, &shared).0, Vec::<String>::new());
    for file in [&settings, &tokens, &trail] {
        open_to_all(file);
    }
    assert_eq!(warnings(&fixture, &shared).0, ["audit.private", "settings.private"]);
    assert_eq!(rows(&fixture, &shared), ["audit.private", "settings.private"]);
    // Without a secret in it, the settings may be read.
    fixture.write("settings.toml", "[extractor]\nkind = \"rules\"\n");
    assert_eq!(rows(&fixture, &shared), ["audit.private"]);
    let wink = fixtures::named("wink");
    open_to_all(wink.folder());
    let tokens = wink.write("tokens", "a-token-of-some-length\n");
    open_to_all(&tokens);
    let tokens = path(&tokens);
    let flag = ["--http-token-file", tokens.as_str()];
    assert_eq!(warnings(&wink, &flag).0, ["tokens.private"]);
    assert_eq!(rows(&wink, &flag), ["tokens.private"]);
}
