//! Makes the missing vectors of blocks: of those that became memory before there were any, or while
//! the embedder did not answer.
//!
//! On a thread of its own, in small steps, so that no call waits for it: until it is done, such
//! blocks are found by words only.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::super::{Result, Store};
use super::embedding::BlockEmbedder;
use crate::records::baskets::{self, Count};
use crate::records::block_vectors;

/// Blocks per step.
const STEP: usize = 16;

/// The state of a workspace's baskets: counts up with every change.
type Revision = (i64, i64);

/// Fills the workspaces of one database, one at a time.
#[derive(Default)]
pub(super) struct Filler {
    stop: Arc<AtomicBool>,
    running: Mutex<Running>,
}

#[derive(Default)]
struct Running {
    thread: Option<JoinHandle<()>>,
    /// When a workspace was last looked through: what is missing since then cannot be made.
    looked: BTreeMap<String, Revision>,
}

impl Filler {
    /// Vectors are missing in this workspace.
    pub(super) fn wake(
        &self,
        store: &Arc<Store>,
        embedder: &Arc<BlockEmbedder>,
        workspace: &str,
        revision: Revision,
    ) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let busy = running.thread.as_ref().is_some_and(|thread| !thread.is_finished());
        if busy || running.looked.get(workspace) == Some(&revision) {
            return;
        }
        running.looked.insert(workspace.to_owned(), revision);
        let (store, embedder) = (Arc::clone(store), Arc::clone(embedder));
        let (stop, workspace) = (Arc::clone(&self.stop), workspace.to_owned());
        let spawned = std::thread::Builder::new().name("yarnnn-vectors".to_owned()).spawn(move || {
            let mut next = Step::More(0);
            while let Step::More(after) = next {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                next = step(&store, &embedder, &workspace, after).unwrap_or_else(|error| {
                    tracing::warn!(event = "yarnnn.vectors", "blocks have no vectors yet: {error}");
                    Step::Unanswered
                });
            }
        });
        match spawned {
            Ok(thread) => running.thread = Some(thread),
            Err(error) => {
                tracing::warn!(event = "yarnnn.vectors", "cannot start the thread: {error}");
            }
        }
    }
}

impl Drop for Filler {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let running = self.running.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = running.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What is left to do.
pub(super) enum Step {
    /// Go on after the block with this number in the search index.
    More(i64),
    /// No more blocks are missing a vector.
    Done,
    /// The model does not answer, or there is none.
    Unanswered,
}

/// Makes the vectors of some blocks with greater numbers than `after`.
pub(super) fn step(
    store: &Store,
    embedder: &BlockEmbedder,
    workspace: &str,
    after: i64,
) -> Result<Step> {
    let Some(model) = embedder.model() else { return Ok(Step::Unanswered) };
    let missing = store
        .read(|tx| Ok(block_vectors::missing(tx, workspace, model, after, STEP)?))?;
    let Some(last) = missing.last().map(|block| block.number) else { return Ok(Step::Done) };
    let texts: Vec<&str> = missing.iter().map(|block| block.content.as_str()).collect();
    let Some(vectors) = embedder.of_blocks(&texts) else { return Ok(Step::Unanswered) };
    store.write(|tx| {
        // First: whoever replaces one of these blocks meanwhile changes its basket too.
        let baskets: BTreeSet<&str> = missing.iter().map(|one| one.basket_id.as_str()).collect();
        for basket in baskets {
            baskets::count(tx, basket, Count::default())?;
        }
        for (block, vector) in missing.iter().zip(&vectors) {
            let (basket, id) = (&block.basket_id, &block.block_id);
            block_vectors::add(tx, workspace, basket, id, model, vector)?;
        }
        Ok(())
    })?;
    Ok(Step::More(last))
}
