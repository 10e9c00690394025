//! Servers under test: real processes for the surfaces, a thread for the one made for the page.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use tempfile::TempDir;
use toolwright_runtime::server::{HttpOptions, ServeOptions};

use crate::demo::Demo;
use toolwright_testing::http_server::Listening;
pub(crate) use toolwright_testing::thread_server::serve;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/wink");

/// A project of `wink` with descriptors and an override file, and a server in it.
pub(crate) struct Wink {
    pub(crate) folder: TempDir,
    pub(crate) process: Listening,
}

impl Wink {
    pub(crate) fn start() -> Self {
        Self::with(&[])
    }

    /// A server that wants one of the given tokens.
    pub(crate) fn with_tokens(tokens: &str) -> Self {
        let folder = project();
        let file = folder.path().join("tokens");
        std::fs::write(&file, tokens).expect("writable");
        let file = file.display().to_string();
        Self::serve(folder, &["--http-token-file", &file])
    }

    fn with(arguments: &[&str]) -> Self {
        Self::serve(project(), arguments)
    }

    fn serve(folder: TempDir, arguments: &[&str]) -> Self {
        let mut command = Command::new(toolwright_testing::program("wink"));
        command
            .arg("mcp")
            .current_dir(folder.path())
            .env_clear()
            .env("WINK_OVERRIDES_DIR", folder.path().join("overrides"))
            .env("WINK_DESCRIPTORS", folder.path().join("descriptors.json"));
        let process = Listening::start(command, folder.path(), arguments);
        Self { folder, process }
    }
}

fn project() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let golden = Path::new(GOLDEN);
    let file = "demo.app/code-review/latest.json";
    let target = folder.path().join("overrides").join(file);
    std::fs::create_dir_all(target.parent().expect("a parent")).expect("writable");
    std::fs::copy(golden.join("v2").join(file), target).expect("a golden file");
    let descriptors = folder.path().join("descriptors.json");
    std::fs::copy(golden.join("descriptors.json"), descriptors).expect("a golden file");
    folder
}

/// Serves the surface made for the page.
pub(crate) fn demo(http: HttpOptions, options: ServeOptions) -> SocketAddr {
    serve(Arc::new(Demo), http, options)
}
