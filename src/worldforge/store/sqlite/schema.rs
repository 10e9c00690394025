//! The tables, and their migrations.

use rusqlite::{Connection, TransactionBehavior};

use crate::store::error::{Kind, Result};

/// Once released a step never changes; what is to change is a new one.
const STEPS: &[&str] = &[
    "
    CREATE TABLE tenants (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, json TEXT NOT NULL);
    CREATE TABLE users (id TEXT PRIMARY KEY, tenant TEXT NOT NULL, email TEXT NOT NULL,
        json TEXT NOT NULL, UNIQUE (tenant, email));
    CREATE TABLE projects (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
        tenant TEXT NOT NULL, title TEXT NOT NULL, revision INTEGER NOT NULL, json TEXT NOT NULL);
    CREATE INDEX projects_of_tenant ON projects (tenant, title, id);

    CREATE TABLE entities (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
        revision INTEGER NOT NULL, json TEXT NOT NULL);
    -- What entities are ordered and filtered by, apart from their texts: small and quick to scan.
    CREATE TABLE entity_keys (number INTEGER PRIMARY KEY, project INTEGER NOT NULL,
        type TEXT NOT NULL, name TEXT NOT NULL, id TEXT NOT NULL, updated INTEGER NOT NULL);
    CREATE INDEX entity_keys_updated ON entity_keys (project, updated DESC, id);
    CREATE INDEX entity_keys_type ON entity_keys (project, type, updated DESC, id);
    -- Words are folded before they come here; spaces part them.
    CREATE VIRTUAL TABLE entity_words USING fts5 (words, content = '', contentless_delete = 1,
        detail = none, tokenize = 'ascii');

    CREATE TABLE nodes (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
        place INTEGER NOT NULL, revision INTEGER NOT NULL, json TEXT NOT NULL);
    CREATE TABLE edges (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
        project INTEGER NOT NULL, source TEXT NOT NULL, target TEXT NOT NULL, type TEXT NOT NULL,
        json TEXT NOT NULL, UNIQUE (project, source, target, type));
    CREATE TABLE packs (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
        project INTEGER NOT NULL, node TEXT NOT NULL, input TEXT NOT NULL,
        created INTEGER NOT NULL, json TEXT NOT NULL, UNIQUE (project, node, input));
    CREATE TABLE versions (number INTEGER PRIMARY KEY, project INTEGER NOT NULL,
        type TEXT NOT NULL, object TEXT NOT NULL, edition INTEGER NOT NULL, json TEXT NOT NULL,
        UNIQUE (project, type, object, edition));
    CREATE TABLE events (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
        project INTEGER NOT NULL, object TEXT, json TEXT NOT NULL);
    CREATE INDEX events_of_object ON events (project, object);
    CREATE TRIGGER versions_stay BEFORE UPDATE ON versions
        BEGIN SELECT RAISE(ABORT, 'versions never change'); END;
",
    "
    -- Bytes of a text that was written just as it is served, so that it need not be looked into.
    ALTER TABLE entities ADD COLUMN plain INTEGER;
    ALTER TABLE nodes ADD COLUMN plain INTEGER;
    ALTER TABLE edges ADD COLUMN plain INTEGER;
    ALTER TABLE packs ADD COLUMN plain INTEGER;
    UPDATE entities SET plain = octet_length(json);
    UPDATE nodes SET plain = octet_length(json);
    UPDATE edges SET plain = octet_length(json);
    UPDATE packs SET plain = octet_length(json);
",
];

/// Runs the steps that are missing. Of several processes one does the work.
pub(super) fn migrate(writer: &mut Connection) -> Result<()> {
    let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let done: usize = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let Some(missing) = STEPS.get(done..) else {
        return Err(Kind::Broken.because(format!(
            "The database was made by a later release (layout {done}, this one knows {}). Use that \
             release, or another database.",
            STEPS.len()
        )));
    };
    for step in missing {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", STEPS.len())?;
    Ok(transaction.commit()?)
}
