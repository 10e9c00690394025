//! Turns a change into collection writes: preconditions, and operations.
//!
//! Every write is idempotent, even when it comes late: an insert of an existing document does nothing,
//! an edit applies only to the revision it was made for, and a removed document leaves its id behind,
//! so that a late insert cannot bring it back. An edit applies a difference to the current document, so
//! that nothing that other programs wrote is lost.

use mongodb::bson::raw::RawBsonRef;
use mongodb::bson::{Bson, Document, RawBson, RawDocument, RawDocumentBuf, cstr, doc};
use mongodb::sync::ClientSession;
use serde_json::Value;

use super::bson::{document, either, id, is_own};
use super::error::{is_duplicate, store_error};
use super::{Connected, Scope, merge, name, owned, show};
use crate::model::{Entity, Snapshot};
use crate::store::change::{AuditEvent, Change};
use crate::store::difference::Difference;
use crate::store::error::{Kind, Result, StoreError};
use crate::store::{Collection, parse};

/// How often an edit is done again because another program writes to the same document.
const ATTEMPTS: u32 = 100;

/// One write.
pub(super) struct Op {
    collection: String,
    /// The owner, the id and the revision of what is written to; a new document has none.
    replaces: Option<RawDocumentBuf>,
    what: OpKind,
}

enum OpKind {
    /// The document as it is.
    Document(RawDocumentBuf),
    /// A difference to apply to the document.
    Edit {
        difference: Difference,
        /// The document as it was found, and as it is to be.
        prepared: Option<(RawDocumentBuf, RawDocumentBuf)>,
    },
}

impl Op {
    /// A new document, with all that it holds where that is more.
    pub(super) fn new(scope: &Scope, change: &Change, whole: Option<&Value>) -> Result<Self> {
        let (collection, document) = match change {
            Change::Entity { document: entity, .. } => {
                let document = written(&**entity, whole)?;
                (Collection::Entities, merge::with_words(&document, entity)?)
            }
            Change::Node { document: node, .. } => (Collection::Nodes, written(&**node, whole)?),
            Change::Edge(edge) => (Collection::Edges, written(edge, whole)?),
            Change::RemoveEdge(edge) => return removal(scope, edge),
            Change::Pack(pack) => (Collection::Packs, written(pack, whole)?),
            Change::Snapshot(version) => (Collection::Versions, snapshot(version, None)?),
        };
        Ok(Self {
            collection: name(collection).to_owned(),
            replaces: None,
            what: OpKind::Document(document),
        })
    }

    /// An edit of a document as it was found.
    fn edit(difference: Difference, found: RawDocumentBuf, new: RawDocumentBuf) -> Result<Self> {
        let damaged = |error| StoreError::unreadable("document", error);
        let mut filter = RawDocumentBuf::new();
        for name in [cstr!("_id"), cstr!("tenantId"), cstr!("projectId")] {
            if let Some(value) = found.get(name.as_str()).map_err(damaged)? {
                filter.append(name, value);
            }
        }
        filter.append(cstr!("audit.revision"), at(difference.revision()));
        Ok(Self {
            collection: name(difference.collection).to_owned(),
            replaces: Some(filter),
            what: OpKind::Edit { difference, prepared: Some((found, new)) },
        })
    }

    /// The record of a commit.
    pub(super) fn record(event: &AuditEvent, revision: u64) -> Result<Self> {
        let event = AuditEvent { revision, ..event.clone() };
        let what = OpKind::Document(document(&event)?);
        Ok(Self { collection: "auditEvents".to_owned(), replaces: None, what })
    }

    pub(super) fn collection(&self) -> &str {
        &self.collection
    }

    /// The new document, where it is one.
    pub(super) fn document(&self) -> Option<&RawDocument> {
        match &self.what {
            OpKind::Document(document) => Some(document),
            OpKind::Edit { .. } => None,
        }
    }

