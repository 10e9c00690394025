//! The headers of a call: checks them against the rules of streamable HTTP and identifies the client.
//!
//! The SDK applies the same rules to every other method. They are repeated here, with the same codes
//! and messages, because the SDK checks them only while it runs a request. `Mcp-Param-*` headers are
//! ignored: a contract's schema cannot require them.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::StatusCode;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap, USER_AGENT};
use rmcp::model::{ErrorCode, ProtocolVersion};

use super::authorizer::Sender;
use super::response::{self, HttpResponse, response};
use crate::call::Client;
use crate::server::caller::{RequestMeta, is_modern};
use crate::server::raw_call::RawRequest;

const VERSION: &str = "MCP-Protocol-Version";
const METHOD: &str = "Mcp-Method";
const NAME: &str = "Mcp-Name";
/// Marks a value that is not plain ASCII.
const ENCODED: (&str, &str) = ("=?base64?", "?=");

/// The head of a request that runs a tool.
pub(super) struct RequestHead<'a> {
    headers: &'a HeaderMap,
    request: &'a RawRequest<'a>,
}

/// An error response, boxed because it is rare and large.
type BoxedResponse = Box<HttpResponse>;

impl<'a> RequestHead<'a> {
    pub(super) fn new(headers: &'a HeaderMap, request: &'a RawRequest<'a>) -> Self {
        Self { headers, request }
    }

    /// The client as far as the headers identify it: revision, program, and what is
    /// known of the sender.
    pub(super) fn client(&self, sender: &Sender) -> Client {
        let version = self.version().unwrap_or(ProtocolVersion::V_2025_03_26.as_str());
        let (name, program_version) = agent(self.headers).unzip();
        Client {
            name,
            version: program_version,
            protocol: Some(version.to_owned()),
            address: Some(sender.address),
            token_id: sender.token_id(),
            surface: sender.surface.clone(),
            roots: Vec::new(),
        }
    }

    /// Rejects requests whose headers break the rules or contradict the `_meta`.
    pub(super) fn check(&self, request_meta: Option<&RequestMeta>) -> Result<(), BoxedResponse> {
        self.check_form(request_meta)?;
        self.check_agreement(request_meta)
    }

