//! A surface's binary over HTTP, and everything that it logs.

use toolwright_testing::http_client::Web;
use toolwright_testing::{HttpServer, ServerHome};

use crate::server_homes::wink;

/// A server process; stopped when dropped.
pub(crate) struct Served {
    process: HttpServer,
    home: ServerHome,
}

impl Served {
    /// `wink` with more arguments, in an empty project.
    pub(crate) fn wink(arguments: &[&str]) -> Self {
        Self::start(wink(), arguments)
    }

    /// `wink` that wants one of these tokens.
    pub(crate) fn wink_with_tokens(tokens: &str, arguments: &[&str]) -> Self {
        Self::start(wink().env("TOOLWRIGHT_HTTP_TOKENS", tokens), arguments)
    }

    fn start(home: ServerHome, arguments: &[&str]) -> Self {
        let log = std::fs::File::create(home.path("log")).expect("writable");
        let command = home.command(&[&["mcp"], arguments].concat());
        Self { process: HttpServer::spawn_logging(command, log), home }
    }

    pub(crate) fn connect(&self) -> Web {
        self.process.connect()
    }

    pub(crate) fn port(&self) -> u16 {
        self.process.address.port()
    }

    /// Everything that it has logged.
    pub(crate) fn log(&self) -> String {
        self.home.read("log")
    }

    /// It still answers.
    pub(crate) fn lives(&self) -> bool {
        self.connect().get("/healthz").status == 200
    }
}
