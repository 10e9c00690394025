//! Settings without which a server over stdio serves nobody: the user has chosen them, is asked for them
//! at a terminal, or nothing is registered.

use std::fmt::Write as _;
use std::io::{self, BufRead as _, IsTerminal as _};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use super::Refusal;
use super::server::Server;
use super::user_settings::UserSettings;
use crate::entry::{RequiredSetting, SurfaceEntry};
use crate::terminal;
use toolwright_runtime::contract::{SettingInfo, SettingKind};

/// Adds the required settings that were not chosen, as arguments or variables of the server.
pub(super) fn add(
    entry: &SurfaceEntry,
    server: &mut Server,
    chosen: &UserSettings<'_>,
) -> Result<(), Refusal> {
    let missing = entry.required.iter().filter(|required| !chosen.has(required.key));
    let missing: Vec<(&RequiredSetting, &SettingInfo)> = missing
        .filter_map(|required| Some((required, entry.info.setting(required.key)?)))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let can_ask = io::stdin().is_terminal() && io::stderr().is_terminal();
    for (required, setting) in &missing {
        let answer = if can_ask {
            ask(required, setting)
                .map_err(|error| Refusal::failed(format!("cannot ask at the terminal: {error}")))?
        } else {
            String::new()
        };
        if answer.is_empty() {
            return Err(Refusal::failed(refusal(entry.info.name, &missing)));
        }
        match (place(setting), setting.flag, setting.env) {
            (Place::Flag, Some(flag), _) if setting.kind == SettingKind::StringList => {
                let values = answer.split(',').map(str::trim).filter(|value| !value.is_empty());
                server.args.extend(values.map(|value| format!("{flag}={value}")));
            }
            (Place::Flag, Some(flag), _) => server.args.push(format!("{flag}={answer}")),
            (_, _, Some(name)) => {
                server.env.insert(name.to_owned(), answer);
            }
            _ => return Err(Refusal::failed(refusal(entry.info.name, &missing))),
        }
    }
    Ok(())
}

enum Place {
    Flag,
    Variable,
}

/// Arguments are seen by everybody on the machine, variables by their user.
fn place(setting: &SettingInfo) -> Place {
    if setting.secret || setting.flag.is_none() { Place::Variable } else { Place::Flag }
}

fn refusal(surface: &str, missing: &[(&RequiredSetting, &SettingInfo)]) -> String {
    let mut text =
        format!("{surface} would serve nobody, so it was not registered. Required, and not set:");
    for (required, setting) in missing {
        let give = match (place(setting), setting.flag, setting.env) {
            (Place::Flag, Some(flag), _) => format!("{flag} VALUE"),
            (_, _, Some(name)) => format!("--env {name}=VALUE"),
            _ => "the settings file".to_owned(),
        };
        let _ = write!(text, "\n  `{}`: give it with {give}. {}", required.key, required.how);
    }
    text
}

fn ask(required: &RequiredSetting, setting: &SettingInfo) -> io::Result<String> {
    let several =
        if setting.kind == SettingKind::StringList { ", separated by commas" } else { "" };
    terminal::message(&format!("`{}` is required. {}", required.key, required.how));
    // First: whatever is typed after the question belongs to the answer.
    let hidden = setting.secret.then(Hidden::start).transpose()?;
    terminal::prompt(&format!("{}{several}: ", required.key));
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    if hidden.is_some() {
        terminal::message("");
    }
    Ok(line.trim().to_owned())
}

/// While it lives, the terminal does not show what is typed.
struct Hidden(Termios);

impl Hidden {
    fn start() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut quiet = before.clone();
        quiet.local_modes.remove(LocalModes::ECHO);
        tcsetattr(io::stdin(), OptionalActions::Flush, &quiet)?;
        Ok(Self(before))
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}
