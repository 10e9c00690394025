//! Forgets dumps: their text leaves every record, and then the database file.

use serde_json::Map;

use super::capture::Payload;
use super::decisions::has_life;
use super::{Caller, Engine, Error, Result};
use crate::index;
use crate::inference;
use crate::records::baskets;
use crate::records::captures;
use crate::records::dumps::{self, Dump};
use crate::records::erasure::{self, Forgotten};
use crate::records::{Tx, substrate};

/// Dumps of a basket that are asked whether its name is theirs.
const ASKED: i64 = 200;
/// What a basket is called whose name was made of a forgotten text.
const UNTITLED: &str = "Untitled";

impl Engine {
    /// Deletes a dump and everything derived from it, with all copies that were misrouted. A
    /// tombstone with its hash stays. To forget it again rewrites the file once more.
    pub fn forget(&self, caller: &Caller, dump: &str, reason: &str) -> Result<()> {
        caller.must_review()?;
        // Calls that are not yet in the activity log may quote the text.
        self.activity_writer.flush();
        self.store.write(|tx| {
            let workspace = caller.workspace_id();
            let stone = dumps::tombstone(tx, workspace, dump)?;
            if stone.is_some_and(|stone| stone.how == "deleted") {
                return Ok(());
            }
            let found = dumps::find(tx, workspace, dump)?;
            let dump = found.ok_or_else(|| Error::NoDump(dump.to_owned()))?;
            let mut copies = dumps::archived_copies(tx, workspace, &dump.content_hash)?;
            if copies.iter().all(|copy| copy.id != dump.id) {
                copies.push(dump);
            }
            for copy in &copies {
                self.forget_one(tx, caller, copy, reason)?;
            }
            // Words of what is gone stay in segments of the index until they are merged.
            Ok(substrate::optimize(tx)?)
        })?;
        self.store.database.purge(erasure::TABLES).map_err(Error::Traces)
    }

    fn forget_one(
        &self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        dump: &Dump,
        reason: &str,
    ) -> Result<()> {
        let (workspace, by, at) = (caller.workspace_id(), &caller.source.user_id, self.now());
        let stone = dumps::tombstone(tx, workspace, &dump.id)?;
        let lives = stone.is_none() || has_life(tx, workspace, &dump.id)?;
        dumps::insert_tombstone(tx, workspace, dump, "deleted", reason, by, at)?;
        if lives {
            self.withdraw_dump(tx, caller, dump, stone.is_none())?;
        }
        let nothing = captures::stored(Payload {
            content: String::new(),
            metadata: Map::new(),
            confidence: None,
            require_approval: false,
        })?;
        let hash = inference::digest(&dump.fingerprint.embedding);
        let forgotten = Forgotten { dump, payload: &nothing, fingerprint_hash: &hash };
        erasure::erase(tx, workspace, &forgotten)?;
        self.forget_name(tx, caller, dump)?;
        match lives {
            true => self.record_withdrawal(tx, caller, dump)?,
            false => self.refresh_words(tx, caller, &dump.basket_id)?,
        }
        Ok(dumps::delete(tx, workspace, &dump.id)?)
    }

    /// Renames a basket whose name was made of the forgotten text alone.
    fn forget_name(&self, tx: &mut Tx<'_>, caller: &Caller, dump: &Dump) -> Result<()> {
        let workspace = caller.workspace_id();
        let Some(basket) = baskets::find(tx, workspace, &dump.basket_id)? else { return Ok(()) };
        let name = index::words(&basket.name);
        let said = |dump: &Dump| {
            let fingerprint = &dump.fingerprint;
            let words = fingerprint.entities.iter().chain(&fingerprint.keywords);
            let words = words.chain(&fingerprint.summary).cloned().collect::<Vec<_>>().join(" ");
            name.is_subset(&index::words(&format!("{} {words}", dump.body)))
        };
        if name.is_empty() || !said(dump) {
            return Ok(());
        }
        let others = dumps::latest(tx, &basket.id, ASKED)?;
        if others.iter().any(|other| other.id != dump.id && said(other)) {
            return Ok(());
        }
        baskets::change(tx, workspace, &basket.id, Some(UNTITLED), None)?;
        Ok(erasure::erase_name(tx, workspace, &basket.id, &basket.name, UNTITLED)?)
    }
}
