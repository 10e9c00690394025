//! worldforge with the sample world, as its administrator.

use serde_json::json;
use toolwright_runtime::client::Client;
use worldforge::generated::SURFACE;

use super::{Ask, Home, environment, prepared, printed};

/// Of the administrator, for calls over HTTP.
const TOKEN: &str = "a-token-of-the-administrator";

pub(super) fn home() -> Home {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut environment = environment([
        ("HOME", folder.path().display().to_string()),
        ("WORLDFORGE_DATA_DIR", folder.path().join("worlds").display().to_string()),
    ]);
    let demo = printed(prepared(
        toolwright_testing::program("worldforge"),
        &["demo"],
        folder.path(),
        &environment,
    ));
    let after = |words: &str| {
        let (_, rest) = demo.split_once(words).unwrap_or_else(|| panic!("no {words} in {demo}"));
        rest.split(|letter: char| !letter.is_ascii_hexdigit()).next().expect("an id").to_owned()
    };
    let scope = json!({
        "tenantId": after("WORLDFORGE_TENANT="), "userId": after("WORLDFORGE_USERS="),
        "projectId": after("projectId "),
    });
    for line in demo.lines().filter(|line| line.starts_with("WORLDFORGE_")) {
        let (name, value) = line.split_once('=').expect("a variable");
        environment.insert(name.to_owned(), value.to_owned());
    }
    let user = scope["userId"].as_str().expect("an id");
    environment.insert("WORLDFORGE_TOKENS".to_owned(), format!("{TOKEN}={user}"));
    // One entity that is written again and again: a world that grows is cached as it grows.
    let mut arguments = scope.clone();
    arguments["entity"] = json!({"type": "CHARACTER", "name": "Guest"});
    let server =
        prepared(toolwright_testing::program("worldforge"), &["mcp"], folder.path(), &environment);
    let mut client = Client::spawn(server, "homes").expect("the server starts");
    let made = client.call("entity.upsert", arguments).expect("an answer").body;
    let guest = made["entity"]["_id"].as_str().expect("an id").to_owned();
    client.close().expect("it ends");
    let mut nobody = scope.clone();
    nobody["entityId"] = json!("000000000000000000000000");
    Home {
        info: &SURFACE,
        program: toolwright_testing::program("worldforge"),
        folder: folder.path().to_owned(),
        environment,
        read: Ask::new("project.get", scope.clone()),
        invalid: Ask::new("project.get", json!({})),
        refused: (Ask::new("entity.get", nobody), "NOT_FOUND"),
        write: Box::new(move |number| {
            let mut arguments = scope.clone();
            let name = format!("Guest {number}");
            arguments["entity"] = json!({"entityId": guest, "name": name});
            Ask::new("entity.upsert", arguments)
        }),
        slow: None,
        token: Some(TOKEN.to_owned()),
        held: Box::new(folder),
    }
}
