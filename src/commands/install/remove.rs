//! `uninstall`: removes the entry, and the parts that were created for it.

use super::client_file::ClientFile;
use super::environment::Environment;
use super::receipt::{Receipt, Receipts, fingerprint};
use super::server::{Entry, Server};
use super::text::{self, CreatedParts};
use super::{EntryTarget, Refusal, bad_file, show};
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
    // The entry may have been replaced by another server's.
    let ours = receipt.as_ref().is_some_and(|receipt| receipt.is_of(info.name, present))
        || Entry::read(present).is_some_and(|it| it.is_of(info, server));
    if !ours && !target.force {
        return Err(Refusal::failed(format!(
            "{location} starts another server; use --force to remove it anyway"
        )));
    }
    if receipt.as_ref().is_some_and(|receipt| receipt.entry != fingerprint(present)) {
        terminal::message(&format!("note: {location} was changed since it was installed"));
    }
    let created = receipt.as_ref().map_or_else(CreatedParts::default, |receipt| receipt.created);
    let (new, left) = text::remove(old, format, &target.name, created).map_err(bad)?;
    let is_created = receipt.as_ref().is_some_and(|receipt| receipt.new_file);
    let gone = is_created && new.is_empty();
    show(&target.file, Some(old), (!gone).then_some(new.as_str()));
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
    let still = receipt.filter(|_| !gone).map(|receipt| Receipt { created: left, ..receipt });
    if let Err(error) = receipts.forget(&original.target, &target.name, still) {
        terminal::message(&format!("warning: cannot delete the receipt of the entry: {error}"));
    }
    terminal::message(&format!("removed {location} from {}", target.client.title()));
    Ok(())
}
