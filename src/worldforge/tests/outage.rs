//! Stores that go away: INTERNAL_ERROR within the time limit, nothing half-written, and full recovery
//! when they are back.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolwright_testing::namespace::{MOUNTS, can_mount};

use crate::instance::Instance;
use crate::mongo::Server;
use crate::session::Session;
use toolwright_testing::{HttpServer, eventually, run};

/// How long a call may take until it is told that the store is gone: far more than the setting,
/// far less than the driver's own patience.
const LIMIT: Duration = Duration::from_secs(20);

/// A call that goes well, though a busy machine may take longer than such a server waits.
fn works(session: &mut Session, tool: &str, arguments: &Value) {
    eventually("it works", || (!session.call(tool, arguments).is_error).then_some(()));
}

fn fails(session: &mut Session, tool: &str, arguments: Value) -> Value {
    let started = Instant::now();
    let reply = session.call(tool, &arguments);
    assert!(started.elapsed() < LIMIT, "{tool} took {:?}", started.elapsed());
    let body = reply.body;
    assert_eq!((reply.is_error, &body["code"]), (true, &json!("INTERNAL_ERROR")), "{tool}: {body}");
    body
}

#[test]
fn a_mongodb_that_is_killed_is_an_internal_error_until_it_is_back() {
    for replica in [true, false] {
        let Some(mut server) = Server::start(replica) else { return };
        let instance =
            Instance::new(server.url(), "outage".to_owned(), tempfile::tempdir().unwrap());
        let admin = instance.admin();
        let ana = admin.entity("CHARACTER", "Ana");
        let scene = admin.scene("Low tide", 1);
        let before = instance.store_contents();
        let short = |mut command: Command| {
            command.env("WORLDFORGE_DATABASE_TIMEOUT_MS", "2000");
            command
        };
        let mut session = instance.session_of(short(instance.command(&["mcp"])));
        works(&mut session, "continuity.check", &json!({"nodeId": scene}));
        let mut command = short(instance.bare.command(&["mcp"]));
        command.env("WORLDFORGE_TOKENS", format!("t={}", instance.fixture.admin));
        let http = HttpServer::spawn(command);
        eventually("the server is ready", || (http.status("/readyz") == 200).then_some(()));

        server.order("crash");
        for (tool, arguments) in [
            ("project.get", json!({})),
            ("entity.upsert", json!({"entity": {"entityId": ana, "summary": "Lost."}})),
            ("storyNode.create", json!({"node": {"nodeType": "BEAT", "title": "Lost"}})),
            ("continuity.check", json!({"nodeId": scene})),
            ("version.publish", json!({"objectType": "ENTITY", "objectId": ana})),
        ] {
            let body = fails(&mut session, tool, arguments);
            // No address and no driver's words.
            assert!(!body.to_string().contains("127.0.0.1"), "{body}");
        }
        assert_eq!(http.status("/readyz"), 503);
        assert_eq!(http.status("/healthz"), 200);
        // A server that starts now works later. On the command line it is an error message.
        let mut early = instance.session_of(short(instance.command(&["mcp"])));
        fails(&mut early, "project.get", json!({}));
        let ran = run(short(instance.command(&["tenant", "list"])));
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
        assert!(ran.stderr.starts_with("error: "), "{ran:?}");

        server.restart();
        eventually("the server is ready again", || (http.status("/readyz") == 200).then_some(()));
        assert_eq!(instance.store_contents(), before, "nothing was written");
        for session in [&mut session, &mut early] {
            // Each driver finds out by itself, and looks only twice a second.
            works(session, "project.get", &json!({}));
            works(session, "continuity.check", &json!({"nodeId": scene}));
            let found = json!({"entity": {"entityId": ana, "summary": "Found."}});
            works(session, "entity.upsert", &found);
        }
        assert_eq!(admin.get_entity(&ana)["summary"], "Found.");
    }
}

#[test]
fn a_mongodb_that_stops_answering_is_an_internal_error() {
    let Some(mut server) = Server::start(true) else { return };
    let instance = Instance::new(server.url(), "frozen".to_owned(), tempfile::tempdir().unwrap());
    let ana = instance.admin().entity("CHARACTER", "Ana");
    let mut command = instance.command(&["mcp"]);
    command.env("WORLDFORGE_DATABASE_TIMEOUT_MS", "1000");
    let mut session = instance.session_of(command);
    works(&mut session, "project.get", &json!({}));
    server.order("freeze");
    fails(&mut session, "entity.get", json!({"entityId": ana}));
    fails(&mut session, "entity.upsert", json!({"entity": {"type": "ITEM", "name": "Lost"}}));
    server.order("thaw");
    works(&mut session, "entity.get", &json!({"entityId": ana}));
    works(&mut session, "entity.upsert", &json!({"entity": {"type": "ITEM", "name": "Rope"}}));
}

/// A server whose file is on a disk that `script` prepares as $DISK; $SEED is the file.
fn on_disk(instance: &Instance, script: &str) -> Option<Command> {
    if !can_mount() {
        return None;
    }
    let (disk, seed) = (instance.path("disk"), instance.path("seed.db"));
    std::fs::create_dir(&disk).expect("writable");
    let file = rusqlite::Connection::open(instance.path("worldforge.db")).expect("a file");
    file.execute("VACUUM INTO ?1", [seed.display().to_string()]).expect("a copy");
    let mut command = instance.unshared(&MOUNTS, script);
    let url = format!("sqlite:{}", disk.join("worldforge.db").display());
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("WORLDFORGE_DATABASE_URL", url).env("DISK", disk).env("SEED", seed);
    Some(command)
}

#[test]
fn a_file_on_a_read_only_disk_is_refused_with_a_message() {
    let instance = Instance::sqlite();
    let script = "mount -t tmpfs none \"$DISK\"; cp \"$SEED\" \"$DISK/worldforge.db\"
        mount -o remount,ro \"$DISK\"";
    let Some(command) = on_disk(&instance, script) else { return };
    let ran = run(command);
    assert_ne!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("database.url") && ran.stderr.contains("written"), "{ran:?}");
}
