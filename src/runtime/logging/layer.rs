//! The layer that turns events into lines, and the filter in front of it.
//!
//! The filter applies only to this layer, not to other layers of the subscriber.

use std::io::Write;

use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id};
use tracing::subscriber::Interest;
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Context, Filter};
use tracing_subscriber::registry::LookupSpan;

use super::Format;
use super::line::{Fields, log_line};
use super::span::{CallFields, is_call};

/// Writes each event as one line, one `write_all` each.
pub(super) struct Lines<W> {
    pub(super) format: Format,
    pub(super) writer: W,
}

impl<S, W, O> Layer<S> for Lines<W>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: Fn() -> O + 'static,
    O: Write,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if is_call(attributes.metadata())
            && let Some(span) = context.span(id)
        {
            let mut fields = CallFields::default();
            attributes.record(&mut fields);
            // Another layer of this kind may have inserted the same.
            span.extensions_mut().replace(fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        if !fields.identifies_call()
            && let Some(mut spans) = context.event_scope(event)
        {
            spans.any(|span| {
                let extensions = span.extensions();
                let call = extensions.get::<CallFields>();
                call.inspect(|call| fields.add_call(call)).is_some()
            });
        }
        let metadata = event.metadata();
        let line = log_line(self.format, *metadata.level(), metadata.target(), fields);
        // A closed stderr must not stop the server.
        let _ = (self.writer)().write_all(line.as_bytes());
    }
}

/// Enables what the directives select, plus the spans of calls unless logging is off.
pub(super) struct LineFilter {
    directives: Targets,
    max_level: LevelFilter,
}

impl LineFilter {
    pub(super) fn new(directives: Targets) -> Self {
        let levels = directives.iter().map(|(_, level)| level).chain(directives.default_level());
        let max_level = levels.max().unwrap_or(LevelFilter::OFF);
        Self { directives, max_level }
    }

    fn wants(&self, metadata: &Metadata<'_>) -> bool {
        self.directives.would_enable(metadata.target(), metadata.level())
            || (is_call(metadata) && self.max_level > LevelFilter::OFF)
    }
}

impl<S> Filter<S> for LineFilter {
    fn enabled(&self, metadata: &Metadata<'_>, _: &Context<'_, S>) -> bool {
        self.wants(metadata)
    }

    /// Called once per callsite; disabled callsites cost nothing afterwards.
    fn callsite_enabled(&self, metadata: &'static Metadata<'static>) -> Interest {
        if self.wants(metadata) { Interest::always() } else { Interest::never() }
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.max_level)
    }
}
