//! wink in a project with descriptors and one override file.

use std::path::Path;

use serde_json::json;
use wink::generated::SURFACE;

use super::{Ask, Home, environment};

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/wink");
const OVERRIDES: &str = "demo.app/code-review/latest.json";

pub(super) fn home() -> Home {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    let target = at("overrides").join(OVERRIDES);
    std::fs::create_dir_all(target.parent().expect("a parent")).expect("writable");
    let golden = Path::new(GOLDEN);
    std::fs::copy(golden.join("v2").join(OVERRIDES), target).expect("a golden file");
    std::fs::copy(golden.join("descriptors.json"), at("descriptors.json")).expect("a golden file");
    let section =
        |path: &str| json!({"ns": "demo.app", "prompt": "code-review", "section_path": path});
    let missing = Ask::new("wink.get_section_override", section("sistem"));
    Home {
        info: &SURFACE,
        program: toolwright_testing::program("wink"),
        folder: folder.path().to_owned(),
        environment: environment([
            ("WINK_OVERRIDES_DIR", at("overrides").display().to_string()),
            ("WINK_DESCRIPTORS", at("descriptors.json").display().to_string()),
        ]),
        read: Ask::new("wink.list_overrides", json!({})),
        invalid: Ask::new("wink.list_overrides", json!({"limit": 0})),
        refused: (missing, "section_not_found"),
        write: Box::new(move |number| {
            let mut arguments = section("system");
            arguments["body"] = json!(format!("Be brief, {number} times.\n"));
            arguments["confirm"] = json!(true);
            Ask::new("wink.write_section_override", arguments)
        }),
        slow: None,
        token: None,
        held: Box::new(folder),
    }
}
