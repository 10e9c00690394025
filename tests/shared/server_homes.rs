//! Homes of servers that have no data yet, as a host would start them.

use toolwright_testing::ServerHome;

/// A surface's binary in an empty folder: no terminals, no user, no token.
pub(crate) fn empty_home(surface: &str) -> ServerHome {
    let home = ServerHome::of(surface);
    match surface {
        "agentpack" => home.path_env("HOME", "."),
        "wa" => home.env("WA_BACKEND", "embedded"),
        "wink" => home.path_env("WINK_OVERRIDES_DIR", "overrides"),
        "worldforge" => home.path_env("WORLDFORGE_DATA_DIR", "worldforge"),
        "yarnnn" => home.path_env("YARNNN_DATABASE_FILE", "yarnnn.db"),
        other => panic!("no surface is called {other}"),
    }
}

/// `wink` in an empty project.
pub(crate) fn wink() -> ServerHome {
    empty_home("wink")
}
