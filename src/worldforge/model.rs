//! The data model that all modules share: projects, entities, story nodes and edges, prompt packs.
//!
//! Plain data in the contract's terms: fields are camelCase on the wire and in the stores, ids are 24
//! hexadecimal digits. No behaviour; knows no store and no tool.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Epoch milliseconds.
pub type Millis = i64;

/// 24 lower-case hexadecimal digits.
pub type Id = String;

/// A studio; nothing is ever shared between two.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tenant {
    /// Its id.
    #[serde(rename = "_id")]
    pub id: Id,
    /// Unique.
    pub name: String,
    /// Creation time.
    pub created_at: Millis,
}

/// What a user may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Role {
    /// Everything.
    Admin,
    /// Writes entities and the story.
    Writer,
    /// Reads, composes prompts, exports.
    Editor,
}

/// A user of a tenant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct User {
    /// Their id.
    #[serde(rename = "_id")]
    pub id: Id,
    /// Whose they are.
    pub tenant_id: Id,
    /// Lower case, unique within the tenant.
    pub email: String,
    /// Permissions unite.
    pub roles: Vec<Role>,
    /// When they were added.
    pub created_at: Millis,
}

/// A story world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    /// Its id.
    #[serde(rename = "_id")]
    pub id: Id,
    /// Whose it is.
    pub tenant_id: Id,
    /// Never empty.
    pub title: String,
    /// One sentence.
    #[serde(default)]
    pub logline: String,
    /// Look of the pictures: palette, lenses, grain and whatever else.
    #[serde(default)]
    pub style_bible: Map<String, Value>,
    /// Creation time.
    pub created_at: Millis,
}

/// What an entity is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum EntityType {
    /// A character.
    Character,
    /// Somewhere.
    Location,
    /// A group.
    Faction,
    /// A thing.
    Item,
    /// A law of the world; its constraint is checked.
    Rule,
    /// Background about the world.
    Lore,
}

impl EntityType {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Character => "CHARACTER",
            Self::Location => "LOCATION",
            Self::Faction => "FACTION",
            Self::Item => "ITEM",
            Self::Rule => "RULE",
            Self::Lore => "LORE",
        }
    }
}

/// Something in the world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entity {
    /// Its id.
    #[serde(rename = "_id")]
    pub id: Id,
    /// Whose it is.
    pub tenant_id: Id,
    /// In which world.
    pub project_id: Id,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: EntityType,
    /// Never empty.
    pub name: String,
    /// A few sentences.
    #[serde(default)]
    pub summary: String,
    /// Words to find it by.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Anything else that is known: age, hair, travel hours, a rule's constraint.
    #[serde(default)]
    pub attributes: Map<String, Value>,
    /// What it is to others.
    #[serde(default)]
    pub relationships: Vec<Relationship>,
    /// Draft or canon.
    pub version: Version,
    /// Who and when.
    pub audit: Audit,
}

/// What one entity is to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Relationship {
    /// The other.
    pub to_entity_id: Id,
    /// `mentor_of`, `ally_of` …
    pub rel_type: String,
    /// A remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// How large a piece of story a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum NodeType {
    /// A moment.
    Beat,
    /// One place, one time.
    Scene,
    /// Owns the scenes and beats that follow it.
    Chapter,
}

/// A piece of the story.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoryNode {
    /// Its id.
    #[serde(rename = "_id")]
    pub id: Id,
    /// Whose it is.
    pub tenant_id: Id,
    /// In which world.
    pub project_id: Id,
    /// How large it is.
    pub node_type: NodeType,
    /// Never empty.
    pub title: String,
    /// What happens.
    #[serde(default)]
    pub synopsis: String,
    /// What it is for.
    #[serde(default)]
    pub goals: Goals,
    /// What it promises and what it keeps.
    #[serde(default)]
    pub hooks: Hooks,
    /// When.
    #[serde(default)]
    pub time: Time,
    /// Who is in it.
    #[serde(default)]
    pub participants: Vec<Participant>,
    /// Where: ids of locations.
    #[serde(default)]
    pub locations: Vec<Id>,
    /// What it changes in the world, in this order.
    #[serde(default)]
    pub world_state_delta: Vec<Delta>,
    /// The chapter that owns it, if the order does not decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chapter_node_id: Option<Id>,
    /// What participants must have learned before: facts by character.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<Requirement>,
    /// Camera, light and weather of this scene.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub cinematic_settings: Map<String, Value>,
    /// Findings that the writer means.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waivers: Vec<Waiver>,
    /// Draft or canon.
    pub version: Version,
    /// Who and when.
    pub audit: Audit,
}

/// What a node is for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Goals {
    /// What is wanted.
    pub dramatic_goal: String,
    /// What opposes it.
    pub conflict: String,
    /// What changes.
    pub turn: String,
}

/// What a node promises and what it keeps.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Hooks {
    /// Why one reads on.
    pub hook: String,
    /// Labels of setups in this node.
    pub foreshadow: Vec<String>,
    /// Labels, or ids of nodes, whose promise is kept here.
    pub payoff_targets: Vec<String>,
}

/// When a node is told, and when it happens.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Time {
    /// Date of the world: ISO, `Day 3`, or any text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_world_date: Option<String>,
    /// Place in the telling.
    pub order: u64,
}

/// The role of a participant in a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ParticipantRole {
    /// It is their story.
    Protagonist,
    /// Opposes the protagonist.
    Antagonist,
    /// They are there.
    Support,
}

