//! Basket signatures: what inference compares sessions with.
//!
//! With pgvector, a vector column supplements the bytes, see [`enable_vectors`]. A server that does
//! not use it lets it go stale; the column's revision shows that, and the bytes are used instead.

use super::{Tx, json, unjson};
use crate::inference::{Centroid, SIGNATURE_TTL_HOURS, Signature, cosine, from_blob, to_blob};
use crate::model::Millis;
use crate::sql::{Dialect, Kind, Result, Row};

/// A signature with the data needed to update it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Record {
    /// The signature itself.
    pub signature: Signature,
    /// Headlines of reflections.
    pub anchors: Vec<String>,
    /// The centroid its vector is computed from.
    pub centroid: Centroid,
    /// Approved changes since the last refresh.
    pub mutations: u32,
    /// A dump was misrouted here.
    pub misrouted: bool,
    /// The reflection it was computed from.
    pub reflection: Option<String>,
}

fn damaged(error: impl std::fmt::Display) -> crate::sql::Error {
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
pub(crate) fn find(tx: &mut Tx<'_>, basket: &str) -> Result<Option<Record>> {
    let found = tx.first(
        "SELECT s.basket_id, b.name, s.embedding, s.summary, s.entities, s.keywords,
           s.last_refreshed, s.anchors, s.centroid, s.weight, s.weighed_at, s.mutations,
           s.misrouted, s.source_reflection_id
         FROM basket_signatures s JOIN baskets b ON b.id = s.basket_id WHERE s.basket_id = $1",
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

/// Writes a signature. `vectors` means that pgvector's column exists.
pub(crate) fn save(tx: &mut Tx<'_>, workspace: &str, record: &Record, vectors: bool) -> Result<()> {
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
        set_vector(tx, &signature.basket_id, &signature.embedding)?;
    }
    Ok(())
}

fn set_vector(tx: &mut Tx<'_>, basket: &str, embedding: &[f32]) -> Result<()> {
    let text = (!embedding.is_empty()).then(|| vector_text(embedding));
    tx.execute(
        "UPDATE basket_signatures SET embedding_vector = CAST(CAST($2 AS TEXT) AS vector),
           vector_revision = revision WHERE basket_id = $1",
        &[basket.into(), text.into()],
    )
    .map(drop)
}

/// Excludes a basket from inference, or includes it again; also updates its name.
pub(crate) fn set_active(tx: &mut Tx<'_>, basket: &str, active: bool) -> Result<()> {
    tx.execute(
        "UPDATE basket_signatures SET active = $2, revision = revision + 1 WHERE basket_id = $1",
        &[basket.into(), active.into()],
    )
    .map(drop)
}

/// Changes with every signature of the workspace.
pub(crate) fn state(tx: &mut Tx<'_>, workspace: &str) -> Result<(i64, i64)> {
    let found = tx.first(
        "SELECT CAST(count(*) AS BIGINT) AS signatures,
           CAST(coalesce(sum(revision), 0) AS BIGINT) AS revision
         FROM basket_signatures WHERE workspace_id = $1",
        &[workspace.into()],
    )?;
    found.map_or(Ok((0, 0)), |row| Ok((row.get("signatures")?, row.get("revision")?)))
}

/// Every signature's basket and revision.
pub(crate) fn revisions(tx: &mut Tx<'_>, workspace: &str) -> Result<Vec<(String, i64)>> {
    tx.query(
        "SELECT basket_id, revision FROM basket_signatures WHERE workspace_id = $1",
        &[workspace.into()],
    )?
    .iter()
    .map(|row| Ok((row.get("basket_id")?, row.get("revision")?)))
    .collect()
}

/// A signature as inference uses it, its revision, and whether the basket is active.
#[derive(Debug, Clone)]
pub(crate) struct Live {
    /// The signature.
    pub signature: Signature,
    /// Increases with every change.
    pub revision: i64,
    /// Whether the basket can be selected.
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
pub(crate) fn all(tx: &mut Tx<'_>, workspace: &str) -> Result<Vec<Live>> {
    let rows = tx.query(&format!("{LIVE} ORDER BY s.basket_id"), &[workspace.into()])?;
    rows.iter().map(live).collect()
}

/// One signature of the workspace.
pub(crate) fn one(tx: &mut Tx<'_>, workspace: &str, basket: &str) -> Result<Option<Live>> {
    let row =
        tx.first(&format!("{LIVE} AND s.basket_id = $2"), &[workspace.into(), basket.into()])?;
    row.as_ref().map(live).transpose()
}

/// The similarity of all signatures, computed by pgvector: basket, similarity, last refresh.
pub(crate) fn similarities(
    tx: &mut Tx<'_>,
    workspace: &str,
    embedding: &[f32],
) -> Result<Vec<(String, f64, Option<Millis>)>> {
    tx.query(
        "SELECT basket_id, last_refreshed,
           CASE WHEN vector_dims(embedding_vector) = $3
             THEN 1 - (embedding_vector <=> CAST(CAST($2 AS TEXT) AS vector)) ELSE 0 END AS similarity,
           CASE WHEN embedding_vector IS NULL OR vector_revision IS DISTINCT FROM revision
             THEN embedding END AS newer
         FROM basket_signatures WHERE workspace_id = $1 AND active",
        &[
            workspace.into(),
            vector_text(embedding).into(),
            i64::try_from(embedding.len()).unwrap_or(i64::MAX).into(),
        ],
    )?
    .iter()
    .map(|row| {
        let similarity = match row.get::<Option<&[u8]>>("newer")? {
            Some(newer) => cosine(&from_blob(newer).map_err(damaged)?, embedding),
            None => row.get("similarity")?,
        };
        Ok((row.get("basket_id")?, similarity.unwrap_or(0.0), row.get("last_refreshed")?))
    })
    .collect()
}

/// Whether the database has pgvector on its search path.
pub(crate) fn has_vectors(tx: &mut Tx<'_>) -> Result<bool> {
    if tx.dialect() == Dialect::Sqlite {
        return Ok(false);
    }
    let found = tx.first(
        "SELECT 1 AS yes FROM pg_extension
         WHERE extname = 'vector' AND to_regtype('vector') IS NOT NULL",
        &[],
    )?;
    Ok(found.is_some())
}

/// Adds pgvector's column with its revision, and updates stale rows. The
/// extension may be newer than the tables, and servers that do not use it may have written.
pub(crate) fn enable_vectors(tx: &mut Tx<'_>) -> Result<()> {
    let made = tx.first(
        "SELECT 1 AS yes FROM pg_attribute WHERE attrelid = to_regclass('basket_signatures')
           AND attname = 'embedding_vector' AND NOT attisdropped",
        &[],
    )?;
    if made.is_none() {
        tx.batch(
            "ALTER TABLE basket_signatures ADD COLUMN IF NOT EXISTS embedding_vector vector,
               ADD COLUMN IF NOT EXISTS vector_revision BIGINT",
        )?;
    }
    let rows = tx.query(
        "SELECT basket_id, embedding FROM basket_signatures WHERE embedding IS NOT NULL
           AND (embedding_vector IS NULL OR vector_revision IS DISTINCT FROM revision)",
        &[],
    )?;
    for row in &rows {
        let embedding = from_blob(row.get("embedding")?).map_err(damaged)?;
        set_vector(tx, row.get("basket_id")?, &embedding)?;
    }
    Ok(())
}

/// pgvector's text format.
fn vector_text(vector: &[f32]) -> String {
    let numbers: Vec<String> = vector.iter().map(f32::to_string).collect();
    format!("[{}]", numbers.join(","))
}