    /// Checks `Accept`, `Content-Type` and the protocol revision.
    fn check_form(&self, request_meta: Option<&RequestMeta>) -> Result<(), BoxedResponse> {
        let says = |name: &http::HeaderName| self.headers.get(name)?.to_str().ok();
        let takes = says(&ACCEPT).unwrap_or_default();
        if !takes.contains(response::JSON) || !takes.contains(response::EVENTS) {
            let why =
                "Not Acceptable: Client must accept both application/json and text/event-stream";
            return Err(plain(StatusCode::NOT_ACCEPTABLE, why));
        }
        if !says(&CONTENT_TYPE).is_some_and(|kind| kind.starts_with(response::JSON)) {
            let why = "Unsupported Media Type: Content-Type must be application/json";
            return Err(plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, why));
        }
        let Some(version) = self.headers.get(VERSION) else { return Ok(()) };
        let Ok(version) = version.to_str() else {
            let why = "Bad Request: Invalid MCP-Protocol-Version header encoding";
            return Err(plain(StatusCode::BAD_REQUEST, why));
        };
        let stated = request_meta.is_some_and(|meta| meta.version.is_some());
        let known = ProtocolVersion::KNOWN_VERSIONS.iter().any(|known| known.as_str() == version);
        if !stated && !known {
            let why = format!("Bad Request: Unsupported MCP-Protocol-Version: {version}");
            return Err(plain(StatusCode::BAD_REQUEST, why));
        }
        Ok(())
    }

    /// Checks that the headers match the body, as revision 2026-07-28 requires.
    fn check_agreement(&self, request_meta: Option<&RequestMeta>) -> Result<(), BoxedResponse> {
        let modern = self.version().is_some_and(is_modern);
        if modern {
            self.check_names().map_err(|why| self.mismatch(&why))?;
        }
        let stated_version = request_meta.and_then(|meta| meta.version.as_ref());
        match (self.version(), stated_version) {
            (_, None) if modern => {
                let missing = request_meta.map_or(&RequestMeta::REQUIRED[..], |meta| &meta.missing);
                let missing = missing.join(", ");
                let why = format!(
                    "Invalid params: request _meta is missing or has malformed required fields: \
                     {missing}"
                );
                Err(self.error(ErrorCode::INVALID_PARAMS, &why))
            }
            (None, Some(_)) => {
                Err(self
                    .mismatch("request _meta protocolVersion requires MCP-Protocol-Version header"))
            }
            (Some(named), Some(stated)) if named != stated.as_str() => {
                Err(self.mismatch(&format!(
                    "MCP-Protocol-Version header ({named}) does not match request _meta \
                     protocolVersion ({stated})"
                )))
            }
            _ => Ok(()),
        }
    }

    fn check_names(&self) -> Result<(), String> {
        let method = &self.request.method;
        match self.only(METHOD)? {
            None => return Err("missing required Mcp-Method header".to_owned()),
            Some(named) if named != method => {
                return Err(format!(
                    "Mcp-Method header `{named}` does not match body method `{method}`"
                ));
            }
            Some(_) => {}
        }
        let Some(target) = self.request.target() else { return Ok(()) };
        let Some(named) = self.only(NAME)? else {
            return Err(format!("missing required Mcp-Name header for `{method}`"));
        };
        let named = decode(named).ok_or("Mcp-Name header is not valid Base64")?;
        if named != *target {
            return Err(format!("Mcp-Name header `{named}` does not match body value `{target}`"));
        }
        Ok(())
    }

    fn version(&self) -> Option<&'a str> {
        self.headers.get(VERSION)?.to_str().ok()
    }

    /// The only value of a header: intermediaries may interpret duplicates differently.
    fn only(&self, name: &str) -> Result<Option<&'a str>, String> {
        let mut values = self.headers.get_all(name).iter();
        let first = values.next().and_then(|value| value.to_str().ok());
        if values.next().is_some() {
            return Err(format!("duplicate {name} header"));
        }
        Ok(first)
    }

    fn mismatch(&self, why: &str) -> BoxedResponse {
        self.error(ErrorCode::HEADER_MISMATCH, why)
    }

    fn error(&self, code: ErrorCode, why: &str) -> BoxedResponse {
        Box::new(response::error(StatusCode::BAD_REQUEST, Some(self.request.id()), code.0, why))
    }
}

fn plain(status: StatusCode, why: impl Into<bytes::Bytes>) -> BoxedResponse {
    Box::new(response(status, response::TEXT, why))
}

fn decode(value: &str) -> Option<String> {
    match value.strip_prefix(ENCODED.0).and_then(|inner| inner.strip_suffix(ENCODED.1)) {
        Some(inner) => String::from_utf8(BASE64_STANDARD.decode(inner).ok()?).ok(),
        None => Some(value.to_owned()),
    }
}

/// Name and version of the first product of `User-Agent`, such as `openai-mcp/1.0`. Without a session
/// this is all that identifies a client on a revision with a handshake.
pub(in crate::server) fn agent(headers: &HeaderMap) -> Option<(String, String)> {
    let product = headers.get(USER_AGENT)?.to_str().ok()?.split_whitespace().next()?;
    let (name, version) = product.split_once('/').unwrap_or((product, ""));
    (!name.is_empty()).then(|| (name.to_owned(), version.to_owned()))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn a_program_is_known_by_its_first_product() {
        for (sent, known) in [
            ("openai-mcp/1.0.0 (ChatGPT)", Some(("openai-mcp", "1.0.0"))),
            ("Claude-User", Some(("Claude-User", ""))),
            ("a/b/c", Some(("a", "b/c"))),
            ("/1", None),
            (" ", None),
        ] {
            let headers = HeaderMap::from_iter([(USER_AGENT, HeaderValue::from_static(sent))]);
            let found = agent(&headers);
            let found = found.as_ref().map(|(name, version)| (name.as_str(), version.as_str()));
            assert_eq!(found, known, "{sent}");
        }
        assert!(agent(&HeaderMap::new()).is_none());
    }

    #[test]
    fn a_name_may_come_encoded() {
        assert_eq!(decode("test.echo").as_deref(), Some("test.echo"));
        assert_eq!(decode("=?base64?dGVzdC5lY2hv?=").as_deref(), Some("test.echo"));
        assert_eq!(decode("=?base64?%%?="), None);
    }
}
