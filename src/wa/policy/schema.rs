//! The policy's tables. `news` is shared: the first module to open the database creates it.

/// Tables, indexes and triggers, for [`Store::open`](crate::store::Store::open).
pub const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS news (topic TEXT PRIMARY KEY, count INTEGER NOT NULL);

CREATE TABLE IF NOT EXISTS policy_audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    session TEXT NOT NULL,
    action TEXT NOT NULL,
    pane_id INTEGER,
    pane_identity TEXT,
    decision TEXT NOT NULL,
    rule TEXT,
    reason TEXT,
    preview TEXT,
    text_length INTEGER,
    text_hash TEXT,
    workflow TEXT,
    approval_id INTEGER,
    risk INTEGER NOT NULL,
    context TEXT NOT NULL,
    result TEXT NOT NULL,
    result_text TEXT,
    settled_at INTEGER
);
CREATE INDEX IF NOT EXISTS policy_audit_at ON policy_audit (at);

CREATE TABLE IF NOT EXISTS policy_ticks (
    at INTEGER NOT NULL,
    pane_id INTEGER,
    action TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS policy_ticks_at ON policy_ticks (at);

CREATE TABLE IF NOT EXISTS approvals (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace TEXT NOT NULL,
    code_hash TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    action TEXT NOT NULL,
    pane_id INTEGER,
    workflow TEXT,
    preview TEXT,
    rule TEXT NOT NULL,
    reason TEXT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    session TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    granted_at INTEGER,
    granted_by TEXT,
    consumed_at INTEGER
);
CREATE INDEX IF NOT EXISTS approvals_fingerprint ON approvals (fingerprint);

CREATE TABLE IF NOT EXISTS approval_attempts (
    at INTEGER NOT NULL,
    session TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS reservations (
    id TEXT PRIMARY KEY,
    pane_id INTEGER NOT NULL,
    pane_identity TEXT NOT NULL,
    backend TEXT NOT NULL,
    owner_kind TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    shared INTEGER NOT NULL,
    session TEXT NOT NULL,
    reason TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    released_at INTEGER
);
CREATE INDEX IF NOT EXISTS reservations_pane ON reservations (pane_id, released_at);
CREATE TRIGGER IF NOT EXISTS reservations_made AFTER INSERT ON reservations BEGIN
    INSERT INTO news (topic, count) VALUES ('reservations', 1)
    ON CONFLICT (topic) DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER IF NOT EXISTS reservations_changed AFTER UPDATE ON reservations BEGIN
    INSERT INTO news (topic, count) VALUES ('reservations', 1)
    ON CONFLICT (topic) DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER IF NOT EXISTS reservations_gone AFTER DELETE ON reservations BEGIN
    INSERT INTO news (topic, count) VALUES ('reservations', 1)
    ON CONFLICT (topic) DO UPDATE SET count = count + 1;
END;
";
