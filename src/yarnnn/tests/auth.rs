//! Authentication: integration tokens and JWTs of the account service, checked before
//! anything else is read.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;
use yarnnn::governance::Role;

use crate::instance::{DAY, Instance, SECRET, axis, on_both, text_of};
use crate::user::TestUser;
use toolwright_testing::StdioSession;

const CONNECT: &str = "Visit https://yarnnn.com/connect";
const TOOLS: [&str; 5] = [
    "add_to_substrate",
    "config_settings",
    "create_memory_from_chat",
    "get_substrate",
    "validate_against_substrate",
];

/// A token as the account service issues it.
fn jwt(claims: &Value) -> String {
    signed(&json!({"alg": "HS256", "typ": "JWT"}), claims, SECRET)
}

fn signed(header: &Value, claims: &Value, secret: &str) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let text = format!("{}.{}", part(header), part(claims));
    let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key");
    let signature = mac.chain_update(text.as_bytes()).finalize().into_bytes();
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
}

fn claims(instance: &Instance) -> Value {
    let now = instance.engine.now() / 1000;
    json!({"sub": "olga", "aud": "authenticated", "exp": now + 3600})
}

/// Asserts that a call is refused as the contract says; the reason.
#[track_caller]
fn refused(user: &TestUser, tool: &str, arguments: &Value) -> String {
    let reply = user.call(tool, arguments);
    assert_eq!(reply.protocol_code, Some(-32600), "{tool}: {}", reply.response);
    let message = text_of(&reply.response["error"]["message"]);
    assert!(message.contains(CONNECT), "{message}");
    assert_eq!(reply.body["code"], "UNAUTHENTICATED", "{}", reply.body);
    text_of(&reply.body["details"]["reason"])
}

#[test]
fn every_bad_token_is_refused_with_the_call_to_action() {
    on_both(|instance| {
        let now = instance.engine.now() / 1000;
        let good = claims(instance);
        let with = |name: &str, value: Value| {
            let mut claims = good.clone();
            claims[name] = value;
            jwt(&claims)
        };
        let revoked =
            instance.engine.mint_token(&instance.tenant.workspace, "olga", "old").unwrap();
        instance.engine.revoke_token(&instance.tenant.workspace, &revoked.id).unwrap();
        let whole = jwt(&good);
        let (head, tail) = whole.rsplit_once('.').expect("three parts");
        let other = jwt(&{
            let mut other = good.clone();
            other["sub"] = json!("root");
            other
        });
        let swapped = format!("{}.{tail}", other.rsplit_once('.').expect("three parts").0);
        let none = signed(&json!({"alg": "none"}), &good, SECRET);
        let unsigned = format!("{}.", none.rsplit_once('.').expect("three parts").0);
        let cases: Vec<(Option<String>, &str)> = vec![
            (None, "AUTH_MISSING"),
            (Some(String::new()), "AUTH_MISSING"),
            (Some("yit_".to_owned()), "AUTH_MALFORMED"),
            (Some("rubbish".to_owned()), "AUTH_MALFORMED"),
            (Some("a.b.c".to_owned()), "AUTH_MALFORMED"),
            (Some("x".repeat(100_000)), "AUTH_MALFORMED"),
            (Some(format!("yit_{}", "A".repeat(43))), "AUTH_UNKNOWN"),
            (Some(revoked.token), "AUTH_REVOKED"),
            (
                Some(format!("{}x", &instance.tenant.token[..instance.tenant.token.len() - 1])),
                "AUTH_UNKNOWN",
            ),
            (Some(with("exp", json!(now - 60))), "AUTH_EXPIRED"),
            (Some(with("nbf", json!(now + 3600))), "AUTH_NOT_YET"),
            (Some(with("aud", json!("anon"))), "AUTH_WRONG_AUDIENCE"),
            (Some(with("sub", json!("stranger"))), "AUTH_NO_WORKSPACE"),
            (Some(with("sub", json!(""))), "AUTH_NO_SUBJECT"),
            (Some(swapped), "AUTH_BAD_SIGNATURE"),
            (Some(format!("{head}.{}", "A".repeat(43))), "AUTH_BAD_SIGNATURE"),
            (
                Some(signed(&json!({"alg": "HS256"}), &good, &SECRET.replace('a', "b"))),
                "AUTH_BAD_SIGNATURE",
            ),
            (Some(none), "AUTH_BAD_SIGNATURE"),
            (Some(unsigned), "AUTH_BAD_SIGNATURE"),
        ];
        for (token, reason) in cases {
            let user = instance.user(token.as_deref());
            let shown: String = token.unwrap_or_default().chars().take(60).collect();
            for tool in TOOLS {
                assert_eq!(refused(&user, tool, &json!({})), reason, "{tool} {shown:?}");
            }
        }
        assert_eq!(instance.count("raw_dumps"), 0);
    });
}

