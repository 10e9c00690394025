//! `role`: one of the subject's roles must allow the tool, according to the contract's role matrix.

use serde_json::{Value, json};

use crate::contract::ErrorInfo;
use crate::error::RawFailure;
use crate::pipeline::{DecodedCall, Refusal, Supervised, supervise};
use crate::tool::{Roles, Subject, Tool};

/// Parameters of the guard.
#[derive(Debug)]
pub struct Role {
    /// Argument with the tenant.
    pub tenant: &'static str,
    /// Argument with the user.
    pub user: &'static str,
    /// Argument with the project.
    pub project: Option<&'static str>,
    /// Error kind when the subject is unknown.
    pub unknown: &'static ErrorInfo,
    /// Error kind when none of the roles allows the tool.
    pub forbidden: &'static ErrorInfo,
}

/// Passes when any role of the subject may call the tool.
pub async fn role<T, H>(
    decoded: &mut DecodedCall<'_, T>,
    handlers: &H,
    guard: &Role,
) -> Result<(), Refusal>
where
    T: Tool,
    H: Roles<T::Error>,
{
    let Some(subject) = subject(decoded, guard) else {
        let message =
            format!("`{}` and `{}` are required to identify the caller", guard.tenant, guard.user);
        let mut failure = RawFailure::new(guard.unknown, message);
        failure.details.insert("fields".to_owned(), json!([guard.tenant, guard.user]));
        return Err(failure.into());
    };
    let call = decoded.call();
    let found = async { handlers.roles_of(call, &subject).await };
    let roles = match supervise(call, true, found).await {
        Supervised::Done(Ok(roles)) => roles,
        Supervised::Done(Err(failure)) => return Err(failure.erase().into()),
        Supervised::Panicked(cause) => return Err(decoded.internal(cause).into()),
        Supervised::Cancelled => return Err(Refusal::Cancelled),
    };
    let Some(mut roles) = roles else {
        let message =
            format!("user `{}` is not known in tenant `{}`", subject.user, subject.tenant);
        return Err(RawFailure::new(guard.unknown, message).into());
    };
    let tool = T::INFO;
    let matrix = decoded.surface().roles.iter();
    let allowed: Vec<&str> =
        matrix.filter(|info| info.tools.contains(&tool.name)).map(|info| info.name).collect();
    if roles.iter().any(|role| allowed.contains(&role.as_str())) {
        return Ok(());
    }
    roles.sort();
    roles.dedup();
    let who = match roles.as_slice() {
        [] => format!("user `{}` has no role and may not", subject.user),
        [role] => format!("role `{role}` may not"),
        _ => format!("none of the roles `{}` may", roles.join("`, `")),
    };
    let mut message = format!("{who} call `{}`", tool.canonical);
    match allowed.as_slice() {
        [] => message.push_str("; no role may"),
        names => message.push_str(&format!("; allowed roles: {}", names.join(", "))),
    }
    let mut failure = RawFailure::new(guard.forbidden, message);
    failure.details.insert("roles".to_owned(), json!(roles));
    failure.details.insert("tool".to_owned(), json!(tool.canonical));
    failure.details.insert("allowed".to_owned(), json!(allowed));
    Err(failure.into())
}

fn subject<T: Tool>(decoded: &DecodedCall<'_, T>, guard: &Role) -> Option<Subject> {
    let text = |name: &str| match decoded.argument(name)? {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    Some(Subject {
        tenant: text(guard.tenant)?,
        user: text(guard.user)?,
        project: guard.project.and_then(text),
    })
}
