//! The vectors of dumps: what the sessions that a basket's dumps came from were about.
//!
//! A dump has one vector, of one model; another model's takes its place. Withdrawn dumps have none.

use super::basket_vectors::damaged;
use super::{Tx, unjson};
use crate::embed::ModelVector;
use crate::inference::{from_blob, to_blob};
use crate::model::{Fingerprint, Millis};
use crate::sql::{Result, Row};

/// A dump's vector.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// The dump.
    pub dump_id: String,
    /// Its basket.
    pub basket_id: String,
    /// The vector and its model.
    pub named: ModelVector,
    /// When the dump was added.
    pub created_at: Millis,
}

/// Writes the vector of a dump, in place of one that it has.
pub fn save(tx: &mut Tx<'_>, workspace: &str, member: &Member) -> Result<()> {
    tx.execute(
        "INSERT INTO dump_vectors (dump_id, basket_id, workspace_id, model, embedding, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (dump_id) DO UPDATE SET model = excluded.model, embedding = excluded.embedding",
        &[
            (&member.dump_id).into(),
            (&member.basket_id).into(),
            workspace.into(),
            (&member.named.model).into(),
            to_blob(&member.named.vector).into(),
            member.created_at.into(),
        ],
    )
    .map(drop)
}

/// A dump's vector.
pub fn find(tx: &mut Tx<'_>, workspace: &str, dump: &str) -> Result<Option<ModelVector>> {
    let found = tx.first(
        "SELECT * FROM dump_vectors WHERE workspace_id = $1 AND dump_id = $2",
        &[workspace.into(), dump.into()],
    )?;
    Ok(found.as_ref().map(member).transpose()?.map(|member| member.named))
}

/// The vectors of a basket's dumps in a model, the newest first.
pub fn members(tx: &mut Tx<'_>, basket: &str, model: &str, most: i64) -> Result<Vec<Member>> {
    tx.query(
        "SELECT * FROM dump_vectors WHERE basket_id = $1 AND model = $2
         ORDER BY created_at DESC, dump_id LIMIT $3",
        &[basket.into(), model.into(), most.into()],
    )?
    .iter()
    .map(member)
    .collect()
}

/// What a dump says, with its vector.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Text {
    /// Its vector.
    pub vector: Vec<f32>,
    /// The session's summary, or nothing.
    pub summary: String,
    /// The dump's text.
    pub body: String,
}

/// The texts of a basket's dumps that have a vector in a model, the newest first.
pub(crate) fn texts(tx: &mut Tx<'_>, basket: &str, model: &str, most: i64) -> Result<Vec<Text>> {
    let text = |row: &Row| {
        let session: Fingerprint = unjson(row.get("fingerprint")?)?;
        Ok(Text {
            vector: from_blob(row.get("embedding")?).map_err(damaged)?,
            summary: session.summary.unwrap_or_default(),
            body: row.get("body_md")?,
        })
    };
    tx.query(
        "SELECT v.embedding, d.fingerprint, d.body_md
         FROM dump_vectors v JOIN raw_dumps d ON d.id = v.dump_id
         WHERE v.basket_id = $1 AND v.model = $2 ORDER BY v.created_at DESC, v.dump_id LIMIT $3",
        &[basket.into(), model.into(), most.into()],
    )?
    .iter()
    .map(text)
    .collect()
}

/// Removes the vector of a withdrawn dump.
pub fn remove(tx: &mut Tx<'_>, workspace: &str, dump: &str) -> Result<()> {
    tx.execute(
        "DELETE FROM dump_vectors WHERE workspace_id = $1 AND dump_id = $2",
        &[workspace.into(), dump.into()],
    )
    .map(drop)
}

fn member(row: &Row) -> Result<Member> {
    Ok(Member {
        dump_id: row.get("dump_id")?,
        basket_id: row.get("basket_id")?,
        named: ModelVector {
            model: row.get("model")?,
            vector: from_blob(row.get("embedding")?).map_err(damaged)?,
        },
        created_at: row.get("created_at")?,
    })
}
