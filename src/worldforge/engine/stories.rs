//! In-memory cache of stories, so that checking one node does not read and fold the whole world again.
//!
//! Every lookup asks the store for the project's revision first, so that several servers on one store
//! agree. Edits of this process are applied to the cached story; edits of others make it reload.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use super::Result;
use crate::store::{Change, Collection, Scope, Store};
use crate::story::Story;

/// Projects whose stories are kept; the one that was not used for longest goes first.
const KEPT: usize = 16;

/// The copies by project.
#[derive(Default)]
pub(super) struct Stories {
    copies: Mutex<Copies>,
}

#[derive(Default)]
struct Copies {
    /// With the number of its last use.
    by_scope: BTreeMap<Scope, (u64, Place)>,
    uses: u64,
}

/// Where a copy is kept; empty until it is read.
type Place = Arc<RwLock<Option<Copy>>>;

struct Copy {
    revision: u64,
    story: Story,
}

impl Stories {
    /// Runs `ask` on the current story and its revision.
    pub(super) fn with<T>(
        &self,
        store: &dyn Store,
        scope: &Scope,
        ask: impl FnOnce(u64, &Story) -> Result<T>,
    ) -> Result<T> {
        let place = self.place(scope);
        let revision = store.project_revision(scope)?;
        let current = read(&place);
        if let Some(copy) = current.as_ref().filter(|copy| copy.revision == revision) {
            return ask(copy.revision, &copy.story);
        }
        drop(current);
        let fresh = load(store, scope)?;
        let mut place = place.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have read a later one meanwhile.
        if place.as_ref().is_none_or(|copy| copy.revision < fresh.revision) {
            *place = Some(fresh);
        }
        match &*place {
            Some(copy) => ask(copy.revision, &copy.story),
            None => Err(super::EngineError::missing("project")),
        }
    }

    /// Puts an edit of this process into the copy, if that was as it was before the edit.
    pub(super) fn follow(&self, scope: &Scope, before: u64, changes: &[Change]) {
        let place = self.place(scope);
        let mut place = place.write().unwrap_or_else(PoisonError::into_inner);
        let Some(copy) = place.as_mut().filter(|copy| copy.revision == before) else { return };
        // Packs and snapshots by themselves leave the project's revision as it is.
        let mut changed = false;
        for change in changes {
            changed |= !matches!(change, Change::Pack(_) | Change::Snapshot(_));
            match change {
                Change::Entity { document, .. } => copy.story.put_entity((**document).clone()),
                Change::Node { document, .. } => copy.story.put_node((**document).clone()),
                Change::Edge(edge) => copy.story.put_edge(edge.clone()),
                Change::RemoveEdge(id) => {
                    copy.story.remove_edge(id);
                }
                Change::Pack(_) | Change::Snapshot(_) => {}
            }
        }
        copy.revision += u64::from(changed);
    }

    fn place(&self, scope: &Scope) -> Place {
        let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        copies.uses += 1;
        let uses = copies.uses;
        let entry = copies.by_scope.entry(scope.clone()).or_default();
        entry.0 = uses;
        let place = Arc::clone(&entry.1);
        if copies.by_scope.len() > KEPT {
            let oldest = copies.by_scope.iter().min_by_key(|(_, (used, _))| *used);
            if let Some(oldest) = oldest.map(|(scope, _)| scope.clone()) {
                copies.by_scope.remove(&oldest);
            }
        }
        place
    }
}

fn read(place: &RwLock<Option<Copy>>) -> RwLockReadGuard<'_, Option<Copy>> {
    place.read().unwrap_or_else(PoisonError::into_inner)
}

fn load(store: &dyn Store, scope: &Scope) -> Result<Copy> {
    let wanted = [Collection::Nodes, Collection::Edges, Collection::Entities];
    let reading = store.read(scope, &wanted)?;
    let mut collections = reading.collections.into_iter();
    let mut next = || collections.next().unwrap_or_default();
    let (nodes, edges, entities) = (next(), next(), next());
    let story = Story::owning(nodes.parse()?, edges.parse()?, entities.parse()?);
    Ok(Copy { revision: reading.revision, story })
}
