//! JSON Web Tokens of the account service: HS256 and nothing else.
//!
//! `jsonwebtoken` decodes and verifies. What it does not check is checked here: unknown header
//! fields that must be understood, and times, which come from our clock and count to the
//! millisecond. The header never chooses how a token is checked, and claims are not read before the
//! signature is verified.

use std::collections::{BTreeMap, HashSet};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, Validation};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::{AuthError, Identity, Secret, TokenKind, hs256};
use crate::model::Millis;

/// The audience of signed-in users.
pub(super) const AUDIENCE: &str = "authenticated";
/// Seconds by which clocks may differ.
pub(super) const LEEWAY_SECS: u32 = 30;
/// Longest token that is accepted.
pub(super) const MAX_JWT_BYTES: usize = 8 * 1024;

/// Longest user id that is accepted.
const MAX_SUBJECT_BYTES: usize = 255;
/// How much of an unexpected issuer is logged.
const LOGGED_ISSUER_CHARS: usize = 200;

/// What a token is checked against.
#[derive(Debug, Clone)]
pub struct JwtRules {
    /// The secret it must be signed with.
    pub secret: Secret,
    /// The expected audience.
    pub audience: String,
    /// Seconds by which clocks may differ.
    pub leeway_secs: u32,
    /// The expected issuer. A different one is logged, not refused: the secret proves the origin,
    /// and account services change their addresses.
    pub issuer: Option<String>,
}

impl JwtRules {
    /// The usual rules: audience `authenticated`, 30 seconds of leeway, any issuer.
    pub fn new(secret: Secret) -> Self {
        Self { secret, audience: AUDIENCE.to_owned(), leeway_secs: LEEWAY_SECS, issuer: None }
    }
}

/// Header fields that can cause a refusal.
#[derive(Deserialize)]
struct Header {
    alg: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    crit: bool,
    #[serde(default, deserialize_with = "present")]
    b64: bool,
    #[serde(flatten)]
    _rest: Rest,
}

/// The claims that are checked. A duplicate name makes the token malformed.
#[derive(Deserialize)]
struct Claims {
    exp: Option<Value>,
    nbf: Option<Value>,
    aud: Option<Value>,
    sub: Option<Value>,
    iss: Option<Value>,
    #[serde(flatten)]
    _rest: Rest,
}

/// All other fields. With them the derived deserializer accepts objects only, no lists.
type Rest = BTreeMap<String, IgnoredAny>;

/// Verifies a token and returns its user.
///
/// The checks come in this order: shape and size, algorithm, signature, expiry, start, audience,
/// subject. A token is good until the last millisecond before `exp` plus leeway, and from `nbf`
/// minus leeway on.
///
/// # Errors
/// The first check that fails. A token without `exp`, or with a time that is no number, is
/// [`AuthError::Malformed`]; another algorithm than HS256, or none, is [`AuthError::BadSignature`].
pub(crate) fn verify_jwt(
    token: &str,
    rules: &JwtRules,
    now: Millis,
) -> Result<Identity, AuthError> {
    let claims = signed_claims(token, &rules.secret)?;
    in_time(&claims, rules.leeway_secs, now)?;
    if !claims.aud.as_ref().is_some_and(|audience| is_for(audience, &rules.audience)) {
        return Err(AuthError::WrongAudience);
    }
    let user_id = subject(claims.sub.as_ref())?;
    log_issuer(claims.iss.as_ref(), rules.issuer.as_deref());
    Ok(Identity { user_id, workspace_id: None, kind: TokenKind::Jwt })
}

/// When a token that was accepted ends.
pub(crate) fn jwt_end(token: &str) -> Option<Millis> {
    let claims = URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?).ok()?;
    let claims: Claims = serde_json::from_slice(&claims).ok()?;
    let ends = seconds(claims.exp.as_ref()).ok()??;
    // Saturates; fractions of a second are not worth a rounding mode.
    #[allow(clippy::cast_possible_truncation)]
    Some((ends * 1000.0) as Millis)
}

