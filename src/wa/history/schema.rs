//! The tables of the history.

/// The full-text index, as text that others can be made of.
macro_rules! index {
    () => {
        "CREATE VIRTUAL TABLE IF NOT EXISTS segments_fts USING fts5 (
    captured_text, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
"
    };
}

/// The full-text index over captured output.
pub(crate) const INDEX: &str = index!();

/// Statements for `Store::open`.
///
/// `news` holds one counter per topic. Other modules add theirs with a trigger whose body is
/// `INSERT INTO news (topic, count) VALUES ('…', 1) ON CONFLICT (topic) DO UPDATE SET count = count + 1`.
pub const SCHEMA: &str = concat!(
    "
CREATE TABLE IF NOT EXISTS news (
    topic TEXT PRIMARY KEY,
    count INTEGER NOT NULL
) WITHOUT ROWID;
INSERT OR IGNORE INTO news (topic, count) VALUES ('panes', 0), ('events', 0);

CREATE TABLE IF NOT EXISTS meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS maintenance (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    what TEXT NOT NULL,
    detail TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS panes (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    identity TEXT NOT NULL UNIQUE,
    uuid TEXT NOT NULL UNIQUE,
    pane_id INTEGER NOT NULL,
    backend TEXT NOT NULL,
    domain TEXT NOT NULL,
    title TEXT,
    cwd TEXT,
    first_seen INTEGER NOT NULL,
    closed_at INTEGER,
    last_activity INTEGER,
    recent_gap INTEGER NOT NULL DEFAULT 0,
    verified_at INTEGER
);
CREATE INDEX IF NOT EXISTS panes_by_id ON panes (pane_id, key);
CREATE INDEX IF NOT EXISTS panes_open ON panes (key) WHERE closed_at IS NULL;
CREATE TRIGGER IF NOT EXISTS panes_new AFTER INSERT ON panes BEGIN
    UPDATE news SET count = count + 1 WHERE topic = 'panes';
END;
CREATE TRIGGER IF NOT EXISTS panes_changed
AFTER UPDATE OF pane_id, domain, title, cwd, closed_at, recent_gap ON panes BEGIN
    UPDATE news SET count = count + 1 WHERE topic = 'panes';
END;
CREATE TRIGGER IF NOT EXISTS panes_gone AFTER DELETE ON panes BEGIN
    UPDATE news SET count = count + 1 WHERE topic = 'panes';
END;

CREATE TABLE IF NOT EXISTS pane_numbers (
    pane_id INTEGER PRIMARY KEY,
    last_seq INTEGER NOT NULL
);

CREATE TABLE IF NOT EXISTS capture_marks (
    pane INTEGER PRIMARY KEY REFERENCES panes (key) ON DELETE CASCADE,
    output_mark INTEGER NOT NULL,
    snapshot_tail TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS segments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    pane INTEGER NOT NULL REFERENCES panes (key),
    pane_id INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    captured_at INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    stored INTEGER NOT NULL,
    runs BLOB,
    text TEXT NOT NULL,
    UNIQUE (pane_id, seq)
);
CREATE INDEX IF NOT EXISTS segments_by_pane ON segments (pane, seq);
CREATE INDEX IF NOT EXISTS segments_by_time ON segments (captured_at);
",
    index!(),
    "CREATE TRIGGER IF NOT EXISTS segments_gone AFTER DELETE ON segments BEGIN
    DELETE FROM segments_fts WHERE rowid = old.id;
END;

CREATE TABLE IF NOT EXISTS gaps (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    pane INTEGER NOT NULL REFERENCES panes (key),
    reason TEXT NOT NULL,
    detail TEXT,
    seq_before INTEGER,
    at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS gaps_by_pane ON gaps (pane, id);

CREATE TABLE IF NOT EXISTS events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    pane INTEGER NOT NULL REFERENCES panes (key),
    rule_id TEXT NOT NULL,
    pack_id TEXT NOT NULL,
    agent TEXT NOT NULL,
    event_type TEXT NOT NULL,
    severity TEXT NOT NULL,
    confidence REAL NOT NULL,
    extracted TEXT NOT NULL,
    matched_text TEXT,
    first_segment INTEGER,
    last_segment INTEGER,
    detected_at INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    sightings INTEGER NOT NULL DEFAULT 1,
    handled_at INTEGER,
    workflow_id TEXT,
    handled_status TEXT,
    dedupe TEXT NOT NULL,
    dedupe_key TEXT NOT NULL UNIQUE
);
CREATE INDEX IF NOT EXISTS events_by_dedupe ON events (pane, dedupe);
CREATE INDEX IF NOT EXISTS events_by_time ON events (detected_at, id);
CREATE INDEX IF NOT EXISTS events_unhandled ON events (pane) WHERE handled_at IS NULL;
CREATE TRIGGER IF NOT EXISTS events_new AFTER INSERT ON events BEGIN
    UPDATE news SET count = count + 1 WHERE topic = 'events';
END;
CREATE TRIGGER IF NOT EXISTS events_handled AFTER UPDATE OF handled_at ON events BEGIN
    UPDATE news SET count = count + 1 WHERE topic = 'events';
END;
CREATE TRIGGER IF NOT EXISTS events_gone AFTER DELETE ON events BEGIN
    UPDATE news SET count = count + 1 WHERE topic = 'events';
END;
"
);
