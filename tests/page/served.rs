//! What the server sends: headers, tags, refusals, the contract as data.

use std::net::SocketAddr;

use serde_json::{Value, json};
use toolwright_runtime::server::{HttpOptions, ServeOptions, Tokens};

use crate::server::{Wink, demo};
use toolwright_testing::http_client::{Response, Web, message};

const TOKEN: (&str, &str) = ("Authorization", "Bearer page-token");

fn head(address: SocketAddr, path: &str) -> Response {
    let mut web = Web::connect(address);
    web.send(&toolwright_testing::http_client::request("HEAD", path, &[], ""));
    web.head()
}

/// The files that a text of the page names.
fn named(text: &str) -> Vec<String> {
    let within = |start: &str, end: char| -> Vec<String> {
        let parts = text.split(start).skip(1);
        parts
            .filter_map(|rest| rest.split(end).next())
            .map(|name| format!("/page/{name}"))
            .collect()
    };
    [within("=\"page/", '"'), within("from './", '\'')].concat()
}

#[test]
fn the_page_and_its_files_come_with_strict_headers() {
    let wink = Wink::start();
    let mut web = wink.process.connect();
    let mut waiting = vec!["/".to_owned()];
    let mut seen: Vec<String> = Vec::new();
    while let Some(path) = waiting.pop() {
        let file = web.get(&path);
        assert_eq!(file.status, 200, "{path}");
        let kind = match path.rsplit('.').next() {
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("svg") => "image/svg+xml",
            _ => "text/html; charset=utf-8",
        };
        assert_eq!(file.header("content-type"), Some(kind), "{path}");
        let policy = file.header("content-security-policy").expect("a policy");
        for rule in [
            "default-src 'none'",
            "script-src 'self'",
            "connect-src 'self'",
            "frame-ancestors 'none'",
            "form-action 'none'",
            "base-uri 'none'",
            "require-trusted-types-for 'script'",
        ] {
            assert!(policy.split("; ").any(|known| known == rule), "no {rule} in {policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(file.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(file.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(file.header("cache-control"), Some("no-cache"));
        assert_eq!(file.header("set-cookie"), None);
        assert_eq!(file.header("access-control-allow-origin"), None);
        for name in named(&file.body) {
            if !seen.contains(&name) {
                seen.push(name.clone());
                waiting.push(name);
            }
        }
    }
    assert!(seen.len() > 15, "{seen:?}");
}

#[test]
fn a_file_that_is_known_is_not_sent_again() {
    let wink = Wink::start();
    let mut web = wink.process.connect();
    for path in ["/", "/page/main.js", "/contract.json"] {
        let first = web.get(path);
        let tag = first.header("etag").expect("a tag").to_owned();
        let again = web.exchange("GET", path, &[("If-None-Match", &tag)], "");
        assert_eq!((again.status, again.body.as_str()), (304, ""), "{path}");
        assert_eq!(again.header("etag"), Some(tag.as_str()));
        let other = web.exchange("GET", path, &[("If-None-Match", "\"other\"")], "");
        assert_eq!((other.status, other.body.len()), (200, first.body.len()), "{path}");
        let head = head(wink.process.address, path);
        assert_eq!(head.status, 200);
        assert_eq!(head.header("etag"), Some(tag.as_str()));
        let length = first.body.len().to_string();
        assert_eq!(head.header("content-length"), Some(length.as_str()), "{path}");
    }
}

#[test]
fn the_page_is_the_same_for_every_server_and_only_read() {
    let wink = Wink::start();
    let other = demo(HttpOptions::default(), ServeOptions::default());
    let page = wink.process.connect().get("/").body;
    assert_eq!(page, Web::connect(other).get("/").body);
    assert!(!page.contains("wink") && !page.contains("demo"), "{page}");
    for path in ["/", "/page/main.js", "/contract.json"] {
        for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
            let refused = wink.process.connect().exchange(method, path, &[], "{}");
            assert_eq!((refused.status, refused.header("allow")), (405, Some("GET")), "{method}");
        }
    }
    for path in ["/page", "/page/", "/page/none.js", "/page/../page/main.js", "/contract.json/"] {
        assert_eq!(wink.process.connect().get(path).status, 404, "{path}");
    }
}

#[test]
fn a_name_that_is_not_the_servers_is_refused() {
    let wink = Wink::start();
    for path in ["/", "/page/main.js", "/contract.json"] {
        for header in [("Host", "evil.example"), ("Origin", "https://evil.example")] {
            let refused = wink.process.connect().exchange("GET", path, &[header], "");
            assert_eq!(refused.status, 403, "{path} {header:?}");
            assert!(!refused.body.contains("wink"), "{}", refused.body);
        }
    }
}

#[test]
fn the_page_may_call_its_own_server_and_no_other_page_may() {
    let wink = Wink::start();
    let ping = message(1, "ping", json!({})).to_string();
    let port = wink.process.address.port();
    for host in [format!("127.0.0.1:{port}"), format!("localhost:{port}")] {
        let own = format!("http://{host}");
        for (origin, status) in [
            (own.as_str(), 200),
            ("http://localhost:1", 403),
            ("http://evil.example", 403),
            ("null", 403),
        ] {
            let headers = [("Host", host.as_str()), ("Origin", origin)];
            let answer = wink.process.connect().post(&headers, &ping);
            assert_eq!(answer.status, status, "{host} {origin}");
        }
    }
}

#[test]
fn the_contract_is_for_those_who_may_call() {
    let wink = Wink::with_tokens("page-token\n");
    let mut web = wink.process.connect();
    assert_eq!(web.get("/").status, 200, "the page itself needs no token");
    let none = web.get("/contract.json");
    assert_eq!((none.status, none.header("www-authenticate")), (401, Some("Bearer")));
    assert!(!none.body.contains("wink."), "{}", none.body);
    let wrong = [("Authorization", "Bearer other-token")];
    assert_eq!(web.exchange("GET", "/contract.json", &wrong, "").status, 401);
    let told = web.exchange("GET", "/contract.json", &[TOKEN], "");
    assert_eq!(told.status, 200);
    assert_eq!(told.header("cache-control"), Some("private, no-cache"));
    assert_eq!(told.header("vary"), Some("authorization"));
    let tag = told.header("etag").expect("a tag");
    let known = web.exchange("GET", "/contract.json", &[("If-None-Match", tag)], "");
    assert_eq!(known.status, 401, "a tag is no token");
}

#[test]
fn the_contract_says_what_there_is_and_no_value_of_a_setting() {
    let (one, two) = (Wink::start(), Wink::start());
    let text = one.process.connect().get("/contract.json").body;
    assert_eq!(text, one.process.connect().get("/contract.json").body);
    assert_eq!(text, two.process.connect().get("/contract.json").body, "same binary, same bytes");
    assert!(!text.contains(&one.home.folder().display().to_string()));

    let contract: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&contract["surface"], &contract["contract"]), (&json!("wink"), &json!("v1")));
    let tools = contract["tools"].as_array().expect("tools");
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["canonical"].as_str()).collect();
    assert!(names.is_sorted() && names.len() == 7, "{names:?}");
    let listed = one.process.connect().modern(&[], "tools/list", json!({}));
    for tool in tools {
        let listed = listed["result"]["tools"].as_array().expect("a list").iter();
        let same = listed
            .clone()
            .find(|known| known["name"] == tool["canonical"] || known["name"] == tool["portable"]);
        let same = same.expect("every tool is listed");
        assert_eq!(tool["input"], same["inputSchema"]);
        assert_eq!(tool["output"], same["outputSchema"]);
        assert_eq!(tool["effects"] == "read", same["annotations"]["readOnlyHint"] == true);
    }
    let write = tools.iter().find(|tool| tool["name"] == "write_section_override");
    let write = write.expect("a tool");
    assert_eq!(
        write["guards"],
        json!([{"name": "confirm", "strength": "model_satisfiable",
            "params": {"field": "confirm", "refuses": "confirm_required", "rehearse": true}}])
    );
    let errors = contract["errors"].as_array().expect("errors");
    let refused = errors.iter().find(|error| error["kind"] == "confirm_required");
    assert!(refused.is_some_and(|error| error["next"].is_string()), "{refused:?}");
    assert_eq!(contract["envelope"]["failure"]["code"], "$error.code");
    let settings = contract["settings"].as_array().expect("settings");
    let root = settings.iter().find(|setting| setting["key"] == "overrides_dir");
    assert_eq!(root.expect("a setting")["default"], Value::Null);
}

