//! yarnnn with one workspace, as its owner.

use serde_json::json;
use yarnnn::generated::SURFACE;

use super::{Ask, Home, environment, prepared, printed};

pub(super) fn home() -> Home {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut environment = environment([
        ("HOME", folder.path().display().to_string()),
        ("YARNNN_DATABASE_FILE", folder.path().join("yarnnn.db").display().to_string()),
    ]);
    let create = ["workspace", "create", "--owner", "olga", "Main"];
    let token = printed(prepared(
        toolwright_testing::program("yarnnn"),
        &create,
        folder.path(),
        &environment,
    ));
    let token = token.trim().to_owned();
    environment.insert("YARNNN_TOKEN".to_owned(), token.clone());
    let foreign = json!({"basket_id": "none"});
    Home {
        info: &SURFACE,
        program: toolwright_testing::program("yarnnn"),
        folder: folder.path().to_owned(),
        environment,
        read: Ask::new("get_substrate", json!({"keywords": ["stripe"]})),
        invalid: Ask::new("get_substrate", json!({"limit": 0})),
        refused: (Ask::new("get_substrate", foreign), "BASKET_NOT_FOUND"),
        write: Box::new(|number| {
            let content = format!("The garden needs water {number} times a week.");
            let session = json!({"embedding": [1, 0, 0, 0, 0, 0, 0, 0]});
            let arguments = json!({"content": content, "session_fingerprint": session});
            Ask::new("add_to_substrate", arguments)
        }),
        slow: None,
        token: Some(token),
        held: Box::new(folder),
    }
}
