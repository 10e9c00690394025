//! `role`: one of the subject's roles must allow the tool, according to the contract's role matrix.
//!
//! Where the contract has an `identity`, the subject must be the caller: an argument is only compared
//! with what the settings or the bearer token say.

use serde_json::{Value, json};

use crate::contract::{ErrorInfo, SurfaceInfo};
use crate::error::{ErrorKind, RawFailure};
use crate::identity::Caller;
use crate::pipeline::{DecodedCall, Refusal, Supervised, supervise};
use crate::tool::{Roles, Subject, Tool};

/// Parameters of the guard.
#[derive(Debug)]
pub struct Role {
    /// Argument with the tenant; without one, that of the caller.
    pub tenant: Option<&'static str>,
    /// Argument with the user; without one, the caller.
    pub user: Option<&'static str>,
    /// Argument with the project.
    pub project: Option<&'static str>,
    /// Error kind when the subject is unknown, or not the caller.
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
    let call = decoded.call();
    let caller = call.caller().map(|caller| &**caller);
    if let Some(setting) = unset(decoded.surface(), caller) {
        return Err(acts_for_nobody(decoded.surface(), setting, guard).into());
    }
    let Some(subject) = subject(decoded, guard, caller) else {
        let fields: Vec<&str> = [guard.tenant, guard.user].into_iter().flatten().collect();
        let message = format!("`{}` required to identify the caller", fields.join("` and `"));
        let mut failure = RawFailure::new(guard.unknown, message);
        failure.details.insert("fields".to_owned(), json!(fields));
        return Err(failure.into());
    };
    let found = async {
        match caller {
            Some(caller) if !handlers.is_caller(call, caller, &subject).await? => Ok(None),
            _ => handlers.roles_of(call, &subject).await,
        }
    };
    let roles = match supervise(call, true, found).await {
        Supervised::Done(Ok(roles)) => roles,
        Supervised::Done(Err(failure)) => return Err(failure.erase().into()),
        Supervised::Panicked(cause) => return Err(decoded.internal(cause).into()),
        Supervised::Cancelled => return Err(Refusal::Cancelled),
    };
    let Some(mut roles) = roles else {
        let mut message = format!("user `{}` is not known", subject.user);
        if let Some(tenant) = &subject.tenant {
            message.push_str(&format!(" in tenant `{tenant}`"));
        }
        if caller.is_some() {
            message.push_str(", or the server does not act for them");
        }
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

/// The setting without which the server acts for nobody. A token brings its own user.
fn unset(surface: &SurfaceInfo, caller: Option<&Caller>) -> Option<&'static str> {
    let identity = surface.identity.as_ref()?;
    match caller {
        Some(caller) if caller.has_token => None,
        Some(caller) if !caller.users.is_empty() => {
            identity.tenant.filter(|_| caller.tenant.is_none())
        }
        _ => Some(identity.users),
    }
}

fn acts_for_nobody(surface: &SurfaceInfo, key: &str, guard: &Role) -> RawFailure {
    let setting = surface.setting(key);
    let ways: Vec<&str> =
        setting.into_iter().flat_map(|setting| [setting.env, setting.flag]).flatten().collect();
    let how = match ways.as_slice() {
        [] => String::new(),
        ways => format!(" (`{}`)", ways.join("` or `")),
    };
    let message = format!("this server acts for nobody until its setting `{key}` is set{how}");
    let mut failure = RawFailure::new(guard.unknown, message);
    failure.hint = Some(format!("tell whoever runs the server to set `{key}`{how}"));
    failure.details.insert("setting".to_owned(), json!(key));
    failure.details.insert("set_by".to_owned(), json!(ways));
    failure
}

fn subject<T: Tool>(
    decoded: &DecodedCall<'_, T>,
    guard: &Role,
    caller: Option<&Caller>,
) -> Option<Subject> {
    let text = |name: &str| match decoded.argument(name)? {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let tenant = match guard.tenant {
        Some(name) => Some(text(name)?),
        None => caller.and_then(|caller| caller.tenant.clone()),
    };
    let user = match (guard.user, caller.map(|caller| caller.users.as_slice())) {
        (Some(name), _) => text(name)?,
        (None, Some([user])) => user.clone(),
        (None, _) => return None,
    };
    Some(Subject { tenant, user, project: guard.project.and_then(text) })
}

/// The tools that a known caller may call; see [`Dispatch::callable`](crate::Dispatch::callable).
pub async fn callable<E, H>(
    surface: &'static SurfaceInfo,
    handlers: &H,
    caller: Option<&Caller>,
) -> Option<Vec<usize>>
where
    E: ErrorKind,
    H: Roles<E>,
{
    // Where the server acts for nobody, the refusals say what to set.
    let caller = caller.filter(|caller| caller.has_token || !caller.users.is_empty())?;
    let roles = handlers.roles_of_caller(caller).await?;
    let tools = surface.tools.iter().enumerate().filter(|(_, tool)| {
        let mut matrix = surface.roles.iter();
        tool.guards.iter().all(|guard| guard.name != "role")
            || matrix.any(|role| {
                role.tools.contains(&tool.name) && roles.iter().any(|name| name == role.name)
            })
    });
    Some(tools.map(|(index, _)| index).collect())
}
