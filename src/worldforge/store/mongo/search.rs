//! Entity search.
//!
//! Each entity has its folded search terms in an index. A prefix is an index range, so no part of a
//! query is ever an expression.

use std::collections::{BTreeMap, BTreeSet};

use mongodb::bson::{Bson, Document, RawDocumentBuf, doc};

use super::error::store_error;
use super::{Connected, Scope, owned, show, state};
use crate::store::error::{Result, StoreError};
use crate::store::reader::Reader;
use crate::store::search_terms::{self, Page, Search, Sought};
use crate::store::{Collection, Documents};

pub(super) fn search(connected: &Connected, scope: &Scope, search: &Search) -> Result<Page> {
    state::current(connected, scope)?;
    let mut filter = owned(scope).ok_or_else(|| StoreError::missing("project"))?;
    if let Some(kind) = search.kind {
        filter.insert("type", kind.name());
    }
    let sought = Sought::new(&search.query);
    if let Sought::Words(words) = &sought {
        let words: BTreeSet<&String> = words.iter().collect();
        let begins = words.into_iter().map(|word| {
            let end = format!("{word}\u{10ffff}");
            doc! {"_words": {"$elemMatch": {"$gte": word, "$lt": end}}}
        });
        filter.insert("$and", begins.collect::<Vec<_>>());
    }
    let entities = connected.of(Collection::Entities);
    let total = match sought {
        Sought::Nothing => 0,
        _ => entities.count_documents(filter.clone()).run().map_err(store_error)?,
    };
    if search.limit == 0 || search.offset >= total {
        return Ok(Page { items: Documents::default(), total });
    }
    // Only what the order goes by is sorted; the texts of one page are fetched afterwards.
    let mut stages = vec![doc! {"$match": filter}];
    match &sought {
        Sought::Words(words) => {
            stages.push(doc! {"$project": {"_name": 1, "_rank": rank(words)}});
            stages.push(doc! {"$sort": {"_rank": 1, "_name": 1, "_id": 1}});
        }
        _ => stages.push(doc! {"$sort": {"audit.updatedAt": -1, "_id": 1}}),
    }
    stages.push(doc! {"$skip": i64::try_from(search.offset).unwrap_or(i64::MAX)});
    stages.push(doc! {"$limit": i64::from(search.limit)});
    stages.push(doc! {"$project": {"_id": 1}});
    let found = entities.aggregate(stages).allow_disk_use(true).run().map_err(store_error)?;
    let ids = found
        .map(|found| found.map_err(store_error).map(|found| found.get("_id").cloned()))
        .collect::<Result<Vec<Option<Bson>>>>()?;
    let ids: Vec<Bson> = ids.into_iter().flatten().collect();
    Ok(Page { items: fetch(connected, scope, &ids)?, total })
}

/// In the order of the ids.
fn fetch(connected: &Connected, scope: &Scope, ids: &[Bson]) -> Result<Documents> {
    let mut filter = owned(scope).ok_or_else(|| StoreError::missing("project"))?;
    filter.insert("_id", doc! {"$in": ids.to_vec()});
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    let mut reader = Reader::default();
    for document in connected.of(Collection::Entities).find(filter).run().map_err(store_error)? {
        let document: RawDocumentBuf = document.map_err(store_error)?;
        let id = document.get("_id").ok().flatten().and_then(|id| Bson::try_from(id).ok());
        let text = show::listed(&mut reader, Collection::Entities, &document)?;
        texts.extend(id.map(|id| id.to_string()).zip(text));
    }
    let found = ids.iter().filter_map(|id| texts.get(&id.to_string()));
    Ok(found.map(String::as_str).collect())
}

/// 0: the name is the query; 1: it begins with it; 2: all words are in it; 3: the rest.
fn rank(sought: &[String]) -> Bson {
    let literal = |text: String| doc! {"$literal": text};
    let place = |text: String| doc! {"$indexOfBytes": ["$_name", literal(text)]};
    let whole = search_terms::key(sought);
    let in_name: Vec<Document> = sought
        .iter()
        .collect::<BTreeSet<_>>()
        .into_iter()
        .map(|word| doc! {"$gte": [place(format!(" {word}")), 0]})
        .collect();
    doc! {"$switch": {
        "branches": [
            {"case": {"$eq": ["$_name", literal(whole.clone())]}, "then": 0},
            {"case": {"$eq": [place(whole), 0]}, "then": 1},
            {"case": {"$and": in_name}, "then": 2},
        ],
        "default": 3,
    }}
    .into()
}
