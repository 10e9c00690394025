//! What has a vector of another model than the wanted one: the work list of moving a workspace to a
//! model. What is moved is not on it, so that a move can be taken up again at any time.

use super::Tx;
use crate::embed::ModelVector;
use crate::inference::to_blob;
use crate::sql::{Result, Row, Value};

/// A record to move.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Item {
    /// Its id.
    pub id: String,
    /// Where to go on after it.
    pub number: i64,
    /// The dump that holds its text; a waiting capture holds its own.
    pub dump: Option<String>,
}

/// A kind of record with vectors. What else gets vectors is moved as another kind: its list here, its
/// text and how it is written in the engine's `reembed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Dumps, and with them the means of their baskets.
    Dump,
    /// Captures that wait for a basket.
    Capture,
    /// Dumps that were moved out of a basket.
    Signal,
}

impl Kind {
    /// All of them, in the order of the move.
    pub(crate) const ALL: [Self; 3] = [Self::Dump, Self::Capture, Self::Signal];

    /// What to move of a workspace, as `id`, `dump` and `number`. `$1` workspace, `$2` model.
    fn list(self) -> &'static str {
        match self {
            Self::Dump => {
                "SELECT v.dump_id AS id, v.dump_id AS dump, CAST(0 AS BIGINT) AS number
                 FROM dump_vectors v WHERE v.workspace_id = $1 AND v.model <> $2"
            }
            Self::Capture => {
                "SELECT c.id AS id, CAST(NULL AS TEXT) AS dump, CAST(0 AS BIGINT) AS number
                 FROM mcp_unassigned_captures c
                 WHERE c.workspace_id = $1 AND c.model <> $2 AND c.status = 'pending'"
            }
            // A signal was sent in the moment that its dump was archived.
            Self::Signal => {
                "SELECT '' AS id, min(t.target_id) AS dump, s.number AS number
                 FROM basket_signals s JOIN substrate_tombstones t
                   ON t.basket_id = s.basket_id AND t.at = s.at AND t.how = 'archived'
                 WHERE s.workspace_id = $1 AND s.embedding IS NOT NULL AND s.model <> $2
                 GROUP BY s.number"
            }
        }
    }
}

/// How many records are to move.
pub(crate) fn count(tx: &mut Tx<'_>, workspace: &str, model: &str, kind: Kind) -> Result<u64> {
    let query = format!("SELECT CAST(count(*) AS BIGINT) AS x FROM ({}) AS items", kind.list());
    let found = tx.first(&query, &[workspace.into(), model.into()])?;
    found.map_or(Ok(0), |row| row.get("x"))
}

/// The next records to move.
pub(crate) fn next(
    tx: &mut Tx<'_>,
    workspace: &str,
    model: &str,
    kind: Kind,
    after: Option<&Item>,
    most: i64,
) -> Result<Vec<Item>> {
    let (number, id) = after.map_or((-1, ""), |item| (item.number, item.id.as_str()));
    let query = format!(
        "SELECT id, dump, number FROM ({}) AS items
         WHERE number > $3 OR (number = $3 AND id > $4) ORDER BY number, id LIMIT $5",
        kind.list()
    );
    let given: [Value; 5] = [workspace.into(), model.into(), number.into(), id.into(), most.into()];
    tx.query(&query, &given)?.iter().map(item).collect()
}

fn item(row: &Row) -> Result<Item> {
    Ok(Item { id: row.get("id")?, number: row.get("number")?, dump: row.get("dump")? })
}

/// Writes the vector of a waiting capture; false when it no longer waits.
pub(crate) fn set_capture(
    tx: &mut Tx<'_>,
    workspace: &str,
    id: &str,
    named: &ModelVector,
) -> Result<bool> {
    let changed = tx.execute(
        "UPDATE mcp_unassigned_captures SET embedding = $3, model = $4
         WHERE workspace_id = $1 AND id = $2 AND status = 'pending'",
        &[workspace.into(), id.into(), to_blob(&named.vector).into(), (&named.model).into()],
    )?;
    Ok(changed == 1)
}

/// Writes the vector of a signal.
pub(crate) fn set_signal(
    tx: &mut Tx<'_>,
    workspace: &str,
    number: i64,
    named: &ModelVector,
) -> Result<bool> {
    let changed = tx.execute(
        "UPDATE basket_signals SET embedding = $3, model = $4
         WHERE workspace_id = $1 AND number = $2",
        &[workspace.into(), number.into(), to_blob(&named.vector).into(), (&named.model).into()],
    )?;
    Ok(changed == 1)
}

/// Removes vectors of baskets in other models that no dump of theirs has any more.
pub(crate) fn remove_empty(tx: &mut Tx<'_>, workspace: &str, model: &str) -> Result<u64> {
    tx.execute(
        "DELETE FROM basket_vectors WHERE workspace_id = $1 AND model <> $2 AND NOT EXISTS (
           SELECT 1 FROM dump_vectors v
           WHERE v.basket_id = basket_vectors.basket_id AND v.model = basket_vectors.model)",
        &[workspace.into(), model.into()],
    )
}
