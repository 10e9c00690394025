//! `install`: adds the entry.

use clap::ArgMatches;
use serde_json::{Map, Value};

use super::client::{Client, Scope};
use super::client_file::ClientFile;
use super::environment::Environment;
use super::receipt::{Receipt, Receipts, fingerprint};
use super::server::{self, Paths, Server};
use super::text::{self, CreatedParts};
use super::user_settings::UserSettings;
use super::{ENV, EXTRA, EntryTarget, Refusal, bad_file, show};
use crate::entry::SurfaceEntry;
use crate::{surface, terminal, tool_choice};
use toolwright_runtime::contract::SurfaceInfo;

/// Completes the server with the user's flags.
pub(super) fn configure(
    entry: &SurfaceEntry,
    mut server: Server,
    target: &EntryTarget,
    matches: &ArgMatches,
    environment: &Environment,
) -> Result<Server, Refusal> {
    for given in matches.get_many::<String>(ENV).into_iter().flatten() {
        let (name, value) = given
            .split_once('=')
            .filter(|(name, _)| !name.is_empty())
            .ok_or_else(|| Refusal::usage("--env expects NAME=VALUE".to_owned()))?;
        server.env.insert(name.to_owned(), value.to_owned());
    }
    let info = entry.info;
    let extra = || matches.get_many::<String>(EXTRA).into_iter().flatten().cloned();
    let given = |paths: &Paths<'_>| {
        server::setting_arguments(info, matches, paths).map_err(Refusal::failed)
    };
    let line = parsed(entry, given(&Paths::default())?.into_iter().chain(extra()))?;
    tool_choice::check_flags(info, &line).map_err(Refusal::usage)?;
    let chosen = UserSettings::of(info, &line, &server.env, environment);
    // In user scope a client may start the server in any folder.
    let from = (target.scope == Scope::User).then_some(environment.cwd.as_path());
    server.args.extend(given(&Paths { from, rooted: chosen.has(server::ROOT) })?);
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

/// Adds the entry, unless it is present.
pub(super) fn run(
    target: &EntryTarget,
    server: &Server,
    environment: &Environment,
) -> Result<(), Refusal> {
    let original = ClientFile::read(&target.file).map_err(Refusal::failed)?;
    let old = original.text().map_err(Refusal::failed)?;
    let format = target.client.format();
    let bad = |error: text::EditError| bad_file(&target.file, &error);
    let members = server.members(target.client).map_err(Refusal::failed)?;
    let wanted: Map<String, Value> =
        members.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
    let wanted = Value::Object(wanted);
    let servers = text::servers(old, format).map_err(bad)?;
    let present = servers.get(&target.name);
    let title = target.client.title();
    let location = format!("`{}` in `{}`", target.name, target.file.display());
    if present == Some(&wanted) {
        terminal::message(&format!("{title} already has this server: {location}"));
        return Ok(());
    }
    if present.is_some() && !target.force {
        return Err(Refusal::failed(format!(
            "{location} is another entry; use --force to replace it, or --name to add a second one"
        )));
    }
    let (without, _) = match present {
        Some(_) => text::remove(old, format, &target.name, CreatedParts::default()).map_err(bad)?,
        None => (old.to_owned(), CreatedParts::default()),
    };
    let (new, created) = text::insert(&without, format, &target.name, &members).map_err(bad)?;
    show(&target.file, original.bytes.as_ref().map(|_| old), Some(&new));
    if target.dry_run {
        terminal::message("nothing was written (--dry-run)");
        return Ok(());
    }
    let receipts = Receipts::of(environment);
    let fresh = Receipt {
        path: original.target.clone(),
        name: target.name.clone(),
        surface: Some(target.surface.to_owned()),
        entry: fingerprint(&wanted),
        created,
        new_file: original.bytes.is_none(),
        folders: original.missing_folders(),
    };
    // If our own entry is replaced, the parts created the first time still count.
    let receipt = match receipts.find(&fresh.path, &fresh.name).filter(|_| present.is_some()) {
        Some(first) => Receipt { entry: fresh.entry, surface: fresh.surface, ..first },
        None => fresh,
    };
    original.replace(&new, target.scope == Scope::User).map_err(Refusal::failed)?;
    if let Err(error) = receipts.save(&receipt) {
        terminal::message(&format!("warning: `uninstall` will only remove the entry: {error}"));
    }
    let next = target.client.afterwards(target.scope);
    terminal::message(&format!("added {location} to {title}; {next}"));
    Ok(())
}
