//! The indexes, created when the store is first used.

use mongodb::IndexModel;
use mongodb::bson::{Document, doc};
use mongodb::options::IndexOptions;
use mongodb::sync::Database;

use super::error::store_error;
use crate::store::error::Result;

pub(super) fn create(database: &Database) -> Result<()> {
    let of = |keys: Document| {
        let mut all = doc! {"tenantId": 1, "projectId": 1};
        all.extend(keys);
        all
    };
    let plain = |keys| IndexModel::builder().keys(keys).build();
    let unique = |keys| {
        let options = IndexOptions::builder().unique(true).build();
        IndexModel::builder().keys(keys).options(options).build()
    };
    // Edges that were removed leave their ids behind, and nothing else.
    let one_way = {
        let drawn = doc! {"fromNodeId": {"$exists": true}};
        let options = IndexOptions::builder()
            .unique(true)
            .partial_filter_expression(drawn)
            .name("one_edge_of_a_type".to_owned())
            .build();
        let keys = of(doc! {"fromNodeId": 1, "toNodeId": 1, "edgeType": 1});
        IndexModel::builder().keys(keys).options(options).build()
    };
    let one_pack = {
        let ours = doc! {"inputHash": {"$exists": true}};
        let options = IndexOptions::builder()
            .unique(true)
            .partial_filter_expression(ours)
            .name("one_pack_of_an_input".to_owned())
            .build();
        let keys = of(doc! {"nodeId": 1, "inputHash": 1});
        IndexModel::builder().keys(keys).options(options).build()
    };
    for (collection, indexes) in [
        ("tenants", vec![unique(doc! {"name": 1})]),
        ("users", vec![unique(doc! {"tenantId": 1, "email": 1})]),
        ("projects", vec![plain(doc! {"tenantId": 1, "title": 1})]),
        (
            "entities",
            vec![
                plain(of(doc! {"type": 1, "name": 1})),
                plain(of(doc! {"_words": 1})),
                plain(of(doc! {"audit.updatedAt": -1, "_id": 1})),
            ],
        ),
        ("storyNodes", vec![plain(of(doc! {"time.order": 1, "_id": 1}))]),
        ("storyEdges", vec![one_way, plain(of(doc! {"toNodeId": 1}))]),
        ("promptPacks", vec![one_pack, plain(of(doc! {"nodeId": 1, "createdAt": -1}))]),
        ("versions", vec![unique(of(doc! {"objectType": 1, "objectId": 1, "number": 1}))]),
        (
            "auditEvents",
            vec![plain(of(doc! {"revision": -1, "at": -1})), plain(of(doc! {"objectId": 1}))],
        ),
    ] {
        database
            .collection::<Document>(collection)
            .create_indexes(indexes)
            .run()
            .map_err(store_error)?;
    }
    Ok(())
}
