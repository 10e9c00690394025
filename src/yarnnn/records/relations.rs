//! Relations between blocks, and from blocks to names.

use super::Tx;
use crate::extract::{Relation, RelationKind};
use crate::model::Millis;
use crate::sql::Result;

/// Adds relations; an existing one gets the new strength and description.
pub(crate) fn add(tx: &mut Tx<'_>, basket: &str, relations: &[Relation], at: Millis) -> Result<()> {
    for relation in relations {
        let to_type = match relation.kind {
            RelationKind::ContextReference => "context_item",
            _ => "block",
        };
        tx.execute(
            "INSERT INTO substrate_relationships
               (from_type, from_id, to_type, to_id, relationship_type, basket_id, strength,
                description, created_at)
             VALUES ('block', $1, $2, $3, $4, $5, $6, $7, $8)
             ON CONFLICT (from_id, to_id, relationship_type) DO UPDATE SET
               strength = excluded.strength, description = excluded.description",
            &[
                (&relation.from).into(),
                to_type.into(),
                (&relation.to).into(),
                relation.kind.as_str().into(),
                basket.into(),
                relation.strength.into(),
                (&relation.description).into(),
                at.into(),
            ],
        )?;
    }
    Ok(())
}

/// Removes all relations of a block or name.
pub(crate) fn remove(tx: &mut Tx<'_>, id: &str) -> Result<()> {
    tx.execute("DELETE FROM substrate_relationships WHERE from_id = $1 OR to_id = $1", &[id.into()])
        .map(drop)
}
