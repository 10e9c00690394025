//! The interface between a transport and a surface: takes a tool index and raw arguments, returns an
//! outcome.

use std::pin::Pin;
use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::call::Call;
use crate::contract::SurfaceInfo;
use crate::identity::Caller;
use crate::web_pages::Pages;

/// A surface as the server sees it. Generated code implements it for `Surface<H>`.
pub trait Dispatch: Send + Sync + 'static {
    /// The contract.
    fn info(&self) -> &'static SurfaceInfo;

    /// Runs the tool at index `tool` of [`SurfaceInfo::tools`]. `arguments` may be any JSON text.
    fn dispatch<'a>(
        &'a self,
        tool: usize,
        call: &'a Call,
        arguments: &'a RawValue,
    ) -> OutcomeFuture<'a>;

    /// Readiness check for load balancers, for example that the store can be reached. The error is
    /// logged.
    fn ready(&self) -> ReadyFuture<'_> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// The tools that the caller may call, by their index in [`SurfaceInfo::tools`]: only these are
    /// listed. `None`: all of them, or the caller is not known before the call.
    ///
    /// Over HTTP the surface that is bound to the caller is asked (see [`Authenticate`]), otherwise
    /// the shared one; `caller` is known where the contract has an identity. It is about the list
    /// only; guards decide about calls.
    fn callable<'a>(&'a self, _caller: Option<&'a Caller>) -> CallableFuture<'a> {
        Box::pin(std::future::ready(None))
    }

    /// Uses up an answer that a user gave to a question, until `expires` in epoch milliseconds: `true`
    /// for exactly one caller. A surface whose replicas share a store decides there; each server also
    /// remembers what it used up itself. The error is logged, and the user is asked again.
    fn spend_consent<'a>(&'a self, consent: &'a str, expires: u64) -> ConsentFuture<'a> {
        let _ = (consent, expires);
        Box::pin(std::future::ready(Ok(true)))
    }

    /// Verifies the bearer tokens of HTTP requests, where the surface does so itself.
    fn authenticator(&self) -> Option<&dyn Authenticate> {
        None
    }

    /// Web pages of the surface, which are served over HTTP.
    fn pages(&self) -> Option<&dyn Pages> {
        None
    }
}

/// Verifies bearer tokens, before the body of a request is read.
pub trait Authenticate: Send + Sync + 'static {
    /// Accepts or rejects a request. `None` is a request without a token. Must not change any state:
    /// the request may still be rejected later.
    ///
    /// Returns the surface bound to this caller: its handlers know the caller from their own types.
    /// It runs the calls of the request, so no guard has to look up the token again, and the token
    /// itself is not passed on.
    fn authenticate<'a>(&'a self, token: Option<&'a str>) -> AuthenticateFuture<'a>;
}

/// What [`Authenticate::authenticate`] returns.
pub type AuthenticateFuture<'a> =
    Pin<Box<dyn Future<Output = Result<Arc<dyn Dispatch>, Rejected>> + Send + 'a>>;

/// Why a request is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rejected {
    /// The token is missing, unknown or no longer valid. The text is for the client: what is wrong
    /// and what to do. It must not contain the token.
    Refused(String),
    /// The token cannot be verified at the moment, because a store cannot be reached. The text is for
    /// the log.
    Unavailable(String),
}

/// What [`Dispatch::spend_consent`] returns.
pub type ConsentFuture<'a> = Pin<Box<dyn Future<Output = Result<bool, String>> + Send + 'a>>;

/// What [`Dispatch::ready`] returns.
pub type ReadyFuture<'a> = Pin<Box<dyn Future<Output = Result<(), String>> + Send + 'a>>;

/// What [`Dispatch::callable`] returns.
pub type CallableFuture<'a> = Pin<Box<dyn Future<Output = Option<Vec<usize>>> + Send + 'a>>;

/// Adds a readiness check to a surface; see [`Dispatch::ready`].
pub fn with_readiness<C>(surface: Arc<dyn Dispatch>, check: C) -> Arc<dyn Dispatch>
where
    C: Fn() -> ReadyFuture<'static> + Send + Sync + 'static,
{
    let ready: Option<Box<ReadyCheck>> = Some(Box::new(check));
    Arc::new(SurfaceWithChecks { surface, ready, authenticator: None, pages: None })
}

/// Adds an authenticator to a surface; see [`Dispatch::authenticator`].
pub fn with_authentication(
    surface: Arc<dyn Dispatch>,
    authenticator: Arc<dyn Authenticate>,
) -> Arc<dyn Dispatch> {
    let authenticator = Some(authenticator);
    Arc::new(SurfaceWithChecks { surface, ready: None, authenticator, pages: None })
}

/// Adds web pages to a surface; see [`Dispatch::pages`].
pub fn with_pages(surface: Arc<dyn Dispatch>, pages: Arc<dyn Pages>) -> Arc<dyn Dispatch> {
    let pages = Some(pages);
    Arc::new(SurfaceWithChecks { surface, ready: None, authenticator: None, pages })
}

type ReadyCheck = dyn Fn() -> ReadyFuture<'static> + Send + Sync;

/// Overrides some methods of a surface and delegates the rest.
struct SurfaceWithChecks {
    surface: Arc<dyn Dispatch>,
    ready: Option<Box<ReadyCheck>>,
    authenticator: Option<Arc<dyn Authenticate>>,
    pages: Option<Arc<dyn Pages>>,
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

    fn callable<'a>(&'a self, caller: Option<&'a Caller>) -> CallableFuture<'a> {
        self.surface.callable(caller)
    }

    fn spend_consent<'a>(&'a self, consent: &'a str, expires: u64) -> ConsentFuture<'a> {
        self.surface.spend_consent(consent, expires)
    }

    fn authenticator(&self) -> Option<&dyn Authenticate> {
        self.authenticator.as_deref().or_else(|| self.surface.authenticator())
    }

    fn pages(&self) -> Option<&dyn Pages> {
        self.pages.as_deref().or_else(|| self.surface.pages())
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
    /// The user must be asked first; the client repeats the call with the answers.
    NeedsInput(crate::ask::InputRequest),
}

/// A rendered envelope.
#[derive(Debug)]
pub struct Answer {
    /// Compact JSON, sent both as the text block and as the structured content.
    pub body: String,
    /// The envelope is a failure.
    pub is_error: bool,
    /// Kind of the failure, for the log.
    pub kind: Option<&'static str>,
    /// Exit status of the tool command.
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
    /// Exit status of the tool command.
    pub exit: u8,
}
