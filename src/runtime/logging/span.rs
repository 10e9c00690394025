//! The span of a call, and the fields that log lines take from it.
//!
//! Lines get fields only from this span. Others are ignored: `#[instrument]` records the arguments of a
//! function, and arguments must not be logged.

use std::fmt::Debug;

use tracing::field::{Field, Visit};
use tracing::{Metadata, Span};

const TARGET: &str = "toolwright::call";
const NAME: &str = "call";

/// The span of one call. It has the highest level, so that it is enabled, and lines name their call,
/// unless logging is off.
pub(crate) fn call_span(tool: &str, request_id: &str) -> Span {
    tracing::error_span!(target: TARGET, NAME, tool, request_id)
}

pub(super) fn is_call(metadata: &Metadata<'_>) -> bool {
    metadata.is_span() && metadata.name() == NAME && metadata.target() == TARGET
}

/// The call that a line belongs to; stored with the span.
#[derive(Default)]
pub(super) struct CallFields {
    pub(super) tool: String,
    pub(super) request_id: String,
}

impl Visit for CallFields {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "tool" => value.clone_into(&mut self.tool),
            "request_id" => value.clone_into(&mut self.request_id),
            _ => {}
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}
}
