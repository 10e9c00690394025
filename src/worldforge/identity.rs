//! Whom a server acts for. A call names its tenant and user, which alone proves nothing.
//!
//! Over stdio and on the command line, the settings name one tenant and its users. Over HTTP every
//! call carries a token, and a token belongs to one user. Everybody else is unauthorized. The runtime
//! knows the caller; here the names of settings and tokens become users of the store.

use toolwright_runtime::contract::Effects;
use toolwright_runtime::{Call, Caller, ErrorKind as _, Roles, Subject};

use super::Worldforge;
use super::engine::{self, Engine};
use super::model::{Role, User};
use crate::generated::{Error, Result};

/// The user whom the call names, if the caller may act for them.
fn user(engine: &Engine, caller: &Caller, subject: &Subject) -> engine::Result<Option<User>> {
    let Some(tenant) = &subject.tenant else { return Ok(None) };
    let Some(user) = engine.user(tenant, &subject.user)? else { return Ok(None) };
    // A token names the user's id; the settings take the e-mail, too.
    let is_listed = |named: &String| {
        *named == user.id || (!caller.has_token && engine::address(named) == user.email)
    };
    let acts_for = caller.users.iter().any(is_listed)
        && match &caller.tenant {
            Some(named) => is_tenant(engine, named, tenant)?,
            None => caller.has_token,
        };
    Ok(acts_for.then_some(user))
}

fn is_tenant(engine: &Engine, named: &str, id: &str) -> engine::Result<bool> {
    Ok(named == id || engine.tenant(named)?.is_some_and(|tenant| tenant.id == id))
}

/// All users for whom the caller may act.
fn users(engine: &Engine, caller: &Caller) -> engine::Result<Vec<User>> {
    let tenants = match &caller.tenant {
        Some(named) => engine.tenant(named)?.into_iter().collect(),
        None if caller.has_token => engine.tenants()?,
        None => Vec::new(),
    };
    let mut users = Vec::new();
    for tenant in &tenants {
        for name in &caller.users {
            users.extend(engine.user(&tenant.id, name)?);
        }
    }
    Ok(users)
}

impl Roles<Error> for Worldforge {
    async fn is_caller(&self, call: &Call, caller: &Caller, subject: &Subject) -> Result<bool> {
        self.subject.get_or_init(|| subject.clone());
        let (caller, subject) = (caller.clone(), subject.clone());
        let found = self.run(move |engine| user(engine, &caller, &subject)).await?;
        if let Some(user) = &found {
            call.identify(user.id.to_string());
        }
        Ok(found.is_some_and(|user| self.user.set(user).is_ok()))
    }

    async fn roles_of(&self, call: &Call, _: &Subject) -> Result<Option<Vec<String>>> {
        if self.read_only && call.tool().effects != Effects::Read {
            let message =
                self.engine.language().pick("This server is read-only.", "Este servidor só lê.");
            return Err(Error::Forbidden.because(message));
        }
        Ok(self.user.get().map(|user| names([user])))
    }

    async fn roles_of_caller(&self, caller: &Caller) -> Option<Vec<String>> {
        let caller = caller.clone();
        match self.run(move |engine| users(engine, &caller)).await {
            Ok(users) => Some(names(&users)),
            // Guards refuse what is listed too much.
            Err(error) => {
                tracing::warn!(event = "worldforge.roles_unknown", ?error);
                None
            }
        }
    }
}

/// The roles of users, as the contract has them.
fn names<'a>(users: impl IntoIterator<Item = &'a User>) -> Vec<String> {
    let name = |role: &Role| match role {
        Role::Admin => "ADMIN",
        Role::Writer => "WRITER",
        Role::Editor => "EDITOR",
    };
    users.into_iter().flat_map(|user| &user.roles).map(|role| name(role).to_owned()).collect()
}