    /// Does it as part of a transaction. False where what was checked does not hold any more.
    pub(super) fn run(
        &self,
        connected: &Connected,
        session: &mut ClientSession,
    ) -> mongodb::error::Result<bool> {
        let collection = connected.documents(&self.collection);
        let Some(filter) = &self.replaces else {
            if let OpKind::Document(document) = &self.what {
                collection.insert_one(document).session(session).run()?;
            }
            return Ok(true);
        };
        let filter = Document::try_from(filter)?;
        let (filter, document) = match &self.what {
            OpKind::Document(document) => (filter, document),
            OpKind::Edit { prepared: Some((found, new)), .. } => (unchanged(filter, found)?, new),
            OpKind::Edit { prepared: None, .. } => return Ok(false),
        };
        let replaced = collection.replace_one(filter, document).session(session);
        Ok(replaced.run()?.matched_count == 1)
    }

    /// Does it, unless it has been done.
    pub(super) fn redo(&self, connected: &Connected) -> Result<()> {
        let collection = connected.documents(&self.collection);
        let filter = match &self.replaces {
            None => None,
            Some(filter) => Some(
                Document::try_from(filter)
                    .map_err(|error| StoreError::unreadable("pending write", error))?,
            ),
        };
        match (filter, &self.what) {
            (None, OpKind::Document(document)) => match collection.insert_one(document).run() {
                Err(error) if !is_duplicate(&error) => Err(store_error(error)),
                _ => Ok(()),
            },
            (Some(filter), OpKind::Document(document)) => {
                collection.replace_one(filter, document).run().map(drop).map_err(store_error)
            }
            (None, OpKind::Edit { .. }) => Ok(()),
            (Some(filter), OpKind::Edit { difference, .. }) => {
                for _ in 0..ATTEMPTS {
                    let found = collection.find_one(filter.clone()).run().map_err(store_error)?;
                    let Some(found) = found else { return Ok(()) };
                    let document = edited(difference, &found)?;
                    let same = unchanged(filter.clone(), &found).map_err(store_error)?;
                    let done = collection.replace_one(same, document).run().map_err(store_error)?;
                    if done.matched_count == 1 {
                        return Ok(());
                    }
                }
                Err(Kind::Unavailable.because("The document is being written to constantly."))
            }
        }
    }

    /// For keeping.
    pub(super) fn store(&self) -> RawDocumentBuf {
        let mut stored = RawDocumentBuf::new();
        stored.append(cstr!("collection"), self.collection.as_str());
        if let Some(filter) = &self.replaces {
            stored.append(cstr!("replaces"), filter.clone());
        }
        match &self.what {
            OpKind::Document(document) => stored.append(cstr!("document"), document.clone()),
            OpKind::Edit { difference, .. } => {
                let [before, after] = &difference.texts;
                stored.append(cstr!("before"), before.as_str());
                stored.append(cstr!("after"), after.as_str());
            }
        }
        stored
    }

    /// As it was kept.
    pub(super) fn load(stored: &RawDocument) -> Result<Self> {
        let damaged = |error| StoreError::unreadable("pending commit", error);
        let replaces = match stored.get("replaces") {
            Ok(Some(RawBsonRef::Document(filter))) => Some(filter.to_owned()),
            _ => None,
        };
        let collection = stored.get_str("collection").map_err(damaged)?.to_owned();
        let what = match stored.get_str("before") {
            Ok(before) => {
                let after = stored.get_str("after").map_err(damaged)?;
                let edits = [Collection::Entities, Collection::Nodes];
                let of = edits.into_iter().find(|one| name(*one) == collection);
                let of = of.ok_or_else(|| StoreError::unreadable("pending commit", &collection))?;
                OpKind::Edit { difference: Difference::load(of, before, after)?, prepared: None }
            }
            Err(_) => {
                OpKind::Document(stored.get_document("document").map_err(damaged)?.to_owned())
            }
        };
        Ok(Self { collection, replaces, what })
    }
}

fn written(document: &impl serde::Serialize, whole: Option<&Value>) -> Result<RawDocumentBuf> {
    match whole {
        Some(whole) => self::document(whole),
        None => self::document(document),
    }
}

