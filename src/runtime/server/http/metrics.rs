//! The server's metrics, in the Prometheus text format.
//!
//! Labels come from the contract and from fixed lists, never from clients.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::contract::SurfaceInfo;

/// Upper bounds of the duration histogram, in microseconds and as label text.
const BUCKETS: [(u64, &str); 11] = [
    (500, "0.0005"),
    (1_000, "0.001"),
    (5_000, "0.005"),
    (10_000, "0.01"),
    (50_000, "0.05"),
    (100_000, "0.1"),
    (500_000, "0.5"),
    (1_000_000, "1"),
    (5_000_000, "5"),
    (30_000_000, "30"),
    (120_000_000, "120"),
];

/// Why a request was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    Busy,
    BadToken,
    Crowded,
    Displaced,
    Host,
    Malformed,
    Method,
    NoToken,
    Origin,
    Path,
    SlowBody,
    SlowHead,
    SlowRead,
    Stopping,
    Streams,
    Timeout,
    TooLarge,
    TooOften,
    Unverified,
}

impl Reason {
    const ALL: [Self; 19] = [
        Self::Busy,
        Self::BadToken,
        Self::Crowded,
        Self::Displaced,
        Self::Host,
        Self::Malformed,
        Self::Method,
        Self::NoToken,
        Self::Origin,
        Self::Path,
        Self::SlowBody,
        Self::SlowHead,
        Self::SlowRead,
        Self::Stopping,
        Self::Streams,
        Self::Timeout,
        Self::TooLarge,
        Self::TooOften,
        Self::Unverified,
    ];

    /// Name in labels and logs.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Busy => "busy",
            Self::BadToken => "bad_token",
            Self::Crowded => "crowded",
            Self::Displaced => "displaced",
            Self::Host => "host",
            Self::Malformed => "malformed",
            Self::Method => "method",
            Self::NoToken => "no_token",
            Self::Origin => "origin",
            Self::Path => "path",
            Self::SlowBody => "slow_body",
            Self::SlowHead => "slow_head",
            Self::SlowRead => "slow_read",
            Self::Stopping => "stopping",
            Self::Streams => "streams",
            Self::Timeout => "timeout",
            Self::TooLarge => "too_large",
            Self::TooOften => "too_often",
            Self::Unverified => "unverified",
        }
    }
}

/// Increments a gauge while it is alive.
pub(super) struct GaugeGuard<'a>(&'a AtomicU64);

impl<'a> GaugeGuard<'a> {
    pub(super) fn new(gauge: &'a AtomicU64) -> Self {
        gauge.fetch_add(1, Ordering::Relaxed);
        Self(gauge)
    }
}

impl Drop for GaugeGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The metrics of one server.
pub(super) struct Metrics {
    info: &'static SurfaceInfo,
    tools: Mutex<BTreeMap<usize, ToolStats>>,
    rejected: [AtomicU64; Reason::ALL.len()],
    responses: Mutex<BTreeMap<u16, u64>>,
    pub(super) in_flight: AtomicU64,
    pub(super) waiting: Arc<AtomicU64>,
    pub(super) connections: AtomicU64,
}

/// Finished calls of one tool.
#[derive(Default)]
struct ToolStats {
    outcomes: BTreeMap<&'static str, u64>,
    buckets: [u64; BUCKETS.len()],
    micros: u64,
    count: u64,
    invalid: u64,
}

impl Metrics {
    pub(super) fn new(info: &'static SurfaceInfo) -> Self {
        Self {
            info,
            tools: Mutex::default(),
            rejected: Default::default(),
            responses: Mutex::default(),
            in_flight: AtomicU64::new(0),
            waiting: Arc::default(),
            connections: AtomicU64::new(0),
        }
    }

    /// Records a finished call.
    pub(super) fn finished(&self, tool: usize, outcome: &'static str, micros: u64) {
        let mut tools = lock(&self.tools);
        let finished = tools.entry(tool).or_default();
        *finished.outcomes.entry(outcome).or_default() += 1;
        for (count, (bound, _)) in finished.buckets.iter_mut().zip(BUCKETS) {
            *count += u64::from(micros <= bound);
        }
        finished.micros = finished.micros.saturating_add(micros);
        finished.count += 1;
    }

