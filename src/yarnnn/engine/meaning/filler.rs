//! Makes missing vectors: of what became memory before there were any, or while the embedder did not
//! answer, and of raw dumps that came with a vector of another model.
//!
//! On a thread of its own, in small steps, so that no call waits for it: until it is done, these
//! texts are found by words only.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::super::{Result, Store};
use super::embedding::TextEmbedder;
use crate::records::{baskets, substrate_vectors};

/// Texts per step.
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
        embedder: &Arc<TextEmbedder>,
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
        let spawned =
            std::thread::Builder::new().name("yarnnn-vectors".to_owned()).spawn(move || {
                let mut next = Step::More(0);
                while let Step::More(after) = next {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    next = step(&store, &embedder, &workspace, after).unwrap_or_else(|error| {
                        tracing::warn!(
                            event = "yarnnn.vectors",
                            "some texts have no vectors yet: {error}"
                        );
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
    /// Go on after the entry with this number in the search index.
    More(i64),
    /// No more vectors are missing.
    Done,
    /// The model does not answer, or there is none.
    Unanswered,
}

/// Makes some vectors of entries with greater numbers than `after`.
pub(super) fn step(
    store: &Store,
    embedder: &TextEmbedder,
    workspace: &str,
    after: i64,
) -> Result<Step> {
    let Some(model) = embedder.model() else { return Ok(Step::Unanswered) };
    let missing =
        store.read(|tx| Ok(substrate_vectors::missing(tx, workspace, model, after, STEP)?))?;
    let Some(last) = missing.last().map(|one| one.number) else { return Ok(Step::Done) };
    let texts: Vec<&str> = missing.iter().map(|one| one.text.as_str()).collect();
    let Some(vectors) = embedder.of_texts(&texts) else { return Ok(Step::Unanswered) };
    store.write(|tx| {
        // Whoever removes one of these entries meanwhile changes its basket too.
        let baskets: BTreeSet<&str> = missing.iter().map(|one| one.basket_id.as_str()).collect();
        for basket in baskets {
            baskets::lock(tx, basket)?;
        }
        for (one, vector) in missing.iter().zip(&vectors) {
            substrate_vectors::add(tx, workspace, &one.basket_id, &one.ref_id, model, vector)?;
        }
        Ok(())
    })?;
    Ok(Step::More(last))
}
