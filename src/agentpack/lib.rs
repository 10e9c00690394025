//! agentpack: deploys agent instructions, skills, prompts and commands from one config repo into
//! Codex, Claude Code, Cursor and VS Code.
//!
//! Storage is files and git, shared with upstream agentpack: the config repo, target manifests in
//! the target folders, snapshots below the agentpack home.
//!
//! What holds here:
//! - what is ours is read from the manifests in the roots of this project, never from history;
//! - an apply carries out exactly the plan that was reviewed, all of it or nothing, under one lock
//!   per agentpack home, and a crash is finished or undone at the next start;
//! - nothing is written through a symbolic link, outside a root, or into the user's checkout;
//! - reading tools change nothing; a commit that is missing in the git cache is fetched into it.

mod apply;
mod compose;
pub mod config;
mod content;
mod desired;
mod diff;
mod doctor;
mod doctor_checks;
mod drift;
mod engine;
pub mod environment;
mod evolve;
mod explain;
mod failure;
pub mod frontmatter;
mod fs;
#[path = "../../generated/agentpack.rs"]
#[rustfmt::skip]
pub mod generated;
mod git;
mod human;
pub mod identity;
mod lock;
pub mod lockfile;
pub mod manifest;
pub mod model;
mod next_actions;
mod overlay;
pub mod paths;
mod plan;
mod rollback;
pub mod snapshot;
mod source;
mod targets;
#[cfg(test)]
mod testing;
mod tools;
mod transaction;
mod tree;
mod validate;
mod workspace;
mod writable;
mod writer;

use std::path::PathBuf;
use std::sync::Arc;

use toolwright_runtime::guard::Confirmations;
use toolwright_runtime::server::Notifier;
use toolwright_runtime::settings::{Loaded, SettingsError};
use toolwright_runtime::{Call, Dispatch, ErrorKind};

use crate::generated::{Error, Result, SURFACE, Settings, Surface};
use engine::Engine;
use environment::Environment;
use toolwright_commands::SurfaceEntry;

/// Seconds that a plan may be confirmed for, per issuing tool.
const TOKEN_LIFETIMES: &[(&str, u32)] = &[("deploy", 600)];

/// The surface's handlers.
pub struct Agentpack {
    engine: Arc<Engine>,
    confirmations: Arc<Confirmations>,
}

/// What the registry of surfaces needs to know.
pub fn entry() -> SurfaceEntry {
    SurfaceEntry {
        human: Some(human::render),
        client_roots: true,
        doctor_checks: Some(doctor_checks::run),
        ..SurfaceEntry::new(&SURFACE, open, env!("CARGO_PKG_VERSION"))
    }
}

fn open(
    loaded: &Loaded,
    _: Option<Notifier>,
) -> std::result::Result<Arc<dyn Dispatch>, SettingsError> {
    Ok(Arc::new(surface(environment(loaded.typed()?))))
}

/// The environment of this process, with the settings applied.
fn environment(settings: Settings) -> Environment {
    let vars = std::env::vars().collect();
    let cwd = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let mut environment = Environment::new(vars, cwd);
    environment.home = environment.home.or_else(std::env::home_dir);
    environment.agentpack_home = environment.cwd.join(&settings.home);
    environment.project_dir = settings.project_dir.map(|folder| environment.cwd.join(folder));
    let overrides = [
        ("AGENTPACK_MACHINE_ID", settings.machine_id),
        ("CODEX_HOME", settings.codex_home.map(|path| path.display().to_string())),
    ];
    for (name, value) in overrides {
        environment.vars.extend(value.map(|value| (name.to_owned(), value)));
    }
    environment
}

/// The surface in an environment. What a crash left behind is finished or undone first.
pub fn surface(environment: Environment) -> Surface<Agentpack> {
    let engine = Engine::new(environment);
    match engine.recover() {
        Ok(recovered) => {
            for warning in recovered.warnings() {
                tracing::warn!(event = "agentpack.recovered", "{warning}");
            }
        }
        // Every call that writes tries again and reports the failure to the client.
        Err(failure) => tracing::warn!(event = "agentpack.recovery_failed", "{failure}"),
    }
    let confirmations = Arc::new(Confirmations::new(&SURFACE, TOKEN_LIFETIMES));
    let handlers =
        Agentpack { engine: Arc::new(engine), confirmations: Arc::clone(&confirmations) };
    Surface::with_confirmations(handlers, confirmations)
}

impl Agentpack {
    /// Runs on a thread of its own: reading a tree of files or waiting for git must not stop the
    /// transport, and a write that has begun is finished even when the client no longer waits.
    async fn run<T: Send + 'static>(
        &self,
        call: &Call,
        work: impl FnOnce(&Engine) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let mut engine = Arc::clone(&self.engine);
        if !call.client().roots.is_empty() {
            Arc::make_mut(&mut engine).set_client_roots(&call.client().roots);
        }
        toolwright_runtime::spawn_blocking(move || work(&engine)).await.unwrap_or_else(|error| {
            Err(Error::Unexpected.because("The operation broke off.").internal(error))
        })
    }
}
