//! Runs a call: from a [`RawCall`] to an outcome, for every transport, tool and protocol revision.
//!
//! [`RawCall::start`] polls the call once in place, so that a call that does not wait needs no task.
//! Otherwise it returns a [`ToolInvocation`], which the transport spawns as a task. Writing the
//! answer is up to the transport.

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;

use super::answer::ResponseHead;
use super::elicitation::{RetryAsker, SessionAsker};
use super::host::Host;
use super::raw_call::RawCall;
use super::resources::percent_decode;
use super::session::{Handshake, Session};
use crate::ask::AskPolicy;
use crate::call::{Call, Client, ProgressSink};
use crate::dispatch::Outcome;

/// How long a client may take to list its roots.
const ROOTS_TIMEOUT: Duration = Duration::from_secs(2);

/// The state of a call after its first poll.
pub(super) enum Started {
    Done(ResponseHead, Outcome),
    Waiting(ResponseHead, ToolInvocation),
}

/// A running call.
pub(super) struct ToolInvocation {
    /// Must be polled to completion even when it is cancelled: a tool that writes is not interrupted.
    pub(super) outcome: RunningCall,
    /// Cancel it when the answer is no longer wanted.
    pub(super) cancel: CancellationToken,
}

type RunningCall = Pin<Box<dyn Future<Output = Outcome> + Send>>;

impl RawCall {
    /// Runs the call until it first waits. `session` is the connection, if the client can answer
    /// requests while the call runs; `progress` receives progress reports.
    pub(super) fn start(
        self,
        host: &Arc<Host>,
        session: Option<&Arc<Session>>,
        progress: Option<Arc<dyn ProgressSink>>,
    ) -> Started {
        let Self { head, tool, arguments, mut caller, input_responses, request_state } = self;
        caller.can_ask &= host.ask != AskPolicy::Never;
        let id = unquoted_id(&head.id);
        let (index, tool) = match tool {
            Ok(found) => found,
            Err(absent) => {
                let outcome = absent.answer(host, &id, &caller);
                return Started::Done(head, outcome);
            }
        };
        let mut call = Call::new(tool, id, host.services.clone())
            .with_request_meta(caller.meta)
            .with_portable_names((!caller.view.dots).then_some(host.info))
            .validating_output(host.validate_output);
        if let Some(progress) = progress {
            call = call.with_progress(progress);
        }
        if host.ask == AskPolicy::Always {
            call = call.that_must_ask();
        }
        if head.resource.is_some() {
            call = call.that_reads_a_resource();
        }
        let pending = PendingCall { host: host.clone(), index, arguments, head };
        if caller.modern {
            if caller.can_ask {
                let asker = RetryAsker {
                    host: host.clone(),
                    surface: host.surface_of(&caller.client).clone(),
                    responses: input_responses,
                    state: request_state,
                };
                call = call.with_asker(Arc::new(asker));
            }
            return pending.start(call.from_client(caller.client));
        }
        let asks_roots = host.client_roots && caller.has_roots;
        let Some((session, handshake)) = session
            .filter(|_| caller.can_ask || asks_roots)
            .and_then(|session| Some((session, session.handshake()?)))
        else {
            return pending.start(call.from_client(caller.client));
        };
        if caller.can_ask {
            let asker = SessionAsker {
                handshake: handshake.clone(),
                cancelled: call.cancellation(),
                ending: session.ending().clone(),
                timeout: host.ask_timeout,
            };
            call = call.with_asker(Arc::new(asker));
        }
        match asks_roots.then(|| session.roots()) {
            None => pending.start(call.from_client(caller.client)),
            Some(Some(roots)) => pending.start(call.from_client(with_roots(&caller.client, roots))),
            Some(None) => {
                pending.start_after_roots(call, caller.client, session.clone(), handshake)
            }
        }
    }
}

/// A call that is ready to be polled.
struct PendingCall {
    host: Arc<Host>,
    index: usize,
    arguments: Box<RawValue>,
    head: ResponseHead,
}

impl PendingCall {
    fn start(self, call: Call) -> Started {
        let Self { host, index, arguments, head } = self;
        let call = Arc::new(call);
        let called = call.clone();
        let mut outcome: RunningCall =
            Box::pin(async move { host.run(index, &called, &arguments).await });
        // If it is pending, the task that it is spawned in polls it again with a real waker.
        match outcome.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(outcome) => Started::Done(head, outcome),
            Poll::Pending => {
                Started::Waiting(head, ToolInvocation { outcome, cancel: call.cancellation() })
            }
        }
    }

    /// Requests the client's roots first.
    fn start_after_roots(
        self,
        call: Call,
        client: Arc<Client>,
        session: Arc<Session>,
        handshake: Arc<Handshake>,
    ) -> Started {
        let Self { host, index, arguments, head } = self;
        let cancel = call.cancellation();
        let outcome = Box::pin(async move {
            let roots = ask_for_roots(&session, &handshake).await;
            let call = call.from_client(with_roots(&client, roots));
            host.run(index, &call, &arguments).await
        });
        Started::Waiting(head, ToolInvocation { outcome, cancel })
    }
}

fn with_roots(client: &Client, roots: Vec<PathBuf>) -> Arc<Client> {
    Arc::new(Client { roots, ..client.clone() })
}

/// Requests the client's roots, once per session. A client that does not answer in time has none.
#[allow(deprecated, reason = "clients of the handshake revisions still have them")]
async fn ask_for_roots(session: &Session, handshake: &Handshake) -> Vec<PathBuf> {
    let listed = tokio::select! {
        () = session.ending().cancelled() => None,
        listed = tokio::time::timeout(ROOTS_TIMEOUT, handshake.peer.list_roots()) => {
            listed.ok().and_then(Result::ok)
        }
    };
    let roots: Vec<PathBuf> = listed
        .map(|listed| listed.roots)
        .unwrap_or_default()
        .iter()
        .filter_map(|root| root.uri.strip_prefix("file://"))
        .map(|path| PathBuf::from(percent_decode(path)))
        .collect();
    session.set_roots(Some(roots.clone()));
    roots
}

/// The id without its quotes.
fn unquoted_id(id: &str) -> String {
    if id.starts_with('"') { serde_json::from_str(id).unwrap_or_default() } else { id.to_owned() }
}
