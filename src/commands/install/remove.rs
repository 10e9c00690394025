//! `uninstall`: removes the entry, and the parts that were created for it. An entry that was replaced is
//! given back.

use super::client::Format;
use super::client_file::ClientFile;
use super::diff::Change;
use super::environment::Environment;
use super::receipt::{Receipt, Receipts, Replaced, fingerprint};
use super::server::Server;
use super::text::{self, CreatedParts, EditError};
use super::{EntryTarget, Refusal, bad_file, is_open, is_ours};
use crate::terminal;
use toolwright_runtime::contract::SurfaceInfo;

/// Removes the entry, if it is present.
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
    let location = format!("`{}` in `{}`", target.name, target.file.display());
    let receipts = Receipts::of(environment);
    let servers = text::servers(old, format).map_err(bad)?;
    let Some(present) = servers.get(&target.name) else {
        if !target.dry_run {
            let _ = receipts.forget(&original.target, &target.name, None);
        }
        return Err(Refusal::failed(format!("there is no {location}; nothing was changed")));
    };
    let receipt = receipts.find(&original.target, &target.name);
    let ours = is_ours(present, receipt.as_ref(), info, server);
    if !ours && !target.force {
        return Err(Refusal::failed(format!(
            "{location} starts another server; use --force to remove it anyway"
        )));
    }
    if receipt.as_ref().is_some_and(|receipt| receipt.entry != fingerprint(present)) {
        terminal::message(&format!("note: {location} was changed since it was installed"));
    }
    let created = receipt.as_ref().map_or_else(CreatedParts::default, |receipt| receipt.created);
    let replaced = receipt.as_ref().filter(|_| ours).and_then(|receipt| receipt.replaced.as_ref());
    let (new, left) = match replaced {
        Some(replaced) => given_back(old, format, &target.name, replaced).map_err(bad)?,
        None => text::remove(old, format, &target.name, created).map_err(bad)?,
    };
    let is_created = receipt.as_ref().is_some_and(|receipt| receipt.new_file);
    let gone = is_created && new.is_empty();
    original.check_writable().map_err(Refusal::failed)?;
    let after = (!gone).then_some(new.as_str());
    let change = Change { file: &target.file, format, old: Some(old), new: after };
    terminal::data(&change.shown(&|name| is_open(info, name)));
    if target.dry_run {
        terminal::message("nothing was written (--dry-run)");
        return Ok(());
    }
    let folders = receipt.as_ref().map_or(&[][..], |receipt| &receipt.folders);
    if gone {
        original.delete(folders).map_err(Refusal::failed)?;
    } else {
        original.replace(&new, false).map_err(Refusal::failed)?;
    }
    let still = receipt.clone().filter(|_| !gone);
    let still = still.map(|receipt| Receipt { created: left, ..receipt });
    if let Err(error) = receipts.forget(&original.target, &target.name, still) {
        terminal::message(&format!("warning: cannot delete the receipt of the entry: {error}"));
    }
    let done = match replaced {
        Some(_) => "gave back what was there before",
        None => "removed",
    };
    terminal::message(&format!("{done}: {location} of {}", target.client.title()));
    Ok(())
}

/// The text with the entry that was replaced.
fn given_back(
    text: &str,
    format: Format,
    name: &str,
    replaced: &Replaced,
) -> Result<(String, CreatedParts), EditError> {
    if let Some(new) = text::restore(text, format, name, &replaced.source, &replaced.entry)? {
        return Ok((new, CreatedParts::default()));
    }
    // It was moved since, so its place is not known any more.
    let (without, _) = text::remove(text, format, name, CreatedParts::default())?;
    let members = replaced.entry.as_object().cloned().unwrap_or_default();
    let (new, _) = text::insert(&without, format, name, &members.into_iter().collect())?;
    Ok((new, CreatedParts::default()))
}
