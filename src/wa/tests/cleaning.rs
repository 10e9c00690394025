//! A database written by an older release is cleaned by the first process that opens it, once, however
//! often that is killed, and never while another process has the file open.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use rusqlite::Connection;
use serde_json::json;

use crate::stored::{found, nothing_is_stored};
use crate::terminal::Backend;
use crate::workspace::Workspace;
use toolwright_testing::disk::Disk;
use toolwright_testing::{Finished, run};

const SECRETS: [&str; 3] = [
    "vb7nrty2wz5kmhj9cpga4euio1tzqxwvdf8s",
    "quetzalMango41Okapi",
    "Zx8Kp3Wm6Vt1Rq9Ln4Bc7Hy2Jd5Fg0SaUeIo8Tq",
];

/// A workspace whose database has secrets in every table that holds text.
fn older(rounds: usize) -> Workspace {
    let workspace = Workspace::new(Backend::Embedded);
    let [token, password, key] = SECRETS;
    let file = workspace.write(".wa/wa.db", "");
    let private = |path, mode| {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("a mode");
    };
    private(workspace.path(".wa"), 0o700);
    private(file.clone(), 0o600);
    let old = Connection::open(file).expect("a database");
    old.execute_batch("PRAGMA journal_mode = WAL; PRAGMA user_version = 1").expect("a log");
    old.execute_batch(include_str!("layout1.sql")).expect("tables");
    let put = |sql: &str, values: &[&dyn rusqlite::ToSql]| {
        old.execute(sql, values).unwrap_or_else(|error| panic!("{sql}: {error}"));
    };
    put(
        "INSERT INTO panes (identity, uuid, pane_id, backend, domain, title, cwd, first_seen, closed_at) VALUES ('a', 'u', 90, 'tmux', 'tmux', ?1, ?2, 0, 1)",
        &[&format!("mysql --password {password}"), &format!("/tmp/token={token}")],
    );
    put(
        "INSERT INTO capture_marks VALUES (1, 0, ?1)",
        &[&format!("$ token ghp_{token}\n$ aws_secret_access_key={key}")],
    );
    put(
        "INSERT INTO events (pane, rule_id, pack_id, agent, event_type, severity, confidence, extracted, matched_text, detected_at, last_seen, dedupe, dedupe_key) VALUES (1, 'r', 'p', 'codex', 't', 'info', 1.0, ?1, ?2, 5, 5, 'd', 'k')",
        &[&json!({"x": format!("token=ghp_{token}")}).to_string(), &format!("password={password}")],
    );
    put(
        "INSERT INTO policy_audit (at, actor_kind, actor_id, session, action, decision, reason, preview, risk, context, result) VALUES (5, 'mcp', 'x', 's', 'send_text', 'allow', ?1, ?1, 0, '{}', 'done')",
        &[&format!("mysql -u root -p{password}")],
    );
    put(
        "INSERT INTO workflow_executions (id, workflow, pane_id, pane_identity, actor, status, current_step, total_steps, context, error, started_at, updated_at) VALUES ('e', 'w', 90, 'a', '{}', 'failed', 0, 1, ?1, ?2, 5, 5)",
        &[
            &json!({"text": format!("token ghp_{token}")}).to_string(),
            &format!("password: {password}"),
        ],
    );
    put(
        "INSERT INTO workflow_operations (execution, step_index, number, kind, state, result) VALUES ('e', 0, 0, 'send', 'done', ?1)",
        &[&json!({"before": format!("$ echo ghp_{token}\naws_secret_access_key = {key}\n")})
            .to_string()],
    );
    old.execute_batch("BEGIN").expect("a transaction");
    let mut seq = 0;
    let mut segment = |text: &str| {
        seq += 1;
        put(
            "INSERT INTO segments (pane, pane_id, seq, captured_at, bytes, stored, text) VALUES (1, 90, ?1, 5, ?2, ?2, ?3)",
            &[&seq, &text.len(), &text],
        );
        put(
            "INSERT INTO segments_fts (rowid, captured_text) VALUES (?1, ?2)",
            &[&old.last_insert_rowid(), &text],
        );
    };
    for round in 0..rounds {
        segment(&format!(
            "round {round}: findable words, token ghp_{token}\npostgres://app:{password}@db/x\n"
        ));
        segment(&format!("export AWS_SECRET_ACCESS_KEY={}", &key[..17]));
        segment(&format!("{}\n$ ls\n", &key[17..]));
    }
    old.execute_batch("DELETE FROM segments WHERE id % 9 = 1; COMMIT").expect("written");
    drop(old);
    workspace
}

fn cleaned(workspace: &Workspace) {
    nothing_is_stored(workspace, &SECRETS);
    assert_eq!(workspace.count("PRAGMA user_version"), 2);
    assert_eq!(workspace.count("SELECT count(*) FROM meta WHERE key = 'cleaning'"), 0);
    let database = workspace.database();
    let whole = database.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0));
    assert_eq!(whole.expect("an answer"), "ok");
}

