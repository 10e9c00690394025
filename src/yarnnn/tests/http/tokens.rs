//! Whose memory a request over HTTP opens: integration tokens, tokens of the account service, and
//! the token of the user that an adapter speaks for.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::instance::{Instance, SECRET, axis};
use toolwright_testing::http_client::{MCP, message, request};

/// A token of the account service.
fn jwt(claims: &Value, secret: &str) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", part(&json!({"alg": "HS256", "typ": "JWT"})), part(claims));
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key");
    mac.update(signed.as_bytes());
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()))
}

fn claims(instance: &Instance, seconds: i64) -> Value {
    let expires = instance.engine.now() / 1000 + seconds;
    json!({"sub": "olga", "aud": "authenticated", "exp": expires})
}

/// Texts of the raw dumps that an answer shows.
fn texts(recalled: &Value) -> Vec<&str> {
    let entries = recalled["substrate"].as_array().expect("a list").iter();
    entries
        .filter(|one| one["type"] == "raw_dump")
        .filter_map(|one| one["content"].as_str())
        .collect()
}

#[test]
fn a_token_of_the_account_service_opens_its_users_memory() {
    let instance = Instance::on_sqlite();
    let server = instance.serve(&[]);
    let created = server.user(&jwt(&claims(&instance, 600), SECRET)).ok(
        "create_memory_from_chat",
        json!({"conversation_history": "User: We decided to move billing to Stripe.",
            "session_fingerprint": {"embedding": axis(0)}}),
    );
    assert_eq!(created["created"], true, "{created}");
    assert_eq!(instance.count("raw_dumps WHERE user_id = 'olga'"), 1);

    let mut audience = claims(&instance, 600);
    audience["aud"] = json!("anon");
    let mut stranger = claims(&instance, 600);
    stranger["sub"] = json!("nobody");
    for (what, token) in [
        ("expired", jwt(&claims(&instance, -600), SECRET)),
        ("another secret", jwt(&claims(&instance, 600), "another secret that is long enough, too")),
        ("another audience", jwt(&audience, SECRET)),
        ("without a workspace", jwt(&stranger, SECRET)),
    ] {
        let refused = server.user(&token).send("tools/list", json!({}));
        assert_eq!(refused.status, 401, "{what}: {refused:?}");
        let invalid = Some(r#"Bearer error="invalid_token""#);
        assert_eq!(refused.header("www-authenticate"), invalid, "{what}");
        assert!(refused.body.contains("https://yarnnn.com/connect"), "{what}: {refused:?}");
    }
}

/// The head of a request is enough to be let in. A token that is revoked before the rest arrives
/// would be refused by whoever looked it up again.
#[test]
fn a_token_is_looked_up_once_a_request() {
    let instance = Instance::on_sqlite();
    let server = instance.serve(&[]);
    let workspace = &instance.tenant.workspace;
    let call = json!({"name": "get_substrate", "arguments": {}});
    // The transport answers a plain call itself, and leaves one that wants progress to the SDK.
    let wants_progress =
        json!({"name": "get_substrate", "arguments": {}, "_meta": {"progressToken": 1}});
    for params in [call, wants_progress] {
        let token = instance.engine.mint_token(workspace, "olga", "once").expect("a token");
        let authorization = format!("Bearer {}", token.token);
        let headers = [
            ("Authorization", authorization.as_str()),
            ("MCP-Protocol-Version", "2025-11-25"),
            ("Expect", "100-continue"),
        ];
        let body = message(1, "tools/call", params).to_string();
        let whole = request("POST", "/mcp", &[&MCP[..], &headers].concat(), &body);
        let mut web = server.connect();
        web.send(whole.strip_suffix(&body).expect("it ends with its body"));
        assert_eq!(web.head().status, 100, "the token is good");
        instance.engine.revoke_token(workspace, &token.id).expect("revoked");
        web.send(&body);
        let answer = web.receive();
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.json()["result"]["isError"], false, "{answer:?}");
        assert_eq!(server.user(&token.token).send("tools/list", json!({})).status, 401);
    }
}

#[test]
fn an_adapter_speaks_for_the_user_whose_token_it_sends_along() {
    let instance = Instance::on_sqlite();
    let other = instance.create_workspace("Other", "otto");
    let server = instance.serve(&[]);
    let create = |text: &str| json!({"conversation_history": text, "session_fingerprint": {"embedding": axis(0)}});
    server
        .user(&instance.tenant.token)
        .ok("create_memory_from_chat", create("User: Olga was here."));
    server.user(&other.token).ok("create_memory_from_chat", create("User: Otto was here."));

    let mut adapter = server.user(&instance.tenant.token);
    let mut recall = |meta: Value| {
        let call = json!({"name": "get_substrate", "arguments": {}, "_meta": meta});
        adapter.send("tools/call", call)
    };
    let own = recall(json!({})).json();
    assert_eq!(texts(&own["result"]["structuredContent"]), ["User: Olga was here."]);
    let for_otto = recall(json!({"user_token": other.token})).json();
    assert_eq!(texts(&for_otto["result"]["structuredContent"]), ["User: Otto was here."]);
    // A bad token of the user does not fall back to the adapter's own.
    for bad in [format!("yit_{}", "A".repeat(43)), String::new()] {
        let refused = recall(json!({"user_token": bad}));
        assert_eq!(refused.status, 200, "{refused:?}");
        let error = &refused.json()["error"];
        assert_eq!(error["code"], -32600, "{refused:?}");
        assert!(error["message"].as_str().is_some_and(|text| text.contains("yarnnn.com/connect")));
    }
    // And the adapter itself must be let in.
    let call = json!({"name": "get_substrate", "_meta": {"user_token": other.token}});
    assert_eq!(server.user("yit_bad").send("tools/call", call).status, 401);
    let log = server.log();
    assert!(!log.contains(&other.token) && !log.contains(&instance.tenant.token), "{log}");
}

#[test]
fn what_is_written_carries_the_program_that_it_came_from() {
    let instance = Instance::on_sqlite();
    let server = instance.serve(&[]);
    instance.basket("Billing", 0);
    let add = |text: &str| json!({"content": text, "session_fingerprint": {"embedding": axis(0)}});
    let user = server.user(&instance.tenant.token);
    let mut user = user.header("User-Agent", "visitor/1.0");
    user.ok("add_to_substrate", add("Said by a client without a session."));
    user.modern(
        "tools/call",
        json!({"name": "add_to_substrate", "arguments": add("Said by a newer one.")}),
    );
    let host = |text: &str| -> String {
        instance.value(&format!("SELECT source_host AS x FROM raw_dumps WHERE body_md = '{text}'"))
    };
    assert_eq!(host("Said by a client without a session."), "agent:visitor");
    assert_eq!(host("Said by a newer one."), "agent:web");
}
