//! A change as writes to collections: what must hold before, and what is done.
//!
//! Every write can be done twice, and late, without harm: an insertion of what is there is none, a
//! replacement hits the one revision that it was made for, and what is removed leaves its id
//! behind, so that a late insertion cannot bring it back.

use mongodb::bson::{Bson, Document, RawDocument, RawDocumentBuf, cstr, doc};
use mongodb::sync::ClientSession;

use super::bson::{document, id, raw};
use super::fault::{fault, is_duplicate};
use super::{Ready, Scope, name, owned};
use crate::worldforge::store::Collection;
use crate::worldforge::store::change::{AuditEvent, Change};
use crate::worldforge::store::fault::{Fault, Result};
use crate::worldforge::store::words::Terms;

/// One write.
pub(super) struct Op {
    collection: String,
    /// The owner and the revision of what is replaced; a new document replaces nothing.
    replaces: Option<RawDocumentBuf>,
    document: RawDocumentBuf,
}

impl Op {
    /// A change, as it is to be written.
    pub(super) fn of(scope: &Scope, change: &Change) -> Result<Self> {
        let (collection, document, replaces) = match change {
            Change::Entity { document: entity, replaces } => {
                let mut document = document(entity)?;
                let terms = Terms::of(entity);
                document.insert("_name", terms.name);
                document.insert("_words", terms.all.into_iter().collect::<Vec<_>>());
                (Collection::Entities, document, *replaces)
            }
            Change::Node { document: node, replaces } => {
                (Collection::Nodes, document(node)?, *replaces)
            }
            Change::Edge(edge) => (Collection::Edges, document(edge)?, None),
            Change::RemoveEdge(edge) => return removal(scope, edge),
            Change::Pack(pack) => (Collection::Packs, document(pack)?, None),
            Change::Snapshot(version) => {
                let mut document = document(version)?;
                let name = version.object_type.name();
                document.insert("_id", format!("{name}:{}:{}", version.object_id, version.number));
                (Collection::Versions, document, None)
            }
        };
        let replaces = match replaces {
            None => None,
            Some(revision) => {
                let mut filter = owned(scope).ok_or_else(|| Fault::missing("project"))?;
                filter.insert("_id", document.get("_id"));
                filter.insert("audit.revision", at(revision));
                Some(raw(&filter)?)
            }
        };
        Ok(Self { collection: name(collection).to_owned(), replaces, document: raw(&document)? })
    }

    /// The record of a commit.
    pub(super) fn record(event: &AuditEvent, revision: u64) -> Result<Self> {
        let event = AuditEvent { revision, ..event.clone() };
        let document = raw(&document(&event)?)?;
        Ok(Self { collection: "auditEvents".to_owned(), replaces: None, document })
    }

    pub(super) fn collection(&self) -> &str {
        &self.collection
    }

    pub(super) fn document(&self) -> &RawDocument {
        &self.document
    }

    /// Does it as part of a transaction.
    pub(super) fn run(
        &self,
        ready: &Ready,
        session: &mut ClientSession,
    ) -> mongodb::error::Result<bool> {
        let collection = ready.documents(&self.collection);
        match &self.replaces {
            None => {
                collection.insert_one(&self.document).session(session).run()?;
                Ok(true)
            }
            Some(filter) => {
                let filter = Document::try_from(filter)?;
                let replaced = collection.replace_one(filter, &self.document).session(session);
                Ok(replaced.run()?.matched_count == 1)
            }
        }
    }