    /// Records an answer that does not match its output schema.
    pub(super) fn invalid_answer(&self, tool: usize) {
        lock(&self.tools).entry(tool).or_default().invalid += 1;
    }

    /// Records a rejected request.
    pub(super) fn rejected(&self, reason: Reason) {
        self.rejected[reason as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// Records a response.
    pub(super) fn responded(&self, status: u16) {
        *lock(&self.responses).entry(status).or_default() += 1;
    }

    /// Renders all metrics.
    pub(super) fn render(&self) -> String {
        let mut page = Page { text: String::with_capacity(4096), surface: self.info.name };
        page.family("calls_total", "counter", "Finished calls by tool and outcome.");
        for (tool, finished) in lock(&self.tools).iter() {
            for (outcome, count) in &finished.outcomes {
                page.line(
                    "calls_total",
                    &[("tool", self.tool(*tool)), ("outcome", outcome)],
                    count,
                );
            }
        }
        let help = "Answers that do not match their output schema, by tool.";
        page.family("invalid_answers_total", "counter", help);
        for (tool, finished) in lock(&self.tools).iter().filter(|(_, stats)| stats.invalid > 0) {
            page.line("invalid_answers_total", &[("tool", self.tool(*tool))], &finished.invalid);
        }
        self.render_durations(&mut page);
        let gauges = [
            ("calls_in_flight", "Calls in progress.", &self.in_flight),
            ("calls_waiting", "Calls in the queue.", &self.waiting),
            ("http_connections", "Open connections.", &self.connections),
        ];
        for (name, help, gauge) in gauges {
            page.family(name, "gauge", help);
            page.line(name, &[], &gauge.load(Ordering::Relaxed));
        }
        page.family("http_rejected_total", "counter", "Rejected requests by reason.");
        for reason in Reason::ALL {
            let count = self.rejected[reason as usize].load(Ordering::Relaxed);
            page.line("http_rejected_total", &[("reason", reason.as_str())], &count);
        }
        page.family("http_responses_total", "counter", "Responses by status.");
        for (status, count) in lock(&self.responses).iter() {
            page.line("http_responses_total", &[("code", &status.to_string())], count);
        }
        page.text
    }

    fn render_durations(&self, page: &mut Page) {
        page.family("call_duration_seconds", "histogram", "Duration of calls by tool.");
        for (tool, finished) in lock(&self.tools).iter() {
            let tool = ("tool", self.tool(*tool));
            for (count, (_, bound)) in finished.buckets.iter().zip(BUCKETS) {
                page.line("call_duration_seconds_bucket", &[tool, ("le", bound)], count);
            }
            page.line("call_duration_seconds_bucket", &[tool, ("le", "+Inf")], &finished.count);
            let seconds = std::time::Duration::from_micros(finished.micros).as_secs_f64();
            page.line("call_duration_seconds_sum", &[tool], &seconds);
            page.line("call_duration_seconds_count", &[tool], &finished.count);
        }
    }

    fn tool(&self, index: usize) -> &'static str {
        self.info.tools.get(index).map_or("", |tool| tool.canonical)
    }
}

struct Page {
    text: String,
    surface: &'static str,
}

impl Page {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.text, "# HELP toolwright_{name} {help}");
        let _ = writeln!(self.text, "# TYPE toolwright_{name} {kind}");
    }

    fn line(&mut self, name: &str, labels: &[(&str, &str)], value: &dyn std::fmt::Display) {
        let _ = write!(self.text, "toolwright_{name}{{surface=\"{}\"", self.surface);
        for (label, text) in labels {
            let _ = write!(self.text, ",{label}=\"{text}\"");
        }
        let _ = writeln!(self.text, "}} {value}");
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_its_own_place() {
        for (index, reason) in Reason::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, index, "{}", reason.as_str());
        }
    }

    #[test]
    fn buckets_are_spelled_as_they_are() {
        for (micros, text) in BUCKETS {
            assert_eq!(text.parse::<f64>().unwrap() * 1e6, micros as f64, "{text}");
        }
        assert!(BUCKETS.is_sorted());
    }
}
