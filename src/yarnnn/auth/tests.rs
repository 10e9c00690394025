use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;
use toolwright_runtime::clock::{CountingIds, SystemIds};

use super::jwt::*;
use super::token::*;
use super::*;

const SECRET: &str = "a-secret-for-tests-that-is-long-enough-0001";
/// 2030-01-01, in seconds.
const NOW: i64 = 1_893_456_000;

/// Signed with Python's `hmac`, not with this crate: by the bytes of `SECRET`, and by the 40 bytes
/// that both spellings below stand for.
const BY_RAW: &str = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.\
    eyJhdWQiOiJhdXRoZW50aWNhdGVkIiwiZXhwIjoyMDAwMDAwMDAwLCJzdWIiOiJ1c2VyLTEifQ.\
    RRbZJOuBE-z4irpGmOcownVl9g6lXsrMw0B8Nqx0O54";
const BY_DECODED: &str = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.\
    eyJhdWQiOiJhdXRoZW50aWNhdGVkIiwiZXhwIjoyMDAwMDAwMDAwLCJzdWIiOiJ1c2VyLTEifQ.\
    z70fbQ4ZeSaW2NIGL5xRTFSSE2i5AvE3Dwf83Y3JwVo";
const BASE64_SECRETS: [&str; 2] = [
    "yMnKy8zNzs/Q0dLT1NXW19jZ2tvc3d7f4OHi4+Tl5ufo6err7O3u7w==",
    "yMnKy8zNzs_Q0dLT1NXW19jZ2tvc3d7f4OHi4-Tl5ufo6err7O3u7w",
];

fn rules() -> JwtRules {
    JwtRules::new(Secret::new(SECRET).unwrap())
}

/// A token of exactly these texts, rightly signed.
fn signed(header: &str, payload: &str) -> String {
    signed_with(SECRET, header, payload)
}

fn signed_with(secret: &str, header: &str, payload: &str) -> String {
    let head = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(payload));
    let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap().chain_update(&head);
    format!("{head}.{}", URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()))
}

