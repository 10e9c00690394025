//! What reviewers did with the single operations of a proposal: approved, edited or rejected, in
//! order. The rows stay; their words go when the text is forgotten.

use super::{Tx, json, unjson, unknown_word};
use crate::model::{Millis, Operation};
use crate::sql::{Result, Row};

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// It was applied.
    Approved,
    /// Its words were changed; it still waits.
    Edited,
    /// It was rejected.
    Rejected,
}

impl Action {
    const ALL: [Self; 3] = [Self::Approved, Self::Edited, Self::Rejected];

    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Edited => "edited",
            Self::Rejected => "rejected",
        }
    }
}

/// One step of a reviewer.
#[derive(Debug, Clone, PartialEq)]
pub struct Review {
    /// The operation's place in the proposal.
    pub operation: usize,
    /// What was done.
    pub action: Action,
    /// The operation before an edit.
    pub replaced: Option<Operation>,
    /// The reviewer's notes.
    pub notes: Option<String>,
    /// The reviewer.
    pub by: String,
    /// Where from: `cli` or `web`.
    pub host: String,
    /// When.
    pub at: Millis,
}

/// Adds a step.
pub(crate) fn add(tx: &mut Tx<'_>, proposal: &str, review: &Review) -> Result<()> {
    let replaced = review.replaced.as_ref().map(json).transpose()?;
    let last = tx.first(
        "SELECT max(number) AS last FROM proposal_reviews WHERE proposal_id = $1",
        &[proposal.into()],
    )?;
    let last: Option<i64> = last.map_or(Ok(None), |row| row.get("last"))?;
    tx.execute(
        "INSERT INTO proposal_reviews
           (proposal_id, number, operation_index, action, replaced, notes, by_user, source_host, at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        &[
            proposal.into(),
            (last.unwrap_or(0) + 1).into(),
            i64::try_from(review.operation).unwrap_or(i64::MAX).into(),
            review.action.as_str().into(),
            replaced.unwrap_or(crate::sql::Value::Null),
            review.notes.as_deref().into(),
            (&review.by).into(),
            (&review.host).into(),
            review.at.into(),
        ],
    )
    .map(drop)
}

/// All steps on a proposal, in order.
pub(crate) fn of(tx: &mut Tx<'_>, proposal: &str) -> Result<Vec<Review>> {
    tx.query(
        "SELECT * FROM proposal_reviews WHERE proposal_id = $1 ORDER BY number",
        &[proposal.into()],
    )?
    .iter()
    .map(review)
    .collect()
}

fn review(row: &Row) -> Result<Review> {
    let word: &str = row.get("action")?;
    let replaced: Option<&str> = row.get("replaced")?;
    Ok(Review {
        operation: row.get("operation_index")?,
        action: Action::ALL
            .into_iter()
            .find(|action| action.as_str() == word)
            .ok_or_else(|| unknown_word("action"))?,
        replaced: replaced.map(unjson).transpose()?,
        notes: row.get("notes")?,
        by: row.get("by_user")?,
        host: row.get("source_host")?,
        at: row.get("at")?,
    })
}
