//! The tables of workflows.

/// Tables of this module.
///
/// `workflow_pane` is the pane's lock: one active execution per pane, whichever process runs it.
/// `workflow_operations` is the journal of what a step has done so far: an operation that is
/// `done` is never done again, one that sends and is only `begun` may or may not have happened.
pub const SCHEMA: &str = "
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
";
