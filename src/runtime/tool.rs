//! The traits between generated code and handwritten behaviour.
//!
//! A handler has one of two forms. Generated code requires the second, which the first implements:
//!
//! | implement | for a tool |
//! |---|---|
//! | [`Handle`] | whose guards, if any, only accept or reject |
//! | [`HandleGuarded`] | whose guards return a value: a plan, a caller |
//!
//! Both may ask the user before an effect: [`Call::consent`].

use std::future::Future;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::call::Call;
use crate::contract::{ErrorInfo, ToolInfo};
use crate::error::{ErrorKind, Failure, RawFailure};
use crate::identity::Caller;

pub use crate::decode::LazyTool;

/// A tool of a contract. Generated: one marker type per tool.
pub trait Tool: 'static {
    /// Typed arguments.
    type Request: DeserializeOwned + Send + 'static;
    /// Typed answer.
    type Response: Serialize + Send + 'static;
    /// The surface's error registry.
    type Error: ErrorKind;
    /// The contract of this tool.
    const INFO: &'static ToolInfo;
    /// The validators of this tool, compiled on first use.
    fn compiled() -> &'static LazyTool;
}

/// The behaviour of a tool. Handwritten, one `impl` per tool; write it as `async fn handle`.
#[diagnostic::on_unimplemented(
    message = "tool `{T}` has no handler",
    label = "`{Self}` does not handle `{T}`",
    note = "write `impl Handle<{T}> for {Self}` in a file of its own under `tools/`, and add its `mod` line"
)]
pub trait Handle<T: Tool>: Send + Sync + 'static {
    /// Runs the tool.
    fn handle(
        &self,
        call: &Call,
        request: T::Request,
    ) -> impl Future<Output = Result<T::Response, Failure<T::Error>>> + Send;
}

/// The behaviour of a tool whose guards return a value. Handwritten; write it as
/// `async fn handle`.
///
/// `P` is the value that the guards return: the [`Guard::Pass`] of a surface's own guard, or the
/// [`Stage::Plan`] of a `two_stage` guard, which is an `Option` where the guard has an exception
/// (`unless`). If several guards of a tool return a value, it is a tuple in the order in which they
/// run: admission guards first, then the order of the spec.
#[diagnostic::on_unimplemented(
    message = "tool `{T}` has no handler that takes `{P}` from its guards",
    label = "`{Self}` does not handle `{T}` with `{P}`",
    note = "write `impl Handle<{T}> for {Self}`, or `HandleGuarded<{T}, {P}>` where `{P}` is not `()`, in a file of \
            its own under `tools/`, and add its `mod` line"
)]
pub trait HandleGuarded<T: Tool, P>: Send + Sync + 'static {
    /// Runs the tool.
    fn handle(
        &self,
        call: &Call,
        request: T::Request,
        passed: P,
    ) -> impl Future<Output = Result<T::Response, Failure<T::Error>>> + Send;
}

impl<T: Tool, H: Handle<T>> HandleGuarded<T, ()> for H {
    fn handle(
        &self,
        call: &Call,
        request: T::Request,
        (): (),
    ) -> impl Future<Output = Result<T::Response, Failure<T::Error>>> + Send {
        Handle::handle(self, call, request)
    }
}

/// Parameters of a guard that a surface declares. Generated: one struct per guard.
pub trait GuardParams: DeserializeOwned + Send + 'static {
    /// The surface's error registry.
    type Error: ErrorKind;
    /// Name in the spec.
    const NAME: &'static str;
}

/// The decision of a surface's own guard. Handwritten; write it as `async fn check`.
#[diagnostic::on_unimplemented(
    message = "guard `{G}` is not implemented",
    label = "`{Self}` does not decide `{G}`",
    note = "write `impl Guard<{G}> for {Self}` in the surface's folder"
)]
pub trait Guard<G: GuardParams>: Send + Sync + 'static {
    /// The value that the guard returns for the handler; `()` if it only accepts or rejects.
    type Pass: Send + 'static;

    /// Accepts the call, or rejects it with a declared code. Runs before any side effect.
    fn check(
        &self,
        call: &Call,
        params: G,
    ) -> impl Future<Output = Result<Self::Pass, Failure<G::Error>>> + Send;
}

/// A plan for the handler, and the hash that a `two_stage` guard compares.
#[derive(Debug)]
pub struct Staged<P> {
    /// Digest of the plan.
    pub hash: String,
    /// The plan itself.
    pub plan: P,
    /// A refusal that applies even if the hash matches. The token remains valid for another attempt.
    pub veto: Option<RawFailure>,
    /// What to ask the user before the plan is carried out, where the client can.
    pub question: Option<StagedQuestion>,
}

impl<P> Staged<P> {
    /// A plan to be carried out without a question.
    pub fn new(hash: impl Into<String>, plan: P) -> Self {
        Self { hash: hash.into(), plan, veto: None, question: None }
    }
}

/// A question about a plan. A yes is bound to the plan's hash.
#[derive(Debug)]
pub struct StagedQuestion {
    /// The text shown to the user.
    pub message: String,
    /// Error kind when the user declines.
    pub refuses: &'static ErrorInfo,
}

/// Computes the plan that a `two_stage` guard compares with the reviewed one.
/// Handwritten for each tool that has the guard.
#[diagnostic::on_unimplemented(
    message = "tool `{T}` has a `two_stage` guard but no plan to compare",
    label = "`{Self}` does not stage `{T}`",
    note = "write `impl Stage<{T}> for {Self}` beside the tool's handler"
)]
pub trait Stage<T: Tool>: Send + Sync + 'static {
    /// The plan for the handler.
    type Plan: Send + 'static;

    /// Computes the plan once, without side effects.
    fn stage(
        &self,
        call: &Call,
        request: &T::Request,
    ) -> impl Future<Output = Result<Staged<Self::Plan>, Failure<T::Error>>> + Send;
}

/// Looks up the roles of a subject, for the `role` guard. Handwritten where a surface has roles.
#[diagnostic::on_unimplemented(
    message = "the contract has roles, but `{Self}` cannot look them up",
    label = "`{Self}` knows no roles",
    note = "write `impl Roles<{E}> for {Self}` in the surface's folder"
)]
pub trait Roles<E: ErrorKind>: Send + Sync + 'static {
    /// The names of the roles as in the spec; a call passes if any of them allows it. `None` if the
    /// subject is unknown, empty if it is known and has no role.
    fn roles_of(
        &self,
        call: &Call,
        subject: &Subject,
    ) -> impl Future<Output = Result<Option<Vec<String>>, Failure<E>>> + Send;

    /// Whether the call may act for the subject. Asked first, where the contract has an `identity`.
    /// Compares names; write it where a user has several, and [identify](Call::identify) the call then.
    fn is_caller(
        &self,
        call: &Call,
        caller: &Caller,
        subject: &Subject,
    ) -> impl Future<Output = Result<bool, Failure<E>>> + Send {
        let is_caller = caller.is(subject);
        if is_caller {
            call.identify(subject.user.clone());
        }
        std::future::ready(Ok(is_caller))
    }

    /// The roles of all users of a caller who is known before the call: tool lists hold only what
    /// they allow. `None`, which is the default, lists all tools.
    fn roles_of_caller(
        &self,
        _caller: &Caller,
    ) -> impl Future<Output = Option<Vec<String>>> + Send {
        std::future::ready(None)
    }
}

/// For whom a call acts, as bound by the `role` guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// Tenant argument, or the caller's tenant.
    pub tenant: Option<String>,
    /// User argument, or the caller.
    pub user: String,
    /// Project argument, where the tool has one.
    pub project: Option<String>,
}