    /// Does it, unless it has been done.
    pub(super) fn redo(&self, ready: &Ready) -> Result<()> {
        let collection = ready.documents(&self.collection);
        match &self.replaces {
            None => match collection.insert_one(&self.document).run() {
                Err(error) if !is_duplicate(&error) => Err(fault(error)),
                _ => Ok(()),
            },
            Some(filter) => {
                let filter = Document::try_from(filter)
                    .map_err(|error| Fault::unreadable("pending write", error))?;
                collection.replace_one(filter, &self.document).run().map_err(fault)?;
                Ok(())
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
        stored.append(cstr!("document"), self.document.clone());
        stored
    }

    /// As it was kept.
    pub(super) fn load(stored: &RawDocument) -> mongodb::bson::error::Result<Self> {
        let replaces = match stored.get("replaces") {
            Ok(Some(_)) => Some(stored.get_document("replaces")?.to_owned()),
            _ => None,
        };
        Ok(Self {
            collection: stored.get_str("collection")?.to_owned(),
            replaces,
            document: stored.get_document("document")?.to_owned(),
        })
    }
}

/// A revision as a filter for a field. Other programs write none.
fn at(revision: u64) -> Bson {
    match i64::try_from(revision).unwrap_or(i64::MAX) {
        0 => doc! {"$in": [Bson::Null, 0_i64]}.into(),
        revision => revision.into(),
    }
}

/// Nothing stays but the id and whose it was.
fn removal(scope: &Scope, edge: &str) -> Result<Op> {
    let missing = || Fault::missing("story edge");
    let mut grave = owned(scope).ok_or_else(missing)?;
    grave.insert("_id", id(edge).ok_or_else(missing)?);
    let document = raw(&grave)?;
    Ok(Op {
        collection: name(Collection::Edges).to_owned(),
        replaces: Some(document.clone()),
        document,
    })
}

/// Whether the change can be made to the project as it is. Edges that the same commit removes are
/// not in the way.
pub(super) fn verify(
    ready: &Ready,
    scope: &Scope,
    change: &Change,
    removed: &[&str],
) -> Result<()> {
    let what = change.what();
    let missing = || Fault::missing(what);
    let owner = owned(scope).ok_or_else(|| Fault::missing("project"))?;
    let with = |more: Document| {
        let mut filter = owner.clone();
        filter.extend(more);
        filter
    };
    let find = |collection, filter| {
        ready
            .of(collection)
            .find_one(filter)
            .projection(doc! {"audit.revision": 1})
            .run()
            .map_err(fault)
    };
    let current = |collection, object: &str, expected: u64| {
        let object = id(object).ok_or_else(missing)?;
        let found = find(collection, with(doc! {"_id": object}))?.ok_or_else(missing)?;
        let audit = found.get_document("audit").ok();
        let revision = audit.and_then(|audit| audit.get_i64("revision").ok()).unwrap_or_default();
        let revision = u64::try_from(revision).unwrap_or_default();
        if revision == expected { Ok(()) } else { Err(Fault::stale(what, expected, revision)) }
    };
    let free = |collection, filter: Document| match find(collection, filter)? {
        Some(found)
            if !found
                .get_object_id("_id")
                .is_ok_and(|id| removed.contains(&id.to_hex().as_str())) =>
        {
            Err(Fault::taken(what))
        }
        _ => Ok(()),
    };
    match change {
        Change::Entity { document, replaces: Some(revision) } => {
            current(Collection::Entities, &document.id, *revision)
        }
        Change::Node { document, replaces: Some(revision) } => {
            current(Collection::Nodes, &document.id, *revision)
        }
        Change::Entity { document, .. } => {
            free(Collection::Entities, doc! {"_id": id(&document.id)})
        }
        Change::Node { document, .. } => free(Collection::Nodes, doc! {"_id": id(&document.id)}),
        Change::Edge(edge) => {
            let document = document(edge)?;
            let ways = ["fromNodeId", "toNodeId", "edgeType"];
            let way = ways.into_iter().map(|name| (name.to_owned(), field(&document, name)));
            free(Collection::Edges, with(way.collect()))?;
            free(Collection::Edges, doc! {"_id": id(&edge.id)})
        }
        Change::RemoveEdge(edge) => {
            let edge = id(edge).ok_or_else(missing)?;
            let drawn = with(doc! {"_id": edge, "fromNodeId": {"$exists": true}});
            find(Collection::Edges, drawn)?.map(drop).ok_or_else(missing)
        }
        Change::Pack(pack) => {
            let document = document(pack)?;
            let same = doc! {"nodeId": field(&document, "nodeId"), "inputHash": &pack.input_hash};
            free(Collection::Packs, with(same))?;
            free(Collection::Packs, doc! {"_id": id(&pack.id)})
        }
        Change::Snapshot(version) => {
            let document = document(version)?;
            let names = ["objectType", "objectId", "number"];
            let same = names.into_iter().map(|name| (name.to_owned(), field(&document, name)));
            free(Collection::Versions, with(same.collect()))
        }
    }
}

fn field(document: &Document, name: &str) -> Bson {
    document.get(name).cloned().unwrap_or(Bson::Null)
}
