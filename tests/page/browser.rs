//! The page in a real browser: Chromium, driven by Playwright.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::process::Command;
use std::sync::Arc;

use toolwright_runtime::clock::FixedClock;
use toolwright_runtime::contract::SurfaceInfo;
use toolwright_runtime::server::{HttpOptions, Rate, ServeOptions};

use crate::demo::{Demo, Shown};
use crate::server::{Wink, demo, serve};
use toolwright_testing::HttpServer;
use toolwright_testing::thread_server::serve_by;

/// Every contract of this build, each behind an address of its own.
fn contracts() -> String {
    let all: &[&'static SurfaceInfo] = &[
        &agentpack::generated::SURFACE,
        &wa::generated::SURFACE,
        &wink::generated::SURFACE,
        &worldforge::generated::SURFACE,
        &yarnnn::generated::SURFACE,
    ];
    let serve =
        |info| serve(Arc::new(Shown(info)), HttpOptions::default(), ServeOptions::default());
    let urls: Vec<String> = all.iter().map(|info| url(serve(info))).collect();
    urls.join(" ")
}

/// A folder that has `node_modules/playwright-core` in it.
const PLAYWRIGHT: &str = "TOOLWRIGHT_TEST_PLAYWRIGHT";

fn url(address: SocketAddr) -> String {
    format!("http://{address}/")
}

#[test]
fn the_page_works_in_a_browser() {
    let Some(playwright) = std::env::var_os(PLAYWRIGHT) else {
        let missing = format!("{PLAYWRIGHT} is not set; tests/run provides it");
        assert!(std::env::var("CI").as_deref() != Ok("true"), "{missing}");
        eprintln!("SKIPPED: the page was not tried in a browser: {missing}");
        return;
    };
    let plain = Wink::start();
    let guarded = Wink::with_tokens("page-token\n");
    let open = demo(HttpOptions::default(), ServeOptions::default());
    let rate = Some(Rate { per_second: NonZeroU32::MIN, burst: NonZeroU32::MIN.saturating_add(2) });
    // Time stands still there: a slow browser must not get back what it has spent.
    let limited = serve_by(
        Arc::new(FixedClock::at(1_700_000_000_000)),
        Arc::new(Demo),
        HttpOptions { rate, ..HttpOptions::default() },
        ServeOptions::default(),
    );
    let busy = demo(
        HttpOptions { max_waiting: 0, ..HttpOptions::default() },
        ServeOptions { max_calls: 1, ..ServeOptions::default() },
    );
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/page/browser.mjs");
    let mut node = Command::new("node");
    node.arg(script)
        .env("PLAYWRIGHT", playwright)
        .env("WINK", url(plain.process.address))
        .env("WINK_LOCALHOST", format!("http://localhost:{}/", plain.process.address.port()))
        .env("WINK_FOLDER", plain.home.folder())
        .env("GUARDED", url(guarded.process.address))
        .env("DEMO", url(open))
        .env("LIMITED", url(limited))
        .env("BUSY", url(busy))
        .env("CONTRACTS", contracts());
    let sandbox = crate::sandbox::Sandbox::new();
    let _agentpack = {
        let command = sandbox.agentpack(&["mcp"]);
        let process = HttpServer::spawn(command);
        node.env("AGENTPACK", url(process.address));
        process
    };
    let output = node.output().expect("node runs");
    let report = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    eprintln!("{report}");
    assert!(output.status.success(), "{report}\n{errors}");
}
