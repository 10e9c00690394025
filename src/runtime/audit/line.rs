//! One line of the trail.

use std::net::IpAddr;

use jiff::Timestamp;
use serde::Serialize;

use crate::contract::SurfaceInfo;
use crate::logging::without_controls;
use crate::problem::shorten;

/// What a line is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// A call with effects that reached its handler.
    Call,
    /// A call that a guard, the schema or the choice of tools refused.
    Refusal,
    /// An HTTP request that was rejected unread.
    Rejection,
}

impl Event {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Refusal => "refusal",
            Self::Rejection => "rejection",
        }
    }
}

/// What is known of a call apart from its arguments.
#[derive(Clone)]
pub(super) struct AuditLine<'l> {
    pub(super) surface: &'static str,
    pub(super) contract: &'static str,
    pub(super) tool: Option<&'l str>,
    pub(super) effects: Option<&'static str>,
    pub(super) outcome: &'l str,
    pub(super) request_id: Option<&'l str>,
    pub(super) transport: &'static str,
    pub(super) client: Option<&'l str>,
    pub(super) client_version: Option<&'l str>,
    pub(super) subject: Option<&'l str>,
    pub(super) token: Option<&'l str>,
    pub(super) address: Option<IpAddr>,
    pub(super) omitted_refusals: Option<u64>,
}

impl AuditLine<'_> {
    pub(super) fn new(surface: &'static SurfaceInfo) -> Self {
        Self {
            surface: surface.name,
            contract: surface.digest,
            tool: None,
            effects: None,
            outcome: "",
            request_id: None,
            transport: "",
            client: None,
            client_version: None,
            subject: None,
            token: None,
            address: None,
            omitted_refusals: None,
        }
    }

    /// JSON, line break included. What comes from the client is shortened.
    pub(super) fn json(&self, now: Timestamp, event: Event) -> String {
        let json = Json {
            time: format!("{now:.3}"),
            event: event.name(),
            surface: self.surface,
            contract: self.contract,
            tool: self.tool.map(shorten),
            effects: self.effects,
            outcome: self.outcome,
            request_id: self.request_id.map(shorten),
            transport: self.transport,
            client: self.client.map(shorten),
            client_version: self.client_version.map(shorten),
            subject: self.subject.map(shorten),
            token: self.token,
            address: self.address,
            omitted_refusals: self.omitted_refusals,
            process: std::process::id(),
        };
        // Serialising strings and numbers cannot fail.
        let mut line = without_controls(serde_json::to_string(&json).unwrap_or_default());
        line.push('\n');
        line
    }
}

/// The members of a line, in their order. Unknown ones are left out.
#[derive(Serialize)]
struct Json<'l> {
    time: String,
    event: &'static str,
    surface: &'static str,
    contract: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    effects: Option<&'static str>,
    outcome: &'l str,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
    transport: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'l str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<IpAddr>,
    #[serde(skip_serializing_if = "Option::is_none")]
    omitted_refusals: Option<u64>,
    process: u32,
}
