//! A project for `wink`.

use std::path::Path;

use toolwright_testing::ServerHome;

/// A project with descriptors and one override file.
pub(crate) fn project() -> ServerHome {
    let golden = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/wink"));
    let file = "demo.app/code-review/latest.json";
    let home = ServerHome::of("wink")
        .path_env("WINK_OVERRIDES_DIR", "overrides")
        .path_env("WINK_DESCRIPTORS", "descriptors.json");
    home.copy(&golden.join("v2").join(file), &format!("overrides/{file}"));
    home.copy(&golden.join("descriptors.json"), "descriptors.json");
    home
}
