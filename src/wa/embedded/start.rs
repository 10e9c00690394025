//! Starts the host if none is running.

use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::socket;
use crate::error::{Error, Kind, Result};

/// How long a host may take to listen.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(10);

/// A connection to the host of `folder`, which is started with `command` when there is none.
pub(super) fn connect_or_start(folder: &Path, command: &[String]) -> Result<UnixStream> {
    if let Some(stream) = connect(folder)? {
        return Ok(stream);
    }
    let mut host = start(folder, command)?;
    let started = Instant::now();
    let mut running = true;
    while started.elapsed() < PATIENCE {
        if let Some(stream) = connect(folder)? {
            // The child must be waited for.
            std::thread::spawn(move || host.wait());
            return Ok(stream);
        }
        // One that finds another host ends at once; that one may need a moment.
        if running && let Ok(Some(status)) = host.try_wait() {
            running = false;
            if !status.success() {
                return Err(not_started(folder, format!("it ended at once, {status}")));
            }
        }
        std::thread::sleep(PAUSE);
    }
    std::thread::spawn(move || host.wait());
    Err(not_started(folder, format!("it did not listen within {} s", PATIENCE.as_secs())))
}

/// A connection to the host of `folder`, if there is one.
pub(super) fn connect(folder: &Path) -> Result<Option<UnixStream>> {
    socket::connect(folder).map_err(|error| {
        Kind::Backend
            .because(format!("The pane host of `{}` cannot be reached: {error}.", folder.display()))
            .hint("Check host.log there. End the process named in host.pid and try again.")
            .internal(error)
    })
}

fn start(folder: &Path, command: &[String]) -> Result<Child> {
    let [program, arguments @ ..] = command else {
        return Err(Kind::Config.because("No command is configured to start the pane host."));
    };
    let log = socket::make_folder(folder).and_then(|()| socket::log(folder)).map_err(|error| {
        Kind::Backend
            .because(format!("`{}` cannot be written: {error}.", folder.display()))
            .internal(error)
    })?;
    let mut host = Command::new(program);
    host.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    host.spawn().map_err(|error| {
        Kind::Backend
            .because(format!("The pane host cannot be started with `{program}`: {error}."))
            .internal(error)
    })
}

fn not_started(folder: &Path, what: String) -> Error {
    Kind::Backend
        .because(format!("The pane host of `{}` could not be started: {what}.", folder.display()))
        .hint("Check host.log in that folder.")
        .internal(socket::log_tail(folder))
}
