//! Log lines: format, fields of a call, and what must never be logged.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use toolwright_runtime::logging::{Format, LoggingError, init, layer_to, parse_filter};
use toolwright_runtime::pipeline::DecodedCall;
use toolwright_runtime::{Call, ErrorKind as _};
use tracing_subscriber::layer::SubscriberExt as _;

use crate::fixture::{
    DemoHandlers, Done, Error, NOTE, Note, SURFACE, block_on, raw, test_services,
};

#[derive(Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// One subscriber at a time: tracing may miss a new one while another thread meets a log line for
/// the first time.
static ALONE: Mutex<()> = Mutex::new(());

fn serial() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn logged(format: Format, work: impl FnOnce()) -> String {
    let _alone = serial();
    let buffer = Buffer::default();
    let writer = buffer.clone();
    let layer = layer_to(parse_filter("info").unwrap(), format, move || writer.clone());
    let subscriber = tracing_subscriber::registry().with(layer);
    tracing::subscriber::with_default(subscriber, work);
    let bytes = buffer.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

fn lines(work: impl FnOnce()) -> Vec<Value> {
    logged(Format::Json, work).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn call_note(demo: &DemoHandlers, arguments: &Value) {
    let (test_services, clock) = test_services();
    let call = Call::new(&NOTE, "req-9", test_services);
    if let Ok(run) = DecodedCall::<Note>::decode(&SURFACE, &call, &raw(arguments)) {
        clock.advance(2);
        block_on(run.handle(demo, ()));
    }
}

fn valid_arguments() -> Value {
    json!({"ns": "topsecret", "section_path": "a"})
}

#[test]
fn a_call_is_one_line() {
    let found = lines(|| call_note(&DemoHandlers::default(), &valid_arguments()));
    assert_eq!(found.len(), 1);
    let mut line = found[0].clone();
    let time = line["timestamp"].take();
    let time = time.as_str().unwrap();
    assert!(time.len() == "2026-01-01T00:00:00.000000Z".len() && time.ends_with('Z'), "{time}");
    assert_eq!(
        line,
        json!({
            "timestamp": null, "level": "INFO", "logger": "toolwright::call", "message": "call",
            "event": "tool.call",
            "context": {"tool": "demo.note", "outcome": "ok", "duration_us": 2000, "request_id": "req-9"},
        })
    );
}

#[test]
fn members_have_a_fixed_order() {
    let text = logged(Format::Json, || call_note(&DemoHandlers::default(), &valid_arguments()));
    let top = ["timestamp", "level", "logger", "message", "event", "context"];
    let order: Vec<usize> = top
        .iter()
        .chain(&["duration_us", "outcome", "request_id", "tool"])
        .map(|name| text.find(&format!("\"{name}\":")).unwrap())
        .collect();
    assert!(order.is_sorted(), "{text}");
}

#[test]
fn failures_are_logged_by_kind_and_arguments_never() {
    let fails: [fn() -> DemoHandlers; 4] = [
        DemoHandlers::default,
        || DemoHandlers {
            note: Box::new(|_, _| Err(Error::NotFound.because("x"))),
            ..DemoHandlers::default()
        },
        || DemoHandlers {
            note: Box::new(|_, _| Err(Error::NotFound.because("x").internal("disk\non fire"))),
            ..DemoHandlers::default()
        },
        || DemoHandlers { note: Box::new(|_, _| panic!("boom")), ..DemoHandlers::default() },
    ];
    let mut seen = Vec::new();
    for demo in fails {
        let found = lines(|| call_note(&demo(), &valid_arguments()));
        assert_eq!(found.len(), 1);
        assert!(!found[0].to_string().contains("topsecret"));
        let context = &found[0]["context"];
        seen.push((
            found[0]["level"].clone(),
            context["outcome"].clone(),
            context["cause"].clone(),
        ));
    }
    assert_eq!(
        json!(seen),
        json!([
            ["INFO", "ok", null],
            ["INFO", "not_found", null],
            ["WARN", "not_found", "disk\non fire"],
            ["ERROR", "internal", "panicked: boom"],
        ])
    );
    let found = lines(|| call_note(&DemoHandlers::default(), &json!({"ns": "topsecret!"})));
    assert_eq!(found[0]["context"]["outcome"], "invalid_arguments");
    assert!(!found[0].to_string().contains("topsecret"));
}

#[test]
fn an_answer_over_its_budget_is_reported() {
    let demo = DemoHandlers {
        note: Box::new(|_, _| Ok(Done { said: "x".repeat(20_000), count: 0 })),
        ..DemoHandlers::default()
    };
    let found = lines(|| call_note(&demo, &valid_arguments()));
    assert_eq!(found[0]["event"], "tool.over_budget");
    assert_eq!(found[0]["context"], json!({"tool": "demo.note", "tokens": 5006, "limit": 4000}));
}

#[test]
fn line_breaks_are_escaped() {
    let noise = || tracing::warn!(detail = "a\r\nb", "first\nsecond \u{1b}[31m");
    let json = lines(noise);
    assert_eq!(json.len(), 1);
    assert_eq!(json[0]["message"], "first\nsecond \u{1b}[31m");
    let text = logged(Format::Text, noise);
    assert_eq!(text.lines().count(), 1);
    assert!(
        text.contains(r#" WARN  logs::logs: first\nsecond \u{1b}[31m detail="a\r\nb""#),
        "{text}"
    );
}

#[test]
fn control_characters_are_escaped() {
    let sent = "a\u{7f}b\u{9b}2J\u{85}ü";
    let noise = || tracing::warn!(detail = sent, "m");
    assert_eq!(lines(noise)[0]["context"]["detail"], sent);
    for format in [Format::Json, Format::Text] {
        let text = logged(format, noise);
        assert!(!text.trim_end().contains(char::is_control), "{text:?}");
        assert!(text.contains('ü'), "{text:?}");
    }
}

#[test]
fn a_writer_that_fails_does_not_stop_anything() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
    }
    let layer = layer_to(parse_filter("info").unwrap(), Format::Json, || Closed);
    let subscriber = tracing_subscriber::registry().with(layer);
    let _alone = serial();
    tracing::subscriber::with_default(subscriber, || {
        call_note(&DemoHandlers::default(), &valid_arguments())
    });
}

#[test]
fn levels_of_rust_and_python_and_directives_are_parsed() {
    for (text, read) in [
        ("INFO", "rmcp=off,info"),
        ("warning", "rmcp=off,warn"),
        ("CRITICAL", "rmcp=off,error"),
        ("NOTSET", "rmcp=off,trace"),
        ("off", "rmcp=off,off"),
        ("info,toolwright::call=debug", "toolwright::call=debug,rmcp=off,info"),
    ] {
        assert_eq!(parse_filter(text).unwrap().to_string(), read, "{text}");
    }
    for bad in ["loud", "info,x=loud"] {
        assert!(matches!(parse_filter(bad), Err(LoggingError::BadFilter { .. })), "{bad}");
    }
}

/// Runs itself again, because logging is set up once per process.
#[test]
fn a_process_logs_to_stderr_only_and_its_panics_as_lines() {
    const CHILD: &str = "TOOLWRIGHT_TEST_CHILD";
    if std::env::var_os(CHILD).is_some() {
        init("debug", Format::Json).unwrap();
        assert_eq!(init("debug", Format::Json), Err(LoggingError::AlreadySet));
        let demo =
            DemoHandlers { note: Box::new(|_, _| panic!("boom\nbang")), ..DemoHandlers::default() };
        call_note(&demo, &valid_arguments());
        return;
    }
    let name = "logs::a_process_logs_to_stderr_only_and_its_panics_as_lines";
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    assert!(output.status.success());
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(!stdout.contains("toolwright::"), "{stdout}");
    let stderr = String::from_utf8(output.stderr).unwrap();
    let found: Vec<Value> =
        stderr.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let loggers: Vec<&Value> = found.iter().map(|line| &line["logger"]).collect();
    assert_eq!(loggers, ["toolwright::panic", "toolwright::call"]);
    let place = found[0]["context"]["place"].as_str().unwrap();
    assert!(place.contains("logs.rs:"), "{place}");
}
