//! The traits between generated code and handwritten behaviour.
//!
//! A handler has one of three forms, each more general than the one before. Generated code asks for
//! the last, which the others give for free:
//!
//! | implement | for a tool |
//! |---|---|
//! | [`Handle`] | whose guards, if it has any, only let calls pass |
//! | [`HandleGuarded`] | whose guards find something out: a plan, a caller |
//! | [`Respond`] | that may have to ask the person behind the client first |

use std::future::Future;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::ask::InputRequest;
use crate::call::Call;
use crate::contract::ToolInfo;
use crate::error::{ErrorKind, Failure, RawFailure};

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
    /// The validators of this tool, made on first use.
    fn compiled() -> &'static LazyTool;
}

/// The behaviour of a tool. Handwritten, one `impl` per tool; write it as `async fn handle`.
#[diagnostic::on_unimplemented(
    message = "tool `{T}` has no handler",
    label = "`{Self}` does not handle `{T}`",
    note = "write `impl Handle<{T}> for {Self}` in `src/<surface>/tools/<tool>.rs`"
)]
pub trait Handle<T: Tool>: Send + Sync + 'static {
    /// Does what was asked, or says why not.
    fn handle(
        &self,
        call: &Call,
        request: T::Request,
    ) -> impl Future<Output = Result<T::Response, Failure<T::Error>>> + Send;
}

/// The behaviour of a tool whose guards find something out. Handwritten; write it as
/// `async fn handle`.
///
/// `P` is what the guards found out: the [`Guard::Pass`] of a surface's own guard, or the
/// [`Stage::Plan`] of a `two_stage` guard, which is an `Option` where the guard has an exception
/// (`unless`). Where several guards of a tool give something, it is a tuple in the order in which
/// they run: those of admission first, then the order of the spec.
#[diagnostic::on_unimplemented(
    message = "tool `{T}` has no handler that takes `{P}` from its guards",
    label = "`{Self}` does not handle `{T}` with `{P}`",
    note = "write `impl HandleGuarded<{T}, {P}> for {Self}` in `src/<surface>/tools/<tool>.rs`"
)]
pub trait HandleGuarded<T: Tool, P>: Send + Sync + 'static {
    /// Does what was asked, or says why not.
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

/// How a handler that may ask ends.
#[derive(Debug)]
pub enum Completion<R> {
    /// What was asked is done.
    Done(R),
    /// Nothing was done: the client asks its user and repeats the call with the answer.
    NeedsInput(InputRequest),
}

impl<R> From<R> for Completion<R> {
    fn from(response: R) -> Self {
        Self::Done(response)
    }
}

/// The behaviour of a tool that may have to ask first, see [`Call::asker`]. Handwritten for such a
/// tool, as `async fn respond`; every other handler has it by [`Handle`] or [`HandleGuarded`].
#[diagnostic::on_unimplemented(
    message = "tool `{T}` has no handler that takes `{P}` from its guards",
    label = "`{Self}` does not handle `{T}` with `{P}`",
    note = "write `impl HandleGuarded<{T}, {P}> for {Self}` in `src/<surface>/tools/<tool>.rs`"
)]
pub trait Respond<T: Tool, P = ()>: Send + Sync + 'static {
    /// Does what was asked, asks back, or says why not. `passed` is as in [`HandleGuarded`].
    fn respond(
        &self,
        call: &Call,
        request: T::Request,
        passed: P,
    ) -> impl Future<Output = Result<Completion<T::Response>, Failure<T::Error>>> + Send;
}

impl<T: Tool, P: Send, H: HandleGuarded<T, P>> Respond<T, P> for H {
    async fn respond(
        &self,
        call: &Call,
        request: T::Request,
        passed: P,
    ) -> Result<Completion<T::Response>, Failure<T::Error>> {
        self.handle(call, request, passed).await.map(Completion::Done)
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
    /// What the guard finds out, for the handler; `()` where it only lets calls pass.
    type Pass: Send + 'static;

    /// Lets the call pass, or refuses with a declared code. Runs before any side effect.
    fn check(
        &self,
        call: &Call,
        params: G,
    ) -> impl Future<Output = Result<Self::Pass, Failure<G::Error>>> + Send;
}

/// What a `two_stage` guard compares, and the plan that the handler gets.
#[derive(Debug)]
pub struct Staged<P> {
    /// Digest of exactly what is about to be done.
    pub hash: String,
    /// The plan itself.
    pub plan: P,
    /// A refusal that holds although the hash matches. The token stays good for another try.
    pub veto: Option<RawFailure>,
}

/// Computes the plan that a `two_stage` guard compares with the reviewed one.
/// Handwritten for each tool that has the guard.
#[diagnostic::on_unimplemented(
    message = "tool `{T}` has a `two_stage` guard but no plan to compare",
    label = "`{Self}` does not stage `{T}`",
    note = "write `impl Stage<{T}> for {Self}` in `src/<surface>/tools/<tool>.rs`"
)]
pub trait Stage<T: Tool>: Send + Sync + 'static {
    /// What is about to be done, for the handler.
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
    /// The roles' names as in the spec; a call passes where any of them may. `None` where the
    /// subject is unknown, empty where it is known and has no role.
    fn roles_of(
        &self,
        call: &Call,
        subject: &Subject,
    ) -> impl Future<Output = Result<Option<Vec<String>>, Failure<E>>> + Send;
}

/// Who is asking, as bound by the `role` guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// Tenant argument.
    pub tenant: String,
    /// User argument.
    pub user: String,
    /// Project argument, where the tool has one.
    pub project: Option<String>,
}