#[test]
fn an_older_database_is_cleaned_when_it_is_first_opened() {
    let workspace = older(30);
    let output = workspace.run(&["status"]);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(
        output.stderr.contains("Removing secrets from")
            && output.stderr.contains("no longer contains secrets"),
        "{output:?}"
    );
    cleaned(&workspace);
    let again = workspace.run(&["status"]);
    assert!(!again.stderr.contains("secrets"), "{again:?}");
    let mut session = workspace.session();
    let page = session.data("wa.search", json!({"query": "findable"}));
    let kept = workspace.count("SELECT count(*) FROM segments WHERE text LIKE '%findable%'");
    assert!(page["total_matches"] == kept && kept > 0, "{page}");
    for secret in SECRETS {
        let page = session.data("wa.search", json!({"query": format!("{}*", &secret[..4])}));
        assert_eq!(page["total_matches"], 0, "{page}");
    }
    let text =
        workspace.database().query_row("SELECT group_concat(text, '') FROM segments", [], |row| {
            row.get::<_, String>(0)
        });
    assert!(text.expect("text").contains("export AWS_SECRET_ACCESS_KEY=[REDACTED]\n$ ls\n"));
}

#[test]
fn nothing_is_cleaned_while_another_process_has_it_open() {
    let workspace = older(3);
    let holder = workspace.database();
    let mut count = holder.prepare("SELECT count(*) FROM segments").expect("a query");
    count.query_row([], |row| row.get::<_, i64>(0)).expect("rows");
    let mut session = workspace.session();
    let refusal = session.refused("wa.search", json!({"query": "findable"}), "WA-MCP-0005");
    assert!(
        refusal.error.contains("wa.db") && refusal.error.contains("older release"),
        "{refusal:?}"
    );
    assert!(refusal.error.contains(&format!("process {}", std::process::id())), "{refusal:?}");
    assert!(refusal.hint.contains("older `wa`"), "{refusal:?}");
    let doctor = workspace.run(&["doctor"]);
    assert!(doctor.code == 1 && doctor.stdout.contains("FAIL  database"), "{doctor:?}");
    assert_eq!(
        holder
            .pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))
            .expect("a number"),
        1
    );
    drop(count);
    drop(holder);
    // The same server, without a restart.
    session.data("wa.search", json!({"query": "findable"}));
    cleaned(&workspace);
}

/// Runs `wa` where the workspace's folder is a disk of its own.
fn run_on_disk(disk: &Disk, workspace: &Workspace, arguments: &[&str]) -> Finished {
    run(disk.command(&workspace.command(arguments)))
}

#[test]
fn nothing_is_cleaned_without_room_to_compact() {
    let workspace = older(9000);
    let Some(disk) = Disk::over(&workspace.path(".wa"), "64m") else { return };
    let seen = disk.seen(&workspace.path(".wa"));
    let before = std::fs::read(seen.join("wa.db")).expect("readable");
    assert!(before.len() > 3 << 20, "{} bytes would fit", before.len());
    let refused = |words: &[&str]| {
        let refused = run_on_disk(&disk, &workspace, &["status"]);
        let said = &refused.stderr;
        assert!(!refused.succeeded(), "{said}");
        words.iter().for_each(|word| assert!(said.contains(word), "no {word:?} in {said}"));
    };
    disk.fill();
    refused(&["wa.db", "is full", "bytes are free", "Free some space"]);
    // Enough to read it, not enough to rebuild it.
    let filler = std::fs::OpenOptions::new().write(true).open(seen.join(".filler"));
    let filler = filler.expect("writable");
    filler.set_len(filler.metadata().expect("a length").len() - (3 << 20)).expect("shorter");
    drop(filler);
    refused(&["wa.db", "older release", "cleaning needs", "free bytes", "Free some space"]);
    let robot =
        run_on_disk(&disk, &workspace, &["robot", "search", "--query", "findable", "--json"]);
    assert!(robot.stdout.contains("WA-MCP-0005"), "{robot:?}");
    let doctor = run_on_disk(&disk, &workspace, &["doctor"]);
    assert!(doctor.stdout.contains("FAIL  database"), "{doctor:?}");
    let after = std::fs::read(seen.join("wa.db")).expect("readable");
    assert!(after == before, "a refused cleaning has changed the file");
    disk.free();
    run_on_disk(&disk, &workspace, &["status"]).ok();
    for secret in SECRETS {
        let told = found(&seen, secret);
        assert!(told.is_empty(), "a part of {secret} is stored: {told:?}");
    }
}

#[test]
fn a_killed_cleaning_goes_on_and_two_at_once_both_work() {
    let workspace = older(9000);
    for pause in [0, 60, 240] {
        let mut command = workspace.command(&["status"]);
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("wa runs");
        let mut told = String::new();
        let mut talk = BufReader::new(child.stderr.take().expect("a stream"));
        talk.read_line(&mut told).expect("a line");
        assert!(told.contains("Removing secrets from"), "{told}");
        std::thread::sleep(std::time::Duration::from_millis(pause));
        child.kill().expect("killed");
        child.wait().expect("ended");
        assert_eq!(
            workspace.count("PRAGMA user_version"),
            2,
            "an older release must refuse it by now"
        );
    }
    let two: Vec<_> = (0..2)
        .map(|_| {
            workspace
                .command(&["status"])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("wa runs")
        })
        .collect();
    for mut one in two {
        // One that was told to wait is right to say so when the machine is slow.
        let status = one.wait().expect("ended");
        assert!(status.success() || status.code() == Some(1), "{status}");
    }
    assert_eq!(workspace.run(&["status"]).code, 0);
    cleaned(&workspace);
}
