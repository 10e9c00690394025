//! `install`: adds the entry.

use std::path::Path;

use clap::ArgMatches;
use serde_json::Value;

use super::client::Scope;
use super::client_file::ClientFile;
use super::configure::configure;
use super::diff::Change;
use super::environment::Environment;
use super::receipt::{Receipt, Receipts, Replaced, fingerprint};
use super::server::Server;
use super::text::{self, CreatedParts};
use super::{EntryTarget, Refusal, bad_file, is_open, is_ours};
use crate::entry::SurfaceEntry;
use crate::terminal;
use toolwright_platform::health::{Holds, exposure};
use toolwright_runtime::contract::SurfaceInfo;

/// Adds the entry, unless it is present.
pub(super) fn run(
    entry: &SurfaceEntry,
    server: Server,
    target: &EntryTarget,
    matches: &ArgMatches,
    environment: &Environment,
) -> Result<(), Refusal> {
    let info = entry.info;
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
    let ours = present.is_some_and(|it| is_ours(it, known.as_ref(), info, &server));
    if present.is_some() && !ours && !target.force {
        return Err(Refusal::failed(taken(&location, ours)));
    }
    let present_entry = present.unwrap_or(&Value::Null);
    let server = configure(entry, server, target, matches, present_entry, environment)?;
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
    note_secrets(info, &server, target, &original.target);
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

/// A secret setting in a file that others can read, or that is shared with the project.
fn note_secrets(info: &SurfaceInfo, server: &Server, target: &EntryTarget, file: &Path) {
    let is_secret =
        |name: &str| info.all_settings().any(|setting| setting.secret && setting.env == Some(name));
    let Some(name) = server.env.keys().find(|name| is_secret(name)) else { return };
    if target.scope == Scope::Project {
        let file = file.display();
        terminal::message(&format!("note: `{file}` holds the secret {name}; do not commit it"));
    }
    if let Some(found) = exposure(file, Holds::Secrets) {
        terminal::message(&format!("warning: {}. {}", found.message(), found.remedy()));
    }
}
