//! Disks that are full or read-only: the right code, and the old file untouched.
//!
//! Both are real: a small tmpfs in a mount namespace of its own. Where the machine allows no
//! namespaces the tests say so, and fail under `CI=true`.

use std::process::Command;

use serde_json::json;
use toolwright::client::Client;

use crate::project::{Project, fail, succeed};

/// A session whose overrides directory is a tmpfs prepared by `script`.
fn on_tmpfs(project: &Project, script: &str) -> Option<Client> {
    let probe = Command::new("unshare").args(["--mount", "--map-root-user", "true"]).status();
    if !probe.is_ok_and(|status| status.success()) {
        assert!(std::env::var_os("CI").is_none(), "this machine allows no mount namespaces");
        eprintln!("SKIPPED: this machine allows no mount namespaces; hostile disks are not tested");
        return None;
    }
    std::fs::create_dir_all(project.overrides()).expect("writable");
    let inner = project.wink();
    let mut command = Command::new("unshare");
    command.args(["--mount", "--map-root-user", "sh", "-ec"]);
    command.arg(format!("{script}\nexec \"$WINK\" mcp"));
    command.env("DISK", project.overrides()).env("WINK", env!("CARGO_BIN_EXE_wink"));
    for (name, value) in inner.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    command.current_dir(project.path());
    Some(Client::spawn(command, "live-test").expect("the server starts"))
}

fn section(body: &str) -> serde_json::Value {
    json!({"ns": "load", "prompt": "test", "section_path": "s0", "body": body, "confirm": true})
}

#[test]
fn a_full_disk_is_storage_full_and_the_old_file_stays() {
    let project = Project::with_sections(1);
    let Some(mut client) = on_tmpfs(&project, "mount -t tmpfs -o size=64k none \"$DISK\"") else {
        return;
    };
    let read = json!({"ns": "load", "prompt": "test", "section_path": "s0"});
    succeed(&mut client, "wink.write_section_override", section("small"));
    let before = succeed(&mut client, "wink.get_section_override", read.clone());
    let large = "x".repeat(200_000);
    let failure = fail(&mut client, "wink.write_section_override", section(&large), "storage_full");
    assert!(failure["hint"].as_str().is_some_and(|hint| hint.contains("space")), "{failure}");
    let after = succeed(&mut client, "wink.get_section_override", read);
    assert_eq!(before["content_hash"], after["content_hash"]);
    // The failed attempt left nothing behind: a small write fits again.
    succeed(&mut client, "wink.write_section_override", section("small again"));
}

#[test]
fn a_read_only_disk_is_storage_denied() {
    let project = Project::with_sections(1);
    let script = "mount -t tmpfs none \"$DISK\"; mount -o remount,ro \"$DISK\"";
    let Some(mut client) = on_tmpfs(&project, script) else { return };
    fail(&mut client, "wink.write_section_override", section("x"), "storage_denied");
}
