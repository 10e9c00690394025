//! Adds search terms to entities that another program wrote, when the store is first used.

use mongodb::bson::{Bson, RawDocumentBuf, doc};

use super::error::store_error;
use super::{Connected, show};
use crate::model::Entity;
use crate::store::error::Result;
use crate::store::search_terms::Terms;
use crate::store::{Collection, parse};

pub(super) fn run(connected: &Connected) -> Result<()> {
    let entities = connected.of(Collection::Entities);
    let without = doc! {"_words": {"$exists": false}};
    for document in entities.find(without.clone()).run().map_err(store_error)? {
        let document: RawDocumentBuf = document.map_err(store_error)?;
        // One that cannot be read is nothing that could be found.
        let Ok(text) = show::one(Collection::Entities, &document) else { continue };
        let entity: Entity = parse("entity", &text)?;
        let id = document.get("_id").ok().flatten().and_then(|id| Bson::try_from(id).ok());
        let Some(id) = id else { continue };
        let terms = Terms::of(&entity);
        let words: Vec<String> = terms.all.into_iter().collect();
        let mut same = without.clone();
        same.insert("_id", id);
        let more = doc! {"$set": {"_name": terms.name, "_words": words}};
        entities.update_one(same, more).run().map_err(store_error)?;
    }
    Ok(())
}
