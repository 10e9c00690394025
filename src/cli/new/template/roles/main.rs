//! The server. The contract is in `specs/`, the handlers are in `tools/`, the rest is generated.

#[path = "../generated/@name@.rs"]
#[rustfmt::skip]
mod generated;
mod tools;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;

use toolwright_commands::SurfaceEntry;
use toolwright_runtime::server::Notifier;
use toolwright_runtime::settings::{Loaded, SettingsError};
use toolwright_runtime::{Call, Caller, Dispatch, Roles, Subject};

use generated::{Error, Result, SURFACE, Settings, Surface};

/// State that the handlers share, such as a store.
pub struct Server {
    /// User to role.
    roles: BTreeMap<String, String>,
}

impl Roles<Error> for Server {
    // The subject is the caller: the runtime knows it from the setting or the token.
    async fn roles_of(&self, _: &Call, subject: &Subject) -> Result<Option<Vec<String>>> {
        Ok(self.roles.get(&subject.user).map(|role| vec![role.clone()]))
    }

    async fn roles_of_caller(&self, caller: &Caller) -> Option<Vec<String>> {
        Some(caller.users.iter().filter_map(|user| self.roles.get(user)).cloned().collect())
    }
}

fn main() -> ExitCode {
    toolwright_commands::run(&SurfaceEntry::new(&SURFACE, open, env!("CARGO_PKG_VERSION")))
}

fn open(
    loaded: &Loaded,
    _: Option<Notifier>,
) -> std::result::Result<Arc<dyn Dispatch>, SettingsError> {
    let settings: Settings = loaded.typed()?;
    Ok(Arc::new(Surface::new(Server { roles: settings.roles })))
}
