//! Reading documents of a project.

use std::time::Duration;

use mongodb::bson::{Bson, Document, RawDocument, RawDocumentBuf, doc};
use mongodb::options::ReadConcern;
use mongodb::sync::ClientSession;
use serde_json::Value;

use super::bson::{either, id, json};
use super::error::fault;
use super::state::{self, State};
use super::users::all;
use super::{Ready, Scope, owned, show};
use crate::model::{Id, ObjectType, Project, PromptPack, Snapshot};
use crate::store::error::{Fault, Kind, Result};
use crate::store::reader::{self, Reader};
use crate::store::served::Extent;
use crate::store::shape::PROJECT;
use crate::store::{AuditEvent, Collection, Documents, Edition, Reading, parse};

/// How often collections are read anew because somebody wrote meanwhile.
const ATTEMPTS: u64 = 100;

pub(super) fn projects(ready: &Ready, tenant: &str) -> Result<Vec<Project>> {
    let Some(tenant) = id(tenant) else { return Ok(Vec::new()) };
    let filter = doc! {"tenantId": either(tenant), "_importing": {"$exists": false}};
    all(ready, "projects", "project", filter, doc! {"title": 1, "_id": 1})
}

pub(super) fn project(ready: &Ready, scope: &Scope) -> Result<Project> {
    let document = state::project(ready, scope)?;
    let read = serde_json::from_str(&json(&document)?);
    match reader::typed("project", read, || Ok(show::whole(&document)))? {
        Some(project) => Ok(project),
        None => Err(Fault::unreadable("project", "not as it should be")),
    }
}

pub(super) fn whole_project(ready: &Ready, scope: &Scope) -> Result<Value> {
    let value = show::whole(&state::project(ready, scope)?);
    reader::document("project", PROJECT, value, Extent::All).map_err(Fault::foreign)
}

/// Everything of the project in the collection. Edges that were removed are not there.
fn everything(scope: &Scope, collection: Collection) -> Result<Document> {
    let mut filter = owned(scope).ok_or_else(|| Fault::missing("project"))?;
    if collection == Collection::Edges {
        filter.insert("fromNodeId", doc! {"$exists": true});
    }
    Ok(filter)
}

/// The project's documents, after what another writer left has been carried out.
fn within(ready: &Ready, scope: &Scope, collection: Collection) -> Result<Document> {
    state::current(ready, scope)?;
    everything(scope, collection)
}

pub(super) fn document(
    ready: &Ready,
    scope: &Scope,
    collection: Collection,
    object: &str,
) -> Result<String> {
    show::one(collection, &found(ready, scope, collection, object)?)
}

pub(super) fn whole_document(
    ready: &Ready,
    scope: &Scope,
    collection: Collection,
    object: &str,
) -> Result<Value> {
    let value = show::whole(&found(ready, scope, collection, object)?);
    reader::one(collection, value, Extent::All)
}

fn found(
    ready: &Ready,
    scope: &Scope,
    collection: Collection,
    object: &str,
) -> Result<RawDocumentBuf> {
    let missing = || Fault::missing(collection.what());
    let mut filter = within(ready, scope, collection)?;
    filter.insert("_id", either(id(object).ok_or_else(missing)?));
    let found = ready.of(collection).find_one(filter).run().map_err(fault)?;
    found.ok_or_else(missing)
}

pub(super) fn documents(
    ready: &Ready,
    scope: &Scope,
    collection: Collection,
    ids: &[Id],
) -> Result<Documents> {
    let mut filter = within(ready, scope, collection)?;
    let ids = ids.iter().filter_map(|object| id(object));
    let ids: Vec<Bson> = ids.flat_map(|id| [Bson::from(id), id.to_hex().into()]).collect();
    filter.insert("_id", doc! {"$in": ids});
    gather(ready, collection, filter, doc! {"_id": 1}, None, &mut Reader::default())
}

pub(super) fn collections(
    ready: &Ready,
    scope: &Scope,
    collections: &[Collection],
    all: bool,
) -> Result<Reading> {
    for attempt in 1..=ATTEMPTS {
        let before = state::current(ready, scope)?;
        if ready.transactions {
            return snapshot(ready, scope, collections, all);
        }
        let mut reader = Reader::new(all);
        let collections = collections
            .iter()
            .map(|collection| whole(ready, scope, *collection, None, &mut reader))
            .collect::<Result<_>>()?;
        // A project that has been written to meanwhile is looked at anew.
        if state::current(ready, scope)?.writes() == before.writes() {
            return Ok(reading(before.revision, collections, reader));
        }
        std::thread::sleep(Duration::from_millis(attempt.min(20)));
    }
    Err(Kind::Unavailable.because("The project is written to all the time. Try again later."))
}

