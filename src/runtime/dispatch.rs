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

    /// Who verifies the bearer tokens of requests over HTTP, where the surface does so.
    fn authenticator(&self) -> Option<&dyn Authenticate> {
        None
    }
}

/// Verifies bearer tokens before anything of a request is read but its head.
pub trait Authenticate: Send + Sync + 'static {
    /// Lets a request in, or says why not. `None` is a request without a token. Nothing may be
    /// changed here: the request may still be refused.
    ///
    /// What is returned is the surface as it serves this caller: handlers that know by their own
    /// types who calls. It runs the calls of the request, so that no guard has to look up the token
    /// again, and the token itself goes no further.
    fn authenticate<'a>(&'a self, token: Option<&'a str>) -> AuthenticateFuture<'a>;
}

/// What [`Authenticate::authenticate`] returns.
pub type AuthenticateFuture<'a> =
    Pin<Box<dyn Future<Output = Result<Arc<dyn Dispatch>, Rejected>> + Send + 'a>>;

/// Why a request is not let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rejected {
    /// The token is missing, unknown or no longer good. The text is for the client: what is wrong
    /// and what to do, without the token.
    Refused(String),
    /// Nobody can tell at the moment, because a store cannot be reached. The text is for the log.
    Unavailable(String),
}

/// What [`Dispatch::ready`] returns.
pub type ReadyFuture<'a> = Pin<Box<dyn Future<Output = Result<(), String>> + Send + 'a>>;

/// The surface, with a check of its own behind [`Dispatch::ready`].
pub fn with_readiness<C>(surface: Arc<dyn Dispatch>, check: C) -> Arc<dyn Dispatch>
where
    C: Fn() -> ReadyFuture<'static> + Send + Sync + 'static,
{
    Arc::new(SurfaceWithChecks { surface, ready: Some(Box::new(check)), authenticator: None })
}

/// The surface, with somebody behind [`Dispatch::authenticator`].
pub fn with_authentication(
    surface: Arc<dyn Dispatch>,
    authenticator: Arc<dyn Authenticate>,
) -> Arc<dyn Dispatch> {
    Arc::new(SurfaceWithChecks { surface, ready: None, authenticator: Some(authenticator) })
}

/// A surface with checks that generated code does not have; what is not given is the surface's.
struct SurfaceWithChecks {
    surface: Arc<dyn Dispatch>,
    ready: Option<Box<dyn Fn() -> ReadyFuture<'static> + Send + Sync>>,
    authenticator: Option<Arc<dyn Authenticate>>,
}

impl Dispatch for SurfaceWithChecks {
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
        match &self.ready {
            Some(check) => check(),
            None => self.surface.ready(),
        }
    }

    fn authenticator(&self) -> Option<&dyn Authenticate> {
        self.authenticator.as_deref().or_else(|| self.surface.authenticator())
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
