//! `confirm`: the caller must send `true` for a boolean argument.

use serde_json::json;

use crate::call::Call;
use crate::contract::{ErrorInfo, ToolInfo};
use crate::error::RawFailure;
use crate::pipeline::{DecodedCall, Refusal};
use crate::tool::Tool;

/// Parameters of the guard.
#[derive(Debug)]
pub struct Confirm {
    /// The argument that must be sent as `true`.
    pub field: &'static str,
    /// Another boolean argument that makes the confirmation unnecessary, such as `dry_run`.
    pub unless: Option<&'static str>,
    /// Error kind of the refusal.
    pub refuses: &'static ErrorInfo,
    /// Run the handler as a rehearsal and include its answer in the refusal.
    pub rehearse: bool,
}

/// Passes if the caller sent `true` for `field` or `unless`. Defaults do not count.
pub fn confirm<T: Tool>(decoded: &mut DecodedCall<'_, T>, guard: &Confirm) -> Result<(), Refusal> {
    if decoded.sent_true(guard.field) || guard.unless.is_some_and(|name| decoded.sent_true(name)) {
        return Ok(());
    }
    let failure = unconfirmed(T::INFO, decoded.call(), guard);
    if guard.rehearse {
        decoded.rehearse(failure);
        return Ok(());
    }
    Err(failure.into())
}

/// The refusal of an unconfirmed call.
pub(crate) fn unconfirmed(tool: &ToolInfo, call: &Call, guard: &Confirm) -> RawFailure {
    let mut failure = RawFailure::new(
        guard.refuses,
        format!("`{}` changes nothing unless `{}` is true", tool.canonical, guard.field),
    );
    if failure.info.next.is_none() {
        failure.hint = Some(match guard.unless {
            Some(unless) => format!(
                "the user decides: send `{unless}: true` and show them what would happen; only after their \
                 yes send `{}: true`",
                guard.field
            ),
            None => format!(
                "the user decides: show them what the call would do; only after their yes send `{}: true`",
                guard.field
            ),
        });
    }
    failure.details.insert("field".to_owned(), json!(guard.field));
    failure.details.insert("command".to_owned(), json!(call.command_words().join(" ")));
    failure
}