fn token(claims: &Value) -> String {
    signed(r#"{"alg":"HS256","typ":"JWT"}"#, &claims.to_string())
}

/// Good claims with some of them replaced; `null` takes one away.
fn claims(changes: Value) -> Value {
    let mut claims = json!({"aud": "authenticated", "exp": NOW + 3600, "sub": "user-1"});
    for (name, value) in changes.as_object().unwrap() {
        if value.is_null() {
            claims.as_object_mut().unwrap().remove(name);
        } else {
            claims[name] = value.clone();
        }
    }
    claims
}

fn verify(token: &str) -> Result<Identity, AuthError> {
    verify_jwt(token, &rules(), NOW * 1000)
}

fn refused(changes: Value) -> AuthError {
    verify(&token(&claims(changes))).unwrap_err()
}

#[test]
fn a_good_token_names_the_user_and_no_workspace() {
    let expected = Identity { user_id: "user-1".into(), workspace_id: None, kind: TokenKind::Jwt };
    assert_eq!(verify(&token(&claims(json!({})))), Ok(expected.clone()));
    assert_eq!(verify(BY_RAW), Ok(expected));
}

#[test]
fn the_secret_is_tried_as_text_and_then_as_base64() {
    for text in BASE64_SECRETS {
        let rules = JwtRules::new(Secret::new(text).unwrap());
        assert_eq!(verify_jwt(BY_DECODED, &rules, NOW * 1000).unwrap().user_id, "user-1");
        assert_eq!(verify_jwt(BY_RAW, &rules, NOW * 1000), Err(AuthError::BadSignature));
    }
    assert_eq!(verify(BY_DECODED), Err(AuthError::BadSignature));
    let padded = JwtRules::new(Secret::new(&format!(" {SECRET}\n")).unwrap());
    assert!(verify_jwt(BY_RAW, &padded, NOW * 1000).is_ok());
}

#[test]
fn a_secret_that_can_be_guessed_is_refused() {
    assert_eq!(Secret::new(" \n").unwrap_err(), BadSecret::Empty);
    assert_eq!(Secret::new(&"x".repeat(31)).unwrap_err(), BadSecret::TooShort { given: 31 });
    assert!(Secret::new(&"x".repeat(32)).is_ok());
}

#[test]
fn the_header_cannot_choose_another_algorithm() {
    let payload = claims(json!({})).to_string();
    let others = [
        r#"{"alg":"none"}"#,
        r#"{"alg":"None"}"#,
        r#"{"alg":"RS256"}"#,
        r#"{"alg":"HS512"}"#,
        r#"{"alg":"hs256"}"#,
        r#"{"alg":["HS256"]}"#,
        r#"{"alg":null}"#,
        r#"{"typ":"JWT"}"#,
    ];
    for header in others {
        let token = signed(header, &payload);
        assert_eq!(verify(&token), Err(AuthError::BadSignature), "{header}");
        let unsigned = format!("{}.", token.rsplit_once('.').unwrap().0);
        assert_eq!(verify(&unsigned), Err(AuthError::BadSignature), "{header} unsigned");
    }
}

/// A header may carry a key or point at one; nobody here looks at it.
#[test]
fn the_header_cannot_bring_its_own_key() {
    let theirs = "their-own-key-that-is-long-enough-to-be-one";
    let key = URL_SAFE_NO_PAD.encode(theirs);
    let payload = claims(json!({})).to_string();
    for header in [
        json!({"alg": "HS256", "jwk": {"kty": "oct", "k": key}}),
        json!({"alg": "HS256", "kid": "../../../../dev/null"}),
        json!({"alg": "HS256", "jku": "https://elsewhere.example/keys", "x5u": "x"}),
    ] {
        let by_them = signed_with(theirs, &header.to_string(), &payload);
        assert_eq!(verify(&by_them), Err(AuthError::BadSignature), "{header}");
        let by_us = signed(&header.to_string(), &payload);
        assert!(verify(&by_us).is_ok(), "{header}");
    }
    // The empty key is what some servers read out of a missing file.
    let by_nobody = signed_with("", r#"{"alg":"HS256"}"#, &payload);
    assert_eq!(verify(&by_nobody), Err(AuthError::BadSignature));
}

#[test]
fn claims_of_odd_types_decide_nothing_but_what_they_are_for() {
    assert!(verify(&token(&claims(json!({"iss": {"a": []}, "more": [[{}]]})))).is_ok());
    assert_eq!(refused(json!({"aud": {"authenticated": true}})), AuthError::WrongAudience);
    for sub in [json!(["user-1"]), json!({"id": "user-1"})] {
        assert_eq!(refused(json!({"sub": sub})), AuthError::Malformed, "{sub}");
    }
}

#[test]
fn headers_that_cannot_be_understood_are_malformed() {
    let payload = claims(json!({})).to_string();
    let headers = [
        r#"{"alg":"HS256","alg":"HS256"}"#,
        r#"{"alg":"HS256","crit":["exp"]}"#,
        r#"{"alg":"HS256","crit":null}"#,
        r#"{"alg":"HS256","b64":false}"#,
        r#"{"alg":"HS256","typ":7}"#,
        r#"{"alg":"HS256","kid":["a"]}"#,
        r#"["HS256",false,false]"#,
        r#""HS256""#,
        "{",
        "",
    ];
    for header in headers {
        assert_eq!(verify(&signed(header, &payload)), Err(AuthError::Malformed), "{header}");
    }
}

#[test]
fn claims_that_cannot_be_understood_are_malformed() {
    let twice = r#"{"aud":"authenticated","exp":1,"exp":9999999999,"sub":"user-1"}"#;
    let list = format!(r#"[{},null,"authenticated","user-1",null]"#, NOW + 9);
    let deep = format!(r#"{{"exp":{}1{}}}"#, "[".repeat(1000), "]".repeat(1000));
    for payload in [twice, &list, &deep, r#"{"exp":1e999}"#, "null", "{}{}", ""] {
        let token = signed(r#"{"alg":"HS256"}"#, payload);
        assert_eq!(verify(&token), Err(AuthError::Malformed), "{payload}");
    }
    for changes in [
        json!({"exp": null}),
        json!({"exp": "9999999999"}),
        json!({"exp": true}),
        json!({"nbf": "soon"}),
    ] {
        assert_eq!(refused(changes.clone()), AuthError::Malformed, "{changes}");
    }
}

#[test]
fn expiry_counts_with_leeway_to_the_millisecond() {
    let token = token(&claims(json!({"exp": NOW})));
    let at = |ms: i64| verify_jwt(&token, &rules(), NOW * 1000 + ms).map(|_| ());
    assert_eq!(at(29_999), Ok(()));
    assert_eq!(at(30_000), Err(AuthError::Expired));
    let strict = JwtRules { leeway_secs: 0, ..rules() };
    assert!(verify_jwt(&token, &strict, NOW * 1000 - 1).is_ok());
    assert_eq!(verify_jwt(&token, &strict, NOW * 1000), Err(AuthError::Expired));
    assert_eq!(refused(json!({"exp": -1})), AuthError::Expired);
    assert_eq!(refused(json!({"exp": NOW as f64 - 30.5})), AuthError::Expired);
    assert!(verify(&self::token(&claims(json!({"exp": NOW as f64 - 29.5})))).is_ok());
    assert!(verify(&self::token(&claims(json!({"exp": 1e300})))).is_ok());
}

#[test]
fn the_start_counts_with_leeway_to_the_millisecond() {
    let token = token(&claims(json!({"nbf": NOW})));
    let at = |ms: i64| verify_jwt(&token, &rules(), NOW * 1000 + ms).map(|_| ());
    assert_eq!(at(-30_000), Ok(()));
    assert_eq!(at(-30_001), Err(AuthError::NotYet));
}

#[test]
fn the_audience_is_one_name_or_a_list_of_names() {
    let good =
        [json!("authenticated"), json!(["other", "authenticated"]), json!([1, "authenticated"])];
    for aud in good {
        assert!(verify(&token(&claims(json!({"aud": aud})))).is_ok(), "{aud}");
    }
    let bad =
        [json!("anon"), json!("Authenticated"), json!(""), json!([]), json!(["anon"]), json!(1)];
    for aud in bad {
        assert_eq!(refused(json!({"aud": aud})), AuthError::WrongAudience, "{aud}");
    }
    assert_eq!(refused(json!({"aud": null})), AuthError::WrongAudience);
}

#[test]
fn the_subject_must_be_a_clean_name() {
    let bad =
        [json!(""), json!("  "), json!(7), json!("a\nb"), json!("x".repeat(256)), Value::Null];
    for sub in bad {
        assert_eq!(refused(json!({"sub": sub})), AuthError::NoSubject, "{sub}");
    }
    let longest = "x".repeat(255);
    assert_eq!(verify(&token(&claims(json!({"sub": longest})))).unwrap().user_id, longest);
}

#[test]
fn another_issuer_is_not_a_reason_to_refuse() {
    let rules = JwtRules { issuer: Some("https://accounts.example/auth".into()), ..rules() };
    for iss in [json!("https://elsewhere.example"), json!(3), Value::Null] {
        let token = token(&claims(json!({"iss": iss})));
        assert!(verify_jwt(&token, &rules, NOW * 1000).is_ok(), "{iss}");
    }
}

#[test]
fn claims_are_not_looked_at_before_the_signature() {
    let good = token(&claims(json!({"exp": 1})));
    let (head, _) = good.rsplit_once('.').unwrap();
    let foreign = format!("{head}.{}", URL_SAFE_NO_PAD.encode([7; 32]));
    assert_eq!(verify(&good), Err(AuthError::Expired));
    assert_eq!(verify(&foreign), Err(AuthError::BadSignature));
}

#[test]
fn a_token_changed_in_any_letter_is_refused() {
    let good = token(&claims(json!({})));
    for at in 0..good.len() {
        for other in ["A", "B", "x", "-", "_", "=", ".", " ", "é"] {
            let mut changed = good.clone();
            changed.replace_range(at..=at, other);
            if changed != good {
                assert!(verify(&changed).is_err(), "letter {at} became {other:?}");
            }
        }
        assert!(verify(&good[..at]).is_err(), "cut at {at}");
    }
    for around in ["{}=", "{}\n", " {}", "{}."] {
        let changed = around.replace("{}", &good);
        assert_eq!(verify(&changed), Err(AuthError::Malformed), "{changed:?}");
    }
    assert_eq!(verify(&format!("{good}A")), Err(AuthError::BadSignature));
}

#[test]
fn a_signature_cut_short_does_not_pass() {
    let good = token(&claims(json!({})));
    let (head, signature) = good.rsplit_once('.').unwrap();
    let bytes = URL_SAFE_NO_PAD.decode(signature).unwrap();
    for length in 0..bytes.len() {
        let short = format!("{head}.{}", URL_SAFE_NO_PAD.encode(&bytes[..length]));
        assert_eq!(verify(&short), Err(AuthError::BadSignature), "{length} bytes");
    }
}

#[test]
fn the_longest_token_is_taken_and_a_longer_one_is_not() {
    // Not every length can be reached with one header, as 3 bytes make 4 letters.
    let of_length = |length: usize| {
        let claims = claims(json!({})).to_string();
        let tokens = (0..3).map(|blanks| {
            let header = format!(r#"{{"alg":"HS256"}}{}"#, " ".repeat(blanks));
            let rest = length - signed(&header, "").len();
            signed(&header, &format!("{claims:0$}", rest * 3 / 4))
        });
        tokens.into_iter().find(|token| token.len() == length).unwrap()
    };
    assert!(verify(&of_length(MAX_JWT_BYTES)).is_ok());
    assert_eq!(verify(&of_length(MAX_JWT_BYTES + 1)), Err(AuthError::Malformed));
}

#[test]
fn minted_tokens_are_recognised_and_found_by_their_hash() {
    let minted = mint(&SystemIds);
    assert_eq!(kind_of(&minted.token), Ok(TokenKind::Integration));
    assert_eq!(minted.hash, hash(&minted.token));
    assert_ne!(minted.token, mint(&SystemIds).token);
    // Worked out with Python's `hashlib`.
    let first = mint(&CountingIds::default());
    assert_eq!(first.token, format!("yit_{}", "A".repeat(43)));
    assert_eq!(first.hash, "fd490803a0bb0179064f2f23a98bce7483e93864a21672290902674024c920e2");
}

#[test]
fn kinds_are_told_by_shape() {
    assert_eq!(kind_of("a.b.c"), Ok(TokenKind::Jwt));
    assert_eq!(kind_of(BY_RAW), Ok(TokenKind::Jwt));
    assert_eq!(kind_of(""), Err(AuthError::Missing));
    assert_eq!(kind_of(" \t"), Err(AuthError::Missing));
    let letters = "A".repeat(42);
    let malformed = [
        "yit_".to_owned(),
        format!("yit_{letters}"),
        format!("yit_{letters}AA"),
        format!("yit_{letters}="),
        format!("yit_{letters} "),
        format!("YIT_{letters}A"),
        format!("{letters}A"),
        "a.b".to_owned(),
        "a.b.c.d".to_owned(),
    ];
    for token in malformed {
        assert_eq!(kind_of(&token), Err(AuthError::Malformed), "{token}");
    }
    assert_eq!(verify(""), Err(AuthError::Missing));
    for token in ["a", "a.b", "a.b.c", "..", "a.b.c.d"] {
        assert_eq!(verify(token), Err(AuthError::Malformed), "{token}");
    }
}

#[test]
fn stored_tokens_open_their_workspace_until_they_are_revoked() {
    let stored = StoredToken { user_id: "u".into(), workspace_id: "w".into(), revoked_at: None };
    let identity = check_stored(Some(stored.clone())).unwrap();
    assert_eq!((identity.user_id.as_str(), identity.workspace_id.as_deref()), ("u", Some("w")));
    assert_eq!(identity.kind, TokenKind::Integration);
    for revoked_at in [Some(0), Some(i64::MAX)] {
        let revoked = StoredToken { revoked_at, ..stored.clone() };
        assert_eq!(check_stored(Some(revoked)), Err(AuthError::Revoked));
    }
    assert_eq!(check_stored(None), Err(AuthError::Unknown));
}

#[test]
fn every_refusal_has_its_own_code_and_the_same_call_to_action() {
    let codes: BTreeSet<_> = AuthError::ALL.iter().map(|error| error.code()).collect();
    assert_eq!(codes.len(), AuthError::ALL.len());
    for error in AuthError::ALL {
        assert!(error.to_string().ends_with("Visit https://yarnnn.com/connect"), "{error}");
    }
}

#[test]
fn nothing_secret_is_shown() {
    let minted = mint(&SystemIds);
    assert!(!format!("{minted:?}").contains(&minted.token[4..]));
    let shown = format!("{:?}", rules());
    assert!(shown.contains("hidden") && !shown.contains(SECRET));
    assert!(!shown.contains(&format!("{:?}", SECRET.as_bytes())));
}
