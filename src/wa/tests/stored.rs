//! On disk: no byte below `.wa` is part of a secret that a pane showed, and searches reveal none.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::session::Session;
use crate::workspace::{Workspace, on_every_backend};
use toolwright_testing::eventually;

on_every_backend!(
    no_file_holds_any_part_of_a_secret,
    a_secret_that_comes_in_pieces_is_stored_in_no_piece,
    a_search_does_not_spell_a_secret,
);

/// Printed at once, each in a line or as a block; the second text is the secret in it.
const PRINTED: &[(&str, &str)] = &[
    ("token ghp_16C7e42F292c6912E7710c838347Ae178B4a ends", "16C7e42F292c6912E7710c838347Ae178B4a"),
    ("key AKIAZ3MH7QPLX5VW2T6K ends", "Z3MH7QPLX5VW2T6K"),
    (
        "aws_secret_access_key = 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 ends",
        "q8Rk2Vw9Zt4Ln7Xc1Bm5Hj3Gf6Dd0Ss8Aa2Pp4Oo",
    ),
    ("DB_PASSWORD=zanzibarOrchid77", "zanzibarOrchid77"),
    ("postgres://app:quetzalMango41@db.internal/app", "quetzalMango41"),
    ("{\"client_secret\": \"okapi-velvet-9981-trellis\"}", "okapi-velvet-9981-trellis"),
    (
        "-----BEGIN PRIVATE KEY-----\nMIIEvwIBADANBgkqhkiG9w0BAQEFAASCBKkwggSlAgEAAoIBAQC7VJTUt9Us8cKj\nMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu\n-----END PRIVATE KEY-----",
        "BADANBgkqhkiG9w0BAQEFAASCBKkwggSlAgEAAoIBAQC7VJTUt9Us8cKj",
    ),
    ("second half of that key", "MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu"),
];

/// Ends a line beyond the right edge of an 80-column screen, wherever that cuts it.
const WRAPPED: &str = "sk-ant-api03-Hy8Kd2Wq7Lm4Zx9Tn1Vb6Rc3Pf5Gs0Jt";

#[test]
fn the_search_for_parts_finds_them() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("below")).expect("writable");
    std::fs::write(folder.path().join("below/file"), b"\0\0key ZANZIBARorchid7\xff")
        .expect("writable");
    assert_eq!(found(folder.path(), "zanzibarOrchid77").len(), 1);
    assert!(found(folder.path(), "quetzalMango41").is_empty());
}

/// Files below a folder that hold eight letters of a secret, whatever their case: the index folds it.
pub(crate) fn found(folder: &Path, secret: &str) -> Vec<(PathBuf, String)> {
    let secret = secret.to_ascii_lowercase();
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            all.extend(found(&path, &secret));
            continue;
        }
        // Sockets cannot be read, and hold nothing.
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let bytes = bytes.to_ascii_lowercase();
        let windows = secret.as_bytes().windows(8);
        let part = windows.into_iter().find(|part| memchr::memmem::find(&bytes, part).is_some());
        all.extend(part.map(|part| (path, String::from_utf8_lossy(part).into_owned())));
    }
    all
}

/// Nothing of the secrets is anywhere below `.wa`, while servers run and after they have ended.
pub(crate) fn nothing_is_stored(workspace: &Workspace, secrets: &[&str]) {
    for secret in secrets {
        let told = found(&workspace.path(".wa"), secret);
        assert!(told.is_empty(), "a part of {secret} is stored: {told:?}");
    }
}

fn recorded(session: &mut Session, words: &str) {
    let query = json!({"query": format!("\"{words}\"")});
    session.until(words, "wa.search", query, |data| data["total_matches"] != 0);
}

