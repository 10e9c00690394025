//! The vectors of blocks: what a search by meaning compares a question with.
//!
//! A block has one for each model, in 8-bit numbers, and only while it is current. A row without
//! numbers stands for a text that its model cannot read. Rows are numbered in the order in which they
//! are written, so that copies in memory can read what is new.

use super::Tx;
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
    /// The block's basket.
    pub basket_id: String,
    /// 8-bit numbers; empty if the model cannot read the text.
    pub vector: Vec<u8>,
}

/// A current block and the number of its vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// The number of the vector.
    pub number: i64,
    /// The block.
    pub block_id: String,
    /// Its basket.
    pub basket_id: String,
}

/// A current block without a vector of some model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Missing {
    /// Its number in the search index.
    pub number: i64,
    /// Its id.
    pub block_id: String,
    /// Its basket.
    pub basket_id: String,
    /// Its text.
    pub content: String,
}

/// Stores the vector of a block, unless there is one of that model or the block is no longer current.
pub fn add(
    tx: &mut Tx<'_>,
    workspace: &str,
    basket: &str,
    block: &str,
    model: &str,
    vector: &[u8],
) -> Result<bool> {
    let added = tx.execute(
        "INSERT INTO block_vectors (workspace_id, model, block_id, basket_id, vector)
         SELECT $1, $2, $3, $4, $5 WHERE EXISTS (SELECT 1 FROM substrate WHERE ref_id = $3)
         ON CONFLICT (block_id, model) DO NOTHING",
        &[workspace.into(), model.into(), block.into(), basket.into(), vector.into()],
    )?;
    Ok(added == 1)
}

/// Erases all vectors of a block.
pub(crate) fn remove(tx: &mut Tx<'_>, block: &str) -> Result<()> {
    tx.execute("DELETE FROM block_vectors WHERE block_id = $1", &[block.into()]).map(drop)
}

/// Erases the workspace's vectors of all other models.
pub(crate) fn remove_other_models(tx: &mut Tx<'_>, workspace: &str, model: &str) -> Result<u64> {
    tx.execute(
        "DELETE FROM block_vectors WHERE workspace_id = $1 AND model <> $2",
        &[workspace.into(), model.into()],
    )
}

/// Changes with every vector of the model that is added or erased.
pub(crate) fn state(tx: &mut Tx<'_>, workspace: &str, model: &str) -> Result<State> {
    let found = tx.first(
        "SELECT CAST(count(*) AS BIGINT) AS vectors,
           CAST(coalesce(sum(number), 0) AS BIGINT) AS numbers
         FROM block_vectors WHERE workspace_id = $1 AND model = $2",
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
        "SELECT number, basket_id, vector FROM block_vectors
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
        "SELECT number FROM block_vectors WHERE workspace_id = $1 AND model = $2 ORDER BY number",
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
            &format!("SELECT number, basket_id, vector FROM block_vectors WHERE number IN ({places})"),
            &values,
        )?;
        for row in &rows {
            found.push(stored(row)?);
        }
    }
    Ok(found)
}

/// Those of these vectors whose blocks can be recalled; with anchors, whose blocks have one of them.
pub(crate) fn current(
    tx: &mut Tx<'_>,
    workspace: &str,
    numbers: &[i64],
    anchors: &[String],
) -> Result<Vec<Found>> {
    let mut found = Vec::with_capacity(numbers.len());
    for some in numbers.chunks(TOGETHER) {
        let (places, mut values) = listed(some, vec![workspace.into()]);
        let mut anchored = String::new();
        if !anchors.is_empty() {
            let (places, with) = listed(anchors, values);
            (anchored, values) = (format!(" AND s.anchor IN ({places})"), with);
        }
        let rows = tx.query(
            &format!(
                "SELECT v.number, v.block_id, s.basket_id
                 FROM block_vectors v JOIN substrate s ON s.ref_id = v.block_id
                 WHERE v.workspace_id = $1 AND v.number IN ({places}){anchored}"
            ),
            &values,
        )?;
        for row in &rows {
            found.push(Found {
                number: row.get("number")?,
                block_id: row.get("block_id")?,
                basket_id: row.get("basket_id")?,
            });
        }
    }
    Ok(found)
}

/// Current blocks without a vector of the model, whose numbers in the index are greater than `after`.
pub(crate) fn missing(
    tx: &mut Tx<'_>,
    workspace: &str,
    model: &str,
    after: i64,
    most: usize,
) -> Result<Vec<Missing>> {
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    tx.query(
        "SELECT s.number, s.ref_id, s.basket_id, b.content
         FROM substrate s JOIN blocks b ON b.id = s.ref_id
         WHERE s.workspace_id = $1 AND s.kind = 'block' AND s.number > $3
           AND NOT EXISTS (SELECT 1 FROM block_vectors v
                           WHERE v.block_id = s.ref_id AND v.model = $2)
         ORDER BY s.number LIMIT $4",
        &[workspace.into(), model.into(), after.into(), most.into()],
    )?
    .iter()
    .map(|row| {
        Ok(Missing {
            number: row.get("number")?,
            block_id: row.get("ref_id")?,
            basket_id: row.get("basket_id")?,
            content: row.get("content")?,
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
