//! The vectors of blocks and raw dumps: what a search by meaning compares a question with.
//!
//! An entry has one for each model, in 8-bit numbers, and only while it is in the search index. A row without
//! numbers stands for a text that its model cannot read. Rows are numbered in the order in which they
//! are written, so that copies in memory can read what is new.

use std::collections::BTreeMap;

use super::Tx;
use super::substrate::{Entry, Kind, entry};
use crate::sql::{Result, Row, Value};

/// Most numbers that a statement names.
const TOGETHER: usize = 500;

/// The rows of one model in a workspace: their number, and the sum of their numbers.
pub type State = (i64, i64);

/// A vector as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stored {
    /// The row's number.
    pub number: i64,
    /// The entry's basket.
    pub basket_id: String,
    /// 8-bit numbers; empty if the model cannot read the text.
    pub vector: Vec<u8>,
}

/// A current entry without a vector of some model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Missing {
    /// Its number in the search index.
    pub number: i64,
    /// Its id.
    pub ref_id: String,
    /// Its basket.
    pub basket_id: String,
    /// Its text.
    pub text: String,
}

/// Stores the vector of an entry, unless there is one of that model or the entry is gone.
pub fn add(
    tx: &mut Tx<'_>,
    workspace: &str,
    basket: &str,
    id: &str,
    model: &str,
    vector: &[u8],
) -> Result<bool> {
    let added = tx.execute(
        "INSERT INTO substrate_vectors (workspace_id, model, ref_id, basket_id, vector)
         SELECT $1, $2, $3, $4, $5 WHERE EXISTS (SELECT 1 FROM substrate WHERE ref_id = $3)
         ON CONFLICT (ref_id, model) DO NOTHING",
        &[workspace.into(), model.into(), id.into(), basket.into(), vector.into()],
    )?;
    Ok(added == 1)
}

/// Erases all vectors of an entry.
pub(crate) fn remove(tx: &mut Tx<'_>, id: &str) -> Result<()> {
    tx.execute("DELETE FROM substrate_vectors WHERE ref_id = $1", &[id.into()]).map(drop)
}

/// Erases the workspace's vectors of all other models.
pub(crate) fn remove_other_models(tx: &mut Tx<'_>, workspace: &str, model: &str) -> Result<u64> {
    tx.execute(
        "DELETE FROM substrate_vectors WHERE workspace_id = $1 AND model <> $2",
        &[workspace.into(), model.into()],
    )
}

/// Changes with every vector of the model that is added or erased.
pub(crate) fn state(tx: &mut Tx<'_>, workspace: &str, model: &str) -> Result<State> {
    let found = tx.first(
        "SELECT CAST(count(*) AS BIGINT) AS vectors,
           CAST(coalesce(sum(number), 0) AS BIGINT) AS numbers
         FROM substrate_vectors WHERE workspace_id = $1 AND model = $2",
        &[workspace.into(), model.into()],
    )?;
    found.map_or(Ok((0, 0)), |row| Ok((row.get("vectors")?, row.get("numbers")?)))
}

/// Vectors with greater numbers than `after`, in their order.
pub(crate) fn after(
    tx: &mut Tx<'_>,
    workspace: &str,
    model: &str,
    after: i64,
    most: usize,
) -> Result<Vec<Stored>> {
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    tx.query(
        "SELECT number, basket_id, vector FROM substrate_vectors
         WHERE workspace_id = $1 AND model = $2 AND number > $3 ORDER BY number LIMIT $4",
        &[workspace.into(), model.into(), after.into(), most.into()],
    )?
    .iter()
    .map(stored)
    .collect()
}

/// The numbers of all vectors of the model, in their order.
pub(crate) fn numbers(tx: &mut Tx<'_>, workspace: &str, model: &str) -> Result<Vec<i64>> {
    tx.query(
        "SELECT number FROM substrate_vectors WHERE workspace_id = $1 AND model = $2 ORDER BY number",
        &[workspace.into(), model.into()],
    )?
    .iter()
    .map(|row| row.get("number"))
    .collect()
}

/// The vectors with these numbers.
pub(crate) fn numbered(tx: &mut Tx<'_>, numbers: &[i64]) -> Result<Vec<Stored>> {
    let mut found = Vec::with_capacity(numbers.len());
    for some in numbers.chunks(TOGETHER) {
        let (places, values) = listed(some, Vec::new());
        let rows = tx.query(
            &format!(
                "SELECT number, basket_id, vector FROM substrate_vectors WHERE number IN ({places})"
            ),
            &values,
        )?;
        for row in &rows {
            found.push(stored(row)?);
        }
    }
    Ok(found)
}

/// The entries with these vectors, by their numbers; with anchors, those that have one of them.
pub(crate) fn entries(
    tx: &mut Tx<'_>,
    workspace: &str,
    numbers: &[i64],
    kind: Option<Kind>,
    anchors: &[String],
) -> Result<BTreeMap<i64, Entry>> {
    let mut found = BTreeMap::new();
    for some in numbers.chunks(TOGETHER) {
        let (places, mut values) = listed(some, vec![workspace.into()]);
        let mut only = String::new();
        if let Some(kind) = kind {
            values.push(kind.as_str().into());
            only = format!(" AND s.kind = ${}", values.len());
        }
        if !anchors.is_empty() {
            let (places, with) = listed(anchors, values);
            values = with;
            only = format!("{only} AND s.anchor IN ({places})");
        }
        let rows = tx.query(
            &format!(
                "SELECT v.number, s.kind, s.ref_id, s.basket_id
                 FROM substrate_vectors v JOIN substrate s ON s.ref_id = v.ref_id
                 WHERE v.workspace_id = $1 AND v.number IN ({places}){only}"
            ),
            &values,
        )?;
        for row in &rows {
            found.insert(row.get("number")?, entry(row)?);
        }
    }
    Ok(found)
}

/// Entries without a vector of the model, whose numbers in the index are greater than `after`.
pub(crate) fn missing(
    tx: &mut Tx<'_>,
    workspace: &str,
    model: &str,
    after: i64,
    most: usize,
) -> Result<Vec<Missing>> {
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    tx.query(
        "SELECT s.number, s.ref_id, s.basket_id, coalesce(b.content, d.body_md) AS text
         FROM substrate s LEFT JOIN blocks b ON b.id = s.ref_id
           LEFT JOIN raw_dumps d ON d.id = s.ref_id
         WHERE s.workspace_id = $1 AND s.kind IN ('block', 'raw_dump') AND s.number > $3
           AND NOT EXISTS (SELECT 1 FROM substrate_vectors v
                           WHERE v.ref_id = s.ref_id AND v.model = $2)
         ORDER BY s.number LIMIT $4",
        &[workspace.into(), model.into(), after.into(), most.into()],
    )?
    .iter()
    .map(|row| {
        Ok(Missing {
            number: row.get("number")?,
            ref_id: row.get("ref_id")?,
            basket_id: row.get("basket_id")?,
            text: row.get::<Option<String>>("text")?.unwrap_or_default(),
        })
    })
    .collect()
}

fn stored(row: &Row) -> Result<Stored> {
    Ok(Stored {
        number: row.get("number")?,
        basket_id: row.get("basket_id")?,
        vector: row.get("vector")?,
    })
}

/// The places of these values after others, and all values.
fn listed<T: Clone + Into<Value>>(some: &[T], mut values: Vec<Value>) -> (String, Vec<Value>) {
    let places: Vec<String> = (1..=some.len()).map(|n| format!("${}", values.len() + n)).collect();
    values.extend(some.iter().cloned().map(Into::into));
    (places.join(", "), values)
}