/// The claims, once the signature is known to be right.
fn signed_claims(token: &str, secret: &Secret) -> Result<Claims, AuthError> {
    if token.trim().is_empty() {
        return Err(AuthError::Missing);
    }
    if token.len() > MAX_JWT_BYTES || token.bytes().filter(|byte| *byte == b'.').count() != 2 {
        return Err(AuthError::Malformed);
    }
    check_header(token.split('.').next().unwrap_or_default())?;
    hs256::install();
    let mut rules = Validation::new(Algorithm::HS256);
    rules.required_spec_claims = HashSet::new();
    rules.validate_exp = false;
    rules.validate_aud = false;
    let mut refused = AuthError::BadSignature;
    for key in secret.keys() {
        match jsonwebtoken::decode(token, key, &rules) {
            Ok(decoded) => return Ok(decoded.claims),
            Err(error) => refused = refusal(error.kind()),
        }
        if refused != AuthError::BadSignature {
            break;
        }
    }
    Err(refused)
}

fn refusal(kind: &ErrorKind) -> AuthError {
    match kind {
        ErrorKind::InvalidSignature | ErrorKind::InvalidAlgorithm => AuthError::BadSignature,
        _ => AuthError::Malformed,
    }
}

fn check_header(part: &str) -> Result<(), AuthError> {
    let bytes = URL_SAFE_NO_PAD.decode(part).map_err(|_| AuthError::Malformed)?;
    let header: Header = serde_json::from_slice(&bytes).map_err(|_| AuthError::Malformed)?;
    // Critical extensions must be understood; none is supported.
    if header.crit || header.b64 {
        return Err(AuthError::Malformed);
    }
    match header.alg.as_ref().and_then(Value::as_str) {
        Some("HS256") => Ok(()),
        _ => Err(AuthError::BadSignature),
    }
}

/// Checks expiry, which is required, and start, which is optional.
fn in_time(claims: &Claims, leeway_secs: u32, now: Millis) -> Result<(), AuthError> {
    let (leeway, now) = (f64::from(leeway_secs), millis(now));
    let ends = seconds(claims.exp.as_ref())?.ok_or(AuthError::Malformed)?;
    if now >= (ends + leeway) * 1000.0 {
        return Err(AuthError::Expired);
    }
    match seconds(claims.nbf.as_ref())? {
        Some(starts) if now < (starts - leeway) * 1000.0 => Err(AuthError::NotYet),
        _ => Ok(()),
    }
}

/// A time of the claims, whole seconds or with a fraction.
fn seconds(claim: Option<&Value>) -> Result<Option<f64>, AuthError> {
    claim.map(|value| value.as_f64().ok_or(AuthError::Malformed)).transpose()
}

/// Exact for all times within 285,000 years.
#[allow(clippy::cast_precision_loss)]
fn millis(now: Millis) -> f64 {
    now as f64
}

/// An audience is one name or a list of names.
fn is_for(audience: &Value, expected: &str) -> bool {
    match audience {
        Value::String(name) => name == expected,
        Value::Array(names) => names.iter().any(|name| name.as_str() == Some(expected)),
        _ => false,
    }
}

/// The user's id, which is stored and logged and must therefore be clean.
fn subject(claim: Option<&Value>) -> Result<String, AuthError> {
    let text = claim.and_then(Value::as_str).unwrap_or_default();
    let usable = !text.trim().is_empty()
        && text.len() <= MAX_SUBJECT_BYTES
        && !text.chars().any(char::is_control);
    if usable { Ok(text.to_owned()) } else { Err(AuthError::NoSubject) }
}

fn log_issuer(claim: Option<&Value>, expected: Option<&str>) {
    let Some(expected) = expected else { return };
    let issuer = claim.and_then(Value::as_str).unwrap_or_default();
    if issuer != expected {
        let issuer: String = issuer.chars().take(LOGGED_ISSUER_CHARS).collect();
        tracing::warn!(?issuer, expected, "a valid JWT has an unexpected issuer");
    }
}

/// Whether a field is present, whatever its value.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(deserializer).map(|_| true)
}
