//! `uninstall`: takes the entry out, and what was made for it.

use super::file::Original;
use super::receipt::{Receipt, Receipts, fingerprint};
use super::server::{Entry, Server};
use super::surroundings::Surroundings;
use super::text::{self, Made};
use super::{Place, Refusal, bad_file, show};
use crate::terminal;
use toolwright_runtime::contract::SurfaceInfo;

/// Takes the entry out, if it is there.
pub(super) fn run(
    place: &Place,
    info: &SurfaceInfo,
    server: &Server,
    surroundings: &Surroundings,
) -> Result<(), Refusal> {
    let original = Original::read(&place.file).map_err(Refusal::failed)?;
    let old = original.text().map_err(Refusal::failed)?;
    let format = place.client.format();
    let bad = |fault: text::Fault| bad_file(&place.file, &fault);
    let whereabouts = format!("`{}` in `{}`", place.name, place.file.display());
    let receipts = Receipts::of(surroundings);
    let servers = text::servers(old, format).map_err(bad)?;
    let Some(present) = servers.get(&place.name) else {
        if !place.dry_run {
            let _ = receipts.forget(&original.target, &place.name, None);
        }
        return Err(Refusal::failed(format!("there is no {whereabouts}; nothing was changed")));
    };
    let receipt = receipts.find(&original.target, &place.name);
    // Somebody may have put another server in the place of ours.
    let ours = receipt.as_ref().is_some_and(|receipt| receipt.is_of(info.name, present))
        || Entry::read(present).is_some_and(|it| it.is_of(info, server));
    if !ours && !place.force {
        return Err(Refusal::failed(format!(
            "{whereabouts} starts another server; say --force to remove it all the same"
        )));
    }
    if receipt.as_ref().is_some_and(|receipt| receipt.entry != fingerprint(present)) {
        terminal::talk(&format!("note: {whereabouts} was changed since it was installed"));
    }
    let made = receipt.as_ref().map_or_else(Made::default, |receipt| receipt.made);
    let (new, left) = text::remove(old, format, &place.name, made).map_err(bad)?;
    let is_created = receipt.as_ref().is_some_and(|receipt| receipt.new_file);
    let gone = is_created && new.is_empty();
    show(&place.file, Some(old), (!gone).then_some(new.as_str()));
    if place.dry_run {
        terminal::talk("nothing was written (--dry-run)");
        return Ok(());
    }
    let folders = receipt.as_ref().map_or(&[][..], |receipt| &receipt.folders);
    if gone {
        original.delete(folders).map_err(Refusal::failed)?;
    } else {
        original.replace(&new, false).map_err(Refusal::failed)?;
    }
    let still = receipt.filter(|_| !gone).map(|receipt| Receipt { made: left, ..receipt });
    if let Err(error) = receipts.forget(&original.target, &place.name, still) {
        terminal::talk(&format!("warning: the receipt of the entry stays: {error}"));
    }
    terminal::talk(&format!("{} no longer knows {whereabouts}", place.client.title()));
    Ok(())
}
