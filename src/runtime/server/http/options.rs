//! Options for serving over HTTP: address, access and limits.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use super::host_origin::HostOriginPolicy;
use super::proxies::TrustedProxies;
use super::rate_limit::Rate;
use super::tokens::Tokens;
use crate::dispatch::Dispatch;

/// Rejected tokens of one address: one a second, and thirty at once.
const GUESSES_PER_SECOND: NonZeroU32 = NonZeroU32::MIN;
const GUESSES: NonZeroU32 = NonZeroU32::MIN.saturating_add(29);

/// Who verifies bearer tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Bearer {
    /// The transport checks them against its own list; the surface never sees them.
    #[default]
    Transport,
    /// The surface's [authenticator](crate::dispatch::Dispatch::authenticator) verifies them.
    Surface {
        /// Requests without a token are answered with 401.
        required: bool,
    },
}

/// Where the metrics are served.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MetricsEndpoint {
    /// At `/metrics`, beside everything else.
    #[default]
    Shared,
    /// At `/metrics` of an address of their own.
    Own(SocketAddr),
    /// Nowhere.
    Off,
}

/// Options for serving over HTTP. The limit of concurrent calls and the grace period are in
/// [`ServeOptions`](crate::server::ServeOptions).
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// Address to listen on; port 0 picks a free one. Default: loopback, port 0.
    pub address: SocketAddr,
    /// Tokens that the transport accepts. Without any, only loopback addresses are allowed.
    pub tokens: Tokens,
    /// Who verifies bearer tokens.
    pub bearer: Bearer,
    /// Rate limit per caller, identified by its token, or by its address without one. Requests over
    /// the limit are rejected with 429. Default: unlimited.
    pub rate: Option<Rate>,
    /// Limit of rejected tokens per address. Over it, only tokens that were accepted before are looked
    /// at; others are rejected with 429. Default: 1 per second, 30 at once.
    pub guess_rate: Option<Rate>,
    /// Where the metrics are served. Default: beside everything else.
    pub metrics: MetricsEndpoint,
    /// Allowed origins of web pages, besides the server's own: `https://app.example.com`.
    pub origins: Vec<String>,
    /// Allowed host names, besides loopback and the server's address.
    pub hosts: Vec<String>,
    /// Maximum size of a request body. Default: 4 MiB.
    pub max_body_bytes: usize,
    /// Proxies whose word about the address of their client is taken. Default: none.
    pub proxies: TrustedProxies,
    /// Maximum number of connections. Default: 4,096.
    pub max_connections: usize,
    /// Maximum number of connections of one address, or of concurrent requests of one client of a
    /// trusted proxy. Default: 1,024.
    pub max_connections_per_address: usize,
    /// Maximum number of `subscriptions/listen` streams of one caller. Default: 1,024.
    pub max_streams_per_caller: usize,
    /// Maximum number of concurrent calls of one caller. Default: three quarters of all.
    pub max_calls_per_caller: Option<usize>,
    /// Maximum number of queued calls, of which one caller may have three quarters; more are rejected
    /// with 503. Default: 1,024.
    pub max_waiting: usize,
    /// How long a call may wait in the queue. Default: 30 s.
    pub queue_timeout: Duration,
    /// How long a surface may take to verify a token. Default: 30 s.
    pub authenticate_timeout: Duration,
    /// How long the head of a request may take. Default: 30 s.
    pub head_timeout: Duration,
    /// How long a connection may stay idle between two requests. Default: 75 s.
    pub idle_timeout: Duration,
    /// How long a client may take nothing of what the server sends. Default: 30 s.
    pub write_timeout: Duration,
    /// How long the body of a request may take. Default: 30 s.
    pub body_timeout: Duration,
    /// How long a call may take. Default: 5 min.
    pub call_timeout: Duration,
    /// How long a `subscriptions/listen` stream lasts. Default: 1 h.
    pub stream_timeout: Duration,
    /// Serve a web page at `/` and the contract at `/contract.json`. Default: yes.
    pub page: bool,
    /// File that receives the server's URL once it accepts connections; removed on shutdown.
    pub ready_file: Option<PathBuf>,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            address: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0),
            tokens: Tokens::default(),
            bearer: Bearer::default(),
            rate: None,
            guess_rate: Some(Rate { per_second: GUESSES_PER_SECOND, burst: GUESSES }),
            metrics: MetricsEndpoint::default(),
            origins: Vec::new(),
            hosts: Vec::new(),
            max_body_bytes: 4 * 1024 * 1024,
            proxies: TrustedProxies::default(),
            max_connections: 4096,
            max_connections_per_address: 1024,
            max_streams_per_caller: 1024,
            max_calls_per_caller: None,
            max_waiting: 1024,
            queue_timeout: Duration::from_secs(30),
            authenticate_timeout: Duration::from_secs(30),
            head_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(75),
            write_timeout: Duration::from_secs(30),
            body_timeout: Duration::from_secs(30),
            call_timeout: Duration::from_secs(300),
            stream_timeout: Duration::from_secs(3600),
            page: true,
            ready_file: None,
        }
    }
}

