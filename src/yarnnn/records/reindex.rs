//! Rebuilds the stored words and keys after a change of [`index::VERSION`].

use super::{Tx, blocks, substrate};
use crate::index;
use crate::sql::{Kind, Result};

/// Rebuilds all words and keys if an older release computed them: otherwise searches would use
/// words that the entries do not have. Runs with the migrations, under their lock.
pub(crate) fn run(tx: &mut Tx<'_>) -> Result<()> {
    let found = tx.first("SELECT version FROM index_version", &[])?;
    let made_by: i64 = found.map_or(Ok(0), |row| row.get("version"))?;
    if made_by == index::VERSION {
        return Ok(());
    }
    if made_by > index::VERSION {
        return Err(Kind::Broken.because(format!(
            "The database was created by a later release (its index has version {made_by}, this one \
             knows {}). Use that release, or another database.",
            index::VERSION
        )));
    }
    substrate::reindex(tx)?;
    blocks::reindex(tx)?;
    tx.execute("UPDATE index_version SET version = $1", &[index::VERSION.into()])?;
    tracing::info!(event = "yarnnn.reindex", from = made_by, to = index::VERSION, "reindexed");
    Ok(())
}
