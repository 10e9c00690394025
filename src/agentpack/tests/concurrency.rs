//! One token, many callers: exactly one applies.

use std::sync::{Arc, Barrier};

use agentpack::generated::SURFACE;
use serde_json::{Value, json};
use toolwright_runtime::clock::{SystemClock, SystemIds};
use toolwright_runtime::{Call, Dispatch, Outcome, Services};

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
    for id in 0..CALLS {
        let call = json!({"jsonrpc": "2.0", "id": 1000 + id, "method": "tools/call",
            "params": {"name": "deploy_apply", "arguments": arguments}});
        session.client.send(&call).expect("the server reads");
    }
    let envelopes: Vec<Value> = (0..CALLS)
        .map(|_| {
            let message = session.client.receive().expect("an answer");
            message["result"]["structuredContent"].clone()
        })
        .collect();
    exactly_one_applied(&envelopes);
    assert_eq!(session.data("status", json!({}))["drift"], json!([]));
    assert_eq!(snapshots(&sandbox), 1);
}

#[test]
fn twenty_threads_with_one_token_apply_once() {
    let sandbox = Sandbox::new();
    let surface = Arc::new(agentpack::surface(sandbox.environment()));
    let services = Services {
        clock: Arc::new(SystemClock::default()),
        ids: Arc::new(SystemIds),
        version: "0.0.0",
    };
    let call = |tool: &str, arguments: Value| {
        let index = SURFACE.tools.iter().position(|info| info.name == tool).expect("a tool");
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let call = Call::new(SURFACE.tools[index], "test", services.clone());
        let raw = serde_json::value::to_raw_value(&arguments).expect("JSON");
        match runtime.block_on(surface.dispatch(index, &call, &raw)) {
            Outcome::Answer(answer) => serde_json::from_str::<Value>(&answer.body).expect("JSON"),
            other => panic!("{other:?}"),
        }
    };
    let reviewed = call("deploy", json!({}));
    let token = reviewed["data"]["confirm_token"].as_str().expect("a token");
    let arguments = confirmed(json!({}), token);
    let start = Barrier::new(CALLS as usize);
    let envelopes: Vec<Value> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..CALLS)
            .map(|_| {
                scope.spawn(|| {
                    start.wait();
                    call("deploy_apply", arguments.clone())
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
