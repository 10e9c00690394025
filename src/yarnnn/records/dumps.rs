//! Raw dumps: texts as received. Immutable, enforced by a trigger.

use serde_json::{Map, Value as Json};

use super::basket_vectors::damaged;
use super::dump_vectors::{self, Member};
use super::{Source, Tx, json, unjson};
use crate::embed::ModelVector;
use crate::inference::from_blob;
use crate::model::{Fingerprint, Millis};
use crate::sql::{Kind, Result, Row};

/// The reason in the tombstone of a dump that was taken out of recall by a reviewer.
pub const REJECTED: &str = "rejected";

/// A raw dump.
#[derive(Debug, Clone, PartialEq)]
pub struct Dump {
    /// Its id.
    pub id: String,
    /// Its basket.
    pub basket_id: String,
    /// The text.
    pub body: String,
    /// SHA-256 of the body.
    pub content_hash: String,
    /// The request key; one dump per basket and request.
    pub request: String,
    /// The client's metadata.
    pub metadata: Map<String, Json>,
    /// The session's fingerprint; of a withdrawn dump without its vector.
    pub fingerprint: Fingerprint,
    /// Who added it.
    pub source: Source,
    /// When.
    pub created_at: Millis,
}

/// Adds a dump and its vector.
pub fn add(tx: &mut Tx<'_>, workspace: &str, dump: &Dump) -> Result<()> {
    let words = dump.fingerprint.words();
    // Of two copies of a request that run at once, PostgreSQL runs the later one again.
    let added = tx.execute(
        "INSERT INTO raw_dumps
           (id, basket_id, workspace_id, body_md, content_hash, dump_request_id, source_meta,
            fingerprint, user_id, source_host, source_session, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
         ON CONFLICT (basket_id, dump_request_id) DO NOTHING",
        &[
            (&dump.id).into(),
            (&dump.basket_id).into(),
            workspace.into(),
            (&dump.body).into(),
            (&dump.content_hash).into(),
            (&dump.request).into(),
            json(&dump.metadata)?,
            json(&words)?,
            (&dump.source.user_id).into(),
            (&dump.source.host).into(),
            dump.source.session.as_deref().into(),
            dump.created_at.into(),
        ],
    )?;
    if added != 1 {
        return Err(Kind::Broken.because("The basket already has a dump of this request."));
    }
    let (model, vector) = (dump.fingerprint.model.clone(), dump.fingerprint.embedding.clone());
    let member = Member {
        dump_id: dump.id.clone(),
        basket_id: dump.basket_id.clone(),
        named: ModelVector { model, vector },
        created_at: dump.created_at,
    };
    dump_vectors::save(tx, workspace, &member)
}

/// Dumps with their vectors.
const DUMPS: &str = "SELECT d.*, v.model, v.embedding FROM raw_dumps d
    LEFT JOIN dump_vectors v ON v.dump_id = d.id";

/// A dump of the workspace.
pub fn find(tx: &mut Tx<'_>, workspace: &str, id: &str) -> Result<Option<Dump>> {
    let found = tx.first(
        &format!("{DUMPS} WHERE d.workspace_id = $1 AND d.id = $2"),
        &[workspace.into(), id.into()],
    )?;
    found.as_ref().map(dump).transpose()
}

/// The newest dumps of a basket, without withdrawn ones.
pub fn latest(tx: &mut Tx<'_>, basket: &str, most: i64) -> Result<Vec<Dump>> {
    tx.query(
        &format!(
            "{DUMPS} WHERE d.basket_id = $1
               AND NOT EXISTS (SELECT 1 FROM substrate_tombstones WHERE target_id = d.id)
             ORDER BY d.created_at DESC, d.id LIMIT $2"
        ),
        &[basket.into(), most.into()],
    )?
    .iter()
    .map(dump)
    .collect()
}

/// Archived dumps with the same text.
pub fn archived_copies(tx: &mut Tx<'_>, workspace: &str, hash: &str) -> Result<Vec<Dump>> {
    tx.query(
        &format!(
            "{DUMPS} JOIN substrate_tombstones t ON t.target_id = d.id
             WHERE t.workspace_id = $1 AND t.content_fingerprint = $2 AND t.how = 'archived'"
        ),
        &[workspace.into(), hash.into()],
    )?
    .iter()
    .map(dump)
    .collect()
}

/// Inserts a tombstone with the reason of a withdrawal; false when there is one already. An
/// archived dump may still be deleted.
pub fn insert_tombstone(
    tx: &mut Tx<'_>,
    workspace: &str,
    dump: &Dump,
    how: &str,
    reason: &str,
    by: &str,
    at: Millis,
) -> Result<bool> {
    let added = tx.execute(
        "INSERT INTO substrate_tombstones
           (target_id, workspace_id, basket_id, kind, how, reason, content_fingerprint, at, by_user)
         VALUES ($1, $2, $3, 'raw_dump', $4, $5, $6, $7, $8)
         ON CONFLICT (target_id) DO UPDATE SET
           how = excluded.how, reason = excluded.reason, at = excluded.at, by_user = excluded.by_user
           WHERE substrate_tombstones.how = 'archived' AND excluded.how = 'deleted'",
        &[
            (&dump.id).into(),
            workspace.into(),
            (&dump.basket_id).into(),
            how.into(),
            reason.into(),
            (&dump.content_hash).into(),
            at.into(),
            by.into(),
        ],
    )?;
    Ok(added == 1)
}

/// What a tombstone says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tombstone {
    /// The basket that the dump was in.
    pub basket_id: String,
    /// `archived` or `deleted`.
    pub how: String,
    /// Why.
    pub reason: String,
    /// Who.
    pub by: String,
    /// When.
    pub at: Millis,
}