/// A version; where the object is written in the same commit, with that document as it is.
fn snapshot(version: &Snapshot, object: Option<&RawDocument>) -> Result<RawDocumentBuf> {
    let damaged = |error| StoreError::unreadable("document", error);
    let written = document(version)?;
    let mut new = RawDocumentBuf::new();
    for element in written.iter_elements() {
        let element = element.map_err(damaged)?;
        match object.filter(|_| element.key().as_str() == "snapshot") {
            Some(object) => new.append(element.key(), without_own(object)?),
            None => new.append(element.key(), element.value().map_err(damaged)?),
        }
    }
    let kind = version.object_type.name();
    new.append(cstr!("_id"), format!("{kind}:{}:{}", version.object_id, version.number));
    Ok(new)
}

fn without_own(document: &RawDocument) -> Result<RawDocumentBuf> {
    let damaged = |error| StoreError::unreadable("document", error);
    let mut new = RawDocumentBuf::new();
    for element in document.iter_elements() {
        let element = element.map_err(damaged)?;
        if !is_own(element.key().as_str()) {
            new.append(element.key(), element.value().map_err(damaged)?);
        }
    }
    Ok(new)
}

/// Only if the document is unchanged since it was found, whether or not its writer counts revisions.
fn unchanged(mut filter: Document, found: &RawDocument) -> mongodb::error::Result<Document> {
    let literal = doc! {"$literal": Document::try_from(found)?};
    filter.insert("$expr", doc! {"$eq": ["$$ROOT", literal]});
    Ok(filter)
}

/// The document after an edit, with the words that it is found by.
fn edited(difference: &Difference, found: &RawDocument) -> Result<RawDocumentBuf> {
    let Difference { collection, before, after, .. } = difference;
    let document = merge::merged(found, before, after, difference.fields())?;
    match *collection {
        Collection::Entities => {
            let entity: Entity = parse("entity", &show::one(*collection, &document)?)?;
            merge::with_words(&document, &entity)
        }
        _ => Ok(document),
    }
}

/// A revision as a filter for a field. Other programs write none.
fn at(revision: u64) -> RawBson {
    match i64::try_from(revision).unwrap_or(i64::MAX) {
        0 => {
            let mut among = RawDocumentBuf::new();
            let none = [RawBson::Null, RawBson::Int64(0)];
            among.append(cstr!("$in"), none.into_iter().collect::<mongodb::bson::RawArrayBuf>());
            among.into()
        }
        revision => revision.into(),
    }
}

/// Nothing stays but the id and whose it was.
fn removal(scope: &Scope, edge: &str) -> Result<Op> {
    let missing = || StoreError::missing("story edge");
    let (tenant, project) = (id(&scope.tenant), id(&scope.project));
    let mut grave = RawDocumentBuf::new();
    grave.append(cstr!("tenantId"), tenant.ok_or_else(missing)?);
    grave.append(cstr!("projectId"), project.ok_or_else(missing)?);
    grave.append(cstr!("_id"), id(edge).ok_or_else(missing)?);
    Ok(Op {
        collection: name(Collection::Edges).to_owned(),
        replaces: Some(grave.clone()),
        what: OpKind::Document(grave),
    })
}

/// The writes of all changes, if they fit the project's current state.
pub(super) fn prepare(connected: &Connected, scope: &Scope, changes: &[Change]) -> Result<Vec<Op>> {
    let removed: Vec<&str> = changes
        .iter()
        .filter_map(|change| match change {
            Change::RemoveEdge(id) => Some(id.as_str()),
            _ => None,
        })
        .collect();
    let mut documents: Vec<(&str, RawDocumentBuf)> = Vec::new();
    let mut ops = Vec::new();
    for change in changes {
        let op = match Difference::of(change)? {
            Some(difference) => {
                let found = current(connected, scope, change.id(), &difference)?;
                let new = edited(&difference, &found)?;
                documents.push((change.id(), new.clone()));
                Op::edit(difference, found, new)?
            }
            None => {
                verify(connected, scope, change, &removed)?;
                let mut op = Op::new(scope, change, None)?;
                if let Change::Snapshot(version) = change {
                    let object = documents.iter().find(|(id, _)| *id == version.object_id);
                    let object = object.map(|(_, document)| &**document);
                    op.what = OpKind::Document(snapshot(version, object)?);
                }
                op
            }
        };
        ops.push(op);
    }
    Ok(ops)
}