/// An entity that takes part in a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Participant {
    /// Who.
    pub entity_id: Id,
    /// As what.
    pub role: ParticipantRole,
}

/// How a node changes a value of the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DeltaOp {
    /// Replaces it.
    Set,
    /// Adds to a number; 1 without a value.
    Inc,
    /// Takes from a number.
    Dec,
    /// Puts into a set.
    Add,
    /// Takes out of a set.
    Remove,
}

/// One change of the world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Delta {
    /// Dotted path: `character.<id>.location`.
    pub key: String,
    /// How.
    pub op: DeltaOp,
    /// With what.
    #[serde(default)]
    pub value: Value,
}

/// A fact that a participant must have learned before a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Requirement {
    /// Who.
    pub entity_id: Id,
    /// What: a value of `character.<id>.knows`.
    pub knows: String,
}

/// A finding that the writer means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Waiver {
    /// Which rule.
    pub code: String,
    /// Limits the waiver to these entities; empty means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entity_ids: Vec<Id>,
    /// Why it is right all the same.
    pub reason: String,
}

/// How the story goes from one node to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum EdgeType {
    /// Straight on.
    Linear,
    /// One of several ways.
    Branch,
    /// One of several ways, chosen.
    Choice,
    /// Into the past.
    Flashback,
    /// Over a stretch of time.
    Timejump,
}

impl EdgeType {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Linear => "LINEAR",
            Self::Branch => "BRANCH",
            Self::Choice => "CHOICE",
            Self::Flashback => "FLASHBACK",
            Self::Timejump => "TIMEJUMP",
        }
    }
}

/// A way from one node to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoryEdge {
    /// Its id.
    #[serde(rename = "_id")]
    pub id: Id,
    /// Whose it is.
    pub tenant_id: Id,
    /// In which world.
    pub project_id: Id,
    /// From here.
    pub from_node_id: Id,
    /// To there.
    pub to_node_id: Id,
    /// How.
    pub edge_type: EdgeType,
    /// All must hold: `item.<id>.status == "DESTROYED"`.
    #[serde(default)]
    pub conditions: Vec<String>,
    /// A remark.
    #[serde(default)]
    pub notes: String,
    /// Who and when.
    #[serde(default)]
    pub audit: Audit,
}

/// Whether an object is canon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum VersionStatus {
    /// Being written.
    Draft,
    /// Canon, unchanged since publication.
    Published,
}

/// Version of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Version {
    /// Whether it is canon.
    pub status: VersionStatus,
    /// Grows with every publication; 1 at first.
    pub number: u64,
}

/// Who created an object, who last changed it, and how often.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Audit {
    /// Who created it.
    pub created_by: Id,
    /// Who changed it last.
    pub updated_by: Id,
    /// When that was.
    pub updated_at: Millis,
    /// Grows with every change; what optimistic writers compare. 0 in what the original program
    /// wrote.
    #[serde(default)]
    pub revision: u64,
}

/// What can be published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ObjectType {
    /// An entity.
    Entity,
    /// A story node.
    StoryNode,
}

impl ObjectType {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Entity => "ENTITY",
            Self::StoryNode => "STORY_NODE",
        }
    }
}

/// An object as it was published. Never changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// Whose it is.
    pub tenant_id: Id,
    /// In which world.
    pub project_id: Id,
    /// What it is.
    pub object_type: ObjectType,
    /// Which one.
    pub object_id: Id,
    /// Its number then.
    pub number: u64,
    /// SHA-256 of its content, without version and audit.
    pub content_hash: String,
    /// All of it.
    pub snapshot: Value,
    /// Who published it.
    pub published_by: Id,
    /// When.
    pub published_at: Millis,
}

/// One shot to be generated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Shot {
    /// `S1` …
    pub shot_id: String,
    /// `A`, with a steady camera, or `B`, with a moving one.
    pub variant: String,
    /// One part a line.
    pub prompt: String,
    /// What must not be in it.
    pub negative: Vec<String>,
    /// Pictures, or entities with their version.
    pub refs: Vec<String>,
}

/// The shots of a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PromptPack {
    /// Its id.
    #[serde(rename = "_id")]
    pub id: Id,
    /// Whose it is.
    pub tenant_id: Id,
    /// In which world.
    pub project_id: Id,
    /// Of which node.
    pub node_id: Id,
    /// Which video model it is written for.
    pub target: String,
    /// `CINEMATIC_V1`
    pub template: String,
    /// Increases when the same input would give different text.
    pub template_revision: u32,
    /// SHA-256 of the input.
    pub input_hash: String,
    /// In order, A before B.
    pub shots: Vec<Shot>,
    /// What to keep from shot to shot.
    pub continuity_notes: Vec<String>,
    /// Creation time.
    pub created_at: Millis,
    /// By whom.
    pub created_by: Id,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Worth a look.
    Warn,
    /// Must be fixed.
    Error,
}

/// Something in the story that does not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Issue {
    /// How bad.
    pub severity: Severity,
    /// Which rule; never renamed.
    pub code: String,
    /// Human-readable, with names instead of ids.
    pub message: String,
    /// Where.
    pub node_id: Id,
    /// About whom.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entity_ids: Vec<Id>,
    /// How to fix it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

/// Values of the world at a moment, by dotted key.
pub type WorldState = BTreeMap<String, Value>;
