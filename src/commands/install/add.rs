//! `install`: adds the entry.

use clap::ArgMatches;
use serde_json::Value;

use super::client::{Client, Scope};
use super::client_file::ClientFile;
use super::diff::Change;
use super::environment::Environment;
use super::receipt::{Receipt, Receipts, Replaced, fingerprint};
use super::server::{self, Paths, Server};
use super::text::{self, CreatedParts};
use super::user_settings::UserSettings;
use super::{ENV, EXTRA, EntryTarget, Refusal, bad_file, is_open, is_ours};
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
    info: &SurfaceInfo,
    server: &Server,
    environment: &Environment,
) -> Result<(), Refusal> {
    let original = ClientFile::read(&target.file).map_err(Refusal::failed)?;
    let old = original.text().map_err(Refusal::failed)?;
    let format = target.client.format();
    let bad = |error: text::EditError| bad_file(&target.file, &error);
    let servers = text::servers(old, format).map_err(bad)?;
    let present = servers.get(&target.name);
    let title = target.client.title();
    let location = format!("`{}` in `{}`", target.name, target.file.display());
    let receipts = Receipts::of(environment);
    let known = receipts.find(&original.target, &target.name);
    let ours = present.is_some_and(|it| is_ours(it, known.as_ref(), info, server));
    let members = server.members(target.client).map_err(Refusal::failed)?;
    let (wanted, new, created) = match present {
        None => {
            let (new, created) = text::insert(old, format, &target.name, &members).map_err(bad)?;
            (Value::Object(members.into_iter().collect()), new, created)
        }
        Some(present) => {
            let update = server.update(target.client, present).map_err(Refusal::failed)?;
            let wanted = update.applied(present);
            if *present == wanted {
                terminal::message(&format!("{title} already has this server: {location}"));
                note_disabled(present, title);
                return Ok(());
            }
            if !target.force {
                return Err(Refusal::failed(taken(&location, ours)));
            }
            let new = text::update(old, format, &target.name, &update).map_err(bad)?;
            (wanted, new, CreatedParts::default())
        }
    };
    original.check_writable().map_err(Refusal::failed)?;
    let before = original.bytes.as_ref().map(|_| old);
    let change = Change { file: &target.file, format, old: before, new: Some(&new) };
    terminal::data(&change.shown(&|name| is_open(info, name)));
    if target.dry_run {
        terminal::message("nothing was written (--dry-run)");
        return Ok(());
    }
    let command = server.command_text().map_err(Refusal::failed)?;
    let fresh = Receipt {
        path: original.target.clone(),
        name: target.name.clone(),
        surface: Some(target.surface.to_owned()),
        entry: fingerprint(&wanted),
        command: Some(command.to_owned()),
        replaced: match present {
            Some(present) => Some(Replaced {
                source: text::source(old, format, &target.name).map_err(bad)?,
                entry: present.clone(),
            }),
            None => None,
        },
        created,
        new_file: original.bytes.is_none(),
        folders: original.missing_folders(),
    };
    // If our own entry is changed, what the first time created and replaced still counts.
    let receipt = match known.filter(|known| present.is_some_and(|it| known.is_of(info.name, it))) {
        Some(first) => {
            Receipt { entry: fresh.entry, surface: fresh.surface, command: fresh.command, ..first }
        }
        None => fresh,
    };
    original.replace(&new, target.scope == Scope::User).map_err(Refusal::failed)?;
    if let Err(error) = receipts.save(&receipt) {
        terminal::message(&format!("warning: `uninstall` will only remove the entry: {error}"));
    }
    let next = target.client.afterwards(target.scope);
    let done = if present.is_some() { "changed" } else { "added" };
    terminal::message(&format!("{done} {location} of {title}; {next}"));
    note_disabled(&wanted, title);
    Ok(())
}

/// Why an entry of the same name is not changed.
fn taken(location: &str, ours: bool) -> String {
    let (is, change) = match ours {
        true => ("already starts this server, in another way", "change"),
        false => ("is another entry", "replace"),
    };
    format!(
        "{location} {is}; use --force to {change} it, or --name to add a second one. \
         Its `env` and other keys stay, and `uninstall` gives back what was there"
    )
}

/// An entry that is switched off stays so.
fn note_disabled(entry: &Value, title: &str) {
    if entry["disabled"] == true || entry["enabled"] == false {
        terminal::message(&format!(
            "note: the entry is switched off, so {title} does not start it"
        ));
    }
}
