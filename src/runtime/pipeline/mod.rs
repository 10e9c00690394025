//! The path of one call through a surface: admission, decode, guards, handler, envelope, log line.
//!
//! Generated code creates a [`DecodedCall`] (from an [`UndecodedCall`] where the tool has admission
//! guards, which run before the arguments are read), runs the tool's guards in the order of the spec
//! and ends the call with [`DecodedCall::refused`] or [`DecodedCall::handle`]. A handler cannot be
//! reached in any other way.
//!
//! # Cancellation
//!
//! When the client cancels a call of a read tool, the handler's future is dropped at its next await
//! point. A tool that writes is never dropped half-way: its handler runs to completion, and one that
//! can stop early checks [`Call::is_cancelled`] between its steps. Work that must not be interrupted
//! belongs on a blocking thread.

mod finish;
mod supervise;
mod undecoded;

use std::sync::OnceLock;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::ask::InputRequest;
use crate::call::{Call, Services};
use crate::contract::{Effects, SurfaceInfo};
use crate::decode::{CompiledTool, Decoded};
use crate::dispatch::Outcome;
use crate::error::RawFailure;
use crate::tool::{HandleGuarded, Tool};

pub(crate) use finish::Context;
pub(crate) use supervise::{Supervised, supervise};
pub use undecoded::UndecodedCall;

/// Why a guard rejects a call.
#[derive(Debug)]
pub enum Refusal {
    /// A declared failure.
    Failure(RawFailure),
    /// The user must be asked first.
    NeedsInput(InputRequest),
    /// The client cancelled the call while the guard was waiting.
    Cancelled,
}

impl From<RawFailure> for Refusal {
    fn from(failure: RawFailure) -> Self {
        Self::Failure(failure)
    }
}

/// One call of tool `T`, decoded.
pub struct DecodedCall<'a, T: Tool> {
    context: Context<'a>,
    compiled: &'static CompiledTool,
    request: T::Request,
    /// Boxed to keep the call's future small: most tools have no guard.
    guarded: Option<Box<GuardState>>,
}

/// State that guards read and write.
#[derive(Default)]
struct GuardState {
    value: Value,
    filled: OnceLock<Value>,
    pending: Option<RawFailure>,
}

impl<'a, T: Tool> DecodedCall<'a, T> {
    /// Reads and validates the arguments. On failure, returns the outcome to send.
    pub fn decode(
        surface: &'static SurfaceInfo,
        call: &'a Call,
        arguments: &RawValue,
    ) -> Result<Self, Outcome> {
        UndecodedCall::new(surface, call).decode(arguments)
    }

    fn read(context: Context<'a>, arguments: &RawValue) -> Result<Self, Outcome> {
        let Decoded { value, request, .. } = context.read::<T::Request>(arguments)?;
        let compiled = match T::compiled().get() {
            Ok(compiled) => compiled,
            Err(defect) => return Err(context.defect(&defect.message)),
        };
        let guarded = value.map(|value| Box::new(GuardState { value, ..GuardState::default() }));
        Ok(Self { context, compiled, request, guarded })
    }

    /// The call.
    pub fn call(&self) -> &'a Call {
        self.context.call
    }

    /// The surface.
    pub fn surface(&self) -> &'static SurfaceInfo {
        self.context.surface
    }

    /// The arguments under their canonical names, with top-level defaults of the schema filled in.
    /// For guards: a tool without guards keeps only its typed request.
    pub fn arguments(&self) -> &Value {
        let Some(guarded) = self.guarded.as_deref() else { return &Value::Null };
        let complete = self.compiled.defaults.keys().all(|name| guarded.value.get(name).is_some());
        if complete {
            return &guarded.value;
        }
        guarded.filled.get_or_init(|| {
            let mut value = guarded.value.clone();
            if let Value::Object(members) = &mut value {
                for (name, default) in &self.compiled.defaults {
                    members.entry(name).or_insert_with(|| default.clone());
                }
            }
            value
        })
    }

    /// One argument, or its default. For guards; see [`DecodedCall::arguments`].
    pub fn argument(&self, name: &str) -> Option<&Value> {
        self.sent(name).or_else(|| self.compiled.defaults.get(name))
    }

    /// One argument as the caller sent it. Consent is read only from here: a default is not
    /// consent.
    pub fn sent(&self, name: &str) -> Option<&Value> {
        self.guarded.as_deref()?.value.get(name)
    }

    /// The caller sent `true` for `name`.
    pub fn sent_true(&self, name: &str) -> bool {
        self.sent(name) == Some(&Value::Bool(true))
    }

    /// The typed request.
    pub fn request(&self) -> &T::Request {
        &self.request
    }

    /// A failure of the `internal` kind. The cause goes only to the log.
    pub fn internal(&self, cause: impl Into<String>) -> RawFailure {
        self.context.internal(cause.into())
    }

    /// Runs the handler as a rehearsal and answers with `refusal` and the rehearsal's answer.
    pub(crate) fn rehearse(&mut self, refusal: RawFailure) {
        self.context.call.rehearse();
        // Report the first guard that refused.
        self.guarded.get_or_insert_default().pending.get_or_insert(refusal);
    }

    /// Ends the call without reaching the handler.
    pub fn refused(self, refusal: Refusal) -> Outcome {
        self.context.refused(refusal)
    }

    /// Runs the handler with the results of the guards and renders its answer.
    pub async fn handle<P, H>(self, handlers: &H, passed: P) -> Outcome
    where
        P: Send,
        H: HandleGuarded<T, P>,
    {
        let Self { context, request, guarded, .. } = self;
        let pending = guarded.and_then(|guarded| guarded.pending).map(Box::new);
        let call = context.call;
        call.enter_handler();
        let stoppable = T::INFO.effects == Effects::Read;
        let work = async move { handlers.handle(call, request, passed).await };
        match supervise(call, stoppable, work).await {
            Supervised::Done(Ok(response)) => match pending {
                None => context.succeed(&response),
                Some(refusal) => context.rehearsed(*refusal, &response),
            },
            Supervised::Done(Err(failure)) => context.fail(failure.erase()),
            Supervised::Panicked(cause) => context.fail(context.internal(cause)),
            Supervised::Cancelled => context.cancelled(),
        }
    }
}

/// The answer to a tool index that is not in the contract.
pub async fn no_such_tool(surface: &'static SurfaceInfo, call: &Call) -> Outcome {
    let answered = (call.clock(), call.version(), call.id());
    finish::unknown_tool(surface, answered, call.tool().canonical, false)
}

/// The answer to a tool name that is not in the contract: the surface's own code if it declares one,
/// otherwise JSON-RPC −32602. A client that knows tools by their `portable` names is suggested one.
pub fn unknown_tool(
    surface: &'static SurfaceInfo,
    services: &Services,
    request_id: &str,
    name: &str,
    portable: bool,
) -> Outcome {
    let answered = (&*services.clock, services.version, request_id);
    finish::unknown_tool(surface, answered, name, portable)
}

/// The answer to a tool of the contract that this server's user left out: as for an unknown one, but
/// naming the flags that leave it out.
pub fn left_out_tool(
    surface: &'static SurfaceInfo,
    services: &Services,
    request_id: &str,
    name: &str,
    flags: &str,
) -> Outcome {
    let answered = (&*services.clock, services.version, request_id);
    finish::left_out_tool(surface, answered, name, flags)
}
