//! The endpoints for operators: health, readiness, metrics.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use toolwright_runtime::dispatch::with_readiness;
use toolwright_runtime::server::{HttpOptions, MetricsEndpoint, ServeOptions};

use toolwright_testing::http_client::Web;

use super::{Server, eventually};
use crate::surface::Surface;

#[test]
fn health_and_readiness_are_reported() {
    let server = Server::new();
    let mut web = server.connect();
    assert_eq!(web.get("/healthz").body, "ok\n");
    assert_eq!(web.get("/readyz").body, "ready\n");
}

#[test]
fn a_surface_can_report_that_it_is_not_ready() {
    let surface = Arc::new(Surface::default());
    let up = Arc::new(AtomicBool::new(false));
    let checked = up.clone();
    let served = with_readiness(surface.clone(), move || {
        let up = checked.load(Ordering::SeqCst);
        Box::pin(async move { if up { Ok(()) } else { Err("no store at db.internal".into()) } })
    });
    let server = Server::serve(surface, served, HttpOptions::default(), ServeOptions::default());
    let response = server.connect().get("/readyz");
    assert_eq!((response.status, response.body.as_str()), (503, "not ready\n"));
    assert_eq!(server.connect().get("/healthz").status, 200);
    up.store(true, Ordering::SeqCst);
    assert_eq!(server.connect().get("/readyz").status, 200);
}

#[test]
fn metrics_count_calls_and_show_nothing_of_clients() {
    let server = Server::new();
    let mut web = server.connect();
    for name in ["test.echo", "test_echo", "test.fail", "test.protocol", "secret.tool"] {
        web.legacy(&[], "tools/call", json!({"name": name, "arguments": {"x": "secret"}}));
    }
    web.modern(&[], "tools/call", json!({"name": "test.ask", "arguments": {}}));
    let page = web.get("/metrics");
    let kind = page.header("content-type").unwrap();
    assert!(kind.starts_with("text/plain; version=0.0.4"), "{kind}");
    for line in [
        r#"toolwright_calls_total{surface="test",tool="test.echo",outcome="ok"} 2"#,
        r#"toolwright_calls_total{surface="test",tool="test.fail",outcome="nope"} 1"#,
        r#"toolwright_calls_total{surface="test",tool="test.protocol",outcome="declared"} 1"#,
        r#"toolwright_calls_total{surface="test",tool="test.ask",outcome="needs_input"} 1"#,
        r#"toolwright_call_duration_seconds_bucket{surface="test",tool="test.echo",le="+Inf"} 2"#,
        r#"toolwright_call_duration_seconds_count{surface="test",tool="test.echo"} 2"#,
        r#"toolwright_http_responses_total{surface="test",code="200"} 6"#,
        r#"toolwright_http_connections{surface="test"} 1"#,
    ] {
        assert!(page.body.lines().any(|known| known == line), "no {line} in {}", page.body);
    }
    assert!(!page.body.contains("secret"), "{}", page.body);
    for line in page.body.lines().filter(|line| !line.starts_with('#')) {
        let (name, value) = line.rsplit_once(' ').unwrap();
        assert!(name.starts_with("toolwright_") && value.parse::<f64>().is_ok(), "{line}");
    }
}

#[test]
fn metrics_can_be_moved_or_closed() {
    let closed = HttpOptions { metrics: MetricsEndpoint::Off, ..HttpOptions::default() };
    assert_eq!(Server::with(closed).connect().get("/metrics").status, 404);

    // A port that was free a moment ago, at an address that nobody else uses.
    let listener = std::net::TcpListener::bind("127.0.0.78:0").unwrap();
    let own = listener.local_addr().unwrap();
    drop(listener);
    let moved = HttpOptions { metrics: MetricsEndpoint::Own(own), ..HttpOptions::default() };
    let server = Server::with(moved);
    eventually("the server serves", || server.connect().get("/readyz").status == 200);
    assert_eq!(server.connect().get("/metrics").status, 404);
    let mut web = Web::connect(own);
    assert!(web.get("/metrics").body.contains("toolwright_http_connections"));
    assert_eq!(web.get("/healthz").status, 200);
    for path in ["/mcp", "/", "/contract.json"] {
        assert_eq!(web.get(path).status, 404, "{path}");
    }
    let foreign = Web::connect(own).exchange("GET", "/metrics", &[("Host", "evil.example")], "");
    assert_eq!(foreign.status, 403);
}
