//! Shutdown: signals, running calls; and addresses that are in use.

use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use toolwright_runtime::server::{HttpOptions, ServeError, ServeOptions, run_http, serve_http};

use super::{Server, eventually, slow};
use crate::surface::{Surface, test_services};
use toolwright_testing::http_client::Web;

const READY: &str = "TEST_READY_FILE";

#[test]
#[ignore = "serves for the other tests"]
fn serve() {
    let http = HttpOptions {
        ready_file: std::env::var_os(READY).map(PathBuf::from),
        ..HttpOptions::default()
    };
    let surface = Arc::new(Surface::default());
    // Calls under way get all the time that a busy machine needs for them.
    let options = ServeOptions { grace: Duration::from_secs(60), ..ServeOptions::default() };
    std::process::exit(run_http(surface, test_services(), options, http).into());
}

/// A server process, and where it listens.
fn start(ready: &Path) -> (Child, SocketAddr) {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "http::shutdown::serve", "--ignored", "--nocapture"])
        .env(READY, ready)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    eventually("the server listens", || ready.exists());
    let url = std::fs::read_to_string(ready).unwrap();
    let address = url.trim().strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap();
    (child, address.parse().unwrap())
}

#[test]
fn a_signal_lets_running_calls_finish() {
    let folder = tempfile::tempdir().unwrap();
    for signal in [Signal::TERM, Signal::INT] {
        let ready = folder.path().join("ready");
        let (mut child, address) = start(&ready);
        let mut web = Web::connect(address);
        let enough = folder.path().join(format!("{signal:?}"));
        let until = json!({"until": enough});
        web.start_modern(&[], "tools/call", slow(until.clone()));
        let under_way = "toolwright_calls_in_flight{surface=\"test\"} 1";
        eventually("the call is under way", || {
            Web::connect(address).get("/metrics").body.contains(under_way)
        });
        kill_process(Pid::from_child(&child), signal).unwrap();
        eventually("no more is taken", || TcpStream::connect(address).is_err());
        std::fs::write(enough, "").unwrap();
        let response = web.receive();
        assert_eq!(response.status, 200, "{response:?}");
        assert_eq!(response.json()["result"]["structuredContent"]["got"], until);
        assert_eq!(child.wait().unwrap().code(), Some(0), "{signal:?}");
        assert!(!ready.exists(), "the file goes with the server");
    }
}

#[test]
fn a_call_that_does_not_finish_in_time_is_cancelled_and_answered() {
    // A quarter of it is what the refusal has to be written in, also on a machine that stands still
    // for a while.
    let options = ServeOptions { grace: Duration::from_secs(16), ..ServeOptions::default() };
    let mut server = Server::start(HttpOptions::default(), options);
    let mut web = server.connect();
    web.start_modern(&[], "tools/call", slow(json!({"forever": true})));
    server.surface.await_running(1);
    server.end().unwrap();
    let response = web.receive();
    assert_eq!(response.status, 503, "{response:?}");
    assert_eq!(response.json()["id"], 1);
    server.surface.await_cancelled(1);
}

#[test]
fn idle_connections_do_not_delay_the_shutdown() {
    let options = ServeOptions { grace: Duration::from_secs(3600), ..ServeOptions::default() };
    let mut server = Server::start(HttpOptions::default(), options);
    let silent = server.connect();
    let mut used = server.connect();
    assert_eq!(used.get("/healthz").status, 200);
    eventually("both are open", || {
        server.metric("toolwright_http_connections{surface=\"test\"}") == Some(3.0)
    });
    server.end().unwrap();
    assert_eq!((silent.rest(), used.rest()), (String::new(), String::new()));
}

#[test]
fn invalid_addresses_and_options_are_errors() {
    let serving = |http| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let surface = Arc::new(Surface::default());
        runtime.block_on(serve_http(surface, test_services(), ServeOptions::default(), http))
    };
    let open = HttpOptions { address: "0.0.0.0:0".parse().unwrap(), ..HttpOptions::default() };
    assert!(matches!(serving(open), Err(ServeError::Options(_))));
    let taken = Server::new();
    let same = HttpOptions { address: taken.address, ..HttpOptions::default() };
    let error = serving(same).unwrap_err();
    assert!(error.to_string().contains(&taken.address.to_string()), "{error}");
    let nowhere = HttpOptions {
        ready_file: Some(PathBuf::from("/nonexistent/ready")),
        ..HttpOptions::default()
    };
    assert!(matches!(serving(nowhere), Err(ServeError::Ready(_))));
}
