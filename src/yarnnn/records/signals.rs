//! Users' signals about baskets: confirmations and misroutes.

use std::collections::BTreeMap;

use super::Tx;
use crate::embed::ModelVector;
use crate::inference::{from_blob, to_blob};
use crate::model::Millis;
use crate::sql::{Kind, Result};

/// Most signals of a user that are read, the newest first.
const LOOKED_AT: i64 = 2_000;

/// One user's signals.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Signals {
    /// Confirmations (1) and misroutes (-1) by basket.
    pub by_basket: BTreeMap<String, Vec<(Millis, f64)>>,
    /// Vectors of dumps that were moved away, by basket.
    pub moved: BTreeMap<String, Vec<(Millis, ModelVector)>>,
}

/// Adds a confirmation (`1`), or a misroute (`-1`) with the vector of the dump.
pub(crate) fn add(
    tx: &mut Tx<'_>,
    workspace: &str,
    user: &str,
    basket: &str,
    sign: i64,
    moved: Option<&ModelVector>,
    at: Millis,
) -> Result<()> {
    tx.execute(
        "INSERT INTO basket_signals (workspace_id, user_id, basket_id, at, sign, embedding, model)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        &[
            workspace.into(),
            user.into(),
            basket.into(),
            at.into(),
            sign.into(),
            moved.map(|moved| to_blob(&moved.vector)).into(),
            moved.map(|moved| moved.model.clone()).into(),
        ],
    )
    .map(drop)
}

/// A user's signals since a moment.
pub(crate) fn since(
    tx: &mut Tx<'_>,
    workspace: &str,
    user: &str,
    since: Millis,
) -> Result<Signals> {
    let rows = tx.query(
        "SELECT basket_id, at, sign, embedding, model FROM basket_signals
         WHERE workspace_id = $1 AND user_id = $2 AND at >= $3
         ORDER BY at DESC, number DESC LIMIT $4",
        &[workspace.into(), user.into(), since.into(), LOOKED_AT.into()],
    )?;
    let mut signals = Signals::default();
    for row in &rows {
        let basket: String = row.get("basket_id")?;
        let at: Millis = row.get("at")?;
        let sign: i64 = row.get("sign")?;
        if let Some(bytes) = row.get::<Option<&[u8]>>("embedding")? {
            let vector = from_blob(bytes).map_err(|error| {
                Kind::Broken.because("A stored vector is damaged.").internal(error)
            })?;
            let moved = ModelVector { model: row.get("model")?, vector };
            signals.moved.entry(basket.clone()).or_default().push((at, moved));
        }
        signals.by_basket.entry(basket).or_default().push((at, sign as f64));
    }
    Ok(signals)
}
