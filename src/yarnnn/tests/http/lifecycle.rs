//! Readiness, metrics, rate limits and shutdown of a server.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};

use serde_json::json;
use toolwright_testing::{HttpServer, PATIENCE, eventually};

use crate::instance::{Instance, axis};
use crate::postgres::Server as Postgres;

#[test]
fn a_server_is_ready_only_while_its_database_answers() {
    let Some(mut postgres) = Postgres::start() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let instance = Instance::new(postgres.url(), folder);
    postgres.send("crash");

    // It starts all the same: the database may come later.
    let server = instance.serve(&[]);
    let status = |path: &str| server.connect().get(path).status;
    let call = || server.user(&instance.tenant.token).send("tools/list", json!({}));
    for round in 0..2 {
        assert_eq!((status("/healthz"), status("/readyz")), (200, 503), "{round}");
        let refused = call();
        assert_eq!(refused.status, 503, "{refused:?}");
        assert_eq!(refused.header("retry-after"), Some("1"), "{refused:?}");
        assert_eq!(refused.json()["error"]["code"], -32603, "{refused:?}");
        assert!(!refused.body.contains("connect"), "nothing is wrong with the token: {refused:?}");

        postgres.send("start");
        eventually("the server is ready", || (status("/readyz") == 200).then_some(()));
        assert_eq!(call().status, 200);
        postgres.send("crash");
    }
    let body = server.connect().get("/readyz").body;
    assert_eq!(body, "not ready\n", "why is for the log");
}

#[test]
fn the_metrics_count_calls_and_refusals_without_naming_anybody() {
    let instance = Instance::on_sqlite();
    let server = instance.serve(&[]);
    let mut user = server.user(&instance.tenant.token);
    user.ok("get_substrate", json!({"keywords": ["secret-word"]}));
    user.fails("get_substrate", json!({"basket_id": "none"}), "BASKET_NOT_FOUND");
    server.user("yit_bad").send("tools/list", json!({}));
    let shown = server.connect().get("/metrics");
    assert_eq!(shown.status, 200);
    let counted = |parts: &[&str]| {
        let line = shown.body.lines().find(|line| parts.iter().all(|part| line.contains(part)));
        line.and_then(|line| line.rsplit_once(' ')).map(|(_, number)| number.to_owned())
    };
    let one = Some("1".to_owned());
    assert_eq!(counted(&["calls_total", "get_substrate", "\"ok\""]), one, "{}", shown.body);
    assert_eq!(counted(&["rejected", "bad_token"]), one, "{}", shown.body);
    for word in ["secret-word", &instance.tenant.token, "olga", "yit_"] {
        assert!(!shown.body.contains(word), "{word} in {}", shown.body);
    }
    let foreign = server.connect().exchange("GET", "/metrics", &[("Host", "evil.example")], "");
    assert_eq!(foreign.status, 403);
}

#[test]
fn a_caller_above_the_rate_waits_and_others_do_not() {
    let instance = Instance::on_sqlite();
    let other = instance.create_workspace("Other", "otto");
    let server = instance.serve(&["--http-rate", "1/3"]);
    let mut user = server.user(&instance.tenant.token);
    let answers: Vec<_> = (0..40).map(|_| user.send("tools/list", json!({}))).collect();
    assert!(answers.iter().take(3).all(|answer| answer.status == 200), "a burst passes");
    let refused = answers.iter().find(|answer| answer.status != 200).expect("a refusal");
    assert_eq!(refused.status, 429, "{refused:?}");
    assert_eq!(refused.json()["error"]["code"], -32600, "{refused:?}");
    let seconds = refused.header("retry-after").and_then(|text| text.parse::<u64>().ok());
    assert!(seconds.is_some_and(|seconds| seconds >= 1), "{refused:?}");
    assert_eq!(server.user(&other.token).send("tools/list", json!({})).status, 200);
}

#[test]
fn a_stopping_server_finishes_its_calls_and_accepts_no_more() {
    let instance = Instance::on_sqlite();
    instance.basket("Billing", 0);
    // A model that takes its time: the call is under way as long as it does.
    let model = TcpListener::bind("127.0.0.1:0").expect("a port");
    let mut command = instance.command(&["mcp", "--http-grace", "60"]);
    command.env("YARNNN_EXTRACTOR", "model").env("OPENAI_API_KEY", "a-key");
    let base = format!("http://{}/v1", model.local_addr().expect("an address"));
    command.env("YARNNN_EXTRACTOR_BASE_URL", base);
    let mut server = HttpServer::spawn(command);
    let (address, ready) = (server.address, server.ready_file());

    let mut user = server.user(&instance.tenant.token);
    let text = "We decided to keep invoices for ten years.";
    let call = std::thread::spawn(move || {
        let arguments = json!({"content": text, "session_fingerprint": {"embedding": axis(0)}});
        user.ok("add_to_substrate", arguments)
    });
    let (asked, _) = model.accept().expect("the model is asked");
    server.ask_to_stop();
    let refused = || TcpStream::connect_timeout(&address, PATIENCE).err();
    eventually("nothing is taken any more", refused);
    assert_eq!(instance.dumps(text), 0, "the call is under way");

    refuse(asked);
    // It may be asked again before the rules read instead.
    std::thread::spawn(move || model.incoming().flatten().for_each(refuse));
    let added = call.join().expect("the call is answered");
    assert_eq!(added["status"], "success", "{added}");
    assert_eq!(server.wait(), Some(0));
    assert_eq!(instance.dumps(text), 1);
    assert!(!ready.exists(), "the file goes with the server");
}

#[test]
fn calls_that_only_read_are_written_down_before_a_server_ends() {
    let instance = Instance::on_sqlite();
    let mut server = instance.serve(&[]);
    let user = server.user(&instance.tenant.token);
    let mut user = user.header("User-Agent", "visitor/1.0");
    for _ in 0..20 {
        user.ok("get_substrate", json!({}));
    }
    user.fails("get_substrate", json!({"basket_id": "none"}), "BASKET_NOT_FOUND");
    server.ask_to_stop();
    assert_eq!(server.wait(), Some(0));
    let noted = |rest: &str| {
        instance.count(&format!("mcp_activity_logs WHERE host = 'agent:visitor' AND {rest}"))
    };
    assert_eq!(noted("result = 'success' AND user_id = 'olga'"), 20);
    assert_eq!(noted("error_code = 'BASKET_NOT_FOUND'"), 1);
}

/// A model that cannot.
fn refuse(stream: TcpStream) {
    let mut lines = BufReader::new(stream.try_clone().expect("a stream")).lines();
    while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
    let answer = "HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
    let _ = (&stream).write_all(answer.as_bytes());
}
