//! The span of a call, and what lines take from it.
//!
//! Only this span gives lines its fields. Those of others stay out: `#[instrument]` records the
//! arguments of a function, and arguments belong in no log.

use std::fmt::Debug;

use tracing::field::{Field, Visit};
use tracing::{Metadata, Span};

const TARGET: &str = "toolwright::call";
const NAME: &str = "call";

/// The span of one call. Its level is the highest there is, so that the lines of a call name it
/// wherever any line is wanted; where none is, there is no span either.
pub(crate) fn call_span(tool: &str, request_id: &str) -> Span {
    tracing::error_span!(target: TARGET, NAME, tool, request_id)
}

pub(super) fn is_call(metadata: &Metadata<'_>) -> bool {
    metadata.is_span() && metadata.name() == NAME && metadata.target() == TARGET
}

/// Which call a line belongs to; kept with the span.
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
