//! Helpers to write the sample world concisely.

use serde_json::{Map, Value, json};

use crate::model::{
    Audit, Delta, DeltaOp, EdgeType, Entity, EntityType, Goals, Hooks, Id, Millis, NodeType,
    Participant, ParticipantRole, Relationship, StoryEdge, StoryNode, Time, Version, VersionStatus,
};

pub(super) const PROJECT: u8 = 0xd0;
pub(super) const NODE: u8 = 0xd5;
pub(super) const EDGE: u8 = 0xd6;

/// The id of something by its kind and number.
pub(super) fn id(kind: u8, number: u32) -> Id {
    format!("{kind:02x}{number:022x}")
}

/// Builds a world for a tenant, by a user, at a time.
pub(super) struct WorldBuilder {
    pub(super) tenant_id: Id,
    pub(super) project_id: Id,
    pub(super) at: Millis,
    user_id: Id,
}

const DRAFT: Version = Version { status: VersionStatus::Draft, number: 1 };

impl WorldBuilder {
    pub(super) fn new(tenant_id: &str, user_id: &str, at: Millis) -> Self {
        Self {
            tenant_id: tenant_id.to_owned(),
            project_id: id(PROJECT, 1),
            at,
            user_id: user_id.to_owned(),
        }
    }

    fn audit(&self) -> Audit {
        Audit {
            created_by: self.user_id.clone(),
            updated_by: self.user_id.clone(),
            updated_at: self.at,
            revision: 1,
        }
    }

    pub(super) fn entity(
        &self,
        id: Id,
        kind: EntityType,
        name: &str,
        summary: &str,
        attributes: Value,
    ) -> Entity {
        Entity {
            id,
            tenant_id: self.tenant_id.clone(),
            project_id: self.project_id.clone(),
            kind,
            name: name.to_owned(),
            summary: summary.to_owned(),
            tags: Vec::new(),
            attributes: attributes.as_object().cloned().unwrap_or_default(),
            relationships: Vec::new(),
            version: DRAFT,
            audit: self.audit(),
        }
    }

    /// A node without content.
    pub(super) fn node(&self, number: u32, kind: NodeType, order: u64, title: &str) -> StoryNode {
        StoryNode {
            id: id(NODE, number),
            tenant_id: self.tenant_id.clone(),
            project_id: self.project_id.clone(),
            node_type: kind,
            title: title.to_owned(),
            synopsis: String::new(),
            goals: Goals::default(),
            hooks: Hooks::default(),
            time: Time { in_world_date: None, order },
            participants: Vec::new(),
            locations: Vec::new(),
            world_state_delta: Vec::new(),
            chapter_node_id: None,
            requires: Vec::new(),
            cinematic_settings: Map::new(),
            waivers: Vec::new(),
            version: DRAFT,
            audit: self.audit(),
        }
    }

    /// An edge between nodes; its id follows from its ends.
    pub(super) fn edge(&self, from: u32, to: u32, edge_type: EdgeType) -> StoryEdge {
        StoryEdge {
            id: id(EDGE, from << 16 | to),
            tenant_id: self.tenant_id.clone(),
            project_id: self.project_id.clone(),
            from_node_id: id(NODE, from),
            to_node_id: id(NODE, to),
            edge_type,
            conditions: Vec::new(),
            notes: String::new(),
            audit: self.audit(),
        }
    }
}

/// What an entity is to another.
pub(super) fn relation(to: &str, rel_type: &str) -> Relationship {
    Relationship { to_entity_id: to.to_owned(), rel_type: rel_type.to_owned(), note: None }
}

/// Key about an entity.
pub(super) fn key(kind: &str, id: &str, field: &str) -> String {
    format!("{kind}.{id}.{field}")
}

/// A change.
pub(super) fn delta(key: impl Into<String>, op: DeltaOp, value: impl Into<Value>) -> Delta {
    Delta { key: key.into(), op, value: value.into() }
}

/// A change of the common kind.
pub(super) fn set(key: impl Into<String>, value: impl Into<Value>) -> Delta {
    delta(key, DeltaOp::Set, value)
}

/// What is written into a node.
pub(super) trait NodeBuilder: Sized {
    fn on(self, date: &str) -> Self;
    /// At a place, with these; the first is the protagonist. Characters are there from now on.
    fn with(self, place: &str, cast: &[(&str, ParticipantRole)]) -> Self;
    fn tells(self, synopsis: &str) -> Self;
    fn aims(self, goal: &str, conflict: &str, turn: &str) -> Self;
    fn changes(self, deltas: impl IntoIterator<Item = Delta>) -> Self;
    fn hooks(self, hook: &str, foreshadow: &[&str], payoff: &[&str]) -> Self;
}

impl NodeBuilder for StoryNode {
    fn on(mut self, date: &str) -> Self {
        self.time.in_world_date = Some(date.to_owned());
        self
    }

    fn with(mut self, place: &str, cast: &[(&str, ParticipantRole)]) -> Self {
        self.locations = vec![place.to_owned()];
        for &(who, role) in cast {
            self.participants.push(Participant { entity_id: who.to_owned(), role });
            if super::entities::is_character(who) {
                self.world_state_delta.push(set(key("character", who, "location"), json!(place)));
            }
        }
        self
    }

    fn tells(mut self, synopsis: &str) -> Self {
        self.synopsis = synopsis.to_owned();
        self
    }

    fn aims(mut self, goal: &str, conflict: &str, turn: &str) -> Self {
        self.goals = Goals {
            dramatic_goal: goal.to_owned(),
            conflict: conflict.to_owned(),
            turn: turn.to_owned(),
        };
        self
    }

    fn changes(mut self, deltas: impl IntoIterator<Item = Delta>) -> Self {
        self.world_state_delta.extend(deltas);
        self
    }

    fn hooks(mut self, hook: &str, foreshadow: &[&str], payoff: &[&str]) -> Self {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        self.hooks = Hooks {
            hook: hook.to_owned(),
            foreshadow: owned(foreshadow),
            payoff_targets: owned(payoff),
        };
        self
    }
}
