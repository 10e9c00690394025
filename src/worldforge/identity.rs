//! Whom a server acts for. A call names its tenant and user, which alone proves nothing.
//!
//! Over stdio and on the command line, the settings name one tenant and its users. Over HTTP every
//! call carries a token, and a token belongs to one user. Everybody else is unauthorized.

use std::collections::BTreeMap;
use std::sync::Arc;

use toolwright_runtime::digest::constant_time_eq;
use toolwright_runtime::dispatch::{Authenticate, AuthenticateFuture, Rejected};
use toolwright_runtime::{Call, Dispatch, ErrorKind as _, Roles, Subject};

use super::Worldforge;
use super::activity_log::ActivityLog;
use super::engine::{self, Engine};
use super::model::{Role, User};
use crate::generated::{Error, Result};
use toolwright_runtime::contract::Effects;

/// For whom a server acts.
#[derive(Debug, Clone, Default)]
pub struct Identity {
    /// The only tenant, by id or name. Without it only tokens grant access.
    pub tenant: Option<String>,
    /// Users of that tenant, by id or e-mail.
    pub users: Vec<String>,
    /// Tokens of HTTP clients, each with its user's id.
    pub tokens: BTreeMap<String, String>,
}

impl Identity {
    /// The user of a token. Compares all tokens, so that timing reveals nothing.
    fn user_of(&self, token: &str) -> Option<&str> {
        let mut found = None;
        for (known, user) in &self.tokens {
            if constant_time_eq(known.as_bytes(), token.as_bytes()) {
                found = Some(user.as_str());
            }
        }
        found
    }

    /// The user, if the server acts for them in this tenant. `authenticated` is the id of the user
    /// whose token came with the request.
    fn user(
        &self,
        engine: &Engine,
        authenticated: Option<&str>,
        subject: &Subject,
    ) -> engine::Result<Option<User>> {
        let Some(user) = engine.user(&subject.tenant, &subject.user)? else { return Ok(None) };
        let acts_for = match authenticated {
            Some(id) => {
                id == user.id
                    && (self.tenant.is_none() || self.is_tenant(engine, &subject.tenant)?)
            }
            None => {
                let listed =
                    |named: &String| named == &user.id || engine::address(named) == user.email;
                self.users.iter().any(listed) && self.is_tenant(engine, &subject.tenant)?
            }
        };
        Ok(acts_for.then_some(user))
    }

    /// All users for whom the server acts: the one whose token came with the request, or those in the
    /// settings.
    pub(super) fn acts_for(
        &self,
        engine: &Engine,
        authenticated: Option<&str>,
    ) -> engine::Result<Vec<User>> {
        let tenants = match (&self.tenant, authenticated) {
            (Some(named), _) => engine.tenant(named)?.into_iter().collect(),
            (None, Some(_)) => engine.tenants()?,
            (None, None) => Vec::new(),
        };
        let named: Vec<&str> = match authenticated {
            Some(id) => vec![id],
            None => self.users.iter().map(String::as_str).collect(),
        };
        let mut users = Vec::new();
        for tenant in &tenants {
            for name in &named {
                users.extend(engine.user(&tenant.id, name)?);
            }
        }
        Ok(users)
    }

    fn is_tenant(&self, engine: &Engine, id: &str) -> engine::Result<bool> {
        let Some(named) = &self.tenant else { return Ok(false) };
        Ok(named == id || engine.tenant(named)?.is_some_and(|tenant| tenant.id == id))
    }
}

impl Roles<Error> for Worldforge {
    async fn roles_of(&self, call: &Call, subject: &Subject) -> Result<Option<Vec<String>>> {
        self.subject.get_or_init(|| subject.clone());
        if self.read_only && call.tool().effects != Effects::Read {
            let message =
                self.engine.language().pick("This server is read-only.", "Este servidor só lê.");
            return Err(Error::Forbidden.because(message));
        }
        let identity = Arc::clone(&self.identity);
        let authenticated = self.authenticated.clone();
        let subject = subject.clone();
        let user = self
            .run(move |engine| identity.user(engine, authenticated.as_deref(), &subject))
            .await?;
        if let Some(user) = &user {
            call.identify(user.id.to_string());
        }
        Ok(user.map(|user| user.roles.iter().map(|role| role_name(*role).to_owned()).collect()))
    }
}

/// The role as the contract has it.
pub(super) fn role_name(role: Role) -> &'static str {
    match role {
        Role::Admin => "ADMIN",
        Role::Writer => "WRITER",
        Role::Editor => "EDITOR",
    }
}

/// Refuses HTTP calls without a known token, and binds the others to the token's user.
pub(super) struct TokenAuthenticator(pub(super) ActivityLog);

impl Authenticate for TokenAuthenticator {
    fn authenticate<'a>(&'a self, token: Option<&'a str>) -> AuthenticateFuture<'a> {
        let user = token.and_then(|token| self.0.identity.user_of(token));
        Box::pin(std::future::ready(match (user, token) {
            (Some(user), _) => Ok(Arc::new(self.0.of(user)) as Arc<dyn Dispatch>),
            (None, None) => Err(Rejected::Refused(
                "Every HTTP call requires a bearer token from `identity.tokens`.".to_owned(),
            )),
            (None, Some(_)) => {
                Err(Rejected::Refused("The token is not one of `identity.tokens`.".to_owned()))
            }
        }))
    }
}
