//! Outages of the database: a stable error, no partial writes, and everything
//! works again when it is back. A disk that is read-only; full ones are in `tests/faults`.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use toolwright_testing::namespace::{MOUNTS, can_mount};
use toolwright_testing::run;

use crate::instance::{Instance, addition, axis, text_of};
use crate::integrity::is_whole;
use crate::postgres::Server;

/// One call of each tool, that would go well.
fn calls(number: usize) -> Vec<(&'static str, Value)> {
    vec![
        ("add_to_substrate", addition(&format!("Refund {number} takes five days."), &axis(0))),
        ("add_to_substrate", addition(&format!("Nothing fits {number}."), &axis(7))),
        (
            "create_memory_from_chat",
            json!({"conversation_history": format!("User: We decided on plan {number}."),
                   "new_basket": true, "session_fingerprint": {"embedding": axis(3)}}),
        ),
        ("get_substrate", json!({"keywords": ["refund"]})),
        ("validate_against_substrate", json!({"new_idea": "Refunds are slow."})),
        ("config_settings", json!({})),
        ("config_settings", json!({"manual_review": true})),
    ]
}

#[test]
fn every_tool_reports_the_outage_and_works_after_it() {
    let Some(mut server) = Server::start() else { return };
    let instance = Instance::new(server.url(), tempfile::tempdir().expect("a folder"));
    instance.basket("Billing", 0);
    for round in 0..2 {
        server.send("crash");
        for (tool, arguments) in calls(round) {
            let reply = instance.owner().call(tool, &arguments);
            assert_eq!(reply.protocol_code, Some(-32603), "{tool}: {}", reply.response);
            let message = text_of(&reply.response["error"]["message"]);
            assert_eq!(reply.body["code"], "UNAVAILABLE", "{tool}: {}", reply.body);
            assert_eq!(reply.body["retryable"], true);
            assert!(!message.contains("postgres://") && !message.contains("/tmp"), "{message}");
        }
        // Whoever has no token learns so only from the database.
        let unknown = instance.user(None).call("get_substrate", &json!({}));
        assert_eq!(unknown.protocol_code, Some(-32600));
        server.send("start");
        is_whole(&instance);
        assert_eq!(instance.dumps(&format!("Refund {round} takes five days.")), 0);
        for (tool, arguments) in calls(round) {
            instance.owner().ok(tool, arguments);
        }
        assert_eq!(instance.dumps(&format!("Refund {round} takes five days.")), 1);
        is_whole(&instance);
    }
}

#[test]
fn a_server_that_starts_before_its_database_works_once_it_is_there() {
    let Some(mut server) = Server::start() else { return };
    let instance = Instance::new(server.url(), tempfile::tempdir().expect("a folder"));
    instance.basket("Billing", 0);
    server.send("crash");
    let mut client = instance.session();
    let response = client.call("get_substrate", json!({})).response;
    assert_eq!(response["error"]["code"], -32603, "{response}");
    assert_eq!(response["error"]["data"]["code"], "UNAVAILABLE", "{response}");
    server.send("start");
    let response = client.call("get_substrate", json!({})).response;
    assert_eq!(response["result"]["structuredContent"]["total_count"], 1, "{response}");
}

#[test]
fn crashes_under_way_leave_whole_writes_only() {
    let Some(mut server) = Server::start() else { return };
    let instance = Instance::new(server.url(), tempfile::tempdir().expect("a folder"));
    instance.basket("Billing", 0);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let (instance, stop) = (&instance, &stop);
            scope.spawn(move || {
                for number in (worker * 100_000).. {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    for (tool, arguments) in calls(number) {
                        let reply = instance.owner().call(tool, &arguments);
                        let code = reply.body["code"].as_str().unwrap_or_default();
                        assert!(["", "UNAVAILABLE"].contains(&code), "{tool}: {}", reply.body);
                    }
                }
            });
        }
        for _ in 0..4 {
            std::thread::sleep(std::time::Duration::from_millis(400));
            server.send("crash");
            server.send("start");
        }
        stop.store(true, Ordering::Relaxed);
    });
    is_whole(&instance);
}

/// The server, its database a copy on a tmpfs that `script` prepares.
fn in_tmpfs(instance: &Instance, script: &str) -> Option<Command> {
    if !can_mount() {
        return None;
    }
    let disk = instance.path("disk");
    std::fs::create_dir_all(&disk).expect("writable");
    // One whole file, without what is still in the log beside it.
    let copy = instance.path("copy.db");
    instance.execute_outside(&format!("VACUUM INTO '{}'", copy.display()));
    let mut command = instance.unshared(&MOUNTS, script);
    command
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("DISK", &disk)
        .env("COPY", &copy)
        .env("YARNNN_DATABASE_FILE", disk.join("yarnnn.db"));
    Some(command)
}

#[test]
fn on_a_read_only_disk_the_server_does_not_start_and_says_why() {
    let instance = Instance::on_sqlite();
    let script = "mount -t tmpfs none \"$DISK\"; cp \"$COPY\" \"$DISK/yarnnn.db\"; \
                  mount -o remount,ro \"$DISK\"";
    let Some(command) = in_tmpfs(&instance, script) else { return };
    let ran = run(command);
    assert!(!ran.succeeded() && ran.stdout.is_empty(), "{ran:?}");
    assert!(ran.stderr.contains("database_file") && !ran.stderr.contains("panicked"), "{ran:?}");
}
