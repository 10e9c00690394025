//! Reads the documents of a project.

use std::time::Duration;

use mongodb::bson::{Bson, Document, RawDocument, RawDocumentBuf, doc};
use mongodb::options::ReadConcern;
use mongodb::sync::ClientSession;
use serde_json::Value;

use super::bson::{either, id, json};
use super::error::store_error;
use super::state::{self, State};
use super::users::all;
use super::{Connected, Scope, owned, show};
use crate::model::{Id, ObjectType, Project, PromptPack, Snapshot};
use crate::store::error::{Kind, Result, StoreError};
use crate::store::reader::{self, Reader};
use crate::store::served::Extent;
use crate::store::shape::PROJECT;
use crate::store::{AuditEvent, Collection, Documents, Edition, Reading, parse};

/// How often collections are read again because of concurrent writes.
const ATTEMPTS: u64 = 100;

pub(super) fn projects(connected: &Connected, tenant: &str) -> Result<Vec<Project>> {
    let Some(tenant) = id(tenant) else { return Ok(Vec::new()) };
    let filter = doc! {"tenantId": either(tenant), "_importing": {"$exists": false}};
    all(connected, "projects", "project", filter, doc! {"title": 1, "_id": 1})
}

pub(super) fn project(connected: &Connected, scope: &Scope) -> Result<Project> {
    let document = state::project(connected, scope)?;
    let read = serde_json::from_str(&json(&document)?);
    match reader::typed("project", read, || Ok(show::whole(&document)))? {
        Some(project) => Ok(project),
        None => Err(StoreError::unreadable("project", "not as it should be")),
    }
}

pub(super) fn whole_project(connected: &Connected, scope: &Scope) -> Result<Value> {
    let value = show::whole(&state::project(connected, scope)?);
    reader::document("project", PROJECT, value, Extent::All).map_err(StoreError::foreign)
}

/// Everything of the project in the collection. Edges that were removed are not there.
fn everything(scope: &Scope, collection: Collection) -> Result<Document> {
    let mut filter = owned(scope).ok_or_else(|| StoreError::missing("project"))?;
    if collection == Collection::Edges {
        filter.insert("fromNodeId", doc! {"$exists": true});
    }
    Ok(filter)
}

/// The project's documents, after what another writer left has been carried out.
fn within(connected: &Connected, scope: &Scope, collection: Collection) -> Result<Document> {
    state::current(connected, scope)?;
    everything(scope, collection)
}

pub(super) fn document(
    connected: &Connected,
    scope: &Scope,
    collection: Collection,
    object: &str,
) -> Result<String> {
    show::one(collection, &found(connected, scope, collection, object)?)
}

pub(super) fn whole_document(
    connected: &Connected,
    scope: &Scope,
    collection: Collection,
    object: &str,
) -> Result<Value> {
    let value = show::whole(&found(connected, scope, collection, object)?);
    reader::one(collection, value, Extent::All)
}

fn found(
    connected: &Connected,
    scope: &Scope,
    collection: Collection,
    object: &str,
) -> Result<RawDocumentBuf> {
    let missing = || StoreError::missing(collection.what());
    let mut filter = within(connected, scope, collection)?;
    filter.insert("_id", either(id(object).ok_or_else(missing)?));
    let found = connected.of(collection).find_one(filter).run().map_err(store_error)?;
    found.ok_or_else(missing)
}

pub(super) fn documents(
    connected: &Connected,
    scope: &Scope,
    collection: Collection,
    ids: &[Id],
) -> Result<Documents> {
    let mut filter = within(connected, scope, collection)?;
    let ids = ids.iter().filter_map(|object| id(object));
    let ids: Vec<Bson> = ids.flat_map(|id| [Bson::from(id), id.to_hex().into()]).collect();
    filter.insert("_id", doc! {"$in": ids});
    gather(connected, collection, filter, doc! {"_id": 1}, None, &mut Reader::default())
}

pub(super) fn collections(
    connected: &Connected,
    scope: &Scope,
    collections: &[Collection],
    all: bool,
) -> Result<Reading> {
    for attempt in 1..=ATTEMPTS {
        let before = state::current(connected, scope)?;
        if connected.transactions {
            return snapshot(connected, scope, collections, all);
        }
        let mut reader = Reader::new(all);
        let collections = collections
            .iter()
            .map(|collection| whole(connected, scope, *collection, None, &mut reader))
            .collect::<Result<_>>()?;
        // A project that was written to meanwhile is read again.
        if state::current(connected, scope)?.writes() == before.writes() {
            return Ok(reading(before.revision, collections, reader));
        }
        std::thread::sleep(Duration::from_millis(attempt.min(20)));
    }
    Err(Kind::Unavailable.because("The project is being written to constantly. Try again later."))
}

/// All at one moment, as the server sees it.
fn snapshot(
    connected: &Connected,
    scope: &Scope,
    collections: &[Collection],
    all: bool,
) -> Result<Reading> {
    let missing = || StoreError::missing("project");
    let mut session = connected.client.start_session().run().map_err(store_error)?;
    session.start_transaction().read_concern(ReadConcern::snapshot()).run().map_err(store_error)?;
    let filter = state::filter(scope).ok_or_else(missing)?;
    let project =
        connected.projects().find_one(filter).session(&mut session).run().map_err(store_error)?;
    let revision = State::of(&project.ok_or_else(missing)?).revision;
    let mut reader = Reader::new(all);
    let collections = collections
        .iter()
        .map(|collection| whole(connected, scope, *collection, Some(&mut session), &mut reader))
        .collect::<Result<_>>()?;
    // Nothing was written.
    let _ = session.abort_transaction().run();
    Ok(reading(revision, collections, reader))
}

