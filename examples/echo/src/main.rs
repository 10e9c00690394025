//! The echo server: the contract is in `specs/`, the behaviour in `tools/`, the rest is generated.

#[path = "../generated/echo.rs"]
#[rustfmt::skip]
mod generated;
mod tools;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;

use toolwright_runtime::World;
use toolwright_runtime::logging::{self, Format};
use toolwright_runtime::server::{self, ServeOptions};
use toolwright_runtime::settings::{self, Sources};
use toolwright_runtime::sources::{SystemClock, SystemIds};

use generated::{Settings, Surface};

/// What the handlers share; a real server keeps its store here.
pub struct Server;

fn main() -> ExitCode {
    match start() {
        Ok(status) => status,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn start() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let sources = Sources::of_process(BTreeMap::new(), None);
    let (settings, _) = settings::load_typed::<Settings>(&sources)?;
    logging::init(&settings.log_level, Format::Json)?;
    let world = World {
        clock: Arc::new(SystemClock::default()),
        ids: Arc::new(SystemIds),
        version: env!("CARGO_PKG_VERSION"),
    };
    let surface = Arc::new(Surface::new(Server));
    Ok(ExitCode::from(server::run_stdio(surface, world, ServeOptions::default())))
}
