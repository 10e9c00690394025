//! Logs: one line per event, on stderr, never on stdout.
//!
//! As JSON an event is `{timestamp, level, logger, message, event?, context?}`: `event` is the
//! field of that name, all other fields are in `context`. What is logged is decided where it is
//! logged; this module only formats. A stderr that nobody reads loses lines, which are counted, and
//! never holds up a call (`stream`).

mod stream;

use std::fmt::{Debug, Write as _};
use std::io::Write;
use std::os::fd::AsFd as _;
use std::panic::PanicHookInfo;
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::filter::{ParseError, Targets};

use stream::LogStream;

/// How long the end of a process waits for lines that are not written yet.
const LAST_LINES: Duration = Duration::from_secs(2);

/// Where `init` sends lines.
static STREAM: OnceLock<LogStream> = OnceLock::new();

/// How a line looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// One JSON object.
    #[default]
    Json,
    /// Time, level, logger, message and `name=value` fields.
    Text,
}

/// Why there are no logs.
#[derive(Debug, PartialEq, Eq)]
pub enum LoggingError {
    /// The filter cannot be read.
    BadFilter {
        /// What was asked for.
        filter: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Logging was set up before.
    AlreadySet,
    /// There is no stderr to write to.
    NoStream(String),
}

impl std::fmt::Display for LoggingError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::BadFilter { filter, reason } => write!(
                f,
                "`{filter}` is no log level (error, warning, info, debug, trace, off) and no filter such as `info,toolwright=debug`: {reason}"
            ),
            Self::AlreadySet => f.write_str("logging was set up before"),
            Self::NoStream(reason) => write!(f, "standard error cannot be used: {reason}"),
        }
    }
}

impl std::error::Error for LoggingError {}

/// Sends the events of this process to stderr, and panics with them.
///
/// `filter` is a level, in the words of Python too (`WARNING`, `CRITICAL`, `NOTSET`), or
/// directives as in `RUST_LOG`, by module: there are no spans to name.
pub fn init(filter: &str, format: Format) -> Result<(), LoggingError> {
    let filter = parse_filter(filter)?;
    let stderr = std::io::stderr().as_fd().try_clone_to_owned();
    let stderr = stderr.map_err(|error| LoggingError::NoStream(error.to_string()))?;
    let stream =
        STREAM.get_or_init(|| LogStream::new(stderr, move |count| loss_line(format, count)));
    let lines = Lines::new(filter, format, || stream.clone());
    tracing::subscriber::set_global_default(lines).map_err(|_| LoggingError::AlreadySet)?;
    std::panic::set_hook(Box::new(log_panic));
    Ok(())
}

/// Waits a moment for lines that are not written yet, if somebody reads them: call it at the end of
/// the process.
pub fn flush() {
    if let Some(stream) = STREAM.get() {
        stream.flush_within(LAST_LINES);
    }
}

/// Reads a level or directives.
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
        // A lone word would be taken for the name of a module, and silence everything else.
        let reason = "there is no such level".to_owned();
        return Err(LoggingError::BadFilter { filter: text.to_owned(), reason });
    }
    // The SDK logs whole requests; arguments belong in no log, whatever the level.
    format!("{directives},rmcp=off").parse().map_err(|error: ParseError| LoggingError::BadFilter {
        filter: text.to_owned(),
        reason: error.to_string(),
    })
}

fn log_panic(info: &PanicHookInfo<'_>) {
    // The text of a panic may quote arguments, so only its place is logged; see `pipeline`.
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    tracing::error!(target: "toolwright::panic", event = "panic", place, "panicked");
}

/// Writes each event as one line. There are no spans, so nothing is kept between events.
pub struct Lines<W> {
    filter: Targets,
    format: Format,
    writer: W,
}

impl<W, S> Lines<W>
where
    W: Fn() -> S,
    S: Write,
{
    /// Writes what passes the filter to what `writer` gives, one `write_all` per line.
    pub fn new(filter: Targets, format: Format, writer: W) -> Self {
        Self { filter, format, writer }
    }
}

