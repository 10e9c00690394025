//! Authorization of requests: bearer token, throttling and rate limit.
//!
//! Order of the checks: syntax of the token, throttle for rejected tokens, the transport's token list,
//! rate limit, the surface's authenticator. A caller over its rate limit is rejected before the
//! surface has to access its store.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use http::header::{AUTHORIZATION, HeaderMap};
use sha2::{Digest as _, Sha256};

use super::auth_throttle::AuthThrottle;
use super::caller_key::{AddressKey, CallerKey};
use super::metered_surface::MeteredSurface;
use super::metrics::{Metrics, Reason};
use super::options::{Bearer, HttpOptions};
use super::rate_limit::{CallerId, RateLimiter};
use super::response::HttpRejection;
use super::tokens::{self, Tokens};
use crate::clock::Clock;
use crate::digest::hex;
use crate::dispatch::{Dispatch, Rejected};

/// How much of a token's digest identifies it in logs.
const TOKEN_ID_BYTES: usize = 6;

/// The sender of an accepted request.
pub(super) struct Sender {
    pub(super) address: IpAddr,
    /// The accepted token; none if tokens are not checked.
    pub(super) token: Option<CallerId>,
    /// The surface bound to the caller, if the surface authenticates callers.
    pub(super) surface: Option<Arc<dyn Dispatch>>,
}

impl Sender {
    /// What limits count it by.
    pub(super) fn key(&self) -> CallerKey {
        let address = || CallerKey::Address(AddressKey::of(self.address));
        self.token.map_or_else(address, CallerKey::Token)
    }

    /// Identifies the token without revealing it.
    pub(super) fn token_id(&self) -> Option<String> {
        self.token.map(|digest| hex(&digest[..TOKEN_ID_BYTES]))
    }
}

/// Decides whether a request is accepted.
pub(super) struct Authorizer {
    bearer: Bearer,
    tokens: Tokens,
    limiter: Option<RateLimiter>,
    throttle: Option<AuthThrottle>,
    /// Time limit for the surface to verify a token.
    timeout: Duration,
    clock: Arc<dyn Clock>,
    surface: Arc<dyn Dispatch>,
    metrics: Arc<Metrics>,
}

impl Authorizer {
    pub(super) fn new(
        options: &HttpOptions,
        clock: Arc<dyn Clock>,
        surface: Arc<dyn Dispatch>,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self {
            bearer: options.bearer,
            tokens: options.tokens.clone(),
            limiter: options.rate.map(RateLimiter::new),
            throttle: options.guess_rate.map(AuthThrottle::new),
            timeout: options.authenticate_timeout,
            clock,
            surface,
            metrics,
        }
    }

    /// Accepts or rejects a request.
    pub(super) async fn admit(
        &self,
        headers: &HeaderMap,
        peer: IpAddr,
    ) -> Result<Sender, HttpRejection> {
        let token = bearer_token(headers)?;
        let Some((throttle, token)) = self.throttle.as_ref().zip(token) else {
            return self.authorize(token, peer).await;
        };
        let (digest, address) = (token_id(token), peer_id(peer));
        let _turn = throttle.turn(&digest, address).await;
        let attempt = throttle.admit(&digest, address, self.clock.ticks());
        let attempt = attempt.map_err(HttpRejection::rate_limited)?;
        let result = self.authorize(Some(token), peer).await;
        match &result {
            Ok(_) => throttle.accepted(digest, &attempt),
            Err(refused) if refused.reason == Reason::BadToken => throttle.refused(&digest),
            Err(_) => throttle.unverified(&attempt),
        }
        result
    }

    async fn authorize(&self, token: Option<&str>, peer: IpAddr) -> Result<Sender, HttpRejection> {
        let known = self.check_transport_token(token)?;
        self.limit(known, peer)?;
        let mut sender = Sender { address: peer, token: known.map(token_id), surface: None };
        let Bearer::Surface { required } = self.bearer else { return Ok(sender) };
        // Also called without a token: the surface's message says where to get one.
        sender.surface = self.authenticate(token).await?;
        if token.is_none() && required {
            return Err(Reason::NoToken.into());
        }
        Ok(sender)
    }

    /// The token that identifies the caller; none if tokens are not checked.
    fn check_transport_token<'t>(&self, token: Option<&'t str>) -> Result<Option<&'t str>, Reason> {
        match (self.bearer, token) {
            (Bearer::Surface { .. }, token) => Ok(token),
            (Bearer::Transport, _) if self.tokens.is_empty() => Ok(None),
            (Bearer::Transport, None) => Err(Reason::NoToken),
            (Bearer::Transport, Some(token)) if self.tokens.accept(token) => Ok(Some(token)),
            (Bearer::Transport, Some(_)) => Err(Reason::BadToken),
        }
    }

    /// Counts a request without a token.
    pub(super) fn limit_address(&self, peer: IpAddr) -> Result<(), HttpRejection> {
        self.limit(None, peer)
    }

    fn limit(&self, token: Option<&str>, peer: IpAddr) -> Result<(), HttpRejection> {
        let Some(limiter) = &self.limiter else { return Ok(()) };
        let caller = token.map_or_else(|| peer_id(peer), token_id);
        limiter.admit(caller, self.clock.ticks()).map_err(HttpRejection::rate_limited)
    }

    async fn authenticate(
        &self,
        token: Option<&str>,
    ) -> Result<Option<Arc<dyn Dispatch>>, HttpRejection> {
        let Some(authenticator) = self.surface.authenticator() else { return Ok(None) };
        let verifying = async { authenticator.authenticate(token).await };
        let verifying = AssertUnwindSafe(verifying).catch_unwind();
        let why = match tokio::time::timeout(self.timeout, verifying).await {
            Ok(Ok(Ok(inner))) => {
                return Ok(Some(Arc::new(MeteredSurface { inner, metrics: self.metrics.clone() })));
            }
            Ok(Ok(Err(Rejected::Refused(message)))) => {
                let reason = if token.is_some() { Reason::BadToken } else { Reason::NoToken };
                return Err(HttpRejection { message: Some(message), ..reason.into() });
            }
            Ok(Ok(Err(Rejected::Unavailable(why)))) => why,
            Ok(Err(_)) => "the surface panicked".to_owned(),
            Err(_) => "the surface did not answer in time".to_owned(),
        };
        tracing::warn!(event = "http.unverified", why, "cannot verify a bearer token");
        Err(Reason::Unverified.into())
    }
}

fn token_id(token: &str) -> CallerId {
    Sha256::digest(token.as_bytes()).into()
}

fn peer_id(peer: IpAddr) -> CallerId {
    Sha256::digest(format!("peer {:?}", AddressKey::of(peer)).as_bytes()).into()
}

/// The bearer token of a request, which may have at most one.
fn bearer_token(headers: &HeaderMap) -> Result<Option<&str>, Reason> {
    let mut sent = headers.get_all(AUTHORIZATION).iter();
    match (sent.next(), sent.next()) {
        (Some(value), None) => {
            let value = value.to_str().ok();
            value.and_then(tokens::parse_authorization).map(Some).ok_or(Reason::BadToken)
        }
        (None, _) => Ok(None),
        (Some(_), Some(_)) => Err(Reason::BadToken),
    }
}