impl HttpOptions {
    /// Checks the options, before the server listens.
    ///
    /// # Errors
    /// Invalid origins or hosts, an address beyond loopback without authentication, and tokens that
    /// would never be checked.
    pub fn check(&self) -> Result<(), OptionsError> {
        self.host_origin()?;
        let own = self.bearer == Bearer::Transport;
        if own && self.tokens.is_empty() && !self.address.ip().is_loopback() {
            return Err(OptionsError(format!(
                "cannot listen on {} without bearer tokens: pass a token file, or use a loopback address",
                self.address.ip()
            )));
        }
        if !own && !self.tokens.is_empty() {
            return Err(OptionsError(
                "this surface verifies bearer tokens itself; remove the transport's tokens"
                    .to_owned(),
            ));
        }
        Ok(())
    }

    /// If the surface verifies tokens itself, the transport does not check them, and every request
    /// needs one unless the options say otherwise.
    pub(super) fn for_surface(mut self, surface: &dyn Dispatch) -> Result<Self, OptionsError> {
        match (self.bearer, surface.authenticator()) {
            (Bearer::Transport, Some(_)) => self.bearer = Bearer::Surface { required: true },
            (Bearer::Surface { .. }, None) => {
                return Err(OptionsError(
                    "the options leave token verification to the surface, but it has no authenticator".to_owned(),
                ));
            }
            _ => {}
        }
        self.check()?;
        Ok(self)
    }

    pub(super) fn host_origin(&self) -> Result<HostOriginPolicy, OptionsError> {
        HostOriginPolicy::new(&self.hosts, &self.origins).map_err(OptionsError)
    }
}

/// Invalid options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionsError(pub(super) String);

impl fmt::Display for OptionsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for OptionsError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn listening_on(address: &str) -> HttpOptions {
        HttpOptions { address: address.parse().unwrap(), ..HttpOptions::default() }
    }

    #[test]
    fn only_loopback_is_served_without_tokens() {
        for address in ["127.0.0.1:0", "127.8.8.8:80", "[::1]:80"] {
            assert_eq!(listening_on(address).check(), Ok(()), "{address}");
        }
        for address in ["0.0.0.0:80", "[::]:80", "192.0.2.1:80"] {
            let mut options = listening_on(address);
            assert!(options.check().is_err(), "{address}");
            options.tokens = Tokens::parse("a-token").unwrap();
            assert_eq!(options.check(), Ok(()), "{address}");
        }
    }

    #[test]
    fn a_surface_that_verifies_tokens_needs_none_of_the_transport() {
        let mut options = listening_on("0.0.0.0:80");
        options.bearer = Bearer::Surface { required: true };
        assert_eq!(options.check(), Ok(()));
        options.tokens = Tokens::parse("a-token").unwrap();
        assert!(options.check().is_err());
    }

    #[test]
    fn invalid_hosts_and_origins_are_rejected() {
        let bad =
            [("hosts", "a b"), ("hosts", ""), ("origins", "example.com"), ("origins", "null")];
        for (which, text) in bad {
            let mut options = listening_on("127.0.0.1:0");
            let list = if which == "hosts" { &mut options.hosts } else { &mut options.origins };
            list.push(text.to_owned());
            let found = options.check().unwrap_err().to_string();
            assert!(found.contains(text), "{found}");
        }
    }
}
