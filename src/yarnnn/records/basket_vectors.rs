//! The vectors of baskets: one for each model that a basket's writes have vectors of.
//!
//! With pgvector, a vector column supplements the bytes, see [`enable_pgvector`]. A server that does
//! not use it lets it go stale; the column's revision shows that, and the bytes are used instead.

use super::Tx;
use crate::inference::{Centroid, cosine, from_blob, to_blob};
use crate::model::Millis;
use crate::sql::{Dialect, Kind, Result, Row};

/// A basket's vector in one model, as a session is compared with it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Live {
    /// The basket.
    pub basket_id: String,
    /// At length 1; empty when its writes cancel out or are gone.
    pub embedding: Vec<f32>,
    /// Increases with every change.
    pub revision: i64,
    /// Whether the basket can be selected.
    pub active: bool,
    /// When the basket's signature was refreshed.
    pub last_refreshed: Option<Millis>,
}

/// What is stored with a basket's vector.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub workspace: &'a str,
    pub basket: &'a str,
    pub model: &'a str,
    /// Whether the basket can be selected.
    pub active: bool,
    /// When its signature was refreshed.
    pub last_refreshed: Option<Millis>,
}

pub(super) fn damaged(error: impl std::fmt::Display) -> crate::sql::Error {
    Kind::Broken.because("A stored vector is damaged.").internal(error)
}

/// The mean of a basket's writes in a model; empty when it has none.
pub(crate) fn find(tx: &mut Tx<'_>, basket: &str, model: &str) -> Result<Centroid> {
    let found = tx.first(
        "SELECT centroid, weight, weighed_at FROM basket_vectors WHERE basket_id = $1 AND model = $2",
        &[basket.into(), model.into()],
    )?;
    let Some(row) = found else { return Ok(Centroid::default()) };
    Ok(Centroid {
        vector: from_blob(row.get("centroid")?).map_err(damaged)?,
        weight: row.get("weight")?,
        updated: row.get("weighed_at")?,
    })
}

/// Writes it. `pgvector` means that pgvector's column exists. A first revision is the time, so that
/// no revision ever comes back.
pub(crate) fn save(
    tx: &mut Tx<'_>,
    place: &Place<'_>,
    centroid: &Centroid,
    at: Millis,
    pgvector: bool,
) -> Result<()> {
    let embedding = centroid.signature();
    tx.execute(
        "INSERT INTO basket_vectors
           (basket_id, workspace_id, model, revision, active, last_refreshed, centroid, weight,
            weighed_at, embedding)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         ON CONFLICT (basket_id, model) DO UPDATE SET
           revision = basket_vectors.revision + 1, active = excluded.active,
           last_refreshed = excluded.last_refreshed, centroid = excluded.centroid,
           weight = excluded.weight, weighed_at = excluded.weighed_at,
           embedding = excluded.embedding",
        &[
            place.basket.into(),
            place.workspace.into(),
            place.model.into(),
            at.into(),
            place.active.into(),
            place.last_refreshed.into(),
            to_blob(&centroid.vector).into(),
            centroid.weight.into(),
            centroid.updated.into(),
            embedding.as_deref().map(to_blob).into(),
        ],
    )?;
    match pgvector {
        true => set_pgvector(tx, place.basket, place.model, embedding.as_deref()),
        false => Ok(()),
    }
}

/// Notes that the basket's signature was refreshed, for the vectors of all models.
/// `pgvector` means that pgvector's column exists.
pub(crate) fn set_refreshed(
    tx: &mut Tx<'_>,
    basket: &str,
    at: Option<Millis>,
    pgvector: bool,
) -> Result<()> {
    // What was up to date stays so.
    let column = match pgvector {
        true => {
            ", vector_revision = vector_revision
            + CASE WHEN vector_revision = revision THEN 1 ELSE 0 END"
        }
        false => "",
    };
    tx.execute(
        &format!(
            "UPDATE basket_vectors SET last_refreshed = $2, revision = revision + 1{column}
             WHERE basket_id = $1"
        ),
        &[basket.into(), at.into()],
    )
    .map(drop)
}

/// Excludes a basket from inference, or includes it again.
pub(crate) fn set_active(tx: &mut Tx<'_>, basket: &str, active: bool) -> Result<()> {
    tx.execute(
        "UPDATE basket_vectors SET active = $2, revision = revision + 1 WHERE basket_id = $1",
        &[basket.into(), active.into()],
    )
    .map(drop)
}

/// Changes with every vector of the workspace and model.
pub(crate) fn state(tx: &mut Tx<'_>, workspace: &str, model: &str) -> Result<(i64, i64)> {
    let found = tx.first(
        "SELECT CAST(count(*) AS BIGINT) AS vectors,
           CAST(coalesce(sum(revision), 0) AS BIGINT) AS revision
         FROM basket_vectors WHERE workspace_id = $1 AND model = $2",
        &[workspace.into(), model.into()],
    )?;
    found.map_or(Ok((0, 0)), |row| Ok((row.get("vectors")?, row.get("revision")?)))
}

