//! Entities: write, link, read, search.

use serde_json::{Map, Value, json};

use super::patch::patched;
use super::{Actor, Edit, Engine, EngineError, Problem, Result, begun, edited};
use crate::model::{Entity, Id, Relationship};
use crate::store::{Change, Collection, Page, Scope, Search, content_hash};

impl Engine {
    /// Adds an entity, or changes the one that `fields` names as `entityId`.
    pub fn upsert_entity(
        &self,
        actor: &Actor,
        scope: &Scope,
        fields: &Map<String, Value>,
        expected: Option<u64>,
    ) -> Result<Entity> {
        let id = fields.get("entityId").and_then(Value::as_str).map(str::to_owned);
        let mut patch = fields.clone();
        patch.remove("entityId");
        self.storable(&patch, "/entity")?;
        if let Some(name) = patch.get("name").and_then(Value::as_str) {
            let name = self.named("/entity/name", name)?;
            patch.insert("name".to_owned(), Value::from(name));
        }
        if id.is_none() && expected.is_some() {
            let message = self.language().pick(
                "requires entityId: a new entity has no revision",
                "precisa de entityId: uma entidade nova não tem revisão",
            );
            return Err(EngineError::invalid("/expectedRevision", message));
        }
        self.edit(actor, scope, |_| match &id {
            Some(id) => self.change_entity(actor, scope, id, &patch, expected),
            None => self.add_entity(actor, scope, &patch),
        })
    }

    fn add_entity(
        &self,
        actor: &Actor,
        scope: &Scope,
        fields: &Map<String, Value>,
    ) -> Result<Edit<Entity>> {
        let needed =
            self.language().pick("is required for a new entity", "é necessário para criar");
        let problems: Vec<Problem> = ["type", "name"]
            .iter()
            .filter(|name| !fields.contains_key(**name))
            .map(|name| Problem { pointer: format!("/entity/{name}"), message: needed.to_owned() })
            .collect();
        if !problems.is_empty() {
            return Err(EngineError::Invalid(problems));
        }
        let (version, audit) = begun(actor, self.now());
        let bare = json!({
            "_id": self.id(), "tenantId": scope.tenant, "projectId": scope.project,
            "version": version, "audit": audit,
        });
        let entity: Entity = patched(bare, fields, "/entity")?;
        self.check_entity(scope, &entity, fields, "/entity")?;
        Ok(put(entity, None))
    }

    fn change_entity(
        &self,
        actor: &Actor,
        scope: &Scope,
        id: &str,
        fields: &Map<String, Value>,
        expected: Option<u64>,
    ) -> Result<Edit<Entity>> {
        let before = self.store().entity(scope, id)?;
        fresh(before.audit.revision, expected)?;
        let mut entity: Entity = patched(json!(before), fields, "/entity")?;
        self.check_entity(scope, &entity, fields, "/entity")?;
        if content_hash(&entity)? == content_hash(&before)? {
            return Ok(unchanged(before));
        }
        edited(&mut entity.version, &mut entity.audit, actor, self.now());
        Ok(put(entity, Some(before)))
    }

    /// Says what one entity is to another; the same again changes its note.
    pub fn link_entities(
        &self,
        actor: &Actor,
        scope: &Scope,
        from: &str,
        link: &Relationship,
        expected: Option<u64>,
    ) -> Result<Entity> {
        if from == link.to_entity_id {
            let message = self
                .language()
                .pick("an entity cannot link to itself", "uma entidade não se liga a si mesma");
            return Err(EngineError::invalid("/toEntityId", message));
        }
        self.edit(actor, scope, |_| {
            let before = self.store().entity(scope, from)?;
            if self
                .store()
                .entity_types(scope, std::slice::from_ref(&link.to_entity_id))?
                .is_empty()
            {
                return Err(EngineError::missing("entity"));
            }
            fresh(before.audit.revision, expected)?;
            let mut entity = before.clone();
            let same = |other: &&mut Relationship| {
                other.to_entity_id == link.to_entity_id && other.rel_type == link.rel_type
            };
            match entity.relationships.iter_mut().find(same) {
                Some(known) if link.note.is_none() || known.note == link.note => {
                    return Ok(unchanged(before));
                }
                Some(known) => known.note.clone_from(&link.note),
                None => entity.relationships.push(link.clone()),
            }
            edited(&mut entity.version, &mut entity.audit, actor, self.now());
            Ok(put(entity, Some(before)))
        })
    }

    /// An entity, as JSON.
    pub fn entity(&self, scope: &Scope, id: &str) -> Result<String> {
        self.document(scope, Collection::Entities, id)
    }

    /// Finds entities.
    pub fn search(&self, scope: &Scope, search: &Search) -> Result<Page> {
        Ok(self.store().search(scope, search)?)
    }

    /// A document, as JSON.
    pub(super) fn document(&self, scope: &Scope, kind: Collection, id: &str) -> Result<String> {
        Ok(self.store().document(scope, kind, id)?)
    }
}

/// Refuses an edit of something that is not as the caller has seen it.
pub(super) fn fresh(found: u64, expected: Option<u64>) -> Result<()> {
    match expected {
        Some(expected) if expected != found => Err(EngineError::Stale { expected, found }),
        _ => Ok(()),
    }
}

fn put(entity: Entity, before: Option<Entity>) -> Edit<Entity> {
    let object: Id = entity.id.clone();
    let (document, replaces) = (Box::new(entity.clone()), before.map(Box::new));
    Edit { done: entity, changes: vec![Change::Entity { document, replaces }], object }
}

fn unchanged(entity: Entity) -> Edit<Entity> {
    let object = entity.id.clone();
    Edit { done: entity, changes: Vec::new(), object }
}
