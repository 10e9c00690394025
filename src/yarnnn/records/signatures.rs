//! Basket signatures: the words that inference compares sessions with. Their vectors are in
//! [`super::basket_vectors`].

use super::basket_vectors::damaged;
use super::{Tx, json, unjson};
use crate::inference::{SIGNATURE_TTL_HOURS, Signature, from_blob};
use crate::sql::{Result, Row};

/// A signature with the data needed to update it. Its vector is not part of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Record {
    /// The signature itself, without its vector.
    pub signature: Signature,
    /// Headlines of reflections.
    pub anchors: Vec<String>,
    /// Approved changes since the last refresh.
    pub mutations: u32,
    /// A dump was misrouted here.
    pub misrouted: bool,
    /// The reflection it was computed from.
    pub reflection: Option<String>,
    /// Whether the basket can be selected.
    pub active: bool,
}

const WORDS: &str = "s.basket_id, b.name, s.summary, s.entities, s.keywords, s.last_refreshed";

fn signature(row: &Row, embedding: Vec<f32>) -> Result<Signature> {
    let summary: String = row.get("summary")?;
    Ok(Signature {
        basket_id: row.get("basket_id")?,
        name: row.get("name")?,
        embedding,
        summary: (!summary.is_empty()).then_some(summary),
        entities: unjson(row.get("entities")?)?,
        keywords: unjson(row.get("keywords")?)?,
        last_refreshed: row.get("last_refreshed")?,
    })
}

/// One basket's signature.
pub(crate) fn find(tx: &mut Tx<'_>, basket: &str) -> Result<Option<Record>> {
    let found = tx.first(
        &format!(
            "SELECT {WORDS}, s.anchors, s.mutations, s.misrouted, s.source_reflection_id, s.active
             FROM basket_signatures s JOIN baskets b ON b.id = s.basket_id WHERE s.basket_id = $1"
        ),
        &[basket.into()],
    )?;
    let Some(row) = found else { return Ok(None) };
    Ok(Some(Record {
        signature: signature(&row, Vec::new())?,
        anchors: unjson(row.get("anchors")?)?,
        mutations: row.get("mutations")?,
        misrouted: row.get("misrouted")?,
        reflection: row.get("source_reflection_id")?,
        active: row.get("active")?,
    }))
}

/// Writes a signature.
pub(crate) fn save(tx: &mut Tx<'_>, workspace: &str, record: &Record) -> Result<()> {
    let Record { signature, anchors, mutations, misrouted, reflection, active } = record;
    tx.execute(
        "INSERT INTO basket_signatures
           (basket_id, workspace_id, revision, active, summary, anchors, entities, keywords,
            last_refreshed, mutations, misrouted, ttl_hours, source_reflection_id)
         VALUES ($1, $2, 1, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
         ON CONFLICT (basket_id) DO UPDATE SET
           revision = basket_signatures.revision + 1, summary = excluded.summary,
           anchors = excluded.anchors, entities = excluded.entities, keywords = excluded.keywords,
           last_refreshed = excluded.last_refreshed, mutations = excluded.mutations,
           misrouted = excluded.misrouted, source_reflection_id = excluded.source_reflection_id",
        &[
            (&signature.basket_id).into(),
            workspace.into(),
            (*active).into(),
            signature.summary.as_deref().unwrap_or_default().into(),
            json(anchors)?,
            json(&signature.entities)?,
            json(&signature.keywords)?,
            signature.last_refreshed.into(),
            (*mutations).into(),
            (*misrouted).into(),
            SIGNATURE_TTL_HOURS.into(),
            reflection.as_deref().into(),
        ],
    )
    .map(drop)
}

/// Excludes a basket from inference, or includes it again.
pub(crate) fn set_active(tx: &mut Tx<'_>, basket: &str, active: bool) -> Result<()> {
    tx.execute(
        "UPDATE basket_signatures SET active = $2, revision = revision + 1 WHERE basket_id = $1",
        &[basket.into(), active.into()],
    )?;
    super::basket_vectors::set_active(tx, basket, active)
}

/// A signature of the workspace with its vector in a model; the vector is empty when the basket has
/// none in that model.
pub(crate) fn one(
    tx: &mut Tx<'_>,
    workspace: &str,
    model: &str,
    basket: &str,
) -> Result<Option<Signature>> {
    let found = tx.first(
        &format!(
            "SELECT {WORDS}, v.embedding
             FROM basket_signatures s JOIN baskets b ON b.id = s.basket_id
             LEFT JOIN basket_vectors v ON v.basket_id = s.basket_id AND v.model = $2
             WHERE s.workspace_id = $1 AND s.basket_id = $3"
        ),
        &[workspace.into(), model.into(), basket.into()],
    )?;
    let Some(row) = found else { return Ok(None) };
    let embedding: Option<&[u8]> = row.get("embedding")?;
    let embedding = embedding.map(from_blob).transpose().map_err(damaged)?;
    Ok(Some(signature(&row, embedding.unwrap_or_default())?))
}

/// The most recently refreshed baskets that can be selected and have no vector in a model.
pub(crate) fn without_vector(
    tx: &mut Tx<'_>,
    workspace: &str,
    model: &str,
    most: i64,
) -> Result<Vec<Signature>> {
    let rows = tx.query(
        &format!(
            "SELECT {WORDS} FROM basket_signatures s JOIN baskets b ON b.id = s.basket_id
             WHERE s.workspace_id = $1 AND s.active AND NOT EXISTS (
               SELECT 1 FROM basket_vectors v WHERE v.basket_id = s.basket_id AND v.model = $2)
             ORDER BY s.last_refreshed DESC, s.basket_id LIMIT $3"
        ),
        &[workspace.into(), model.into(), most.into()],
    )?;
    rows.iter().map(|row| signature(row, Vec::new())).collect()
}