fn no_file_holds_any_part_of_a_secret(workspace: Workspace) {
    let printed: String = PRINTED.iter().map(|(text, _)| format!("{text}\n")).collect();
    // The edge falls on every place of the secret once.
    let wrapped: String = (0..WRAPPED.len() + 4)
        .map(|n| format!("{} {WRAPPED} next\nshort\n", "=".repeat(79 - n)))
        .collect();
    workspace.write("printed.txt", &printed);
    workspace.write("wrapped.txt", &wrapped);
    let title = "\x1b]2;mysql --password xylophone4711quartz\x07";
    workspace.write("title.txt", title);
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    workspace.terminal.type_line(pane, "cat printed.txt wrapped.txt; echo all-pri''nted");
    recorded(&mut session, "all printed");
    let second = workspace.terminal.open(&["sh", "-c", "cat title.txt; sleep 600"]);
    eventually("the title is known", || {
        let sql =
            format!("SELECT count(*) FROM panes WHERE pane_id = {second} AND title LIKE '%mysql%'");
        (workspace.count(&sql) == 1).then_some(())
    });
    // The same again for a watcher that takes over.
    session.kill();
    let mut session = workspace.session();
    workspace.terminal.type_line(pane, "cat printed.txt; echo on''ce-more");
    recorded(&mut session, "once more");
    let text =
        workspace.database().query_row("SELECT group_concat(text, '') FROM segments", [], |row| {
            row.get::<_, String>(0)
        });
    let text = text.expect("segments");
    for kept in [
        "token [REDACTED] ends",
        "key [REDACTED] ends",
        "DB_PASSWORD=[REDACTED]",
        "[REDACTED]@db.internal",
    ] {
        assert!(text.contains(kept), "{kept:?} is not in {text}");
    }
    let mut secrets: Vec<&str> = PRINTED.iter().map(|(_, secret)| *secret).collect();
    secrets.extend([&WRAPPED[13..], "xylophone4711quartz"]);
    nothing_is_stored(&workspace, &secrets);
    drop(session);
    nothing_is_stored(&workspace, &secrets);
}

fn a_secret_that_comes_in_pieces_is_stored_in_no_piece(workspace: Workspace) {
    const SECRETS: [&str; 4] = [
        "BRKT7QWZ3MXLP5VN",
        "gT5hLq8Wz2Nc9Rk4Vb7Yd1Mf6Xj3Ps0AtUe5",
        "tangerineFjord2288",
        "Kd83hskQz71LmWv55TgYb20PxRc94nFj",
    ];
    let [aws, github, password, body] = SECRETS;
    // Slower than a line is given to stand still.
    workspace.script(
        "slowly",
        &format!(
            "printf 'key AKIA{}'; sleep 1.2; printf '{} ends\\n'; \
             printf 'export TOKEN=ghp_{}'; sleep 1.2; printf '{}\\n'; \
             printf 'Password: '; sleep 1.2; printf '{}'; sleep 1.2; printf '{}\\n'; \
             printf '%s\\n' '-----BEGIN OPENSSH PRIVATE KEY-----' '{body}{body}'; sleep 1.2; \
             printf '%s\\n' '{body}{body}' '-----END OPENSSH PRIVATE KEY-----'; \
             echo said-slow''ly",
            &aws[..9],
            &aws[9..],
            &github[..14],
            &github[14..],
            &password[..9],
            &password[9..],
        ),
    );
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    session.until("recording has begun", "wa.state", json!({"pane_id": pane}), |panes| {
        panes[0]["pane_uuid"].is_string()
    });
    workspace.terminal.type_line(pane, "./slowly");
    recorded(&mut session, "said slowly");
    nothing_is_stored(&workspace, &SECRETS);
    // And killed in the middle, again and again.
    workspace.terminal.type_line(pane, "./slowly; echo all-ov''er");
    for _ in 0..5 {
        std::thread::sleep(std::time::Duration::from_millis(900));
        session.kill();
        session = workspace.session();
    }
    recorded(&mut session, "all over");
    nothing_is_stored(&workspace, &SECRETS);
}

fn a_search_does_not_spell_a_secret(workspace: Workspace) {
    const SECRET: &str = "vq7zk2mw9xtb4hcn6rld8spf3gyj5euo1aiv";
    workspace.write("token.txt", format!("the token ghp_{SECRET} was found\n"));
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    workspace.terminal.type_line(pane, "cat token.txt");
    recorded(&mut session, "was found");
    for settings in [&[][..], &[("WA_REDACT_TEXT", "false")]] {
        let mut session = workspace.session_with(settings);
        for length in 2..=SECRET.len() {
            for query in
                [format!("{}*", &SECRET[..length]), format!("\"ghp_{}*\"", &SECRET[..length])]
            {
                let data = session.data("wa.search", json!({"query": query}));
                assert_eq!(data["total_matches"], 0, "{query} tells: {data}");
            }
        }
        let data = session.data("wa.search", json!({"query": "\"was found\"", "snippets": true}));
        assert!(data["total_matches"] != 0 && !data.to_string().contains(&SECRET[..8]), "{data}");
    }
    nothing_is_stored(&workspace, &[SECRET]);
}
