//! Sends a request and returns the answer, within limits of time, size and attempts.
//!
//! Knows HTTP and its status codes; neither prompt nor schema. Redirects are not followed, so the
//! key goes only to the base URL. A proxy from the environment is used, except for this machine.

use std::time::{Duration, Instant};

use rustls::pki_types::CertificateDer;
use serde_json::Value;
use ureq::http::{HeaderMap, Response, header};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, Body, Proxy};

use super::error::{ErrorKind, LlmError};
use super::options::{BadOptions, Endpoint, Key, LlmOptions};

/// Longest pause, unless the server asks for a longer one.
const LONGEST_PAUSE: Duration = Duration::from_secs(8);

/// A server and how to reach it.
#[derive(Debug)]
pub(crate) struct Client {
    agent: Agent,
    url: String,
    key: Option<Key>,
    max_answer: u64,
    timeout: Duration,
    retries: u32,
    pause: Duration,
}

impl Client {
    /// Checks the options, for requests to `path` with answers of at most `max_answer` bytes;
    /// trusts `authorities`, or Mozilla's if there are none.
    pub(crate) fn new(
        options: &LlmOptions,
        path: &str,
        max_answer: u64,
        authorities: impl FnOnce() -> Vec<CertificateDer<'static>>,
    ) -> Result<Self, BadOptions> {
        let Endpoint { url, is_local, tls } = options.endpoint(path)?;
        if options.timeout.is_zero() {
            return Err(BadOptions::NoTime);
        }
        let authorities = if tls { authorities() } else { Vec::new() };
        let trusted: Vec<Certificate<'static>> =
            authorities.iter().map(|one| Certificate::from_der(one).to_owned()).collect();
        let roots = match trusted.is_empty() {
            true => RootCerts::WebPki,
            false => RootCerts::new_with_certs(&trusted),
        };
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(if is_local { None } else { Proxy::try_from_env() })
            .tls_config(TlsConfig::builder().root_certs(roots).build())
            // Dumps come minutes apart; a connection idle for that long is usually dead.
            .max_idle_connections(0)
            .user_agent(concat!("toolwright-yarnnn/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        let LlmOptions { timeout, retries, pause, .. } = *options;
        Ok(Self { agent, url, key: options.key.clone(), max_answer, timeout, retries, pause })
    }

    /// The answer's body.
    pub(crate) fn ask(&self, request: &Value) -> Result<Vec<u8>, LlmError> {
        let body = request.to_string();
        let begun = Instant::now();
        let mut pause = self.pause;
        let mut attempt = 0;
        loop {
            let left = self.timeout.saturating_sub(begun.elapsed());
            if left.is_zero() {
                return Err(ErrorKind::TimedOut.into());
            }
            let error = match self.once(&body, left) {
                Err(error) if error.kind.is_transient() && attempt < self.retries => error,
                result => return result,
            };
            let wanted = match error.kind {
                ErrorKind::RateLimited { retry_after: Some(seconds) } => {
                    Duration::from_secs(seconds)
                }
                _ => Duration::ZERO,
            };
            let wait = pause.min(LONGEST_PAUSE).max(wanted);
            // A pause beyond the time limit cannot help: fail now.
            if wait >= self.timeout.saturating_sub(begun.elapsed()) {
                return Err(error);
            }
            std::thread::sleep(wait);
            pause = pause.saturating_mul(2);
            attempt += 1;
        }
    }

    fn once(&self, body: &str, left: Duration) -> Result<Vec<u8>, LlmError> {
        let mut request = self
            .agent
            .post(&self.url)
            .config()
            .timeout_global(Some(left))
            .build()
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json");
        if let Some(key) = &self.key {
            request = request.header(header::AUTHORIZATION, key.header());
        }
        let mut response = request.send(body).map_err(unsent)?;
        let answer = response.body_mut().with_config().limit(self.max_answer).read_to_vec();
        match (response.status().as_u16(), answer) {
            (200, answer) => answer.map_err(unsent),
            (_, answer) => Err(refusal(&response, &answer.unwrap_or_default()).into()),
        }
    }
}

/// Classifies a failure without an answer. The causes contain no header.
fn unsent(error: ureq::Error) -> LlmError {
    match error {
        ureq::Error::Timeout(_) => ErrorKind::TimedOut,
        ureq::Error::BodyExceedsLimit(_) => ErrorKind::TooLarge,
        _ => ErrorKind::Unreachable,
    }
    .because(error)
}

/// Classifies an HTTP status. From the body only known codes are used.
fn refusal(response: &Response<Body>, body: &[u8]) -> ErrorKind {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let code = body["error"]["code"].as_str().unwrap_or_default();
    match (response.status().as_u16(), code) {
        (_, "insufficient_quota") | (402, _) => ErrorKind::NoCredit,
        (_, "context_length_exceeded") | (413, _) => ErrorKind::TooLong,
        (401 | 403, _) => ErrorKind::Denied,
        (404, _) => ErrorKind::NotFound,
        (429, _) => ErrorKind::RateLimited { retry_after: retry_after(response.headers()) },
        (408, _) => ErrorKind::Failed { status: 408 },
        (status @ 500.., _) => ErrorKind::Failed { status },
        (status, _) => ErrorKind::Rejected { status },
    }
}

/// Seconds that the server asks to wait. A date is ignored: clocks differ.
fn retry_after(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()
}