/// Every basket and revision of a model.
pub(crate) fn revisions(
    tx: &mut Tx<'_>,
    workspace: &str,
    model: &str,
) -> Result<Vec<(String, i64)>> {
    tx.query(
        "SELECT basket_id, revision FROM basket_vectors WHERE workspace_id = $1 AND model = $2",
        &[workspace.into(), model.into()],
    )?
    .iter()
    .map(|row| Ok((row.get("basket_id")?, row.get("revision")?)))
    .collect()
}

const LIVE: &str = "SELECT basket_id, embedding, revision, active, last_refreshed
    FROM basket_vectors WHERE workspace_id = $1 AND model = $2";

fn live(row: &Row) -> Result<Live> {
    let embedding: Option<&[u8]> = row.get("embedding")?;
    Ok(Live {
        basket_id: row.get("basket_id")?,
        embedding: embedding.map(from_blob).transpose().map_err(damaged)?.unwrap_or_default(),
        revision: row.get("revision")?,
        active: row.get("active")?,
        last_refreshed: row.get("last_refreshed")?,
    })
}

/// All vectors of the workspace in a model.
pub(crate) fn all(tx: &mut Tx<'_>, workspace: &str, model: &str) -> Result<Vec<Live>> {
    let of_model = [workspace.into(), model.into()];
    tx.query(&format!("{LIVE} ORDER BY basket_id"), &of_model)?.iter().map(live).collect()
}

/// One of them.
pub(crate) fn one(
    tx: &mut Tx<'_>,
    workspace: &str,
    model: &str,
    basket: &str,
) -> Result<Option<Live>> {
    let of_basket = [workspace.into(), model.into(), basket.into()];
    let row = tx.first(&format!("{LIVE} AND basket_id = $3"), &of_basket)?;
    row.as_ref().map(live).transpose()
}

/// How many numbers the workspace's vectors of a model have; none while there is no vector.
pub(crate) fn dims(tx: &mut Tx<'_>, workspace: &str, model: &str) -> Result<Option<usize>> {
    let found = tx.first(
        "SELECT CAST(length(embedding) / 4 AS BIGINT) AS dims FROM basket_vectors
         WHERE workspace_id = $1 AND model = $2 AND embedding IS NOT NULL LIMIT 1",
        &[workspace.into(), model.into()],
    )?;
    found.map(|row| row.get("dims")).transpose()
}

/// The models of a workspace, by name.
pub(crate) fn models(tx: &mut Tx<'_>, workspace: &str) -> Result<Vec<String>> {
    tx.query(
        "SELECT DISTINCT model FROM basket_vectors
         WHERE workspace_id = $1 AND embedding IS NOT NULL ORDER BY model",
        &[workspace.into()],
    )?
    .iter()
    .map(|row| row.get("model"))
    .collect()
}

/// The similarity of all vectors of a model, computed by pgvector: basket, similarity, last refresh.
pub(crate) fn similarities(
    tx: &mut Tx<'_>,
    workspace: &str,
    model: &str,
    embedding: &[f32],
) -> Result<Vec<(String, f64, Option<Millis>)>> {
    tx.query(
        "SELECT basket_id, last_refreshed,
           CASE WHEN vector_dims(embedding_vector) = $4
             THEN 1 - (embedding_vector <=> CAST(CAST($3 AS TEXT) AS vector)) ELSE 0 END AS similarity,
           CASE WHEN embedding_vector IS NULL OR vector_revision IS DISTINCT FROM revision
             THEN embedding END AS newer
         FROM basket_vectors WHERE workspace_id = $1 AND model = $2 AND active",
        &[
            workspace.into(),
            model.into(),
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
pub(crate) fn has_pgvector(tx: &mut Tx<'_>) -> Result<bool> {
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
pub(crate) fn enable_pgvector(tx: &mut Tx<'_>) -> Result<()> {
    let made = tx.first(
        "SELECT 1 AS yes FROM pg_attribute WHERE attrelid = to_regclass('basket_vectors')
           AND attname = 'embedding_vector' AND NOT attisdropped",
        &[],
    )?;
    if made.is_none() {
        tx.batch(
            "ALTER TABLE basket_vectors ADD COLUMN IF NOT EXISTS embedding_vector vector,
               ADD COLUMN IF NOT EXISTS vector_revision BIGINT",
        )?;
    }
    let rows = tx.query(
        "SELECT basket_id, model, embedding FROM basket_vectors WHERE embedding IS NOT NULL
           AND (embedding_vector IS NULL OR vector_revision IS DISTINCT FROM revision)",
        &[],
    )?;
    for row in &rows {
        let embedding = from_blob(row.get("embedding")?).map_err(damaged)?;
        set_pgvector(tx, row.get("basket_id")?, row.get("model")?, Some(&embedding))?;
    }
    Ok(())
}

fn set_pgvector(
    tx: &mut Tx<'_>,
    basket: &str,
    model: &str,
    embedding: Option<&[f32]>,
) -> Result<()> {
    tx.execute(
        "UPDATE basket_vectors SET embedding_vector = CAST(CAST($3 AS TEXT) AS vector),
           vector_revision = revision WHERE basket_id = $1 AND model = $2",
        &[basket.into(), model.into(), embedding.map(vector_text).into()],
    )
    .map(drop)
}

/// pgvector's text format.
fn vector_text(vector: &[f32]) -> String {
    let numbers: Vec<String> = vector.iter().map(f32::to_string).collect();
    format!("[{}]", numbers.join(","))
}
