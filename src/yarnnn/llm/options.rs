//! Options of the model: name, server, timeout.

use std::fmt;
use std::time::Duration;

use ureq::http::HeaderValue;
use ureq::http::uri::{Scheme, Uri};

/// The default model.
pub const DEFAULT_MODEL: &str = "gpt-5";
/// The default base URL.
pub const DEFAULT_BASE_URL: &str = "https://api.openai.com/v1";

/// Options of the model: name, server, timeout.
#[derive(Debug, Clone)]
pub struct LlmOptions {
    /// The model's name at the server.
    pub model: String,
    /// The URL before `/chat/completions` or `/embeddings`.
    pub base_url: String,
    /// Sent as a bearer token; a local model may need none.
    pub key: Option<Key>,
    /// Time limit for one request, over all attempts.
    pub timeout: Duration,
    /// Retries when the server cannot be reached, is overloaded or fails.
    pub retries: u32,
    /// The pause before the first retry; it doubles. The server may ask for a longer one.
    pub pause: Duration,
}

impl Default for LlmOptions {
    fn default() -> Self {
        Self {
            model: DEFAULT_MODEL.to_owned(),
            base_url: DEFAULT_BASE_URL.to_owned(),
            key: None,
            timeout: Duration::from_secs(120),
            retries: 2,
            pause: Duration::from_millis(500),
        }
    }
}

/// An API key. Never shown.
#[derive(Clone)]
pub struct Key(HeaderValue);

impl Key {
    /// Reads the key as issued; surrounding blanks are ignored.
    ///
    /// # Errors
    /// When it is empty or has invalid characters.
    pub fn new(text: &str) -> Result<Self, BadOptions> {
        let text = text.trim();
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(BadOptions::BadKey);
        }
        let mut value =
            HeaderValue::try_from(format!("Bearer {text}")).map_err(|_| BadOptions::BadKey)?;
        value.set_sensitive(true);
        Ok(Self(value))
    }

    pub(super) fn header(&self) -> HeaderValue {
        self.0.clone()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key([hidden])")
    }
}

/// Why options are invalid. Contains none of their values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadOptions {
    /// No model is named.
    #[error("The model has no name. Name one, such as `gpt-5`.")]
    NoModel,
    /// The base URL cannot be used.
    #[error(
        "The base URL cannot be used. Give one like `https://api.openai.com/v1`, without \
         user, password, `?` and `#`."
    )]
    BadUrl,
    /// The key is empty or invalid.
    #[error("The key is empty or has invalid characters. Copy all of it.")]
    BadKey,
    /// The key would be sent unencrypted over a network.
    #[error(
        "The key would be sent over plain http to another machine. Use https, or no \
         key."
    )]
    PlainKey,
    /// No time is given.
    #[error("The time limit is zero. Set it to at least one second.")]
    NoTime,
}

/// Where to send requests.
#[derive(Debug)]
pub(super) struct Endpoint {
    pub(super) url: String,
    /// Whether it is this machine.
    pub(super) is_local: bool,
    /// Whether it is reached over TLS.
    pub(super) tls: bool,
}

impl LlmOptions {
    /// Checks the base URL, and that the key is safe on the way to this path below it.
    pub(super) fn endpoint(&self, path: &str) -> Result<Endpoint, BadOptions> {
        let base = self.base_url.trim().trim_end_matches('/');
        if base.contains(['?', '#', '@']) {
            return Err(BadOptions::BadUrl);
        }
        let uri: Uri = base.parse().map_err(|_| BadOptions::BadUrl)?;
        let host = uri.host().filter(|host| !host.is_empty()).ok_or(BadOptions::BadUrl)?;
        let is_local = loopback(host);
        let tls = match uri.scheme() {
            Some(scheme) if *scheme == Scheme::HTTPS => true,
            Some(scheme) if *scheme == Scheme::HTTP => false,
            _ => return Err(BadOptions::BadUrl),
        };
        if self.key.is_some() && !tls && !is_local {
            return Err(BadOptions::PlainKey);
        }
        Ok(Endpoint { url: format!("{base}/{path}"), is_local, tls })
    }
}

/// Whether a host is this machine.
fn loopback(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.eq_ignore_ascii_case("localhost")
        || bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