#[test]
fn a_bad_token_is_reported_before_bad_arguments() {
    on_both(|instance| {
        for arguments in [
            json!({"limit": -1}),
            json!({"nonsense": [1, 2, 3]}),
            json!([]),
            json!(null),
            json!({"content": 5, "session_fingerprint": {"embedding": "x"}}),
        ] {
            for tool in TOOLS {
                assert_eq!(
                    refused(&instance.user(Some("yit_no")), tool, &arguments),
                    "AUTH_MALFORMED"
                );
            }
        }
    });
}

#[test]
fn tokens_of_both_kinds_authenticate_their_user() {
    on_both(|instance| {
        let signed = jwt(&claims(instance));
        for token in [&instance.tenant.token, &signed] {
            let read = instance.user(Some(token)).ok("config_settings", json!({}));
            assert_eq!(read["workspace"], "Main");
        }
        let mut expiring = claims(instance);
        expiring["exp"] = json!(instance.engine.now() / 1000 + 60);
        let expiring = jwt(&expiring);
        instance.user(Some(&expiring)).ok("config_settings", json!({}));
        instance.clock.advance(DAY);
        let late = refused(&instance.user(Some(&expiring)), "config_settings", &json!({}));
        assert_eq!(late, "AUTH_EXPIRED");
        // An integration token lives until it is revoked.
        instance.clock.advance(400 * DAY);
        instance.owner().ok("config_settings", json!({}));
    });
}

#[test]
fn only_the_hash_of_a_token_is_kept_and_its_last_use() {
    on_both(|instance| {
        let token = &instance.tenant.token;
        let hash: String = instance.value("SELECT token_hash AS x FROM integration_tokens");
        assert_eq!(hash, toolwright_runtime::digest::sha256_hex(token.as_bytes()));
        instance.owner().ok("config_settings", json!({}));
        let used = |instance: &Instance| -> i64 {
            instance.value("SELECT last_used_at AS x FROM integration_tokens")
        };
        let first = used(instance);
        instance.clock.advance(DAY);
        instance.owner().ok("config_settings", json!({}));
        assert!(used(instance) > first);
    });
}

#[test]
fn the_users_own_token_wins_over_the_connections() {
    on_both(|instance| {
        let other = instance.create_workspace("Nebenan", "otto");
        let read = |user: TestUser| user.ok("config_settings", json!({}));
        let both = instance.owner().with_meta("user_token", json!(other.token));
        assert_eq!(read(both)["workspace"], "Nebenan");
        let only = instance.user(None).with_meta("user_token", json!(other.token));
        assert_eq!(read(only)["workspace"], "Nebenan");
        // The connection's token does not replace a bad one.
        for bad in [json!("rubbish"), json!(7), json!({"a": 1}), json!([other.token])] {
            let user = instance.owner().with_meta("user_token", bad.clone());
            assert_eq!(refused(&user, "config_settings", &json!({})), "AUTH_MALFORMED", "{bad}");
        }
        assert_eq!(
            read(instance.owner().with_meta("user_token", Value::Null))["workspace"],
            "Main"
        );
    });
}

#[test]
fn a_token_is_bound_to_its_workspace_and_a_role_to_its_member() {
    on_both(|instance| {
        let member = instance.member("max", Role::Member);
        instance.user(Some(&member)).ok("config_settings", json!({}));
        instance.execute("DELETE FROM workspace_memberships WHERE user_id = 'max'").unwrap();
        let gone = refused(&instance.user(Some(&member)), "config_settings", &json!({}));
        assert_eq!(gone, "AUTH_NO_WORKSPACE");
        // The same user, now of another workspace: the old token does not open it.
        let other = instance.create_workspace("Nebenan", "otto");
        instance.engine.add_member(&other.workspace, "max", Role::Owner).unwrap();
        let moved = refused(&instance.user(Some(&member)), "config_settings", &json!({}));
        assert_eq!(moved, "AUTH_NO_WORKSPACE");
    });
}

#[test]
fn over_stdio_a_refusal_is_a_protocol_error_and_tokens_come_with_the_call() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let mut command = instance.command(&["mcp"]);
        command.env_remove("YARNNN_TOKEN");
        let mut client = StdioSession::start(command, "claude-ai");
        let bad = json!({"content": 5});
        let response = client.call("add_to_substrate", bad).response;
        assert_eq!(response["error"]["code"], -32600, "{response}");
        assert!(text_of(&response["error"]["message"]).contains(CONNECT), "{response}");
        assert_eq!(response["error"]["data"]["code"], "UNAUTHENTICATED", "{response}");
        for token in [instance.tenant.token.clone(), jwt(&claims(instance))] {
            let content = format!("Refunds take {} days.", token.len());
            let params = json!({"name": "add_to_substrate", "_meta": {"user_token": token},
                "arguments": {"content": content, "session_fingerprint": {"embedding": axis(0)}}});
            let result = client.request("tools/call", params);
            assert_eq!(result["structuredContent"]["status"], "success", "{result}");
            assert!(!result.to_string().contains(&token));
        }
    });
}
