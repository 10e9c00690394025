//! `two_stage`: the plan that is executed must be the plan that was reviewed.
//!
//! The issuing tool mints a token for the hash of the plan it returned. This guard computes the plan
//! again, compares the hashes, redeems the token and passes the plan to the handler, so that nothing
//! can change between check and execution. Where the surface wants the user to be asked and the client
//! can, that comes in between: the plan is computed and compared once more after the answer, and a
//! question that is declined or not answered leaves the token as it was.

use super::ask::{Ask, put};
use crate::ask::Question;
use crate::contract::{ErrorInfo, SurfaceInfo, ToolInfo};
use crate::error::RawFailure;
use crate::guard::{Confirmations, TokenStatus};
use crate::pipeline::{DecodedCall, Refusal, Supervised, supervise};
use crate::tool::{Stage, Staged, StagedQuestion, Tool};

/// Parameters of the guard.
#[derive(Debug)]
pub struct TwoStage {
    /// Tool that issues the token, by its name in the spec.
    pub issuer: &'static str,
    /// The argument that carries it.
    pub field: &'static str,
    /// Error kind when the token is missing.
    pub missing: &'static ErrorInfo,
    /// Error kind when it has expired.
    pub expired: &'static ErrorInfo,
    /// Error kind when it is unknown or already used, or the plan changed since the review.
    pub mismatch: &'static ErrorInfo,
    /// The member of the issuer's answer that holds the hash; a mismatch reports both hashes under it.
    pub hash: Option<&'static str>,
}

/// Passes with an unused, unexpired token for exactly the plan that is about to be executed, and
/// returns that plan.
///
/// A token survives a mismatch: it is valid again once the reviewed state is restored.
pub async fn two_stage<T, H>(
    decoded: &mut DecodedCall<'_, T>,
    handlers: &H,
    confirmations: &Confirmations,
    guard: &TwoStage,
) -> Result<H::Plan, Refusal>
where
    T: Tool,
    T::Request: Sync,
    H: Stage<T>,
{
    let call = decoded.call();
    let token = match decoded.sent(guard.field).and_then(|value| value.as_str()) {
        None | Some("") => return Err(missing(decoded.surface(), T::INFO, guard).into()),
        Some(token) => token.to_owned(),
    };
    let look_up = || match confirmations.look_up(call, guard.issuer, &token) {
        TokenStatus::Live { reviewed } => Ok(reviewed),
        TokenStatus::Expired => Err(expired(decoded.surface(), guard)),
        TokenStatus::Unknown => Err(unknown(decoded.surface(), guard)),
    };
    let reviewed = look_up()?;
    let mut staged = staged(decoded, handlers, guard, &reviewed).await?;
    if let Some(StagedQuestion { message, refuses }) = staged.question.take() {
        let question = Question::new(message).about(&staged.hash);
        let ask = Ask { message: "", refuses, otherwise: None, optional: true };
        if put(decoded, &ask, &question).await? {
            // The user took a while.
            let reviewed = look_up()?;
            staged = self::staged(decoded, handlers, guard, &reviewed).await?;
        }
    }
    if !confirmations.redeem(call, guard.issuer, &token) {
        return Err(unknown(decoded.surface(), guard).into());
    }
    Ok(staged.plan)
}

/// Computes the plan and compares it with the reviewed one.
async fn staged<T, H>(
    decoded: &DecodedCall<'_, T>,
    handlers: &H,
    guard: &TwoStage,
    reviewed: &str,
) -> Result<Staged<H::Plan>, Refusal>
where
    T: Tool,
    T::Request: Sync,
    H: Stage<T>,
{
    let (call, request) = (decoded.call(), decoded.request());
    let staged = match supervise(call, false, async { handlers.stage(call, request).await }).await {
        Supervised::Done(Ok(staged)) => staged,
        Supervised::Done(Err(failure)) => return Err(failure.erase().into()),
        Supervised::Panicked(cause) => return Err(decoded.internal(cause).into()),
        Supervised::Cancelled => return Err(Refusal::Cancelled),
    };
    if staged.hash != reviewed {
        return Err(mismatch(decoded.surface(), T::INFO, guard, reviewed, &staged.hash).into());
    }
    match staged.veto {
        Some(veto) => Err(veto.into()),
        None => Ok(staged),
    }
}

/// Like [`two_stage`], but needs no token and returns no plan if the caller sent `true` for `unless`.
pub async fn two_stage_unless<T, H>(
    decoded: &mut DecodedCall<'_, T>,
    handlers: &H,
    confirmations: &Confirmations,
    guard: &TwoStage,
    unless: &str,
) -> Result<Option<H::Plan>, Refusal>
where
    T: Tool,
    T::Request: Sync,
    H: Stage<T>,
{
    if decoded.sent_true(unless) {
        return Ok(None);
    }
    two_stage(decoded, handlers, confirmations, guard).await.map(Some)
}

/// The refusal of a call without a token.
pub(crate) fn missing(surface: &SurfaceInfo, tool: &ToolInfo, guard: &TwoStage) -> RawFailure {
    let issuer = issuer(surface, guard);
    let message = format!("`{}` needs a `{}` from `{issuer}`", tool.canonical, guard.field);
    let hint = format!(
        "the user decides: call `{issuer}` and show them its answer; only after their yes send its \
         token as `{}`",
        guard.field
    );
    refusal(guard.missing, message, hint, guard, issuer)
}

fn expired(surface: &SurfaceInfo, guard: &TwoStage) -> RawFailure {
    let issuer = issuer(surface, guard);
    let message = format!("the `{}` has expired", guard.field);
    let hint = again(issuer);
    refusal(guard.expired, message, hint, guard, issuer)
}

/// The refusal of an unknown token.
pub(crate) fn unknown(surface: &SurfaceInfo, guard: &TwoStage) -> RawFailure {
    let issuer = issuer(surface, guard);
    let message = format!("the `{}` is unknown or was already used", guard.field);
    let hint = again(issuer);
    refusal(guard.mismatch, message, hint, guard, issuer)
}

fn mismatch(
    surface: &SurfaceInfo,
    tool: &ToolInfo,
    guard: &TwoStage,
    reviewed: &str,
    current: &str,
) -> RawFailure {
    let issuer = issuer(surface, guard);
    let message = format!(
        "the plan of `{}` has changed since it was reviewed with this `{}`",
        tool.canonical, guard.field
    );
    let hint = again(issuer);
    let mut failure = refusal(guard.mismatch, message, hint, guard, issuer);
    if let Some(name) = guard.hash {
        failure.details.insert(name.to_owned(), current.into());
        failure.details.insert(format!("expected_{name}"), reviewed.into());
    }
    failure
}

fn again(issuer: &str) -> String {
    format!(
        "the user decides: call `{issuer}` again and show them what changed; only after their yes \
         send its new token"
    )
}

fn refusal(
    info: &'static ErrorInfo,
    message: String,
    hint: String,
    guard: &TwoStage,
    issuer: &str,
) -> RawFailure {
    let mut failure = RawFailure::new(info, message);
    failure.hint = info.next.is_none().then_some(hint);
    failure.details.insert("field".to_owned(), guard.field.into());
    failure.details.insert("issuer".to_owned(), issuer.into());
    failure
}

/// Canonical name of the issuing tool.
fn issuer(surface: &SurfaceInfo, guard: &TwoStage) -> &'static str {
    let tools = surface.tools;
    tools.iter().find(|tool| tool.name == guard.issuer).map_or(guard.issuer, |tool| tool.canonical)
}
