//! Traces how a rule matched: numbers and names only, never text.

use super::detection::Detection;
use super::rule::{Pack, Scope};
use super::scan::Scanner;
use crate::model::Agent;

/// The result of [`super::Patterns::test`].
#[derive(Debug, Clone, PartialEq)]
pub struct TestReport {
    /// What was found, in the order of the text, and how.
    pub detections: Vec<(Detection, Trace)>,
    /// No anchor was seen anywhere, so that no rule was tried.
    pub quick_rejected: bool,
    /// Ids of the packs whose rules were checked.
    pub packs_tested: Vec<String>,
}

/// How one detection came to be.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// Which rule.
    pub rule_id: String,
    /// Where its anchors and its regex matched, at most [`MAX_SPANS`].
    pub spans: Vec<TraceSpan>,
    /// Names of what was extracted, sorted.
    pub extracted_keys: Vec<String>,
    /// As in the detection.
    pub confidence: f64,
    /// The stages: `agent_gate`, `anchor`, `regex`.
    pub eval_path: Vec<TraceStage>,
    /// There were more spans.
    pub truncated: bool,
    /// Names of extracted values that hold secrets.
    pub redacted_fields: Vec<String>,
}

/// Spans that a trace shows.
pub const MAX_SPANS: usize = 32;
/// How far from its anchor a match may reach, in bytes.
pub const MAX_BYTES: usize = super::scan::REACH;

/// A part of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceSpan {
    /// First byte.
    pub start: usize,
    /// After the last byte.
    pub end: usize,
    /// `anchor` or `regex`.
    pub kind: &'static str,
    /// Captures inside.
    pub capture_keys: Vec<String>,
}

/// A stage of the evaluation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceStage {
    /// Its name.
    pub stage: &'static str,
    /// It let the rule pass.
    pub matched: bool,
    /// How often, where it counts.
    pub hits: Option<usize>,
}

/// Searches for all rules, of both scopes.
pub(super) fn test(
    packs: &[Pack],
    engine: &Scanner,
    text: &str,
    agent: Option<Agent>,
) -> TestReport {
    let detections = engine.scan(text, agent, Scope::All);
    let traced = detections.into_iter().map(|detection| {
        let trace = trace(engine, text, &detection);
        (detection, trace)
    });
    TestReport {
        detections: traced.collect(),
        quick_rejected: engine.rejects(text),
        packs_tested: packs
            .iter()
            .filter(|pack| pack.enabled)
            .map(|pack| pack.id.clone())
            .collect(),
    }
}

fn trace(engine: &Scanner, text: &str, detection: &Detection) -> Trace {
    let by_regex = detection.confidence > 0.9;
    let room = MAX_SPANS - usize::from(by_regex);
    let (places, truncated) = engine.anchors_of(&detection.rule_id, text, detection.span, room);
    let hits = places.len();
    let keys: Vec<String> = detection.extracted.keys().cloned().collect();
    let anchor = |(start, end)| TraceSpan { start, end, kind: "anchor", capture_keys: Vec::new() };
    let mut spans: Vec<TraceSpan> = places.into_iter().map(anchor).collect();
    let mut eval_path = vec![
        TraceStage { stage: "agent_gate", matched: true, hits: None },
        TraceStage { stage: "anchor", matched: hits > 0, hits: Some(hits) },
    ];
    if by_regex {
        let (start, end) = detection.span;
        spans.push(TraceSpan { start, end, kind: "regex", capture_keys: keys.clone() });
        eval_path.push(TraceStage { stage: "regex", matched: true, hits: Some(1) });
    }
    Trace {
        rule_id: detection.rule_id.clone(),
        spans,
        extracted_keys: keys,
        confidence: detection.confidence,
        eval_path,
        truncated,
        redacted_fields: detection.secret_fields(),
    }
}
