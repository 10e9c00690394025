//! One token, many callers: exactly one applies.

use std::sync::{Arc, Barrier};

use serde_json::{Value, json};
use toolwright_testing::in_process;

use crate::sandbox::{PROMPT, Sandbox, confirmed};

const CALLS: u64 = 20;

/// Of all envelopes one is an apply and the others are refusals of the token.
fn exactly_one_applied(envelopes: &[Value]) {
    let applied = envelopes.iter().filter(|envelope| envelope["data"]["applied"] == true).count();
    let refused = envelopes
        .iter()
        .filter(|envelope| envelope["errors"][0]["code"] == "E_CONFIRM_TOKEN_MISMATCH")
        .count();
    assert_eq!((applied, refused), (1, envelopes.len() - 1), "{envelopes:?}");
}

#[test]
fn twenty_pipelined_applies_with_one_token_apply_once() {
    let sandbox = Sandbox::new();
    let mut session = sandbox.session();
    let token = session.token(json!({}));
    let arguments = confirmed(json!({}), &token);
    let begin = |_| session.stdio.begin_call("deploy_apply", &arguments);
    let calls: Vec<u64> = (0..CALLS).map(begin).collect();
    let envelopes: Vec<Value> = calls.into_iter().map(|id| session.stdio.reply(id).body).collect();
    exactly_one_applied(&envelopes);
    assert_eq!(session.data("status", json!({}))["drift"], json!([]));
    assert_eq!(snapshots(&sandbox), 1);
}

#[test]
fn twenty_threads_with_one_token_apply_once() {
    let sandbox = Sandbox::new();
    let surface = agentpack::surface(sandbox.environment());
    let call = |tool: &str, arguments: &Value| in_process::call(&surface, tool, arguments).body;
    let reviewed = call("deploy", &json!({}));
    let token = reviewed["data"]["confirm_token"].as_str().expect("a token");
    let arguments = confirmed(json!({}), token);
    let start = Barrier::new(CALLS as usize);
    let envelopes: Vec<Value> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..CALLS)
            .map(|_| {
                scope.spawn(|| {
                    start.wait();
                    call("deploy_apply", &arguments)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    exactly_one_applied(&envelopes);
    assert_eq!(snapshots(&sandbox), 1);
}

#[test]
fn two_servers_that_reviewed_the_same_plan_apply_it_once() {
    let sandbox = Sandbox::new();
    let outcomes: Vec<Value> = std::thread::scope(|scope| {
        let start = Arc::new(Barrier::new(2));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let (sandbox, start) = (&sandbox, Arc::clone(&start));
                scope.spawn(move || {
                    let mut session = sandbox.session();
                    let token = session.token(json!({}));
                    start.wait();
                    loop {
                        let reply = session.call("deploy_apply", confirmed(json!({}), &token)).body;
                        // On a slow disk the other may take longer than it is waited for.
                        if reply["errors"][0]["code"] != "E_LOCK_HELD" {
                            break reply;
                        }
                    }
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    exactly_one_applied(&outcomes);
    assert!(sandbox.exists(PROMPT));
    assert_eq!(snapshots(&sandbox), 1);
}

fn snapshots(sandbox: &Sandbox) -> usize {
    let folder = sandbox.path("home/.agentpack/state/snapshots");
    let names = std::fs::read_dir(folder).expect("snapshots").flatten();
    names.filter(|entry| entry.path().extension().is_some_and(|kind| kind == "json")).count()
}
