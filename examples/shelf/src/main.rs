//! The shelf: the contract is in `specs/`, the behaviour in `tools/`, the books in `store`.

#[path = "../generated/shelf.rs"]
#[rustfmt::skip]
mod generated;
mod store;
mod tools;

use std::process::ExitCode;
use std::sync::Arc;

use toolwright_commands::SurfaceEntry;
use toolwright_runtime::server::Notifier;
use toolwright_runtime::settings::{Loaded, SettingsError};
use toolwright_runtime::{Dispatch, ErrorKind as _};

use generated::{Error, Result, SURFACE, Settings, Surface};
use store::Store;

/// What the handlers share.
pub struct Server {
    store: Arc<Store>,
}

impl Server {
    /// Works on the store in a thread where waiting for a lock or a disk stops nobody else.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let store = Arc::clone(&self.store);
        toolwright_runtime::spawn_blocking(move || work(&store)).await.unwrap_or_else(|error| {
            Err(Error::Internal.because("The call broke off.").internal(error))
        })
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
    let store = Arc::new(Store::new(settings.file));
    Ok(Arc::new(Surface::new(Server { store })))
}
