//! How to serve over HTTP: where, for whom, and how much.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use super::host_origin::HostOriginPolicy;
use super::rate_limit::Rate;
use super::tokens::Tokens;
use crate::dispatch::Dispatch;

/// Who looks at bearer tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Bearer {
    /// The transport compares them with its own list; the surface never sees one.
    #[default]
    Transport,
    /// The surface's [authenticator](crate::dispatch::Dispatch::authenticator) verifies them.
    Surface {
        /// A request without a token is answered with 401 before the surface hears of it.
        required: bool,
    },
}

/// How to serve over HTTP. Calls under way and the time they may take to finish are in
/// [`ServeOptions`](crate::server::ServeOptions).
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// Address to listen on; port 0 takes any free one. Default: loopback, port 0.
    pub address: SocketAddr,
    /// Tokens that the transport accepts. Without any, only loopback may be listened on.
    pub tokens: Tokens,
    /// Who looks at tokens.
    pub bearer: Bearer,
    /// How often one caller may ask: by its token, or by its address where it has none. More is
    /// refused with 429. Default: as often as it likes.
    pub rate: Option<Rate>,
    /// Origins of web pages that may call, beside the server's own: `https://app.example.com`.
    pub origins: Vec<String>,
    /// Names that the server is reached by, beside loopback and its own address.
    pub hosts: Vec<String>,
    /// Larger bodies are refused. Default: 4 MiB.
    pub max_body_bytes: usize,
    /// Connections at once; more wait to be accepted. Default: 1,024.
    pub max_connections: usize,
    /// Calls that may wait for their turn; more are refused with 503. Default: 256.
    pub max_waiting: usize,
    /// How long a call may wait for its turn. Default: 10 s.
    pub queue_timeout: Duration,
    /// How long a surface may take to verify a token. Default: 5 s.
    pub authenticate_timeout: Duration,
    /// How long the head of a request may take, and a connection stay idle. Default: 30 s.
    pub head_timeout: Duration,
    /// How long the body of a request may take. Default: 30 s.
    pub body_timeout: Duration,
    /// How long a call may take. Default: 5 min.
    pub call_timeout: Duration,
    /// A page at `/` to try the server with, and the contract at `/contract.json`. Default: yes.
    pub page: bool,
    /// The server's URL is written here once it can be reached, and removed when it ends.
    pub ready_file: Option<PathBuf>,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            address: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0),
            tokens: Tokens::default(),
            bearer: Bearer::default(),
            rate: None,
            origins: Vec::new(),
            hosts: Vec::new(),
            max_body_bytes: 4 * 1024 * 1024,
            max_connections: 1024,
            max_waiting: 256,
            queue_timeout: Duration::from_secs(10),
            authenticate_timeout: Duration::from_secs(30),
            head_timeout: Duration::from_secs(30),
            body_timeout: Duration::from_secs(30),
            call_timeout: Duration::from_secs(300),
            page: true,
            ready_file: None,
        }
    }
}

impl HttpOptions {
    /// Finds what cannot be meant, before anything listens.
    ///
    /// # Errors
    /// Origins and hosts that are none, an address beyond loopback that nobody guards, and tokens
    /// that nobody would look at.
    pub fn check(&self) -> Result<(), OptionsError> {
        self.host_origin()?;
        let own = self.bearer == Bearer::Transport;
        if own && self.tokens.is_empty() && !self.address.ip().is_loopback() {
            return Err(OptionsError(format!(
                "without bearer tokens only loopback may be listened on, not {}; give a file of tokens",
                self.address.ip()
            )));
        }
        if !own && !self.tokens.is_empty() {
            return Err(OptionsError(
                "this surface verifies bearer tokens itself; tokens of the transport would never be looked at".to_owned(),
            ));
        }
        Ok(())
    }

    /// Where a surface verifies tokens itself, none are looked at by the transport and every request
    /// needs one, unless the options say otherwise.
    pub(super) fn for_surface(mut self, surface: &dyn Dispatch) -> Result<Self, OptionsError> {
        match (self.bearer, surface.authenticator()) {
            (Bearer::Transport, Some(_)) => self.bearer = Bearer::Surface { required: true },
            (Bearer::Surface { .. }, None) => {
                return Err(OptionsError(
                    "the surface is to verify bearer tokens, but has no authenticator".to_owned(),
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

/// Options that cannot be meant.
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
    fn bad_names_are_found_before_anything_listens() {
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
