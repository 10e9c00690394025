//! The door between a transport and a surface: a tool's index and raw arguments in, an outcome out.

use std::pin::Pin;
use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::call::Call;
use crate::contract::SurfaceInfo;

/// A surface as the server sees it. Generated code implements it for `Surface<H>`.
pub trait Dispatch: Send + Sync + 'static {
    /// The contract.
    fn info(&self) -> &'static SurfaceInfo;

    /// Runs tool number `tool` of [`SurfaceInfo::tools`]. `arguments` may be any JSON text.
    fn dispatch<'a>(
        &'a self,
        tool: usize,
        call: &'a Call,
        arguments: &'a RawValue,
    ) -> OutcomeFuture<'a>;

    /// Whether calls can be served now, for whoever decides where to send them: a store that can
    /// be reached, for instance. The error says why not, for the log.
    fn ready(&self) -> ReadyFuture<'_> {
        Box::pin(std::future::ready(Ok(())))
    }
}

/// What [`Dispatch::ready`] returns.
pub type ReadyFuture<'a> = Pin<Box<dyn Future<Output = Result<(), String>> + Send + 'a>>;

/// The surface, with a check of its own behind [`Dispatch::ready`].
pub fn with_readiness<C>(surface: Arc<dyn Dispatch>, check: C) -> Arc<dyn Dispatch>
where
    C: Fn() -> ReadyFuture<'static> + Send + Sync + 'static,
{
    Arc::new(Checked { surface, check })
}

struct Checked<C> {
    surface: Arc<dyn Dispatch>,
    check: C,
}

impl<C> Dispatch for Checked<C>
where
    C: Fn() -> ReadyFuture<'static> + Send + Sync + 'static,
{
    fn info(&self) -> &'static SurfaceInfo {
        self.surface.info()
    }

    fn dispatch<'a>(
        &'a self,
        tool: usize,
        call: &'a Call,
        arguments: &'a RawValue,
    ) -> OutcomeFuture<'a> {
        self.surface.dispatch(tool, call, arguments)
    }

    fn ready(&self) -> ReadyFuture<'_> {
        (self.check)()
    }
}

/// What [`Dispatch::dispatch`] returns.
pub type OutcomeFuture<'a> = Pin<Box<dyn Future<Output = Outcome> + Send + 'a>>;

/// How a call ended.
#[derive(Debug)]
pub enum Outcome {
    /// A tool result, success or failure.
    Answer(Answer),
    /// A JSON-RPC error, for codes that the contract declares as such.
    Protocol(ProtocolError),
    /// The person must be asked first; the client repeats the call with the answers.
    NeedsInput(crate::ask::InputRequest),
}

/// A rendered envelope.
#[derive(Debug)]
pub struct Answer {
    /// Compact JSON; the text block and the structured content are both this.
    pub body: String,
    /// The envelope is a failure.
    pub is_error: bool,
    /// Kind of the failure, for the log.
    pub kind: Option<&'static str>,
    /// Exit status of the command-line twin.
    pub exit: u8,
    /// The result's `_meta`.
    pub meta: Map<String, Value>,
}

/// A JSON-RPC error.
#[derive(Debug)]
pub struct ProtocolError {
    /// JSON-RPC code.
    pub code: i32,
    /// What happened and what to do.
    pub message: String,
    /// The failure envelope.
    pub data: Option<Value>,
    /// Kind of the failure, for the log.
    pub kind: &'static str,
    /// Exit status of the command-line twin.
    pub exit: u8,
}
