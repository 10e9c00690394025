//! Who calls: known from the bearer token of an HTTP request, or from the settings of the server.
//!
//! A contract names the settings under `identity`. Guards compare what a call claims with its
//! [`Caller`]; nothing that the model sends decides who calls.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::call::Call;
use crate::contract::{IdentityInfo, SurfaceInfo, ToolInfo};
use crate::digest::constant_time_eq;
use crate::dispatch::{
    Authenticate, AuthenticateFuture, CallableFuture, Dispatch, OutcomeFuture, ReadyFuture,
    Rejected,
};
use crate::settings::Loaded;
use crate::tool::Subject;

/// For whom a server acts, as its settings say.
#[derive(Clone, Default)]
pub struct Identity {
    /// The only tenant. Without it only tokens grant access, where the contract has a setting for it.
    pub tenant: Option<String>,
    /// The users over stdio, and on the command line.
    pub users: Vec<String>,
    /// Bearer tokens of HTTP clients, each with the user it belongs to.
    pub tokens: BTreeMap<String, String>,
}

impl Identity {
    /// The values of the settings that the contract names.
    pub fn of(info: &IdentityInfo, loaded: &Loaded) -> Self {
        let value = |key: Option<&str>| Some(&loaded.get(key?)?.value);
        let text =
            |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let users = match value(Some(info.users)) {
            Some(Value::Array(users)) => users.iter().filter_map(text).collect(),
            Some(user) => text(user).into_iter().collect(),
            None => Vec::new(),
        };
        let tokens = value(info.tokens).and_then(Value::as_object).into_iter().flatten();
        Self {
            tenant: value(info.tenant).and_then(text),
            users,
            tokens: tokens.filter_map(|(token, user)| Some((token.clone(), text(user)?))).collect(),
        }
    }

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
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity")
            .field("tenant", &self.tenant)
            .field("users", &self.users)
            .field("tokens", &self.tokens.len())
            .finish()
    }
}

/// For whom a call may act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The only tenant; `None`: not set.
    pub tenant: Option<String>,
    /// The user of the token, or those in the settings; the call may name any of them.
    pub users: Vec<String>,
    /// A bearer token came with the request.
    pub has_token: bool,
}

impl Caller {
    /// Whether it is this subject, under the same name. A tenant counts where one is set.
    pub fn is(&self, subject: &Subject) -> bool {
        let same_tenant = match (&self.tenant, &subject.tenant) {
            (Some(own), Some(claimed)) => own == claimed,
            _ => true,
        };
        same_tenant && self.users.contains(&subject.user)
    }
}

/// Binds the calls of a surface to whom the server acts for. A contract without `identity` is served
/// as it is.
pub fn acting_for(surface: Arc<dyn Dispatch>, identity: Identity) -> Arc<dyn Dispatch> {
    let Some(info) = &surface.info().identity else { return surface };
    let caller =
        Caller { tenant: identity.tenant.clone(), users: identity.users.clone(), has_token: false };
    let tokens =
        info.tokens.map(|setting| TokenUsers { surface: surface.clone(), identity, setting });
    Arc::new(IdentifiedSurface { surface, caller: Arc::new(caller), tokens })
}

/// A surface whose calls know their caller.
struct IdentifiedSurface {
    surface: Arc<dyn Dispatch>,
    caller: Arc<Caller>,
    tokens: Option<TokenUsers>,
}

impl Dispatch for IdentifiedSurface {
    fn info(&self) -> &'static SurfaceInfo {
        self.surface.info()
    }

    fn dispatch<'a>(
        &'a self,
        tool: usize,
        call: &'a Call,
        arguments: &'a RawValue,
    ) -> OutcomeFuture<'a> {
        call.set_caller(self.caller.clone());
        match self.completed(tool, call, arguments) {
            None => self.surface.dispatch(tool, call, arguments),
            Some(arguments) => {
                Box::pin(async move { self.surface.dispatch(tool, call, &arguments).await })
            }
        }
    }

    fn ready(&self) -> ReadyFuture<'_> {
        self.surface.ready()
    }

    fn callable<'a>(&'a self, _: Option<&'a Caller>) -> CallableFuture<'a> {
        self.surface.callable(Some(&self.caller))
    }

    fn authenticator(&self) -> Option<&dyn Authenticate> {
        match &self.tokens {
            Some(tokens) => Some(tokens),
            None => self.surface.authenticator(),
        }
    }
}

impl IdentifiedSurface {
    /// The arguments of a resource that is read, with the caller's tenant and user where the URI leaves
    /// them out. A caller of several users must say which one.
    fn completed(&self, tool: usize, call: &Call, arguments: &RawValue) -> Option<Box<RawValue>> {
        if !call.reads_resource() {
            return None;
        }
        let info = self.surface.info();
        let names = arguments_of(info, info.tools.get(tool)?);
        let mut arguments: Map<String, Value> = serde_json::from_str(arguments.get()).ok()?;
        let user = match self.caller.users.as_slice() {
            [user] => Some(user),
            _ => None,
        };
        for (name, value) in [(names.tenant, self.caller.tenant.as_ref()), (names.user, user)] {
            if let (Some(name), Some(value)) = (name, value) {
                arguments.entry(name).or_insert_with(|| Value::String(value.clone()));
            }
        }
        serde_json::value::to_raw_value(&arguments).ok()
    }
}

/// Arguments of a tool that say for whom a call acts.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct IdentityArguments {
    tenant: Option<String>,
    user: Option<String>,
}

impl IdentityArguments {
    /// Their names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        [&self.tenant, &self.user].into_iter().flatten().map(String::as_str)
    }

    /// Whether it is one of them.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.names().any(|known| known == name)
    }
}

/// The arguments that the tool's `role` guard compares with the caller, where the contract has an
/// identity.
pub(crate) fn arguments_of(info: &SurfaceInfo, tool: &ToolInfo) -> IdentityArguments {
    let role = tool.guards.iter().find(|guard| guard.name == "role");
    let (Some(identity), Some(role)) = (&info.identity, role) else {
        return IdentityArguments::default();
    };
    let mut names: IdentityArguments = serde_json::from_str(role.params).unwrap_or_default();
    names.tenant = names.tenant.filter(|_| identity.tenant.is_some());
    names
}

/// Knows the user of each bearer token.
struct TokenUsers {
    surface: Arc<dyn Dispatch>,
    identity: Identity,
    /// Key of the setting, for messages.
    setting: &'static str,
}

impl Authenticate for TokenUsers {
    fn authenticate<'a>(&'a self, token: Option<&'a str>) -> AuthenticateFuture<'a> {
        let user = token.and_then(|token| self.identity.user_of(token));
        let answer = match (user, token) {
            (Some(user), _) => Ok(self.bound_to(user)),
            (None, None) => {
                Err(format!("Every HTTP call requires a bearer token from `{}`.", self.setting))
            }
            (None, Some(_)) => Err(format!("The token is not one of `{}`.", self.setting)),
        };
        Box::pin(std::future::ready(answer.map_err(Rejected::Refused)))
    }
}

impl TokenUsers {
    fn bound_to(&self, user: &str) -> Arc<dyn Dispatch> {
        let caller = Caller {
            tenant: self.identity.tenant.clone(),
            users: vec![user.to_owned()],
            has_token: true,
        };
        let surface = self.surface.clone();
        Arc::new(IdentifiedSurface { surface, caller: Arc::new(caller), tokens: None })
    }
}
