//! Answers of users to questions, used up once among all servers at the database.

use super::Tx;
use crate::model::Millis;
use crate::sql::Result;

/// How long an expired one is remembered, because servers' clocks differ.
const KEPT: Millis = 60 * 60 * 1000;

/// Uses an answer up. Of several callers with the same one exactly one gets `true`.
pub(crate) fn spend(
    tx: &mut Tx<'_>,
    consent: &str,
    expires_at: Millis,
    now: Millis,
) -> Result<bool> {
    tx.execute("DELETE FROM used_consents WHERE expires_at < $1", &[(now - KEPT).into()])?;
    let added = tx.execute(
        "INSERT INTO used_consents (consent, expires_at) VALUES ($1, $2)
         ON CONFLICT (consent) DO NOTHING",
        &[consent.into(), expires_at.into()],
    )?;
    Ok(added == 1)
}
