//! Basket signatures: what a basket is found by.
//!
//! With pgvector a column of its kind stands beside the bytes, see [`enable_vectors`].

use super::{Tx, json, unjson};
use crate::yarnnn::inference::{Centroid, SIGNATURE_TTL_HOURS, Signature, from_blob, to_blob};
use crate::yarnnn::model::Millis;
use crate::yarnnn::sql::{Dialect, Kind, Result, Row};

/// A signature with what is needed to change it.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// What inference sees.
    pub signature: Signature,
    /// Headlines of reflections.
    pub anchors: Vec<String>,
    /// Where its vector comes from.
    pub centroid: Centroid,
    /// Approved changes since the last refresh.
    pub mutations: u32,
    /// The user said that something was put here wrongly.
    pub misrouted: bool,
    /// The reflection it was made from.
    pub reflection: Option<String>,
}

fn damaged(error: impl std::fmt::Display) -> crate::yarnnn::sql::Error {
    Kind::Broken.because("A stored vector is damaged.").internal(error)
}

fn signature(row: &Row) -> Result<Signature> {
    let embedding: Option<&[u8]> = row.get("embedding")?;
    let summary: String = row.get("summary")?;
    Ok(Signature {
        basket_id: row.get("basket_id")?,
        name: row.get("name")?,
        embedding: embedding.map(from_blob).transpose().map_err(damaged)?.unwrap_or_default(),
        summary: (!summary.is_empty()).then_some(summary),
        entities: unjson(row.get("entities")?)?,
        keywords: unjson(row.get("keywords")?)?,
        last_refreshed: row.get("last_refreshed")?,
    })
}

/// One basket's signature.
pub fn find(tx: &mut Tx<'_>, basket: &str) -> Result<Option<Record>> {
    let found = tx.first(
        "SELECT s.*, b.name FROM basket_signatures s JOIN baskets b ON b.id = s.basket_id
         WHERE s.basket_id = $1",
        &[basket.into()],
    )?;
    let Some(row) = found else { return Ok(None) };
    Ok(Some(Record {
        signature: signature(&row)?,
        anchors: unjson(row.get("anchors")?)?,
        centroid: Centroid {
            vector: from_blob(row.get("centroid")?).map_err(damaged)?,
            weight: row.get("weight")?,
            updated: row.get("weighed_at")?,
        },
        mutations: row.get("mutations")?,
        misrouted: row.get("misrouted")?,
        reflection: row.get("source_reflection_id")?,
    }))
}

