-- The tables of layout 1, as releases before layout 2 made them.

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
CREATE VIRTUAL TABLE IF NOT EXISTS segments_fts USING fts5 (
    captured_text, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
CREATE TRIGGER IF NOT EXISTS segments_gone AFTER DELETE ON segments BEGIN
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

CREATE TABLE IF NOT EXISTS news (topic TEXT PRIMARY KEY, count INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS workflow_executions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    workflow TEXT NOT NULL,
    definition TEXT,
    pane_id INTEGER NOT NULL,
    pane_identity TEXT NOT NULL,
    trigger_event_id INTEGER,
    actor TEXT NOT NULL,
    status TEXT NOT NULL,
    current_step INTEGER NOT NULL,
    step_name TEXT,
    total_steps INTEGER NOT NULL,
    steps_completed INTEGER NOT NULL DEFAULT 0,
    last_step_result TEXT,
    wait_condition TEXT,
    context TEXT NOT NULL,
    result TEXT,
    error TEXT,
    error_code TEXT,
    policy TEXT,
    approval_code TEXT,
    abort_at INTEGER,
    abort_reason TEXT,
    cleaned INTEGER NOT NULL DEFAULT 0,
    event_settled INTEGER NOT NULL DEFAULT 0,
    started_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    completed_at INTEGER
);
CREATE UNIQUE INDEX IF NOT EXISTS workflow_pane ON workflow_executions (pane_identity)
    WHERE status IN ('pending', 'running', 'waiting', 'paused');
CREATE INDEX IF NOT EXISTS workflow_by_pane ON workflow_executions (pane_id, number);
CREATE INDEX IF NOT EXISTS workflow_unsettled ON workflow_executions (number)
    WHERE event_settled = 0 AND trigger_event_id IS NOT NULL;
CREATE TABLE IF NOT EXISTS workflow_step_logs (
    execution TEXT NOT NULL REFERENCES workflow_executions (id) ON DELETE CASCADE,
    step_index INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    step_name TEXT NOT NULL,
    step_kind TEXT NOT NULL,
    result_type TEXT NOT NULL,
    result_data TEXT,
    policy TEXT,
    verification TEXT,
    error_code TEXT,
    started_at INTEGER NOT NULL,
    completed_at INTEGER,
    PRIMARY KEY (execution, step_index, attempt)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS workflow_operations (
    execution TEXT NOT NULL REFERENCES workflow_executions (id) ON DELETE CASCADE,
    step_index INTEGER NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    deadline INTEGER,
    result TEXT,
    PRIMARY KEY (execution, step_index, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS workflow_plans (
    execution TEXT PRIMARY KEY REFERENCES workflow_executions (id) ON DELETE CASCADE,
    plan_hash TEXT NOT NULL,
    plan TEXT NOT NULL,
    created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS workflow_cooldowns (
    workflow TEXT NOT NULL,
    pane_identity TEXT NOT NULL,
    began_at INTEGER NOT NULL,
    PRIMARY KEY (workflow, pane_identity)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS agent_sessions (
    execution TEXT PRIMARY KEY,
    pane_id INTEGER NOT NULL,
    pane_identity TEXT NOT NULL,
    agent TEXT NOT NULL,
    session_id TEXT,
    reason TEXT NOT NULL,
    facts TEXT NOT NULL,
    recorded_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS workflow_new AFTER INSERT ON workflow_executions
BEGIN
    INSERT INTO news (topic, count) VALUES ('workflows', 1)
    ON CONFLICT (topic) DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER IF NOT EXISTS workflow_changed
AFTER UPDATE OF status, current_step ON workflow_executions
WHEN NEW.status IS NOT OLD.status OR NEW.current_step IS NOT OLD.current_step
BEGIN
    INSERT INTO news (topic, count) VALUES ('workflows', 1)
    ON CONFLICT (topic) DO UPDATE SET count = count + 1;
END;

CREATE TABLE IF NOT EXISTS news (topic TEXT PRIMARY KEY, count INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS accounts (
    service TEXT NOT NULL,
    id TEXT NOT NULL,
    label TEXT,
    status TEXT NOT NULL,
    percent_remaining REAL,
    limit_type TEXT,
    resets_at INTEGER,
    current_usage TEXT,
    last_used_at INTEGER,
    auth_expires_at INTEGER,
    PRIMARY KEY (service, id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS account_refreshes (
    service TEXT PRIMARY KEY,
    attempted_at INTEGER NOT NULL,
    finished_at INTEGER
) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS account_refresh_news AFTER UPDATE OF finished_at ON account_refreshes
WHEN NEW.finished_at IS NOT OLD.finished_at
BEGIN
    INSERT INTO news (topic, count) VALUES ('accounts', 1)
    ON CONFLICT (topic) DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER IF NOT EXISTS account_use_news AFTER UPDATE OF last_used_at ON accounts
WHEN NEW.last_used_at IS NOT OLD.last_used_at
BEGIN
    INSERT INTO news (topic, count) VALUES ('accounts', 1)
    ON CONFLICT (topic) DO UPDATE SET count = count + 1;
END;
