//! Surfaces that verify tokens themselves, and rate limits.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use toolwright_runtime::clock::FixedClock;
use toolwright_runtime::dispatch::{
    Authenticate, AuthenticateFuture, Rejected, with_authentication, with_readiness,
};
use toolwright_runtime::server::{Bearer, HttpOptions, Rate, ServeError, ServeOptions, Tokens};
use toolwright_runtime::{Dispatch, Services};

use super::Server;
use crate::surface::{Surface, test_services};
use toolwright_testing::http_client::{MCP, Response, message, request};

/// Knows a few tokens, each with a fate of its own.
struct TestAuthenticator;

impl Authenticate for TestAuthenticator {
    fn authenticate<'a>(&'a self, token: Option<&'a str>) -> AuthenticateFuture<'a> {
        Box::pin(async move {
            match token {
                Some("good") => Ok(serving("gina")),
                Some("few") => Ok(bound_to_few()),
                Some("down") => Err(Rejected::Unavailable("no store at db.internal".to_owned())),
                Some("panic") => panic!("on purpose"),
                Some("slow") => std::future::pending().await,
                Some(member) if member.starts_with("member-") => {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                    Ok(serving(member))
                }
                Some(_) => Err(Rejected::Refused("this token was revoked".to_owned())),
                None => Err(Rejected::Refused("get a token at the desk".to_owned())),
            }
        })
    }
}

/// The surface as it serves somebody.
fn serving(caller: &str) -> Arc<dyn Dispatch> {
    Arc::new(Surface { caller: Some(caller.to_owned()), ..Surface::default() })
}

/// The surface for a caller who may call two tools.
fn bound_to_few() -> Arc<dyn Dispatch> {
    let callable = Mutex::new(Some(vec![1, 9]));
    Arc::new(Surface { callable, ..Surface::default() })
}

fn ping() -> String {
    message(1, "ping", json!({})).to_string()
}

fn with_authenticator(http: HttpOptions) -> Server {
    let surface = Arc::new(Surface::default());
    // The order of the two does not matter: neither hides the other.
    let served = with_authentication(surface.clone(), Arc::new(TestAuthenticator));
    let served = with_readiness(served, || Box::pin(async { Err("not yet".to_owned()) }));
    Server::serve(surface, served, http, ServeOptions::default())
}

fn post(server: &Server, token: Option<&str>, body: &str) -> Response {
    let header = token.map(|token| format!("Bearer {token}"));
    let headers: Vec<_> = header.iter().map(|value| ("Authorization", value.as_str())).collect();
    server.connect().post(&headers, body)
}