#[test]
fn a_server_may_go_without_the_page() {
    let address =
        demo(HttpOptions { page: false, ..HttpOptions::default() }, ServeOptions::default());
    for path in ["/", "/page/main.js", "/contract.json"] {
        assert_eq!(Web::connect(address).get(path).status, 404, "{path}");
    }
    assert_eq!(Web::connect(address).get("/healthz").status, 200);
}

#[test]
fn looking_at_the_page_is_no_call() {
    let tokens = Tokens::parse("page-token").expect("tokens");
    let address = demo(HttpOptions { tokens, ..HttpOptions::default() }, ServeOptions::default());
    let mut web = Web::connect(address);
    for path in ["/", "/page/main.js", "/contract.json"] {
        web.exchange("GET", path, &[TOKEN], "");
    }
    web.get("/contract.json");
    let metrics = web.get("/metrics").body;
    assert!(!metrics.contains("toolwright_calls_total{"), "{metrics}");
    for line in [
        r#"toolwright_http_responses_total{surface="demo",code="200"} 3"#,
        r#"toolwright_http_responses_total{surface="demo",code="401"} 1"#,
        r#"toolwright_http_rejected_total{surface="demo",reason="no_token"} 1"#,
    ] {
        assert!(metrics.lines().any(|known| known == line), "no {line} in {metrics}");
    }
}
