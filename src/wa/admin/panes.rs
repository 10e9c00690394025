//! `wa spawn`, `wa attach`, `wa close`, and the hidden command of the pane host.

use std::path::Path;
use std::sync::Arc;

use clap::ArgMatches;

use super::pane;
use crate::embedded::{self, AttachEnd};
use crate::engine::Engine;
use crate::error::{Kind, Result};
use crate::model::BackendKind;
use crate::mux::{Mux as _, Spawn};
use crate::store::private_folder;
use toolwright_commands::terminal;

/// Starts a program in an embedded pane.
pub(super) fn spawn(engine: &Arc<Engine>, matches: &ArgMatches) -> Result<u8> {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let here = std::env::current_dir().ok().map(|folder| folder.display().to_string());
    let spawn = Spawn {
        command: matches.get_many::<String>("command").into_iter().flatten().cloned().collect(),
        cwd: text("cwd").or(here),
        size: text("size").map(|size| parse_size(&size)).transpose()?,
        title: text("title"),
        env: Vec::new(),
    };
    private_folder(engine.folder())?;
    let native = engine.setup.backends.embedded().spawn(&spawn)?;
    let set = engine.mux_set()?;
    let member = set.members().iter().find(|member| member.kind == BackendKind::Embedded);
    let id = member.and_then(|member| member.public_id(native)).unwrap_or(native);
    terminal::line(&id.to_string());
    Ok(0)
}

/// Shows a pane in this terminal.
pub(super) fn attach(engine: &Arc<Engine>, matches: &ArgMatches) -> Result<u8> {
    let native = own_pane(engine, pane(matches)?)?;
    let end = embedded::attach(engine.folder(), native)?;
    terminal::message(&match end {
        AttachEnd::Detached => "Detached; the pane keeps running.".to_owned(),
        AttachEnd::PaneEnded(Some(status)) => format!("The program ended with status {status}."),
        AttachEnd::PaneEnded(None) => "The program ended.".to_owned(),
    });
    Ok(0)
}

/// Closes a pane.
pub(super) fn close(engine: &Arc<Engine>, matches: &ArgMatches) -> Result<u8> {
    let native = own_pane(engine, pane(matches)?)?;
    engine.setup.backends.embedded().close(native)?;
    Ok(0)
}

/// Runs the pane host.
pub(super) fn host(matches: &ArgMatches) -> Result<u8> {
    let folder = matches.get_one::<String>("folder").map_or(Path::new(".wa"), Path::new);
    embedded::host(folder)?;
    Ok(0)
}

fn own_pane(engine: &Engine, id: u64) -> Result<u64> {
    let found = engine.mux_set()?.find(id)?;
    if found.row.backend == BackendKind::Embedded {
        return Ok(found.row.native_id);
    }
    Err(Kind::NotImplemented
        .because(format!("Pane {id} belongs to {}, not to wa.", found.row.backend))
        .hint("Use that program instead."))
}

fn parse_size(size: &str) -> Result<(u16, u16)> {
    let parts = size.split_once('x');
    let parsed = parts.and_then(|(cols, rows)| Some((cols.parse().ok()?, rows.parse().ok()?)));
    parsed.filter(|(cols, rows)| *cols > 0 && *rows > 0).ok_or_else(|| {
        Kind::InvalidArguments
            .because(format!("`--size`: `{size}` is not a size."))
            .hint("Write it as 80x24.")
    })
}
