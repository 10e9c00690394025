//! The recorded history: panes and their lives, captured output, gaps, events, capture positions.
//!
//! Everything is in the workspace's database, shared by all its processes. Clock and random bytes are
//! passed in. Knows nothing of backends, patterns or policy.

use std::sync::Arc;

use rusqlite::Connection;

use super::error::Result;
use super::store::Store;

mod change_counters;
mod events;
mod panes;
mod retain;
mod runs;
pub(crate) mod schema;
mod search;
mod segments;
#[cfg(test)]
mod testing;

pub use events::{
    EventFilter, EventPage, EventRow, HandledStatus, NewEvent, Recorded, SAME_EVENT_MS,
};
pub use panes::{KnownPane, PaneKey};
pub use retain::{Cleaned, Retention};
pub use runs::{length as expanded_length, moved as moved_runs};
pub use schema::SCHEMA;
pub use search::{SearchHit, SearchPage, SearchQuery};
pub use segments::{Appended, CaptureMark, Gap, GapReason, GapRow, SegmentSpan};

/// The recorded history of a workspace.
#[derive(Clone)]
pub struct History {
    store: Arc<Store>,
}

impl History {
    /// The history in `store`, which was opened with [`SCHEMA`].
    pub fn new(store: Arc<Store>) -> Self {
        Self { store }
    }

    /// Runs `work` on one state of the database.
    fn read_at_once<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.store.read(|reader| {
            let transaction = reader.transaction()?;
            work(&transaction)
        })
    }
}

/// A length or limit as SQLite takes it.
fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
