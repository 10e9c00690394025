//! A surface's binary over HTTP, with everything that it logs kept.

use std::process::Command;

use tempfile::TempDir;

use crate::server;
use toolwright_testing::http_client::Web;
use toolwright_testing::http_server::Listening;

/// A server process; stopped when dropped.
pub(crate) struct Served {
    process: Listening,
    folder: TempDir,
}

impl Served {
    /// `wink` with more arguments, in an empty project.
    pub(crate) fn wink(arguments: &[&str]) -> Self {
        let folder = server::folder();
        Self::start(server::wink(folder.path()), folder, arguments)
    }

    /// `wink` that wants one of these tokens.
    pub(crate) fn wink_with_tokens(tokens: &str, arguments: &[&str]) -> Self {
        let folder = server::folder();
        let mut command = server::wink(folder.path());
        command.env("TOOLWRIGHT_HTTP_TOKENS", tokens);
        Self::start(command, folder, arguments)
    }

    fn start(command: Command, folder: TempDir, arguments: &[&str]) -> Self {
        let log = std::fs::File::create(folder.path().join("log")).expect("writable");
        let process = Listening::logging(command, folder.path(), arguments, log);
        Self { process, folder }
    }

    pub(crate) fn connect(&self) -> Web {
        Web::connect(self.process.address)
    }

    pub(crate) fn port(&self) -> u16 {
        self.process.address.port()
    }

    /// Everything that it has logged.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).expect("readable")
    }

    /// It still answers.
    pub(crate) fn lives(&self) -> bool {
        self.connect().get("/healthz").status == 200
    }
}
