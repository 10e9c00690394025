//! Identifies the caller of a request and its protocol revision: the request's `_meta` overrides what
//! the transport knows from the handshake or the HTTP headers.

use std::sync::Arc;

use rmcp::model::{
    ClientCapabilities, ErrorData, Implementation, ProgressToken, ProtocolVersion,
    RequestMetaObject,
};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::elicitation::can_ask;
use super::host::Host;
use super::methods;
use super::raw_call::Rejection;
use super::view::View;
use crate::call::Client;

/// The first revision without a handshake.
pub(super) const STATELESS: ProtocolVersion = ProtocolVersion::V_2026_07_28;

/// The sender of a request.
#[derive(Clone)]
pub(super) struct Caller {
    pub(super) client: Arc<Client>,
    /// The request's `_meta` without the keys that the protocol reserves.
    pub(super) meta: Map<String, Value>,
    pub(super) view: View,
    /// The request follows revision 2026-07-28 or later.
    pub(super) modern: bool,
    /// The client can ask the user.
    pub(super) can_ask: bool,
    /// The client has roots.
    pub(super) has_roots: bool,
    /// Progress token, if the client wants progress notifications.
    pub(super) progress: Option<ProgressToken>,
}

/// What the transport knows about the caller without the request's `_meta`.
#[derive(Clone)]
pub(super) struct CallerDefaults {
    pub(super) client: Arc<Client>,
    pub(super) view: View,
    pub(super) can_ask: bool,
    pub(super) has_roots: bool,
}

impl CallerDefaults {
    /// From a handshake.
    pub(super) fn from_handshake(
        client: Client,
        view: View,
        capabilities: &ClientCapabilities,
    ) -> Self {
        Self {
            client: Arc::new(client),
            view,
            can_ask: can_ask(capabilities),
            has_roots: has_roots(capabilities),
        }
    }

    /// Without a handshake.
    pub(super) fn without_handshake(host: &Host, client: Client) -> Self {
        let view = host.views.of(client.name.as_deref());
        Self { client: Arc::new(client), view, can_ask: false, has_roots: false }
    }

    /// The sender of a request without `_meta`.
    pub(super) fn caller(&self) -> Caller {
        Caller {
            client: self.client.clone(),
            meta: Map::new(),
            view: self.view,
            modern: self.client.protocol.as_deref().is_some_and(is_modern),
            can_ask: self.can_ask,
            has_roots: self.has_roots,
            progress: None,
        }
    }
}

/// The `_meta` of a request.
pub(super) struct RequestMeta {
    pub(super) version: Option<ProtocolVersion>,
    implementation: Option<Implementation>,
    capabilities: Option<ClientCapabilities>,
    progress: Option<ProgressToken>,
    own: Map<String, Value>,
    /// Keys that are required without a handshake but missing.
    pub(super) missing: Vec<&'static str>,
}

impl RequestMeta {
    /// Keys that are required without a handshake.
    pub(super) const REQUIRED: [&str; 2] = RequestMetaObject::DRAFT_REQUIRED_KEYS;

    pub(super) fn read(meta: &RawValue) -> Result<Self, serde_json::Error> {
        let meta: RequestMetaObject = serde_json::from_str(meta.get())?;
        let (version, capabilities) = (meta.protocol_version(), meta.client_capabilities());
        let missing = match (&version, &capabilities) {
            (Some(_), Some(_)) => Vec::new(),
            _ => meta.missing_required_keys(&STATELESS),
        };
        Ok(Self {
            version,
            capabilities,
            missing,
            implementation: meta.client_info(),
            progress: meta.get_progress_token(),
            own: methods::own_meta(meta.0.0),
        })
    }

    /// Checks that the request's revision is supported and that its required keys are present.
    pub(super) fn check(&self) -> Result<(), Rejection> {
        let Some(version) = &self.version else { return Ok(()) };
        let supported = ProtocolVersion::KNOWN_VERSIONS;
        if !supported.contains(version) {
            let error = ErrorData::unsupported_protocol_version(version.clone(), supported);
            return Err(Rejection {
                code: error.code.0,
                message: error.message.into_owned(),
                data: error.data,
                is_bad_request: true,
            });
        }
        if is_modern(version.as_str()) && !self.missing.is_empty() {
            let keys = self.missing.join(", ");
            let why = format!("request _meta is missing or has malformed required fields: {keys}");
            return Err(Rejection { is_bad_request: true, ..Rejection::invalid_params(why) });
        }
        Ok(())
    }

    /// The sender; `defaults` fill in what the request does not state.
    pub(super) fn caller(self, host: &Host, defaults: &CallerDefaults) -> Caller {
        let client = match (&self.version, self.implementation) {
            (None, None) => defaults.client.clone(),
            (version, implementation) => {
                let mut client = (*defaults.client).clone();
                if let Some(Implementation { name, version, .. }) = implementation {
                    (client.name, client.version) = (Some(name), Some(version));
                }
                if let Some(version) = version {
                    client.protocol = Some(version.to_string());
                }
                Arc::new(client)
            }
        };
        let modern = client.protocol.as_deref().is_some_and(is_modern);
        let view = if modern { host.views.of(client.name.as_deref()) } else { defaults.view };
        Caller {
            client,
            meta: self.own,
            view,
            modern,
            can_ask: self.capabilities.as_ref().map_or(defaults.can_ask, can_ask),
            has_roots: self.capabilities.as_ref().map_or(defaults.has_roots, has_roots),
            progress: self.progress,
        }
    }
}

/// Whether the revision is 2026-07-28 or later. Dates compare as strings.
pub(super) fn is_modern(version: &str) -> bool {
    version >= STATELESS.as_str()
}

#[allow(deprecated, reason = "clients of the handshake revisions still have them")]
fn has_roots(capabilities: &ClientCapabilities) -> bool {
    capabilities.roots.is_some()
}