fn reading(revision: u64, collections: Vec<Documents>, reader: Reader) -> Reading {
    let Reader { wholes, unreadable, .. } = reader;
    Reading { revision, collections, wholes, unreadable }
}

fn whole(
    connected: &Connected,
    scope: &Scope,
    collection: Collection,
    session: Option<&mut ClientSession>,
    reader: &mut Reader,
) -> Result<Documents> {
    let order = match collection {
        Collection::Entities | Collection::Edges => doc! {"_id": 1},
        Collection::Nodes => doc! {"time.order": 1, "_id": 1},
        Collection::Packs => doc! {"createdAt": 1, "_id": 1},
        Collection::Versions => doc! {"objectType": 1, "objectId": 1, "number": 1},
    };
    gather(connected, collection, everything(scope, collection)?, order, session, reader)
}

fn gather(
    connected: &Connected,
    collection: Collection,
    filter: Document,
    order: Document,
    session: Option<&mut ClientSession>,
    reader: &mut Reader,
) -> Result<Documents> {
    let mut texts: Vec<String> = Vec::new();
    let mut take = |document: &RawDocument| -> Result<()> {
        texts.extend(show::listed(reader, collection, document)?);
        Ok(())
    };
    let documents = connected.of(collection);
    let find = documents.find(filter).sort(order).batch_size(10_000).allow_disk_use(true);
    match session {
        None => {
            let mut found = find.run().map_err(store_error)?;
            while found.advance().map_err(store_error)? {
                take(found.current())?;
            }
        }
        Some(session) => {
            let mut found = find.session(&mut *session).run().map_err(store_error)?;
            while found.advance(session).map_err(store_error)? {
                take(found.current())?;
            }
        }
    }
    Ok(texts.iter().map(String::as_str).collect())
}

/// The pack of this input, or the latest one.
pub(super) fn pack(
    connected: &Connected,
    scope: &Scope,
    node: &str,
    input_hash: Option<&str>,
) -> Result<Option<PromptPack>> {
    let mut filter = within(connected, scope, Collection::Packs)?;
    let Some(node) = id(node) else { return Ok(None) };
    filter.insert("nodeId", either(node));
    filter.extend(input_hash.map(|hash| ("inputHash".to_owned(), hash.into())));
    let packs = connected.of(Collection::Packs);
    let found = packs.find_one(filter).sort(doc! {"createdAt": -1, "_id": -1}).run();
    match found.map_err(store_error)? {
        Some(pack) => parse("prompt pack", &show::one(Collection::Packs, &pack)?).map(Some),
        None => Ok(None),
    }
}

fn versions(
    connected: &Connected,
    scope: &Scope,
    object: ObjectType,
    object_id: &str,
) -> Result<Option<Document>> {
    let mut filter = within(connected, scope, Collection::Versions)?;
    let Some(object_id) = id(object_id) else { return Ok(None) };
    filter.insert("objectType", object.name());
    filter.insert("objectId", object_id);
    Ok(Some(filter))
}

pub(super) fn history(
    connected: &Connected,
    scope: &Scope,
    object: ObjectType,
    id: &str,
) -> Result<Vec<Edition>> {
    let Some(filter) = versions(connected, scope, object, id)? else { return Ok(Vec::new()) };
    let versions = connected.of(Collection::Versions);
    let found = versions.find(filter).sort(doc! {"number": 1}).projection(doc! {"snapshot": 0});
    found
        .run()
        .map_err(store_error)?
        .map(|version| parse("version", &json(&version.map_err(store_error)?)?))
        .collect()
}

pub(super) fn version(
    connected: &Connected,
    scope: &Scope,
    object: ObjectType,
    id: &str,
    number: u64,
) -> Result<Snapshot> {
    let missing = || StoreError::missing("version");
    let mut filter = versions(connected, scope, object, id)?.ok_or_else(missing)?;
    filter.insert("number", i64::try_from(number).unwrap_or(i64::MAX));
    let found = connected.of(Collection::Versions).find_one(filter).run().map_err(store_error)?;
    parse("version", &json(&found.ok_or_else(missing)?)?)
}

pub(super) fn events(
    connected: &Connected,
    scope: &Scope,
    object: Option<&str>,
    limit: u32,
) -> Result<Vec<AuditEvent>> {
    state::current(connected, scope)?;
    let mut filter = owned(scope).ok_or_else(|| StoreError::missing("project"))?;
    if let Some(object) = object {
        let Some(object) = id(object) else { return Ok(Vec::new()) };
        filter.insert("objectId", object);
    }
    if limit == 0 {
        return Ok(Vec::new());
    }
    let events = connected.documents("auditEvents");
    let found = events.find(filter).limit(limit.into());
    found
        .sort(doc! {"revision": -1, "at": -1, "_id": -1})
        .run()
        .map_err(store_error)?
        .map(|event| parse("audit event", &json(&event.map_err(store_error)?)?))
        .collect()
}
