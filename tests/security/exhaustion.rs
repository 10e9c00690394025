//! A server over HTTP that runs out of something, and its settings for that.

use std::net::Ipv4Addr;

use serde_json::json;
use toolwright_testing::http_client::{Web, message};
use toolwright_testing::{HttpServer, run};

use crate::server_homes::wink;

const ATTACKER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 9);

#[test]
fn a_server_without_descriptors_goes_on() {
    let home = wink();
    // Too few for as many connections as may be open, and none for what comes then.
    let few = home.script("few", "ulimit -n 64; exec \"$@\"");
    let program = home.program().to_str().unwrap();
    let server = HttpServer::spawn(home.command_of(few, &[program, "mcp"]));
    let mut attack = Vec::new();
    for _ in 0..200 {
        let mut web = Web::connect_from(ATTACKER, server.address);
        web.try_send("POST /mcp HTTP/1.1\r\nHost: local");
        attack.push(web);
    }
    let ping = message(1, "ping", json!({})).to_string();
    for _ in 0..10 {
        assert_eq!(server.connect().post(&[], &ping).status, 200);
    }
    assert_eq!(server.status("/healthz"), 200);
}

#[test]
fn limits_are_settings_of_flags_environment_and_file() {
    let home = wink();
    let file = home.write("limits.toml", "[http]\nmetrics = \"off\"\nmax_body = 100\n");
    let start = |variables: &[(&str, &str)], flags: &[&str]| {
        let arguments = [&["mcp", "--config", file.to_str().unwrap()], flags].concat();
        let mut command = home.command(&arguments);
        command.envs(variables.iter().copied());
        HttpServer::spawn(command)
    };
    let large = format!("[{}1]", "1,".repeat(200));
    let status = |server: &HttpServer| server.connect().post(&[], &large).status;

    let server = start(&[], &[]);
    assert_eq!((status(&server), server.status("/metrics")), (413, 404), "the file counts");
    let variables = [("WINK_HTTP_MAX_BODY", "1000"), ("WINK_HTTP_METRICS", "on")];
    let server = start(&variables, &[]);
    assert_eq!((status(&server), server.status("/metrics")), (400, 200), "the environment wins");
    let server = start(&variables, &["--http-max-body", "200"]);
    assert_eq!(status(&server), 413, "the flag wins");
}

#[test]
fn limits_that_make_no_sense_are_named() {
    let home = wink();
    for (flag, value) in [
        ("--http-max-connections", "0"),
        ("--http-max-calls", "many"),
        ("--http-rate", "10/0"),
        ("--http-guess-rate", "never"),
        ("--http-trusted-proxies", "10.0.0.0/33"),
        ("--http-forwarded-header", "x-real-ip"),
        ("--metrics", "here"),
    ] {
        let command = home.command(&["mcp", "--http", "127.0.0.1:0", flag, value]);
        run(command).fails(2, &[flag, value]);
    }
    run(home.command(&["mcp", "--http-max-calls", "7"])).fails(2, &["--http-max-calls", "--http "]);
}
