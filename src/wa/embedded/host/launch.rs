//! Parameters of a new pane: program, folder, environment and size.

use std::path::Path;

use portable_pty::{CommandBuilder, PtySize};

use crate::embedded::wire::{Refusal, RefusalKind, WireSpawn};

pub(super) const DEFAULT_SIZE: (u16, u16) = (80, 24);
/// Lengths of sides that make sense.
const SIDES: std::ops::RangeInclusive<u16> = 2..=1000;
/// What other terminals left in the environment and is not true in here.
const FOREIGN: &[&str] = &[
    "COLUMNS",
    "LINES",
    "STY",
    "TERMCAP",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "TMUX",
    "TMUX_PANE",
    "VTE_VERSION",
    "WEZTERM_PANE",
    "WEZTERM_UNIX_SOCKET",
    "WINDOWID",
];

pub(super) fn check_size((columns, rows): (u16, u16)) -> Result<(), Refusal> {
    if SIDES.contains(&columns) && SIDES.contains(&rows) {
        return Ok(());
    }
    let (low, high) = (SIDES.start(), SIDES.end());
    Err(Refusal::new(
        RefusalKind::Arguments,
        format!("A pane of {columns} by {rows} is not possible; use {low} to {high}."),
    ))
}

pub(super) fn pty_size((cols, rows): (u16, u16)) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

pub(super) fn command(spawn: &WireSpawn, workspace: &Path) -> Result<CommandBuilder, Refusal> {
    let mut command = if spawn.command.is_empty() {
        CommandBuilder::new_default_prog()
    } else {
        CommandBuilder::from_argv(spawn.command.iter().map(Into::into).collect())
    };
    let cwd = spawn.cwd.as_ref().map_or(workspace, |cwd| Path::new(cwd.as_str()));
    if !cwd.is_dir() {
        let message = format!("`cwd` is `{}`, which is not a folder.", cwd.display());
        return Err(Refusal::new(RefusalKind::Arguments, message));
    }
    command.cwd(cwd);
    for name in FOREIGN {
        command.env_remove(name);
    }
    command.env("TERM", "xterm-256color");
    command.env("COLORTERM", "truecolor");
    for (name, value) in &spawn.env {
        if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
            let message = format!("`env` has an invalid variable name: {name:?}.");
            return Err(Refusal::new(RefusalKind::Arguments, message));
        }
        command.env(name, value);
    }
    Ok(command)
}