/// All at one moment, as the server sees it.
fn snapshot(
    ready: &Ready,
    scope: &Scope,
    collections: &[Collection],
    all: bool,
) -> Result<Reading> {
    let missing = || Fault::missing("project");
    let mut session = ready.client.start_session().run().map_err(fault)?;
    session.start_transaction().read_concern(ReadConcern::snapshot()).run().map_err(fault)?;
    let filter = state::filter(scope).ok_or_else(missing)?;
    let project = ready.projects().find_one(filter).session(&mut session).run().map_err(fault)?;
    let revision = State::of(&project.ok_or_else(missing)?).revision;
    let mut reader = Reader::new(all);
    let collections = collections
        .iter()
        .map(|collection| whole(ready, scope, *collection, Some(&mut session), &mut reader))
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
    ready: &Ready,
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
    gather(ready, collection, everything(scope, collection)?, order, session, reader)
}

fn gather(
    ready: &Ready,
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
    let documents = ready.of(collection);
    let find = documents.find(filter).sort(order).batch_size(10_000).allow_disk_use(true);
    match session {
        None => {
            let mut found = find.run().map_err(fault)?;
            while found.advance().map_err(fault)? {
                take(found.current())?;
            }
        }
        Some(session) => {
            let mut found = find.session(&mut *session).run().map_err(fault)?;
            while found.advance(session).map_err(fault)? {
                take(found.current())?;
            }
        }
    }
    Ok(texts.iter().map(String::as_str).collect())
}

/// The pack of this input, or the latest one.
pub(super) fn pack(
    ready: &Ready,
    scope: &Scope,
    node: &str,
    input_hash: Option<&str>,
) -> Result<Option<PromptPack>> {
    let mut filter = within(ready, scope, Collection::Packs)?;
    let Some(node) = id(node) else { return Ok(None) };
    filter.insert("nodeId", either(node));
    filter.extend(input_hash.map(|hash| ("inputHash".to_owned(), hash.into())));
    let packs = ready.of(Collection::Packs);
    let found = packs.find_one(filter).sort(doc! {"createdAt": -1, "_id": -1}).run();
    match found.map_err(fault)? {
        Some(pack) => parse("prompt pack", &show::one(Collection::Packs, &pack)?).map(Some),
        None => Ok(None),
    }
}

fn versions(
    ready: &Ready,
    scope: &Scope,
    object: ObjectType,
    object_id: &str,
) -> Result<Option<Document>> {
    let mut filter = within(ready, scope, Collection::Versions)?;
    let Some(object_id) = id(object_id) else { return Ok(None) };
    filter.insert("objectType", object.name());
    filter.insert("objectId", object_id);
    Ok(Some(filter))
}

pub(super) fn history(
    ready: &Ready,
    scope: &Scope,
    object: ObjectType,
    id: &str,
) -> Result<Vec<Edition>> {
    let Some(filter) = versions(ready, scope, object, id)? else { return Ok(Vec::new()) };
    let versions = ready.of(Collection::Versions);
    let found = versions.find(filter).sort(doc! {"number": 1}).projection(doc! {"snapshot": 0});
    found
        .run()
        .map_err(fault)?
        .map(|version| parse("version", &json(&version.map_err(fault)?)?))
        .collect()
}

pub(super) fn version(
    ready: &Ready,
    scope: &Scope,
    object: ObjectType,
    id: &str,
    number: u64,
) -> Result<Snapshot> {
    let missing = || Fault::missing("version");
    let mut filter = versions(ready, scope, object, id)?.ok_or_else(missing)?;
    filter.insert("number", i64::try_from(number).unwrap_or(i64::MAX));
    let found = ready.of(Collection::Versions).find_one(filter).run().map_err(fault)?;
    parse("version", &json(&found.ok_or_else(missing)?)?)
}

pub(super) fn events(
    ready: &Ready,
    scope: &Scope,
    object: Option<&str>,
    limit: u32,
) -> Result<Vec<AuditEvent>> {
    state::current(ready, scope)?;
    let mut filter = owned(scope).ok_or_else(|| Fault::missing("project"))?;
    if let Some(object) = object {
        let Some(object) = id(object) else { return Ok(Vec::new()) };
        filter.insert("objectId", object);
    }
    if limit == 0 {
        return Ok(Vec::new());
    }
    let events = ready.documents("auditEvents");
    let found = events.find(filter).limit(limit.into());
    found
        .sort(doc! {"revision": -1, "at": -1, "_id": -1})
        .run()
        .map_err(fault)?
        .map(|event| parse("audit event", &json(&event.map_err(fault)?)?))
        .collect()
}