#[test]
fn a_surface_verifies_tokens_before_anything_is_read() {
    let server = with_authenticator(HttpOptions::default());
    assert_eq!(post(&server, Some("good"), &ping()).status, 200);
    for body in [ping().as_str(), "no message at all"] {
        let refused = post(&server, Some("bad"), body);
        assert_eq!(refused.status, 401, "{refused:?}");
        let challenge = refused.header("www-authenticate");
        assert_eq!(challenge, Some(r#"Bearer error="invalid_token""#));
        let error = &refused.json()["error"];
        assert_eq!(error, &json!({"code": -32600, "message": "this token was revoked"}));
    }
    let none = post(&server, None, &ping());
    assert_eq!((none.status, none.header("www-authenticate")), (401, Some("Bearer")));
    assert_eq!(none.json()["error"]["message"], "get a token at the desk");
    assert_eq!((server.rejected("bad_token"), server.rejected("no_token")), (2.0, 1.0));
    assert_eq!(server.connect().get("/healthz").status, 200);
    assert_eq!(server.connect().get("/readyz").status, 503);
}

#[test]
fn expect_continue_is_rejected_before_the_body_is_sent() {
    let server = with_authenticator(HttpOptions::default());
    let mut web = server.connect();
    let headers = [("Authorization", "Bearer bad"), ("Expect", "100-continue")];
    let whole = request("POST", "/mcp", &headers, &ping());
    web.send(whole.strip_suffix(&ping()).unwrap());
    assert_eq!(web.receive().status, 401);
}

#[test]
fn the_authenticated_surface_runs_the_calls_of_the_request() {
    let server = with_authenticator(HttpOptions::default());
    let token = [("Authorization", "Bearer good")];
    let echo = json!({"name": "test.echo", "arguments": {}});
    // With a field of its own the SDK answers, without one the transport itself.
    let traced = json!({"name": "test.echo", "arguments": {}, "_meta": {"progressToken": 1}});
    for answer in [
        server.connect().legacy(&token, "tools/call", echo.clone()),
        server.connect().modern(&token, "tools/call", echo.clone()),
        server.connect().legacy(&token, "tools/call", traced),
    ] {
        assert_eq!(answer["result"]["structuredContent"]["caller"], "gina", "{answer}");
    }
    let counted = r#"toolwright_calls_total{surface="test",tool="test.echo",outcome="ok"}"#;
    assert_eq!(server.metric(counted), Some(3.0), "the calls of verified callers are counted too");
}

#[test]
fn lists_have_only_what_the_authenticated_caller_may_call() {
    let server = with_authenticator(HttpOptions::default());
    let lists = |token: &str| {
        let header = format!("Bearer {token}");
        let headers = [("Authorization", header.as_str())];
        ["tools/list", "resources/list", "resources/templates/list"].map(|method| {
            let (key, members) = match method {
                "tools/list" => ("name", "tools"),
                "resources/list" => ("uri", "resources"),
                _ => ("uriTemplate", "resourceTemplates"),
            };
            let names = |result: &Value| -> Vec<String> {
                let members = result[members].as_array().unwrap().iter();
                members.map(|member| member[key].as_str().unwrap().replace('_', ".")).collect()
            };
            let legacy = server.connect().legacy(&headers, method, json!({}))["result"].clone();
            let modern = server.connect().modern(&headers, method, json!({}))["result"].clone();
            assert_eq!(names(&legacy), names(&modern), "{method}");
            (names(&modern), modern["cacheScope"].as_str().unwrap().to_owned())
        })
    };
    let private = |names: &[&str]| {
        (names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(), "private".to_owned())
    };
    let [tools, resources, templates] = lists("few");
    assert_eq!(tools, private(&["test.echo", "test.text"]));
    assert_eq!(resources, private(&["ui://test/page.html", "test://client", "test://dot.png"]));
    assert_eq!(templates, private(&["test://text{?name}", "test://names/{name}"]));
    // Of a caller about whom nothing is known they have everything.
    let [tools, resources, templates] = lists("good");
    assert_eq!((tools.0.len(), resources.0.len(), templates.0.len()), (10, 4, 5));
    // Which schemas a client is served depends on its name, as long as no profile is set.
    assert_eq!([tools.1, resources.1, templates.1], ["private", "public", "public"]);
}

#[test]
fn a_token_of_the_transport_authenticates_no_caller() {
    let tokens = Tokens::parse("good").unwrap();
    let server = Server::with(HttpOptions { tokens, ..HttpOptions::default() });
    let token = [("Authorization", "Bearer good")];
    let echo = json!({"name": "test.echo", "arguments": {"sender": true}});
    let answer = server.connect().legacy(&token, "tools/call", echo);
    assert!(answer["result"]["structuredContent"]["got"].is_object(), "{answer}");
    assert_eq!(answer["result"]["structuredContent"].get("caller"), None, "{answer}");
    // Handlers learn which token it was, but not the token.
    let digest = toolwright_runtime::digest::sha256_hex(b"good");
    assert_eq!(answer["result"]["structuredContent"]["token_id"], digest[..12]);
    assert_eq!(answer["result"]["structuredContent"]["address"], "127.0.0.1");
}

#[test]
fn tokens_that_would_not_be_verified_are_an_error() {
    for required in [true, false] {
        let bearer = Bearer::Surface { required };
        let mut server = Server::with(HttpOptions { bearer, ..HttpOptions::default() });
        assert!(matches!(server.end(), Err(ServeError::Options(_))), "{bearer:?}");
    }
}

#[test]
fn a_surface_that_cannot_verify_is_unavailable() {
    let http =
        HttpOptions { authenticate_timeout: Duration::from_millis(50), ..HttpOptions::default() };
    let server = with_authenticator(http);
    for token in ["down", "panic", "slow"] {
        let response = post(&server, Some(token), &ping());
        assert_eq!((response.status, response.header("retry-after")), (503, Some("1")), "{token}");
        assert!(!response.body.contains("db.internal"), "{response:?}");
    }
    assert_eq!(server.rejected("unverified"), 3.0);
}

/// Lets everybody in.
struct AllowAnonymous;

impl Authenticate for AllowAnonymous {
    fn authenticate<'a>(&'a self, _: Option<&'a str>) -> AuthenticateFuture<'a> {
        Box::pin(async { Ok(serving("anybody")) })
    }
}

#[test]
fn a_caller_without_a_token_is_accepted_only_if_none_is_required() {
    for (bearer, status) in [
        (Bearer::Transport, 401),
        (Bearer::Surface { required: true }, 401),
        (Bearer::Surface { required: false }, 200),
    ] {
        let surface = Arc::new(Surface::default());
        let served = with_authentication(surface.clone(), Arc::new(AllowAnonymous));
        let http = HttpOptions { bearer, ..HttpOptions::default() };
        let server = Server::serve(surface, served, http, ServeOptions::default());
        assert_eq!(post(&server, None, &ping()).status, status, "{bearer:?}");
        assert_eq!(post(&server, Some("any"), &ping()).status, 200, "{bearer:?}");
    }
}

#[test]
fn tokens_of_the_transport_conflict_with_a_surface_that_verifies_its_own() {
    let tokens = Tokens::parse("good").unwrap();
    let mut server = with_authenticator(HttpOptions { tokens, ..HttpOptions::default() });
    assert!(matches!(server.end(), Err(ServeError::Options(_))));
}

/// Ten a second, three at once, by a clock that the test moves.
fn limited(http: HttpOptions) -> (Server, Arc<FixedClock>) {
    let [ten, three] = [10, 3].map(|number| NonZeroU32::new(number).unwrap());
    let rate = Some(Rate { per_second: ten, burst: three });
    let clock = Arc::new(FixedClock::at(5_000));
    let surface = Arc::new(Surface::default());
    let server = Server::serve_in(
        Services { clock: clock.clone(), ..test_services() },
        surface.clone(),
        with_authentication(surface, Arc::new(TestAuthenticator)),
        HttpOptions { rate, guess_rate: rate, ..http },
        ServeOptions::default(),
    );
    (server, clock)
}

#[test]
fn a_token_over_its_rate_limit_gets_retry_after() {
    let (server, clock) = limited(HttpOptions::default());
    let statuses = |token| [(); 5].map(|()| post(&server, Some(token), &ping()).status);
    assert_eq!(statuses("good"), [200, 200, 200, 429, 429]);
    assert_eq!(statuses("bad"), [401, 401, 401, 429, 429], "each token has its own allowance");
    let refused = post(&server, Some("good"), &ping());
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(refused.json()["error"]["code"], -32600);
    clock.advance(200);
    assert_eq!(statuses("good"), [200, 200, 429, 429, 429]);
    assert_eq!(server.rejected("too_often"), 8.0);
    assert_eq!(server.connect().get("/healthz").status, 200, "only calls are counted");
}

#[test]
fn after_too_many_rejected_tokens_even_a_valid_one_has_to_wait() {
    let (server, clock) = limited(HttpOptions::default());
    let status = |token: &str| post(&server, Some(token), &ping()).status;
    let guesses = ["bad-1", "bad-2", "bad-3", "bad-4", "bad-5"].map(status);
    assert_eq!(guesses, [401, 401, 401, 429, 429], "every guess is another token");
    assert_eq!(status("good"), 429, "a lucky one is not looked at");
    clock.advance(100);
    assert_eq!(status("good"), 200);
    assert_eq!(["bad-6", "bad-7"].map(status), [401, 429]);
    assert_eq!(status("good"), 200, "who was let in before is not locked out");
}

#[test]
fn valid_tokens_that_come_together_are_no_guesses() {
    let server = with_authenticator(HttpOptions::default());
    // Far more than an address may have refused.
    let clients: Vec<_> = (0..200)
        .map(|number| {
            let mut web = server.connect();
            let token = format!("Bearer member-{number}");
            web.send(&request(
                "POST",
                "/mcp",
                &[&MCP[..], &[("Authorization", &token)]].concat(),
                &ping(),
            ));
            web
        })
        .collect();
    let statuses: Vec<u16> = clients.into_iter().map(|mut web| web.receive().status).collect();
    assert_eq!(statuses, [200; 200]);
}

#[test]
fn guesses_are_limited_without_any_option() {
    let server = with_authenticator(HttpOptions::default());
    let guess = |number| post(&server, Some(&format!("bad-{number}")), &ping()).status;
    assert_eq!(post(&server, Some("good"), &ping()).status, 200);
    // The clock stands still: nothing is earned back.
    let statuses: Vec<u16> = (0..40).map(guess).collect();
    assert_eq!((statuses[29], statuses[30]), (401, 429), "{statuses:?}");
    assert_eq!(post(&server, Some("member-new"), &ping()).status, 429);
    assert_eq!(post(&server, Some("good"), &ping()).status, 200);
}

#[test]
fn callers_without_a_token_share_the_allowance_of_their_address() {
    let bearer = Bearer::Surface { required: false };
    let (server, _) = limited(HttpOptions { bearer, ..HttpOptions::default() });
    let statuses = [(); 4].map(|()| post(&server, None, &ping()).status);
    assert_eq!(statuses, [401, 401, 401, 429]);
    assert_eq!(post(&server, Some("good"), &ping()).status, 200);
}
