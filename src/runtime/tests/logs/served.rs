//! A server in its own process, whose calls log from every place where a call can log.
//!
//! The test binary starts itself with the one ignored test below, which serves.

use std::fmt::Debug;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::sync::{Arc, mpsc};

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::sync::Barrier;
use toolwright_runtime::contract::SurfaceInfo;
use toolwright_runtime::dispatch::OutcomeFuture;
use toolwright_runtime::guard::{self, Bind};
use toolwright_runtime::logging::{self, Format};
use toolwright_runtime::pipeline::DecodedCall;
use toolwright_runtime::server::{ServeOptions, run_stdio};
use toolwright_runtime::{Call, Dispatch, Outcome, spawn_blocking};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

use crate::fixture::{DemoHandlers, Done, Note, NoteRequest, Policy, SURFACE, test_services};

const LEVEL: &str = "TOOLWRIGHT_TEST_LEVEL";
const RECORDER: &str = "TOOLWRIGHT_TEST_RECORDER";

/// Serves `demo.note`; `ns` says how the handler logs, `section_path` is logged as `who`.
struct LoggingSurface {
    demo: DemoHandlers,
    meeting: Barrier,
}

fn log_everything(request: &NoteRequest) {
    let who = request.section_path.clone();
    match request.ns.as_str() {
        "blocking" => {
            let (done, waited) = mpsc::channel();
            spawn_blocking(move || {
                tracing::info!(who, "from a blocking thread");
                done.send(()).unwrap();
            });
            waited.recv().unwrap();
        }
        "own" => tracing::info!(who, request_id = "its own", "an id of its own"),
        "inner" => {
            let span = tracing::info_span!("inner", secret = "topsecret", tool = "topsecret");
            span.in_scope(|| tracing::info!(who, "within another span"));
        }
        "panics" => panic!("boom"),
        "warns" => tracing::warn!(who, "warned"),
        _ => tracing::info!(who, "handled"),
    }
}

impl LoggingSurface {
    fn new() -> Self {
        let demo = DemoHandlers {
            note: Box::new(|_, request| {
                log_everything(&request);
                Ok(Done { said: String::new(), count: 0 })
            }),
            policy: Box::new(|_, params| {
                tracing::info!(who = params.text, "guarded");
                Ok(())
            }),
            ..DemoHandlers::default()
        };
        Self { demo, meeting: Barrier::new(2) }
    }

    async fn run(&self, call: &Call, arguments: &RawValue) -> Outcome {
        let mut run = match DecodedCall::<Note>::decode(&SURFACE, call, arguments) {
            Ok(run) => run,
            Err(outcome) => return outcome,
        };
        let binds =
            [("action", Bind::Literal("\"talk\"")), ("text", Bind::Argument("section_path"))];
        if let Err(refusal) = guard::own::<Policy, _, _>(&mut run, &self.demo, &binds).await {
            return run.refused(refusal);
        }
        if run.request().ns == "meets" {
            // Both calls are under way before either goes on.
            self.meeting.wait().await;
        }
        run.handle(&self.demo, ()).await
    }
}

impl Dispatch for LoggingSurface {
    fn info(&self) -> &'static SurfaceInfo {
        &SURFACE
    }

    fn dispatch<'a>(
        &'a self,
        _: usize,
        call: &'a Call,
        arguments: &'a RawValue,
    ) -> OutcomeFuture<'a> {
        Box::pin(self.run(call, arguments))
    }
}

/// A layer as somebody else would add it: tells on stderr what it sees.
struct Recorder;

impl<S: Subscriber> Layer<S> for Recorder {
    fn on_new_span(&self, attributes: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
        let mut seen = EventFields::default();
        attributes.record(&mut seen);
        eprintln!("{}", json!({"span": attributes.metadata().name(), "fields": seen.0}));
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut seen = EventFields::default();
        event.record(&mut seen);
        eprintln!("{}", json!({"logger": event.metadata().target(), "fields": seen.0}));
    }
}

#[derive(Default)]
struct EventFields(Map<String, Value>);

impl Visit for EventFields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}").into());
    }
}

#[test]
#[ignore = "serves for the other tests"]
fn serve() {
    let level = std::env::var(LEVEL).unwrap();
    if std::env::var_os(RECORDER).is_some() {
        let lines = logging::layer(&level, Format::Json).unwrap();
        let subscriber = tracing_subscriber::registry().with(lines).with(Recorder);
        tracing::subscriber::set_global_default(subscriber).unwrap();
    } else {
        logging::init(&level, Format::Json).unwrap();
    }
    let status =
        run_stdio(Arc::new(LoggingSurface::new()), test_services().0, ServeOptions::default());
    logging::flush();
    std::process::exit(status.into());
}

/// What is logged while the server answers these calls, each by its id and its `ns`. They are sent
/// at once.
pub(crate) fn logged(level: &str, calls: &[(Value, &str)]) -> Vec<Value> {
    session(level, false, calls)
}

/// The same, with what a second layer saw.
pub(crate) fn recorded(level: &str, calls: &[(Value, &str)]) -> Vec<Value> {
    session(level, true, calls)
}

fn session(level: &str, recorder: bool, calls: &[(Value, &str)]) -> Vec<Value> {
    let mut command = Command::new(std::env::current_exe().unwrap());
    // With one thread the harness would write its own words into the server's first line.
    command.args(["--exact", "served::serve", "--ignored", "--nocapture", "--test-threads=2"]);
    if recorder {
        command.env(RECORDER, "1");
    }
    let piped = command.env(LEVEL, level).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = piped.stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"}});
    let mut messages = vec![
        json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    ];
    messages.extend(calls.iter().map(|(id, ns)| {
        let who = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
        let params = json!({"name": "demo.note", "arguments": {"ns": ns, "section_path": who}});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    }));
    for message in &messages {
        writeln!(input, "{message}").unwrap();
    }
    // The test harness says a few words before the server does.
    let answers = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap)
        .filter(|line| line.starts_with('{'))
        .take(calls.len() + 1);
    assert_eq!(answers.count(), calls.len() + 1);
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stderr).unwrap();
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}
