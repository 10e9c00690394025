//! Which model, where, and how long to wait for it.

use std::fmt;
use std::time::Duration;

use ureq::http::HeaderValue;
use ureq::http::uri::{Scheme, Uri};

/// The model, when none is named.
pub const DEFAULT_MODEL: &str = "gpt-5";
/// Where it is, when nothing else is said.
pub const DEFAULT_BASE_URL: &str = "https://api.openai.com/v1";

/// Which model, where, and how long to wait for it.
#[derive(Debug, Clone)]
pub struct LlmOptions {
    /// Its name at the server.
    pub model: String,
    /// What comes before `/chat/completions`.
    pub base_url: String,
    /// Shown to the server as a bearer token; a local model may need none.
    pub key: Option<Key>,
    /// How long one dump may take, all attempts together.
    pub timeout: Duration,
    /// How often to ask again when the server cannot be reached, is overloaded or fails.
    pub retries: u32,
    /// The pause before the first retry; it doubles. A longer one that the server asks for is kept.
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

/// A key. Never shown.
#[derive(Clone)]
pub struct Key(HeaderValue);

impl Key {
    /// Takes the key as it was handed out; blanks around it are not part of it.
    ///
    /// # Errors
    /// When it is empty, or has characters that no key has.
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

/// Why options cannot work. Holds nothing of what was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadOptions {
    /// No model is named.
    #[error("The extractor's model has no name. Name one, such as `gpt-5`.")]
    NoModel,
    /// The base URL cannot be used.
    #[error(
        "The extractor's base URL cannot be used. Give one like `https://api.openai.com/v1`, without \
         user, password, `?` and `#`."
    )]
    BadUrl,
    /// The key is empty or no key.
    #[error("The extractor's key is empty or has characters that no key has. Copy it whole.")]
    BadKey,
    /// The key would travel unencrypted through a network.
    #[error(
        "The extractor's key would be sent over plain http to another machine. Use https, or no \
         key."
    )]
    PlainKey,
    /// No time is given.
    #[error("The extractor's time limit is zero. Give it some seconds.")]
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
    /// Checks the base URL, and that the key is safe on the way there.
    pub(super) fn endpoint(&self) -> Result<Endpoint, BadOptions> {
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
        Ok(Endpoint { url: format!("{base}/chat/completions"), is_local, tls })
    }
}

/// Whether a host is this machine.
fn loopback(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.eq_ignore_ascii_case("localhost")
        || bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
