//! Logs: one line per event, on stderr, never on stdout.
//!
//! As JSON an event is `{timestamp, level, logger, message, event?, context?}`: `event` is the
//! field of that name, all other fields are in `context`. Within a call, `context` names it (`tool`
//! and `request_id`), taken from the call's span. This module only formats and filters lines. If
//! nothing reads stderr, lines are dropped and counted, and calls are never blocked (`stream`).
//!
//! # Other layers
//!
//! [`init`] is enough for a server that only writes lines. To add traces or metrics, combine [`layer`]
//! with other layers in one subscriber before the server starts. The other layers see all events and
//! spans of calls; the filter applies only to lines.
//!
//! ```
//! use toolwright_runtime::logging::{self, Format};
//! use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
//!
//! /// Counts warnings.
//! struct Warnings(std::sync::atomic::AtomicU64);
//!
//! impl<S: tracing::Subscriber> Layer<S> for Warnings {
//!     fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
//!         if *event.metadata().level() <= tracing::Level::WARN {
//!             self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
//!         }
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let subscriber = tracing_subscriber::registry()
//!     .with(logging::layer("info", Format::Json)?)
//!     .with(Warnings(0.into()));
//! tracing::subscriber::set_global_default(subscriber)?;
//! logging::log_panics();
//! // server::run_stdio(…), and at the end:
//! logging::flush();
//! # Ok(())
//! # }
//! ```
//!
//! The SDK (target `rmcp`) logs whole requests at debug level: a layer that stores events should
//! exclude that target.

mod layer;
mod line;
mod span;
mod stream;

use std::io::Write;
use std::os::fd::AsFd as _;
use std::panic::PanicHookInfo;
use std::sync::OnceLock;
use std::time::Duration;

use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{ParseError, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;

use layer::{LineFilter, Lines};
use line::loss_line;
pub(crate) use line::without_controls;
pub(crate) use span::call_span;
use stream::LogStream;

/// How long a process waits for unwritten lines when it ends.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// The stream of stderr.
static STREAM: OnceLock<LogStream> = OnceLock::new();

/// Format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// One JSON object.
    #[default]
    Json,
    /// Time, level, logger, message and `name=value` fields.
    Text,
}

/// Why logging could not be set up.
#[derive(Debug, PartialEq, Eq)]
pub enum LoggingError {
    /// The filter is invalid.
    BadFilter {
        /// The filter.
        filter: String,
        /// Why it is invalid.
        reason: String,
    },
    /// Logging is already set up.
    AlreadySet,
    /// Standard error is not available.
    NoStream(String),
}

impl std::fmt::Display for LoggingError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::BadFilter { filter, reason } => write!(
                f,
                "`{filter}` is neither a log level (error, warning, info, debug, trace, off) nor a filter such as `info,toolwright=debug`: {reason}"
            ),
            Self::AlreadySet => f.write_str("logging is already set up"),
            Self::NoStream(reason) => write!(f, "standard error cannot be used: {reason}"),
        }
    }
}

impl std::error::Error for LoggingError {}

/// Logs the events and panics of this process to stderr.
///
/// `filter` is a level (Python's names such as `WARNING`, `CRITICAL` and `NOTSET` work too) or
/// directives as in `RUST_LOG`.
pub fn init(filter: &str, format: Format) -> Result<(), LoggingError> {
    let subscriber = tracing_subscriber::registry().with(layer(filter, format)?);
    tracing::subscriber::set_global_default(subscriber).map_err(|_| LoggingError::AlreadySet)?;
    log_panics();
    Ok(())
}

/// The layer that [`init`] uses, for a subscriber with other layers.
pub fn layer<S>(filter: &str, format: Format) -> Result<impl Layer<S> + use<S>, LoggingError>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let filter = parse_filter(filter)?;
    let stderr = std::io::stderr().as_fd().try_clone_to_owned();
    let stderr = stderr.map_err(|error| LoggingError::NoStream(error.to_string()))?;
    let stream =
        STREAM.get_or_init(|| LogStream::new(stderr, move |count| loss_line(format, count)));
    Ok(layer_to(filter, format, || stream.clone()))
}

/// Like [`layer`], but writes to `writer`, with one `write_all` per line.
pub fn layer_to<S, W, O>(filter: Targets, format: Format, writer: W) -> impl Layer<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: Fn() -> O + 'static,
    O: Write,
{
    Lines { format, writer }.with_filter(LineFilter::new(filter))
}

/// Installs a panic hook that logs panics; [`init`] does so too.
pub fn log_panics() {
    std::panic::set_hook(Box::new(log_panic));
}

/// Waits briefly for unwritten lines, while they are being read. Call it at the end of the process.
pub fn flush() {
    if let Some(stream) = STREAM.get() {
        stream.flush_within(FLUSH_TIMEOUT);
    }
}

/// Parses a level or directives.
pub fn parse_filter(text: &str) -> Result<Targets, LoggingError> {
    let level = text.trim().to_ascii_lowercase();
    let directives = match level.as_str() {
        "" => "info",
        "critical" | "fatal" => "error",
        "warning" => "warn",
        "notset" | "all" => "trace",
        other => other,
    };
    // Directives keep their case: targets are paths of Rust modules.
    let directives = if directives == level { text.trim() } else { directives };
    let is_word = directives.chars().all(char::is_alphanumeric);
    if is_word && directives.parse::<LevelFilter>().is_err() {
        // A lone word would be parsed as a module name, and silence everything else.
        let reason = "unknown level".to_owned();
        return Err(LoggingError::BadFilter { filter: text.to_owned(), reason });
    }
    // The SDK logs whole requests, but arguments must not be logged at any level.
    format!("{directives},rmcp=off").parse().map_err(|error: ParseError| LoggingError::BadFilter {
        filter: text.to_owned(),
        reason: error.to_string(),
    })
}

fn log_panic(info: &PanicHookInfo<'_>) {
    // A panic's message may quote arguments, so only its location is logged; see `pipeline`.
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    tracing::error!(target: "toolwright::panic", event = "panic", place, "panicked");
}
