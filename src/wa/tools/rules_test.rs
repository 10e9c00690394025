//! `wa.rules_test`

use std::time::Instant;

use toolwright_runtime::{Call, Handle};

use super::convert;
use crate::engine::Engine;
use crate::generated::{
    MatchTrace, Result, RulesTest, RulesTestRequest, RulesTestResponse, RulesTested, Span,
    TestedDetection, TraceBounds, TraceRedaction, TraceSpan, TraceSpanKind, TraceStage,
};
use crate::patterns::{Detection, MAX_BYTES, MAX_SPANS, Trace};
use crate::{Wa, error};

impl Handle<RulesTest> for Wa {
    async fn handle(&self, _: &Call, request: RulesTestRequest) -> Result<RulesTestResponse> {
        self.run(move |engine| test(engine, &request)).await
    }
}

fn test(engine: &Engine, request: &RulesTestRequest) -> error::Result<RulesTested> {
    let agent = request.agent.as_deref().map(convert::agent_argument).transpose()?;
    let started = Instant::now();
    let tested = engine.patterns().test(&request.text, agent);
    Ok(RulesTested {
        input_length: request.text.len() as u64,
        elapsed_us: u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
        detections: tested
            .detections
            .into_iter()
            .map(|(found, trace)| shown(found, trace))
            .collect(),
        quick_rejected: Some(tested.quick_rejected),
        packs_tested: tested.packs_tested,
    })
}

fn shown(detection: Detection, trace: Trace) -> TestedDetection {
    let detection = detection.redacted();
    TestedDetection {
        rule_id: detection.rule_id,
        event_type: detection.event_type,
        agent_type: Some(convert::agent(detection.agent)),
        severity: convert::severity(detection.severity),
        confidence: detection.confidence,
        extracted: detection.extracted,
        matched_span: Some(Span { start: detection.span.0 as u64, end: detection.span.1 as u64 }),
        match_time_us: None,
        match_trace: Some(traced(trace)),
    }
}

fn traced(trace: Trace) -> MatchTrace {
    let spans = trace.spans.into_iter().map(|span| TraceSpan {
        start: span.start as u64,
        end: span.end as u64,
        kind: convert::convert_enum(span.kind).unwrap_or(TraceSpanKind::Unknown),
        capture_keys: span.capture_keys,
    });
    let stages = trace.eval_path.into_iter().map(|stage| TraceStage {
        stage: stage.stage.to_owned(),
        matched: stage.matched,
        hits: stage.hits.map(|hits| hits as u64),
    });
    MatchTrace {
        rule_id: trace.rule_id,
        spans: spans.collect(),
        extracted_keys: trace.extracted_keys,
        confidence: Some(trace.confidence),
        eval_path: stages.collect(),
        bounds: TraceBounds {
            max_spans: MAX_SPANS as u64,
            max_bytes: MAX_BYTES as u64,
            truncated: trace.truncated,
            truncated_fields: Vec::from_iter(trace.truncated.then(|| "spans".to_owned())),
        },
        redaction: TraceRedaction {
            enabled: true,
            policy: "secrets".to_owned(),
            redacted_fields: trace.redacted_fields,
        },
    }
}
