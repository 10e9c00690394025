//! Which version of [`index`] the stored words and keys were made by, and how they are made anew.

use super::{Tx, blocks, substrate};
use crate::index;
use crate::sql::{Kind, Result};

/// Makes all words and keys anew when another release made them: otherwise searches would look for
/// words that the entries do not have. Runs with the migrations, under their lock.
pub fn run(tx: &mut Tx<'_>) -> Result<()> {
    let found = tx.first("SELECT version FROM index_version", &[])?;
    let made_by: i64 = found.map_or(Ok(0), |row| row.get("version"))?;
    if made_by == index::VERSION {
        return Ok(());
    }
    if made_by > index::VERSION {
        return Err(Kind::Broken.because(format!(
            "The database was made by a later release (its index has version {made_by}, this one \
             knows {}). Use that release, or another database.",
            index::VERSION
        )));
    }
    substrate::reindex(tx)?;
    blocks::reindex(tx)?;
    tx.execute("UPDATE index_version SET version = $1", &[index::VERSION.into()])?;
    tracing::info!(event = "yarnnn.reindex", from = made_by, to = index::VERSION, "indexed anew");
    Ok(())
}
