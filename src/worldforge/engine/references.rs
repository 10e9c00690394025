//! Checks that what a document refers to exists and has the right type. Reports all problems in the
//! fields that the caller writes; problems in other fields must not prevent fixing a document step by
//! step.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{Engine, EngineError, Problem, Result};
use crate::continuity;
use crate::model::{Entity, EntityType, Id, NodeType, StoryNode};
use crate::store::{Collection, Scope};
use crate::story::{constraint_error, is_id, subject};

impl Engine {
    /// Checks the `written` fields of an entity at `pointer`.
    pub(super) fn check_entity(
        &self,
        scope: &Scope,
        entity: &Entity,
        written: &Map<String, Value>,
        pointer: &str,
    ) -> Result<()> {
        let ids: Vec<Id> =
            entity.relationships.iter().map(|link| link.to_entity_id.clone()).collect();
        let known = self.store().entity_types(scope, &ids)?;
        let mut found = ReferenceCheck::new(self, written, pointer);
        for (index, link) in entity.relationships.iter().enumerate() {
            let place = format!("/relationships/{index}");
            if link.to_entity_id == entity.id {
                found.add(
                    &place,
                    "an entity cannot link to itself",
                    "uma entidade não se liga a si mesma",
                );
            } else if !known.contains_key(&link.to_entity_id) {
                found.unknown(&format!("{place}/toEntityId"));
            }
            let twice = entity.relationships.iter().take(index).any(|other| {
                other.to_entity_id == link.to_entity_id && other.rel_type == link.rel_type
            });
            if twice {
                found.add(&place, "the same link already exists", "a mesma ligação já existe");
            }
        }
        // What was free text is a law once the entity is a RULE.
        found.also_written = written.contains_key("type").then_some("attributes");
        if let Some(error) = constraint_error(entity) {
            found.add(
                "/attributes/constraint",
                &error,
                "não pode ser lida: é {when, forbid ou require, severity}, com condições como as \
                 das arestas",
            );
        }
        found.done()
    }

    /// Checks the `written` fields of a node at `pointer`.
    pub(super) fn check_node(
        &self,
        scope: &Scope,
        node: &StoryNode,
        written: &Map<String, Value>,
        pointer: &str,
    ) -> Result<()> {
        let subjects = node.world_state_delta.iter().filter_map(|delta| subject(&delta.key));
        let mut ids: Vec<Id> = (node.participants.iter().map(|one| one.entity_id.clone()))
            .chain(node.locations.iter().cloned())
            .chain(node.requires.iter().map(|one| one.entity_id.clone()))
            .chain(node.waivers.iter().flat_map(|waiver| waiver.entity_ids.iter().cloned()))
            .chain(subjects.map(|(_, id, _)| id.to_owned()))
            .filter(|id| is_id(id))
            .collect();
        ids.sort();
        ids.dedup();
        let known = self.store().entity_types(scope, &ids)?;
        let mut found = ReferenceCheck::new(self, written, pointer);
        found.cast(node, &known);
        found.deltas(node, &known);
        for (index, waiver) in node.waivers.iter().enumerate() {
            if continuity::Code::from_name(&waiver.code).is_none() {
                let place = format!("/waivers/{index}/code");
                found.add(
                    &place,
                    "is not a code of continuity.check",
                    "não é um código de continuity.check",
                );
            }
            for (at, id) in waiver.entity_ids.iter().enumerate() {
                if !known.contains_key(id) {
                    found.unknown(&format!("/waivers/{index}/entityIds/{at}"));
                }
            }
        }
        if let Some(chapter) = &node.chapter_node_id {
            self.check_chapter(scope, chapter, &mut found)?;
        }
        found.done()
    }

    fn check_chapter(&self, scope: &Scope, id: &str, found: &mut ReferenceCheck<'_>) -> Result<()> {
        let nodes: Vec<StoryNode> =
            self.store().documents(scope, Collection::Nodes, &[id.to_owned()])?.parse()?;
        match nodes.first() {
            None => found.unknown("/chapterNodeId"),
            Some(node) if node.node_type != NodeType::Chapter => {
                found.add("/chapterNodeId", "is not a CHAPTER", "não é um CHAPTER");
            }
            Some(_) => {}
        }
        Ok(())
    }
}

/// Problems on their way.
struct ReferenceCheck<'a> {
    engine: &'a Engine,
    written: &'a Map<String, Value>,
    also_written: Option<&'static str>,
    pointer: &'a str,
    problems: Vec<Problem>,
}

impl<'a> ReferenceCheck<'a> {
    fn new(engine: &'a Engine, written: &'a Map<String, Value>, pointer: &'a str) -> Self {
        Self { engine, written, also_written: None, pointer, problems: Vec::new() }
    }

    fn add(&mut self, place: &str, english: &str, portuguese: &str) {
        let field = place.split('/').nth(1).unwrap_or_default();
        if !self.written.contains_key(field) && self.also_written != Some(field) {
            return;
        }
        let message = self.engine.language().pick(english, portuguese).to_owned();
        self.problems.push(Problem { pointer: format!("{}{place}", self.pointer), message });
    }

    fn unknown(&mut self, place: &str) {
        self.add(place, "does not exist in the project", "não existe no projeto");
    }

    fn cast(&mut self, node: &StoryNode, known: &BTreeMap<Id, EntityType>) {
        for (index, one) in node.participants.iter().enumerate() {
            let place = format!("/participants/{index}/entityId");
            match known.get(&one.entity_id) {
                None => self.unknown(&place),
                Some(EntityType::Rule | EntityType::Lore) => {
                    self.add(
                        &place,
                        "a RULE or LORE cannot take part",
                        "RULE e LORE não participam",
                    );
                }
                Some(_) => {}
            }
            if node.participants.iter().take(index).any(|other| other.entity_id == one.entity_id) {
                self.add(&place, "already takes part", "já participa");
            }
        }
        for (index, id) in node.locations.iter().enumerate() {
            let place = format!("/locations/{index}");
            match known.get(id) {
                None => self.unknown(&place),
                Some(EntityType::Location) => {}
                Some(_) => self.add(&place, "is not a LOCATION", "não é uma LOCATION"),
            }
        }
        for (index, one) in node.requires.iter().enumerate() {
            if !known.contains_key(&one.entity_id) {
                self.unknown(&format!("/requires/{index}/entityId"));
            }
        }
    }

    fn deltas(&mut self, node: &StoryNode, known: &BTreeMap<Id, EntityType>) {
        for (index, delta) in node.world_state_delta.iter().enumerate() {
            let Some((kind, id, _)) = subject(&delta.key) else { continue };
            let place = format!("/worldStateDelta/{index}/key");
            match known.get(id) {
                None => self.unknown(&place),
                Some(found) if *found != kind => {
                    let english = format!("the entity is a {}", found.name());
                    self.add(&place, &english, &format!("a entidade é {}", found.name()));
                }
                Some(_) => {}
            }
        }
    }

    fn done(self) -> Result<()> {
        if self.problems.is_empty() { Ok(()) } else { Err(EngineError::Invalid(self.problems)) }
    }
}
