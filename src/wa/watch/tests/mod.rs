//! Watching real terminals, into a real database.

mod embedded;
mod tmux;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tempfile::TempDir;
use toolwright_runtime::clock::{SystemClock, SystemIds};

use super::*;
use crate::backend::Filter;
use crate::drive::tmux_fixture::{TmuxFixture, wait_until};
use crate::history::{
    EventFilter, GapReason, GapRow, History, KnownPane, SCHEMA, SearchHit, SearchQuery,
};
use crate::model::PaneRow;
use crate::mux::Mux;
use crate::store::Store;

const LIMIT_TEXT: &str = "You've hit your usage limit. Try again at 3:28 PM.";
const LIMIT_RULE: &str = "core.codex:usage_reached";

struct Workspace {
    folder: TempDir,
    store: Arc<Store>,
    history: Arc<History>,
    patterns: Arc<Patterns>,
    /// Rule ids of events that the hook was told of.
    told: Arc<Mutex<Vec<String>>>,
    closed: Arc<Mutex<Vec<u64>>>,
    exclude: Vec<String>,
}

impl Workspace {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::open(folder.path(), &[SCHEMA]).unwrap());
        Self {
            history: Arc::new(History::new(Arc::clone(&store))),
            store,
            patterns: Arc::new(Patterns::builtin().unwrap()),
            folder,
            told: Arc::default(),
            closed: Arc::default(),
            exclude: Vec::new(),
        }
    }

    fn context(&self, live: &TmuxFixture) -> Arc<Context> {
        self.context_of(Arc::new(live.another()))
    }

    fn context_of(&self, mux: Arc<dyn Mux>) -> Arc<Context> {
        let kind = mux.kind();
        let (told, closed) = (Arc::clone(&self.told), Arc::clone(&self.closed));
        Arc::new(Context {
            folder: self.folder.path().to_owned(),
            set: Arc::new(MuxSet::new(vec![mux], kind)),
            history: Arc::clone(&self.history),
            patterns: Arc::clone(&self.patterns),
            filter: Filter::new(&[], &self.exclude).unwrap(),
            clock: Arc::new(SystemClock::default()),
            ids: Arc::new(SystemIds),
            settings: Settings {
                busy: Duration::from_millis(30),
                idle: Duration::from_millis(200),
                ..Settings::default()
            },
            on_event: Box::new(move |event| told.lock().unwrap().push(event.rule_id.clone())),
            on_clean_up: Box::new(|_| {}),
            on_closed: Box::new(move |panes| closed.lock().unwrap().extend(panes)),
        })
    }

    fn start(&self, live: &TmuxFixture) -> Watcher {
        started(self.context(live))
    }

    fn hits(&self, words: &str) -> Vec<SearchHit> {
        let query =
            SearchQuery { query: words, limit: 100, pane_id: None, since: None, highlight: false };
        self.history.search(&query).unwrap().hits
    }

    fn wait_for(&self, words: &str) {
        wait_until(words, || !self.hits(words).is_empty());
    }

    /// Events of a rule, in all panes.
    fn events(&self, rule: &str) -> Vec<EventRow> {
        let filter =
            EventFilter { rule_ids: vec![rule.to_owned()], limit: 100, ..EventFilter::default() };
        self.history.events(&filter).unwrap().events
    }

    fn pane(&self, row: &PaneRow) -> KnownPane {
        self.history.known(row.pane_id).unwrap().unwrap()
    }

    /// All that was stored of a pane's latest life, and the segments' numbers.
    fn log(&self, row: &PaneRow) -> (String, Vec<i64>) {
        let key = self.pane(row).key.0;
        let sql = "SELECT id, seq FROM segments WHERE pane = ?1 ORDER BY id";
        let rows: Vec<(i64, i64)> = self
            .store
            .read(|reader| {
                let mut statement = reader.prepare(sql)?;
                let rows = statement.query_map([key], |row| Ok((row.get(0)?, row.get(1)?)))?;
                Ok(rows.collect::<rusqlite::Result<_>>()?)
            })
            .unwrap();
        let text = |id: i64| self.history.segment_text(id).unwrap().unwrap();
        (rows.iter().map(|row| text(row.0)).collect(), rows.iter().map(|row| row.1).collect())
    }

    fn gaps(&self, row: &PaneRow) -> Vec<GapRow> {
        self.history.gaps(self.pane(row).key, 100).unwrap()
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }
}

fn started(context: Arc<Context>) -> Watcher {
    match Watcher::try_start(context).unwrap() {
        Started::Watching(watcher) => watcher,
        Started::Held { by } => panic!("held by {by}"),
    }
}