/// Writes a signature. `vectors` says that pgvector's column is there.
pub fn save(tx: &mut Tx<'_>, workspace: &str, record: &Record, vectors: bool) -> Result<()> {
    let Record { signature, anchors, centroid, mutations, misrouted, reflection } = record;
    let embedding = (!signature.embedding.is_empty()).then(|| to_blob(&signature.embedding));
    tx.execute(
        "INSERT INTO basket_signatures
           (basket_id, workspace_id, revision, active, summary, anchors, entities, keywords,
            centroid, weight, weighed_at, embedding, last_refreshed, mutations, misrouted,
            ttl_hours, source_reflection_id)
         VALUES ($1, $2, 1, TRUE, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
         ON CONFLICT (basket_id) DO UPDATE SET
           revision = basket_signatures.revision + 1, summary = excluded.summary,
           anchors = excluded.anchors, entities = excluded.entities, keywords = excluded.keywords,
           centroid = excluded.centroid, weight = excluded.weight,
           weighed_at = excluded.weighed_at, embedding = excluded.embedding,
           last_refreshed = excluded.last_refreshed, mutations = excluded.mutations,
           misrouted = excluded.misrouted, source_reflection_id = excluded.source_reflection_id",
        &[
            (&signature.basket_id).into(),
            workspace.into(),
            signature.summary.as_deref().unwrap_or_default().into(),
            json(anchors)?,
            json(&signature.entities)?,
            json(&signature.keywords)?,
            to_blob(&centroid.vector).into(),
            centroid.weight.into(),
            centroid.updated.into(),
            embedding.into(),
            signature.last_refreshed.into(),
            (*mutations).into(),
            (*misrouted).into(),
            SIGNATURE_TTL_HOURS.into(),
            reflection.as_deref().into(),
        ],
    )?;
    if vectors {
        let text = (!signature.embedding.is_empty()).then(|| vector_text(&signature.embedding));
        tx.execute(
            "UPDATE basket_signatures SET embedding_vector = CAST(CAST($2 AS TEXT) AS vector)
             WHERE basket_id = $1",
            &[(&signature.basket_id).into(), text.into()],
        )?;
    }
    Ok(())
}

/// Takes a basket out of inference, or back into it; its name may have changed as well.
pub fn set_active(tx: &mut Tx<'_>, basket: &str, active: bool) -> Result<()> {
    tx.execute(
        "UPDATE basket_signatures SET active = $2, revision = revision + 1 WHERE basket_id = $1",
        &[basket.into(), active.into()],
    )
    .map(drop)
}

/// Differs whenever any signature of the workspace has changed.
pub fn state(tx: &mut Tx<'_>, workspace: &str) -> Result<(i64, i64)> {
    let found = tx.first(
        "SELECT CAST(count(*) AS BIGINT) AS signatures,
           CAST(coalesce(sum(revision), 0) AS BIGINT) AS revision
         FROM basket_signatures WHERE workspace_id = $1",
        &[workspace.into()],
    )?;
    found.map_or(Ok((0, 0)), |row| Ok((row.get("signatures")?, row.get("revision")?)))
}

/// Every signature's basket and revision.
pub fn revisions(tx: &mut Tx<'_>, workspace: &str) -> Result<Vec<(String, i64)>> {
    tx.query(
        "SELECT basket_id, revision FROM basket_signatures WHERE workspace_id = $1",
        &[workspace.into()],
    )?
    .iter()
    .map(|row| Ok((row.get("basket_id")?, row.get("revision")?)))
    .collect()
}

/// A signature as inference uses it, its revision, and whether it takes part.
#[derive(Debug, Clone)]
pub struct Live {
    /// The signature.
    pub signature: Signature,
    /// Grows with every change.
    pub revision: i64,
    /// Whether the basket can be chosen.
    pub active: bool,
}

fn live(row: &Row) -> Result<Live> {
    Ok(Live {
        signature: signature(row)?,
        revision: row.get("revision")?,
        active: row.get("active")?,
    })
}

const LIVE: &str = "SELECT s.basket_id, b.name, s.embedding, s.summary, s.entities, s.keywords,
    s.last_refreshed, s.revision, s.active
    FROM basket_signatures s JOIN baskets b ON b.id = s.basket_id WHERE s.workspace_id = $1";

/// All signatures of the workspace.
pub fn all(tx: &mut Tx<'_>, workspace: &str) -> Result<Vec<Live>> {
    let rows = tx.query(&format!("{LIVE} ORDER BY s.basket_id"), &[workspace.into()])?;
    rows.iter().map(live).collect()
}

/// One signature of the workspace.
pub fn one(tx: &mut Tx<'_>, workspace: &str, basket: &str) -> Result<Option<Live>> {
    let row =
        tx.first(&format!("{LIVE} AND s.basket_id = $2"), &[workspace.into(), basket.into()])?;
    row.as_ref().map(live).transpose()
}

/// What pgvector makes of all signatures: the basket, its similarity and its last refresh.
pub fn similarities(
    tx: &mut Tx<'_>,
    workspace: &str,
    embedding: &[f32],
) -> Result<Vec<(String, f64, Option<Millis>)>> {
    tx.query(
        "SELECT basket_id, last_refreshed,
           CASE WHEN vector_dims(embedding_vector) = $3
             THEN 1 - (embedding_vector <=> CAST(CAST($2 AS TEXT) AS vector)) ELSE 0 END AS similarity
         FROM basket_signatures WHERE workspace_id = $1 AND active",
        &[
            workspace.into(),
            vector_text(embedding).into(),
            i64::try_from(embedding.len()).unwrap_or(i64::MAX).into(),
        ],
    )?
    .iter()
    .map(|row| {
        let similarity: Option<f64> = row.get("similarity")?;
        Ok((row.get("basket_id")?, similarity.unwrap_or(0.0), row.get("last_refreshed")?))
    })
    .collect()
}

/// Whether the database has pgvector.
pub fn has_vectors(tx: &mut Tx<'_>) -> Result<bool> {
    if tx.dialect() == Dialect::Sqlite {
        return Ok(false);
    }
    Ok(tx.first("SELECT 1 AS yes FROM pg_extension WHERE extname = 'vector'", &[])?.is_some())
}

/// Adds pgvector's column and fills it. The extension may be younger than the tables.
pub fn enable_vectors(tx: &mut Tx<'_>) -> Result<()> {
    tx.batch("ALTER TABLE basket_signatures ADD COLUMN IF NOT EXISTS embedding_vector vector")?;
    let rows = tx.query(
        "SELECT basket_id, embedding FROM basket_signatures
         WHERE embedding IS NOT NULL AND embedding_vector IS NULL",
        &[],
    )?;
    for row in &rows {
        let embedding = from_blob(row.get("embedding")?).map_err(damaged)?;
        tx.execute(
            "UPDATE basket_signatures SET embedding_vector = CAST(CAST($2 AS TEXT) AS vector)
             WHERE basket_id = $1",
            &[row.get::<&str>("basket_id")?.into(), vector_text(&embedding).into()],
        )?;
    }
    Ok(())
}

/// pgvector's own way of writing.
fn vector_text(vector: &[f32]) -> String {
    let numbers: Vec<String> = vector.iter().map(f32::to_string).collect();
    format!("[{}]", numbers.join(","))
}
