//! Moves a workspace's vectors to the model of the configured embedder, while servers serve.
//!
//! In small transactions: each moves some records from one model to the other, so that at every
//! moment a basket's vector in a model is the mean of its dumps that have vectors of it. A move that
//! was stopped goes on with what is left.

use super::capture::Payload;
use super::fingerprint::session_text;
use super::{Engine, Error, Result};
use crate::embed::ModelVector;
use crate::records::dump_vectors::{self, Member};
use crate::records::members::Workspace;
use crate::records::reembed::{self, Item, Kind};
use crate::records::{Tx, captures, dumps, signatures};

/// Records of a transaction.
const BATCH: i64 = 16;

/// How far a move is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Records that are done with.
    pub done: u64,
    /// Those of them that now have a vector of the new model; the others are gone, or have no words.
    pub moved: u64,
    /// All records of this run.
    pub all: u64,
}

impl Engine {
    /// Moves all vectors of a workspace to the embedder's model; tells `seen` after each step.
    ///
    /// # Errors
    /// When the embedder makes no vectors, or fails; what was moved stays so.
    pub fn reembed(
        &self,
        workspace: &Workspace,
        seen: &mut dyn FnMut(Progress),
    ) -> Result<Progress> {
        let model = self.embedder.model().ok_or(Error::NoEmbedder)?;
        let workspace = workspace.id.as_str();
        let mut progress = Progress::default();
        for kind in Kind::ALL {
            progress.all +=
                self.store.read(|tx| Ok(reembed::count(tx, workspace, model, kind)?))?;
        }
        seen(progress);
        for kind in Kind::ALL {
            let mut after: Option<Item> = None;
            loop {
                let items = self.store.read(|tx| {
                    let items = reembed::next(tx, workspace, model, kind, after.as_ref(), BATCH)?;
                    let texts = items.into_iter().map(|item| {
                        let text = text(tx, workspace, &item)?;
                        Ok((item, text))
                    });
                    texts.collect::<Result<Vec<_>>>()
                })?;
                let Some((last, _)) = items.last() else { break };
                after = Some(last.clone());
                let texts: Vec<&str> = items.iter().map(|(_, text)| text.as_str()).collect();
                // Slow; no transaction is open.
                let vectors = self.embedder.embed_all(&texts)?;
                let moved = self.store.write(|tx| {
                    let mut moved = 0;
                    for ((item, _), named) in items.iter().zip(&vectors) {
                        let Some(named) = named else { continue };
                        moved += u64::from(self.put(tx, workspace, kind, item, named)?);
                    }
                    Ok(moved)
                })?;
                progress.moved += moved;
                progress.done += items.len() as u64;
                // Writes go on meanwhile, and may come with vectors of another model.
                progress.all = progress.all.max(progress.done);
                seen(progress);
            }
        }
        self.store.write(|tx| Ok(reembed::remove_empty(tx, workspace, model)?))?;
        Ok(progress)
    }

    /// Writes the new vector of a record; false when the record is gone.
    fn put(
        &self,
        tx: &mut Tx<'_>,
        workspace: &str,
        kind: Kind,
        item: &Item,
        named: &ModelVector,
    ) -> Result<bool> {
        match kind {
            Kind::Dump => self.put_dump(tx, workspace, &item.id, named),
            Kind::Capture => Ok(reembed::set_capture(tx, workspace, &item.id, named)?),
            Kind::Signal => Ok(reembed::set_signal(tx, workspace, item.number, named)?),
        }
    }

    /// Moves a dump from its basket's mean in one model to that in the other.
    fn put_dump(
        &self,
        tx: &mut Tx<'_>,
        workspace: &str,
        id: &str,
        named: &ModelVector,
    ) -> Result<bool> {
        let Some(dump) = dumps::find(tx, workspace, id)? else { return Ok(false) };
        let old = &dump.fingerprint;
        // It may have been withdrawn, or moved by another run.
        if old.embedding.is_empty() || old.model == named.model {
            return Ok(false);
        }
        let Some(record) = signatures::find(tx, &dump.basket_id)? else { return Ok(false) };
        let (added, now) = (dump.created_at, self.now());
        self.with_vector(tx, workspace, &record, &old.model, |centroid| {
            Ok(centroid.remove(&old.embedding, added, now)?)
        })?;
        self.with_vector(tx, workspace, &record, &named.model, |centroid| {
            Ok(centroid.add(&named.vector, added)?)
        })?;
        let member = Member {
            dump_id: dump.id.clone(),
            basket_id: dump.basket_id.clone(),
            named: named.clone(),
            created_at: added,
        };
        dump_vectors::save(tx, workspace, &member)?;
        Ok(true)
    }
}

/// What a record's vector is made from; empty when it is gone.
fn text(tx: &mut Tx<'_>, workspace: &str, item: &Item) -> Result<String> {
    let said = match &item.dump {
        Some(dump) => {
            let dump = dumps::find(tx, workspace, dump)?;
            dump.map(|dump| session_text(&dump.fingerprint, &dump.body))
        }
        None => {
            let capture = captures::find::<Payload>(tx, workspace, &item.id)?;
            capture.map(|capture| session_text(&capture.fingerprint, &capture.payload.content))
        }
    };
    Ok(said.unwrap_or_default())
}