/// The document to be edited, which must be as its writer has read it.
fn current(
    connected: &Connected,
    scope: &Scope,
    object: &str,
    difference: &Difference,
) -> Result<RawDocumentBuf> {
    let collection = difference.collection;
    let missing = || StoreError::missing(collection.what());
    let mut filter = owned(scope).ok_or_else(|| StoreError::missing("project"))?;
    filter.insert("_id", either(id(object).ok_or_else(missing)?));
    let found = connected.of(collection).find_one(filter).run().map_err(store_error)?;
    let found = found.ok_or_else(missing)?;
    check(difference, &found)?;
    Ok(found)
}

fn check(difference: &Difference, found: &RawDocument) -> Result<()> {
    let collection = difference.collection;
    difference.check(parse(collection.what(), &show::one(collection, found)?)?)
}

/// Whether something new can be written to the project as it is. Edges that the same commit removes
/// are not in the way.
fn verify(connected: &Connected, scope: &Scope, change: &Change, removed: &[&str]) -> Result<()> {
    let what = change.what();
    let missing = || StoreError::missing(what);
    let owner = owned(scope).ok_or_else(|| StoreError::missing("project"))?;
    let with = |more: Document| {
        let mut filter = owner.clone();
        filter.extend(more);
        filter
    };
    let find = |collection, filter| {
        connected
            .of(collection)
            .find_one(filter)
            .projection(doc! {"_id": 1})
            .run()
            .map_err(store_error)
    };
    let free = |collection, filter: Document| match find(collection, filter)? {
        Some(found)
            if !found
                .get_object_id("_id")
                .is_ok_and(|id| removed.contains(&id.to_hex().as_str())) =>
        {
            Err(StoreError::taken(what))
        }
        _ => Ok(()),
    };
    match change {
        Change::Entity { document, .. } => {
            free(Collection::Entities, doc! {"_id": id(&document.id)})
        }
        Change::Node { document, .. } => free(Collection::Nodes, doc! {"_id": id(&document.id)}),
        Change::Edge(edge) => {
            let end = |node: &str| id(node).map_or(Bson::from(node), either);
            let kind = edge.edge_type.name();
            let (from, to) = (end(&edge.from_node_id), end(&edge.to_node_id));
            let way = doc! {"fromNodeId": from, "toNodeId": to, "edgeType": kind};
            free(Collection::Edges, with(way))?;
            free(Collection::Edges, doc! {"_id": id(&edge.id)})
        }
        Change::RemoveEdge(edge) => {
            let edge = id(edge).ok_or_else(missing)?;
            let drawn = with(doc! {"_id": edge, "fromNodeId": {"$exists": true}});
            find(Collection::Edges, drawn)?.map(drop).ok_or_else(missing)
        }
        Change::Pack(pack) => {
            let node = id(&pack.node_id).map_or(Bson::from(&pack.node_id), either);
            let same = doc! {"nodeId": node, "inputHash": &pack.input_hash};
            free(Collection::Packs, with(same))?;
            free(Collection::Packs, doc! {"_id": id(&pack.id)})
        }
        Change::Snapshot(version) => {
            let number = i64::try_from(version.number).unwrap_or(i64::MAX);
            let object = id(&version.object_id).map_or(Bson::from(&version.object_id), Bson::from);
            let kind = version.object_type.name();
            let same = doc! {"objectType": kind, "objectId": object, "number": number};
            free(Collection::Versions, with(same))
        }
    }
}