impl<W, S> Subscriber for Lines<W>
where
    W: Fn() -> S + 'static,
    S: Write,
{
    fn register_callsite(&self, about: &'static Metadata<'static>) -> Interest {
        if self.enabled(about) { Interest::always() } else { Interest::never() }
    }

    fn enabled(&self, about: &Metadata<'_>) -> bool {
        about.is_event() && self.filter.would_enable(about.target(), about.level())
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        let levels = self.filter.iter().map(|(_, level)| level).chain(self.filter.default_level());
        levels.max()
    }

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let about = event.metadata();
        let line = log_line(self.format, *about.level(), about.target(), fields);
        // A closed stderr is no reason to stop serving.
        let _ = (self.writer)().write_all(line.as_bytes());
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

fn log_line(format: Format, level: Level, target: &str, fields: Fields) -> String {
    let now = jiff::Timestamp::now();
    let mut line = match format {
        Format::Json => json_line(now, level, target, fields),
        Format::Text => text_line(now, level, target, fields),
    };
    line.push('\n');
    line
}

/// Stands in the place of `count` lines that nobody took.
fn loss_line(format: Format, count: u64) -> String {
    let fields = Fields {
        message: "log lines were dropped because standard error was not read".to_owned(),
        event: Some("log.dropped".into()),
        context: Map::from_iter([("lines".to_owned(), count.into())]),
    };
    log_line(format, Level::WARN, "toolwright::logging", fields)
}

fn json_line(now: jiff::Timestamp, level: Level, target: &str, fields: Fields) -> String {
    // Written by hand for the order of members; values are escaped, so there is no line break.
    let mut line = String::with_capacity(256);
    let _ = write!(
        line,
        "{{\"timestamp\":\"{now:.6}\",\"level\":\"{level}\",\"logger\":{}",
        Value::from(target)
    );
    let _ = write!(line, ",\"message\":{}", Value::from(fields.message));
    if let Some(event) = fields.event {
        let _ = write!(line, ",\"event\":{event}");
    }
    if !fields.context.is_empty() {
        let _ = write!(line, ",\"context\":{}", Value::Object(fields.context));
    }
    line.push('}');
    without_controls(line)
}

/// JSON lets delete and the C1 controls stand as they are; a terminal that shows the log obeys them.
fn without_controls(line: String) -> String {
    let is_control = |letter: char| ('\u{7f}'..='\u{9f}').contains(&letter);
    if !line.contains(is_control) {
        return line;
    }
    let mut plain = String::with_capacity(line.len() + 16);
    for letter in line.chars() {
        if is_control(letter) {
            let _ = write!(plain, "\\u{:04x}", u32::from(letter));
        } else {
            plain.push(letter);
        }
    }
    plain
}

fn text_line(now: jiff::Timestamp, level: Level, target: &str, fields: Fields) -> String {
    let mut line = format!("{now:.3} {level:5} {target}: {}", one_line(&fields.message));
    for (name, value) in &fields.context {
        let _ = write!(line, " {name}={}", one_line(&value.to_string()));
    }
    line
}

fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() {
            line.extend(letter.escape_default());
        } else {
            line.push(letter);
        }
    }
    line
}

/// Fields of one event.
#[derive(Default)]
struct Fields {
    message: String,
    event: Option<Value>,
    context: Map<String, Value>,
}

impl Fields {
    fn put(&mut self, field: &Field, value: Value) {
        match field.name() {
            "message" => {
                self.message = value.as_str().map_or_else(|| value.to_string(), str::to_owned)
            }
            "event" => self.event = Some(value),
            name => {
                self.context.insert(name.to_owned(), value);
            }
        }
    }
}

impl Visit for Fields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value.into());
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        self.put(field, value.to_string().into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.put(field, format!("{value:?}").into());
    }
}
