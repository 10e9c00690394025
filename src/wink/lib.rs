//! wink: prompt overrides of the Python library weakincentives.
//!
//! Storage is the override files themselves, shared with the library and the user's version
//! control: `<overrides dir>/<namespace>/<prompt>/<tag>.json`, in the library's formats 1 and 2.
//!
//! What holds here:
//! - one call changes one entry; every other byte of meaning in the file survives;
//! - a write takes the lock of the overrides directory, checks the file again before it is replaced, and is durable;
//! - what the application would ignore or fail on is reported, never hidden;
//! - reads create nothing, and the place of the files is never guessed.

mod complete;
pub mod descriptor;
mod doctor_checks;
pub mod engine;
mod failure;
#[path = "../../generated/wink.rs"]
#[rustfmt::skip]
pub mod generated;
pub mod hash;
pub mod ids;
pub mod listing;
pub mod override_file;
pub mod placeholders;
pub mod python_json;
pub mod root;
mod store;
mod suggest;
mod tools;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use toolwright_runtime::server::Notifier;
use toolwright_runtime::settings::{Loaded, SettingsError};
use toolwright_runtime::{Dispatch, ErrorKind};

use crate::generated::{Error, Result, SURFACE, Settings, Surface};
use descriptor::ExportCommand;
use engine::{Config, Engine};
use override_file::Format;
use toolwright_commands::{CommandAction, ExtraCommand, SurfaceEntry};

/// The surface's handlers.
pub struct Wink {
    engine: Arc<Engine>,
    /// A descriptor command may take seconds, so calls may not run on the transport's thread.
    may_wait: bool,
}

/// The entry in the registry of surfaces.
pub fn entry() -> SurfaceEntry {
    SurfaceEntry {
        extras: &[ExtraCommand {
            name: "export-helper",
            about: "Print the Python script that exports descriptors",
            action: CommandAction::Print(|| descriptor::EXPORTER.to_owned()),
        }],
        complete: Some(complete::values),
        doctor_checks: Some(doctor_checks::run),
        ..SurfaceEntry::new(&SURFACE, open, env!("CARGO_PKG_VERSION"))
    }
}

fn open(
    loaded: &Loaded,
    _: Option<Notifier>,
) -> std::result::Result<Arc<dyn Dispatch>, SettingsError> {
    let settings: Settings = loaded.typed()?;
    let cwd = std::env::current_dir().ok();
    Ok(Arc::new(Surface::new(Wink::new(&settings, cwd.as_deref()))))
}

impl Wink {
    /// Sets up from settings. Touches no file: a missing directory is an error of each call, so
    /// that the client can show it.
    pub fn new(settings: &Settings, cwd: Option<&Path>) -> Self {
        let root = root::resolve(
            settings.overrides_dir.as_deref(),
            settings.workspace_root.as_deref(),
            cwd,
        );
        let project = root.as_ref().ok().and_then(|root| root.project.clone());
        let descriptors = descriptors(settings, project.or_else(|| cwd.map(Path::to_owned)));
        match &root {
            Ok(root) => tracing::info!(
                event = "wink.mcp.config_resolved",
                overrides_dir = %root.dir.display(),
                root_source = root.source.as_str(),
                environment = settings.environment.as_deref().unwrap_or_default(),
                "overrides directory chosen",
            ),
            Err(failure) => {
                tracing::warn!(event = "wink.mcp.config_error", "{}", failure.message());
            }
        }
        let may_wait = descriptors.command.is_some() || descriptors.registry.is_some();
        let engine = Engine::new(Config {
            root,
            descriptors,
            default_format: settings.override_format.and_then(Format::from_number),
            lock_timeout: Duration::from_millis(settings.lock_timeout_ms.unsigned_abs()),
        });
        Self { engine: Arc::new(engine), may_wait }
    }

    /// Reads on this thread where that is quick, elsewhere otherwise.
    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Engine) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        if self.may_wait { self.write(work).await } else { work(&self.engine) }
    }

    /// Runs on a thread of its own: waiting for a lock or a disk must not block the transport, and
    /// a write that has begun is finished even when the client no longer waits.
    async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Engine) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let engine = Arc::clone(&self.engine);
        toolwright_runtime::spawn_blocking(move || work(&engine)).await.unwrap_or_else(|error| {
            Err(Error::Internal.because("The operation broke off.").internal(error))
        })
    }
}

/// Where descriptors come from; relative paths and commands start at the project.
fn descriptors(settings: &Settings, base: Option<PathBuf>) -> descriptor::Config {
    let absolute =
        |path: &PathBuf| base.as_ref().map_or_else(|| path.clone(), |base| base.join(path));
    let timeout = Duration::from_secs(settings.descriptor_command_timeout.unsigned_abs());
    let watch: Vec<PathBuf> = match settings.descriptor_watch.as_slice() {
        [] => base.iter().cloned().collect(),
        paths => paths.iter().map(absolute).collect(),
    };
    let command = (!settings.descriptor_command.is_empty()).then(|| ExportCommand {
        argv: settings.descriptor_command.clone(),
        cwd: base.clone(),
        timeout,
        watch: watch.clone(),
    });
    let registry = (!settings.prompt_registry_modules.is_empty()).then(|| {
        ExportCommand::for_modules(
            std::slice::from_ref(&settings.python),
            &settings.prompt_registry_modules,
            base.clone(),
            timeout,
            watch,
        )
    });
    descriptor::Config {
        files: settings.descriptors.iter().map(absolute).collect(),
        default_file: None,
        command,
        registry,
    }
}