impl Tombstone {
    /// Only taken out of recall: what was approved of the dump is still in its basket.
    pub fn is_rejection(&self) -> bool {
        self.how == "archived" && self.reason == REJECTED
    }
}

/// The tombstone of a dump of the workspace.
pub fn tombstone(tx: &mut Tx<'_>, workspace: &str, id: &str) -> Result<Option<Tombstone>> {
    let found = tx.first(
        "SELECT * FROM substrate_tombstones WHERE workspace_id = $1 AND target_id = $2",
        &[workspace.into(), id.into()],
    )?;
    found
        .map(|row| {
            Ok(Tombstone {
                basket_id: row.get("basket_id")?,
                how: row.get("how")?,
                reason: row.get("reason")?,
                by: row.get("by_user")?,
                at: row.get("at")?,
            })
        })
        .transpose()
}

/// Removes a dump that has a tombstone.
pub fn delete(tx: &mut Tx<'_>, workspace: &str, id: &str) -> Result<()> {
    tx.execute(
        "DELETE FROM raw_dumps WHERE workspace_id = $1 AND id = $2",
        &[workspace.into(), id.into()],
    )
    .map(drop)
}

fn dump(row: &Row) -> Result<Dump> {
    let words: Fingerprint = unjson(row.get("fingerprint")?)?;
    let embedding: Option<&[u8]> = row.get("embedding")?;
    let embedding = embedding.map(from_blob).transpose().map_err(damaged)?.unwrap_or_default();
    let model: Option<String> = row.get("model")?;
    Ok(Dump {
        id: row.get("id")?,
        basket_id: row.get("basket_id")?,
        body: row.get("body_md")?,
        content_hash: row.get("content_hash")?,
        request: row.get("dump_request_id")?,
        metadata: unjson(row.get("source_meta")?)?,
        fingerprint: Fingerprint { embedding, model: model.unwrap_or_default(), ..words },
        source: Source {
            user_id: row.get("user_id")?,
            host: row.get("source_host")?,
            session: row.get("source_session")?,
        },
        created_at: row.get("created_at")?,
    })
}
