//! The state of a project: its revision, its write count, and its pending changes.

use mongodb::bson::{Bson, Document, RawDocument, RawDocumentBuf, doc};

use super::bson::{either, id};
use super::error::store_error;
use super::{Connected, Scope, pending};
use crate::store::error::{Result, StoreError};

/// A project between two writes.
pub(super) struct State {
    pub(super) revision: u64,
    /// None in a project that another program created.
    writes: Option<i64>,
}

impl State {
    /// The same count of writes, as a filter for a field.
    pub(super) fn writes(&self) -> Bson {
        self.writes.map_or(Bson::Null, Bson::Int64)
    }

    pub(super) fn next_writes(&self) -> i64 {
        self.writes.unwrap_or_default() + 1
    }

    pub(super) fn of(project: &RawDocument) -> Self {
        let number = |name| project.get_i64(name).ok();
        let revision = number("_revision").and_then(|revision| u64::try_from(revision).ok());
        Self { revision: revision.unwrap_or_default(), writes: number("_writes") }
    }
}

/// The project in its tenant, once it is all there. None where an id is none.
pub(super) fn filter(scope: &Scope) -> Option<Document> {
    let (tenant, project) = (id(&scope.tenant)?, id(&scope.project)?);
    let (project, tenant) = (either(project), either(tenant));
    Some(doc! {"_id": project, "tenantId": tenant, "_importing": {"$exists": false}})
}

/// The project's document, after what another writer left has been carried out.
pub(super) fn project(connected: &Connected, scope: &Scope) -> Result<RawDocumentBuf> {
    load(connected, scope, doc! {})
}

/// The state of the project, after pending changes of another writer have been applied.
pub(super) fn current(connected: &Connected, scope: &Scope) -> Result<State> {
    let fields = doc! {"_revision": 1, "_writes": 1, "_pending": 1};
    Ok(State::of(&load(connected, scope, fields)?))
}

fn load(connected: &Connected, scope: &Scope, fields: Document) -> Result<RawDocumentBuf> {
    let missing = || StoreError::missing("project");
    let filter = filter(scope).ok_or_else(missing)?;
    loop {
        let project =
            connected.projects().find_one(filter.clone()).projection(fields.clone()).run();
        let project = project.map_err(store_error)?.ok_or_else(missing)?;
        if !pending::finish(connected, &project)? {
            return Ok(project);
        }
    }
}
