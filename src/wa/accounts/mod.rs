//! Accounts of agent services and their remaining usage.
//!
//! Known accounts are in a table; a refresh runs `caut`, another command or reads a file and updates
//! it. Knows nothing of panes. Never handles passwords or tokens.

mod dialects;
mod model;
mod run;
mod select;
mod table;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::error::{Kind, Result};
use super::model::Millis;
use super::store::Store;
pub use model::{Account, AccountStatus, Change, Listing, Problem, Refreshed, Service};
pub use select::{Considered, LOW_PERCENT, Selection};
pub use table::{COOLDOWN_MS, SCHEMA};

/// Every finer code that errors of this module carry.
pub const REASONS: &[&str] = &[
    "accounts.broken_output",
    "accounts.program_missing",
    "accounts.timeout",
    "policy.refresh_cooldown",
];

/// Where accounts come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// `caut`, in either of its dialects.
    Caut,
    /// Any command that prints JSON of one of the known shapes.
    Command,
    /// A JSON or YAML file of one of the known shapes.
    File,
}

/// Settings of accounts.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where they come from.
    pub source: Source,
    /// `caut`, or where it is.
    pub program: String,
    /// Program and arguments; `{service}` and `{provider}` are filled in, one run per service. With
    /// neither, one run gives the accounts of all services.
    pub command: Vec<String>,
    /// The file.
    pub file: Option<PathBuf>,
    /// How long a run may take.
    pub timeout: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            source: Source::Caut,
            program: "caut".to_owned(),
            command: Vec::new(),
            file: None,
            timeout: Duration::from_secs(10),
        }
    }
}

/// The accounts of a workspace.
pub struct Accounts {
    store: Arc<Store>,
    options: Options,
}

impl Accounts {
    /// Prepares. Reads nothing yet.
    pub fn new(store: Arc<Store>, options: Options) -> Self {
        Self { store, options }
    }

    /// What is known, with the account to use next when `service` is given.
    pub fn list(&self, service: Option<Service>, now: Millis) -> Result<Listing> {
        let (accounts, refreshes) = self.store.read(|reader| {
            let snapshot = reader.transaction()?;
            Ok((table::stored(&snapshot, service)?, table::refreshes(&snapshot, service)?))
        })?;
        let accounts: Vec<Account> =
            accounts.into_iter().map(|account| table::after_reset(account, now)).collect();
        let last_refresh = refreshes.into_iter().flatten().max();
        let selection = service.map(|service| select::select(service, &accounts, now));
        Ok(Listing {
            accounts,
            last_refresh,
            selected: selection.as_ref().and_then(|selection| selection.chosen.clone()),
            reason: selection.map(|selection| selection.explanation),
        })
    }

    /// The account to use next, with everything that was considered.
    pub fn select(&self, service: Service, now: Millis) -> Result<Selection> {
        let accounts = self.store.read(|reader| {
            let snapshot = reader.transaction()?;
            table::stored(&snapshot, Some(service))
        })?;
        let accounts: Vec<Account> =
            accounts.into_iter().map(|account| table::after_reset(account, now)).collect();
        Ok(select::select(service, &accounts, now))
    }

    /// Notes that an account was chosen, so that the next tie goes to another one.
    pub fn used(&self, service: Service, id: &str, now: Millis) -> Result<()> {
        self.store.write(|transaction| table::used(transaction, service, id, now))
    }

    /// Refreshes one service or all from the source and stores the result.
    ///
    /// A service that was asked about in the last 30 s, by any process, is refused. One account or
    /// service that cannot be read does not spoil the others; when nothing could be read at all,
    /// the first failure is returned and the accounts stay as they are.
    pub fn refresh(&self, service: Option<Service>, now: Millis) -> Result<Refreshed> {
        let services = service.map_or_else(|| Service::ALL.to_vec(), |service| vec![service]);
        let before = self.store.write(|transaction| table::claim(transaction, &services, now))?;
        let read = run::read(&self.options, &services);
        match read {
            Ok(read) => self
                .store
                .write(|transaction| table::store_accounts(transaction, &services, read, now)),
            Err(error) => {
                // No source was queried, so a refresh after fixing the settings need not wait.
                let asked = error.reason.as_deref() == Some("accounts.broken_output");
                if error.kind == Kind::Config && !asked {
                    self.store.write(|transaction| table::unclaim(transaction, &before))?;
                }
                Err(error)
            }
        }
    }
}
