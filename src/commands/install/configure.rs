//! Completes the command of a server with what the user gave, what suits the client, and what the
//! server cannot do without.

use clap::ArgMatches;
use serde_json::Value;

use super::client::{Client, Scope};
use super::environment::Environment;
use super::server::{self, Paths, Server};
use super::user_settings::UserSettings;
use super::{ENV, EXTRA, EntryTarget, Refusal, required};
use crate::entry::SurfaceEntry;
use crate::{surface, tool_choice};
use toolwright_runtime::contract::SurfaceInfo;

/// Completes the server. `present` is the entry that is changed, if there is one: its variables stay.
pub(super) fn configure(
    entry: &SurfaceEntry,
    mut server: Server,
    target: &EntryTarget,
    matches: &ArgMatches,
    present: &Value,
    environment: &Environment,
) -> Result<Server, Refusal> {
    for given in matches.get_many::<String>(ENV).into_iter().flatten() {
        let (name, value) = given
            .split_once('=')
            .filter(|(name, _)| !name.is_empty())
            .ok_or_else(|| Refusal::usage("--env expects NAME=VALUE".to_owned()))?;
        server.env.insert(name.to_owned(), value.to_owned());
    }
    let mut variables = server::variables(present);
    variables.extend(server.env.clone());
    let info = entry.info;
    let extra = || matches.get_many::<String>(EXTRA).into_iter().flatten().cloned();
    let given = |paths: &Paths<'_>| {
        server::setting_arguments(info, matches, paths).map_err(Refusal::failed)
    };
    let line = parsed(entry, given(&Paths::default())?.into_iter().chain(extra()))?;
    tool_choice::check_flags(info, &line).map_err(Refusal::usage)?;
    let chosen = UserSettings::of(info, &line, &variables, environment);
    // In user scope a client may start the server in any folder.
    let from = (target.scope == Scope::User).then_some(environment.cwd.as_path());
    server.args.extend(given(&Paths { from, rooted: chosen.has(server::ROOT) })?);
    required::add(entry, &mut server, &chosen)?;
    server.args.extend(profile(info, target.client, &chosen));
    server.args.extend(extra());
    Ok(server)
}

/// Parses the arguments as the server will, and rejects those that it would not accept.
fn parsed(
    entry: &SurfaceEntry,
    arguments: impl Iterator<Item = String>,
) -> Result<ArgMatches, Refusal> {
    let words = [entry.info.name, "mcp"].map(str::to_owned).into_iter().chain(arguments);
    let mut line = surface::command(entry).try_get_matches_from(words).map_err(|error| {
        let message = error.to_string();
        let message = message.strip_prefix("error: ").unwrap_or(&message);
        Refusal::usage(format!("the server does not accept these arguments: {message}"))
    })?;
    Ok(line.remove_subcommand().map_or(line, |(_, arguments)| arguments))
}

/// The profile of the client, if the surface has profiles and the user chose none. A flag overrides
/// every other source, so all of them are checked for the user's choice.
fn profile(info: &SurfaceInfo, client: Client, chosen: &UserSettings<'_>) -> Option<String> {
    let setting = info.setting("client_profile")?;
    let flag = setting.flag.filter(|_| !chosen.has(setting.key))?;
    Some(format!("{flag}={}", client.profile()))
}
