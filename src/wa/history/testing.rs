//! Fixtures of the history's tests: a real database in a temporary folder, and made-up panes.

use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;
use toolwright_runtime::clock::SystemIds;

use super::{Appended, CaptureMark, History, PaneKey, SCHEMA, SearchPage, SearchQuery};
use crate::model::{BackendKind, Millis, PaneRow};
use crate::store::Store;

/// A time like any other.
pub(super) const NOON: Millis = 1_700_000_000_000;

/// A history of its own.
pub(super) fn history() -> (TempDir, History) {
    let folder = tempfile::tempdir().unwrap();
    let history = open(folder.path());
    (folder, history)
}

/// The history in `folder`, as another process sees it.
pub(super) fn open(folder: &Path) -> History {
    History::new(Arc::new(Store::open(folder, &[SCHEMA]).unwrap()))
}

/// A pane as tmux lists it. `life` makes its identity.
pub(super) fn pane(pane_id: u64, life: &str) -> PaneRow {
    PaneRow {
        pane_id,
        native_id: pane_id,
        backend: BackendKind::Tmux,
        identity: format!("tmux|{pane_id}|{life}"),
        tab_id: 0,
        window_id: 0,
        domain: "tmux".to_owned(),
        title: Some("sh".to_owned()),
        cwd: None,
        cursor: None,
        size: None,
        is_active: true,
        tty: None,
        root_pid: None,
        alt_screen: None,
        bracketed_paste: None,
        activity: None,
        dead: None,
    }
}

impl History {
    /// Sees one pane and nothing else of tmux.
    pub(super) fn see(&self, pane_id: u64, life: &str) -> PaneKey {
        let rows = [pane(pane_id, life)];
        self.observe(&rows, &[BackendKind::Tmux], &SystemIds, NOON).unwrap()[&pane_id]
    }

    /// Appends text at a time.
    pub(super) fn put(&self, key: PaneKey, text: &str, at: Millis) -> Appended {
        self.append(key, text, None, &CaptureMark::default(), at).unwrap()
    }

    /// Searches everything, with marks.
    pub(super) fn find(&self, query: &str) -> SearchPage {
        self.search(&SearchQuery { highlight: true, ..ask(query) }).unwrap()
    }

    /// One number from the database.
    pub(super) fn count(&self, sql: &str) -> i64 {
        self.store.read(|reader| Ok(reader.query_row(sql, [], |row| row.get(0))?)).unwrap()
    }
}

/// A query with nothing but words.
pub(super) fn ask(query: &str) -> SearchQuery<'_> {
    SearchQuery { query, limit: 20, pane_id: None, since: None, highlight: false }
}

/// Numbers from a seed: the same seed, the same numbers.
pub(super) struct Numbers(u64);

impl Numbers {
    /// Starts at a seed and says which, for the case that the test fails.
    pub(super) fn seeded(seed: u64) -> Self {
        println!("seed {seed}");
        Self(seed.wrapping_mul(2).wrapping_add(1))
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33).unwrap() % end
    }

    /// One of `choices`.
    pub(super) fn one<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}
