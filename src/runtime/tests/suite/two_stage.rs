//! Tokens over a reviewed plan: single use, expiry, mismatch, concurrency.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use toolwright_runtime::clock::FixedClock;
use toolwright_runtime::guard::{self, Confirmations, TwoStage};
use toolwright_runtime::pipeline::DecodedCall;
use toolwright_runtime::{Call, Outcome, Services};

use crate::fixture::{
    APPLY, Apply, DemoHandlers, EXPIRED, MISMATCH, MISSING, PLAN, SURFACE, assert_send, block_on,
    body, kind, raw, test_services,
};

static GUARD: TwoStage = TwoStage {
    issuer: "plan",
    field: "token",
    missing: &MISSING,
    expired: &EXPIRED,
    mismatch: &MISMATCH,
    hash: Some("plan_hash"),
};

struct TwoStageFixture {
    demo: DemoHandlers,
    confirmations: Confirmations,
    test_services: Services,
    clock: Arc<FixedClock>,
}

impl TwoStageFixture {
    fn new() -> Self {
        let (test_services, clock) = test_services();
        let confirmations = Confirmations::new(&SURFACE, &[("plan", 600)]);
        Self { demo: DemoHandlers::default(), confirmations, test_services, clock }
    }

    fn mint(&self, issuer: &str, plan: &str) -> String {
        let call = Call::new(&PLAN, "1", self.test_services.clone());
        self.confirmations.mint(&call, issuer, format!("hash of {plan}")).token
    }

    async fn apply(&self, arguments: Value) -> Outcome {
        let call = Call::new(&APPLY, "2", self.test_services.clone());
        let mut run = match DecodedCall::<Apply>::decode(&SURFACE, &call, &raw(&arguments)) {
            Ok(run) => run,
            Err(outcome) => return outcome,
        };
        let (demo, table) = (&self.demo, &self.confirmations);
        match guard::two_stage_unless(&mut run, demo, table, &GUARD, "dry_run").await {
            Err(refusal) => run.refused(refusal),
            Ok(plan) => run.handle(demo, plan).await,
        }
    }

    fn kind(&self, arguments: Value) -> Option<&'static str> {
        kind(&block_on(assert_send(self.apply(arguments))))
    }
}

#[test]
fn the_handler_gets_the_plan_that_was_compared() {
    let fixture = TwoStageFixture::new();
    let token = fixture.mint("plan", "plan A");
    let outcome = block_on(fixture.apply(json!({"token": token})));
    assert_eq!(body(&outcome), "plan A");
    assert_eq!(fixture.demo.stages.load(Ordering::SeqCst), 1, "the plan is computed once");
}

#[test]
fn a_token_can_be_redeemed_once() {
    let fixture = TwoStageFixture::new();
    let token = fixture.mint("plan", "plan A");
    assert_eq!(fixture.kind(json!({"token": token})), None);
    assert_eq!(fixture.kind(json!({"token": token})), Some("mismatch"));
}

#[test]
fn without_a_token_nothing_is_computed() {
    let fixture = TwoStageFixture::new();
    for arguments in [json!({}), json!({"token": ""})] {
        assert_eq!(fixture.kind(arguments), Some("missing"));
    }
    assert_eq!(fixture.kind(json!({"token": "made up"})), Some("mismatch"));
    assert_eq!(fixture.demo.stages.load(Ordering::SeqCst), 0);
    let outcome = block_on(fixture.apply(json!({})));
    assert_eq!(body(&outcome)["issuer"], "demo.plan");
}

#[test]
fn the_exception_needs_no_token() {
    assert_eq!(TwoStageFixture::new().kind(json!({"dry_run": true})), None);
}

#[test]
fn a_changed_plan_is_a_mismatch_and_keeps_the_token() {
    let fixture = TwoStageFixture::new();
    let token = fixture.mint("plan", "plan A");
    *fixture.demo.plan.lock().unwrap() = "plan B".to_owned();
    let outcome = block_on(fixture.apply(json!({"token": token})));
    assert_eq!(kind(&outcome), Some("mismatch"));
    assert_eq!(body(&outcome)["plan_hash"], "hash of plan B");
    assert_eq!(body(&outcome)["expected_plan_hash"], "hash of plan A");
    assert_eq!(fixture.demo.call_count(), 0);
    *fixture.demo.plan.lock().unwrap() = "plan A".to_owned();
    assert_eq!(fixture.kind(json!({"token": token})), None);
}

#[test]
fn tokens_expire() {
    let fixture = TwoStageFixture::new();
    let token = fixture.mint("plan", "plan A");
    fixture.clock.advance(599_999);
    let other = fixture.mint("plan", "plan A");
    assert_eq!(fixture.kind(json!({"token": token})), None);
    fixture.clock.advance(600_000);
    assert_eq!(fixture.kind(json!({"token": other})), Some("expired"));
    fixture.clock.advance(600_000);
    fixture.mint("plan", "plan A");
    assert_eq!(fixture.kind(json!({"token": other})), Some("mismatch"), "forgotten in the end");
}

#[test]
fn tokens_are_bound_to_their_issuer_and_surface() {
    let fixture = TwoStageFixture::new();
    let foreign = fixture.mint("other_tool", "plan A");
    assert_eq!(fixture.kind(json!({"token": foreign})), Some("mismatch"));

    let call = Call::new(&PLAN, "1", fixture.test_services.clone());
    let minted = fixture.confirmations.mint(&call, "plan", "hash of plan A");
    assert_eq!(minted.token.len(), 64);
    assert!(!format!("{minted:?}").contains(&minted.token));
    assert_eq!(minted.expires_at.as_millisecond(), 1_700_000_600_000);
}

#[test]
fn outstanding_tokens_are_limited() {
    let fixture = TwoStageFixture::new();
    let first = fixture.mint("plan", "plan A");
    let second = fixture.mint("plan", "plan A");
    for _ in 0..1023 {
        fixture.mint("plan", "plan A");
    }
    assert_eq!(fixture.kind(json!({"token": first})), Some("mismatch"), "the oldest is dropped");
    assert_eq!(fixture.kind(json!({"token": second})), None);
}

#[test]
fn of_concurrent_redemptions_exactly_one_succeeds() {
    let fixture = TwoStageFixture::new();
    for _ in 0..20 {
        let token = fixture.mint("plan", "plan A");
        let passed = AtomicUsize::new(0);
        std::thread::scope(|threads| {
            for _ in 0..16 {
                threads.spawn(|| match fixture.kind(json!({"token": token})) {
                    None => {
                        passed.fetch_add(1, Ordering::SeqCst);
                    }
                    Some(kind) => assert_eq!(kind, "mismatch"),
                });
            }
        });
        assert_eq!(passed.load(Ordering::SeqCst), 1);
    }
    assert_eq!(fixture.demo.call_count(), 20);
}
