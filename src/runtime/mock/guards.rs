//! The built-in guards that work without a surface: `confirm` and `two_stage`.
//!
//! Their parameters come from the contract's tables, and their refusals are the real ones. A token is
//! the same for every call, so that no state is needed.

use serde::Deserialize;
use serde_json::Value;

use super::examples::Arguments;
use super::sample;
use crate::call::Call;
use crate::contract::{SurfaceInfo, ToolInfo};
use crate::digest::sha256_hex;
use crate::error::RawFailure;
use crate::guard::{Confirm, TwoStage, missing, unconfirmed, unknown};

/// A guard that can be checked here.
enum CheckableGuard {
    Confirm(Confirm),
    TwoStage { guard: TwoStage, unless: Option<&'static str> },
}

#[derive(Deserialize)]
struct ConfirmParams<'a> {
    field: &'a str,
    unless: Option<&'a str>,
    refuses: &'a str,
    #[serde(default)]
    rehearse: bool,
}

#[derive(Deserialize)]
struct TwoStageParams<'a> {
    issuer: &'a str,
    field: &'a str,
    unless: Option<&'a str>,
    missing: &'a str,
    expired: &'a str,
    mismatch: &'a str,
    hash: Option<&'a str>,
}

/// The guards of a tool that can be checked here, in order.
fn guards(
    surface: &'static SurfaceInfo,
    tool: &'static ToolInfo,
) -> impl Iterator<Item = CheckableGuard> {
    tool.guards.iter().filter_map(|guard| match guard.name {
        "confirm" => {
            let params: ConfirmParams<'_> = serde_json::from_str(guard.params).ok()?;
            Some(CheckableGuard::Confirm(Confirm {
                field: params.field,
                unless: params.unless,
                refuses: surface.error(params.refuses)?,
                rehearse: params.rehearse,
            }))
        }
        "two_stage" => {
            let params: TwoStageParams<'_> = serde_json::from_str(guard.params).ok()?;
            let guard = TwoStage {
                issuer: params.issuer,
                field: params.field,
                missing: surface.error(params.missing)?,
                expired: surface.error(params.expired)?,
                mismatch: surface.error(params.mismatch)?,
                hash: params.hash,
            };
            Some(CheckableGuard::TwoStage { guard, unless: params.unless })
        }
        _ => None,
    })
}

fn two_stages(
    surface: &'static SurfaceInfo,
    tool: &'static ToolInfo,
) -> impl Iterator<Item = TwoStage> {
    guards(surface, tool).filter_map(|guard| match guard {
        CheckableGuard::TwoStage { guard, .. } => Some(guard),
        CheckableGuard::Confirm(_) => None,
    })
}

/// Runs the guards, in order. `Err` refuses the call; `Ok(Some)` is the refusal of a call that is
/// rehearsed.
pub(super) fn check(
    surface: &'static SurfaceInfo,
    tool: &'static ToolInfo,
    call: &Call,
    arguments: &Arguments,
) -> Result<Option<RawFailure>, RawFailure> {
    let waived = |unless: Option<&str>| unless.is_some_and(|name| arguments.sent_true(name));
    let mut rehearsed = None;
    for guard in guards(surface, tool) {
        match guard {
            CheckableGuard::Confirm(guard)
                if waived(guard.unless) || arguments.sent_true(guard.field) => {}
            CheckableGuard::Confirm(guard) if guard.rehearse => {
                rehearsed.get_or_insert_with(|| unconfirmed(tool, call, &guard));
            }
            CheckableGuard::Confirm(guard) => return Err(unconfirmed(tool, call, &guard)),
            CheckableGuard::TwoStage { unless, .. } if waived(unless) => {}
            CheckableGuard::TwoStage { guard, .. } => match arguments.sent_text(guard.field) {
                None | Some("") => return Err(missing(surface, tool, &guard)),
                Some(given) if is_token(surface, &guard, given) => {}
                Some(_) => return Err(unknown(surface, &guard)),
            },
        }
    }
    Ok(rehearsed)
}

/// Accepts any token if the issuer's answer has no member for it.
fn is_token(surface: &'static SurfaceInfo, guard: &TwoStage, given: &str) -> bool {
    token(surface, guard.issuer, guard.field).is_none_or(|token| token == given)
}

/// The error kinds that these guards refuse with.
pub(super) fn kinds(surface: &'static SurfaceInfo, tool: &'static ToolInfo) -> Vec<&'static str> {
    let errors = guards(surface, tool).flat_map(|guard| match guard {
        CheckableGuard::Confirm(guard) => vec![guard.refuses],
        CheckableGuard::TwoStage { guard, .. } => {
            vec![guard.missing, guard.expired, guard.mismatch]
        }
    });
    errors.map(|error| error.kind).collect()
}

/// The arguments that carry a token of this mock; examples cannot contain them.
pub(super) fn tokens_given(
    surface: &'static SurfaceInfo,
    tool: &'static ToolInfo,
    arguments: &Arguments,
) -> Vec<&'static str> {
    let given = |guard: &TwoStage| {
        arguments.sent_text(guard.field).is_some_and(|given| is_token(surface, guard, given))
    };
    two_stages(surface, tool).filter(given).map(|guard| guard.field).collect()
}

/// The tokens in the tool's answer, by member.
pub(super) fn issued(
    surface: &'static SurfaceInfo,
    tool: &'static ToolInfo,
) -> Vec<(&'static str, String)> {
    let guards = surface.tools.iter().flat_map(|other| two_stages(surface, other));
    let guards = guards.filter(|guard| guard.issuer == tool.name);
    guards
        .filter_map(|guard| Some((guard.field, token(surface, tool.name, guard.field)?)))
        .collect()
}

/// The token of an issuer, in the format of its output schema.
fn token(surface: &SurfaceInfo, issuer: &str, field: &str) -> Option<String> {
    let tool = surface.tools.iter().find(|tool| tool.name == issuer)?;
    let data: Value = serde_json::from_str(tool.data).ok()?;
    let schema = data.get("properties")?.get(field)?;
    let digest = sha256_hex(format!("{}\0{issuer}\0mock", surface.name).as_bytes());
    let digest = Value::String(digest);
    let token = if sample::fits(schema, &digest) { digest } else { sample::sample(schema)? };
    token.as_str().map(str::to_owned)
}
