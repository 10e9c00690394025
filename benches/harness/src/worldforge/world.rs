//! Large worlds, and the surface over them in this process: what a tool costs without a transport.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use toolwright_runtime::clock::{SystemClock, SystemIds};
use toolwright_runtime::{Call, Dispatch, Outcome, Services};
use worldforge::messages::Language;
use worldforge::model::{
    Audit, Delta, DeltaOp, EdgeType, Entity, EntityType, Goals, NodeType, Participant,
    ParticipantRole, Project, Role, StoryEdge, StoryNode, Tenant, Time, User, Version,
    VersionStatus,
};
use worldforge::store::{self, AuditEvent, Scope, Store, World};
use worldforge::engine::{Setup, Engine};
use worldforge::{Identity, surface};

use crate::Result;
use crate::folder::Folder;
use crate::program::Program;

const TENANT: &str = "a00000000000000000000001";
const USER: &str = "b00000000000000000000001";
const PROJECT: &str = "c00000000000000000000001";
/// Characters, and as many locations.
const CAST: usize = 50;

/// A world in a database of its own, with its surface.
pub(crate) struct Studied {
    pub(super) folder: Folder,
    pub(crate) world: World,
    engine: Arc<Engine>,
    surface: Arc<dyn Dispatch>,
    runtime: tokio::runtime::Runtime,
}

impl Studied {
    pub(crate) fn new(name: &str, world: World) -> Result<Self> {
        let folder = Folder::new(name)?;
        let file = folder.path.join("worldforge.db").display().to_string();
        let store = store::open(&file, "bench", std::time::Duration::from_secs(10))?;
        fill(&*store, &world)?;
        let engine = Arc::new(Engine::new(Setup {
            store,
            language: Language::English,
            publishes_contradictions: false,
            clock: Arc::new(SystemClock::default()),
            ids: Arc::new(SystemIds),
        }));
        let identity = Identity {
            tenant: Some(TENANT.to_owned()),
            users: vec![USER.to_owned()],
            ..Identity::default()
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let surface = surface(Arc::clone(&engine), identity, false);
        Ok(Self { folder, world, engine, surface, runtime })
    }

    /// A server over it, for the same user.
    pub(crate) fn program(&self, path: &Path) -> Program {
        Program::surface("worldforge", path, &self.folder.path)
            .with("WORLDFORGE_DATA_DIR", &self.folder.path.display().to_string())
            .with("WORLDFORGE_TENANT", TENANT)
            .with("WORLDFORGE_USERS", USER)
    }

    /// Arguments of a tool; `extra` goes beside tenant, user and project.
    pub(crate) fn arguments(&self, extra: Value) -> Value {
        let mut arguments = json!({"tenantId": TENANT, "userId": USER, "projectId": PROJECT});
        if let (Some(all), Value::Object(extra)) = (arguments.as_object_mut(), extra) {
            all.extend(extra);
        }
        arguments
    }

    /// An entity as the engine gives it.
    pub(crate) fn entity(&self, id: &str) -> Result<String> {
        let scope = Scope::new(TENANT, PROJECT);
        self.engine.entity(&scope, id).map_err(|error| format!("{id}: {error:?}").into())
    }

    /// Calls a tool with [these](Self::arguments) arguments. Gives the answer's text.
    pub(super) fn call(&self, tool: &str, extra: Value) -> Result<String> {
        let arguments = self.arguments(extra);
        let info = self.surface.info();
        let (index, found) = info.tool(tool).ok_or("no such tool")?;
        let surroundings = Services {
            clock: Arc::new(SystemClock::default()),
            ids: Arc::new(SystemIds),
            version: "0",
        };
        let call = Call::new(found, "bench", surroundings);
        let raw = serde_json::value::to_raw_value(&arguments)?;
        match self.runtime.block_on(self.surface.dispatch(index, &call, &raw)) {
            Outcome::Answer(answer) if !answer.is_error => Ok(answer.body),
            other => Err(format!("{tool}: {other:?}").into()),
        }
    }
}

fn fill(store: &dyn Store, world: &World) -> Result<()> {
    store.create_tenant(&Tenant { id: TENANT.into(), name: "Bench".into(), created_at: 1 })?;
    store.add_user(&User {
        id: USER.into(),
        tenant_id: TENANT.into(),
        email: "ana@bench.example".into(),
        roles: vec![Role::Admin],
        created_at: 1,
    })?;
    let event = AuditEvent {
        id: "f00000000000000000000001".into(),
        tenant_id: TENANT.into(),
        project_id: PROJECT.into(),
        user_id: USER.into(),
        action: "bench".into(),
        object_id: None,
        at: 1,
        revision: 0,
    };
    Ok(store.create_project(world, &event)?)
}

pub(super) fn node_id(number: usize) -> String {
    format!("e{number:023x}")
}

fn character(number: usize) -> String {
    format!("d1{:022x}", number % CAST)
}

fn location(number: usize) -> String {
    format!("d2{:022x}", number % CAST)
}

/// A story of so many nodes in a line, with half as many branches again that rejoin it.
pub(super) fn story(nodes: usize) -> World {
    let mut edges: Vec<StoryEdge> =
        (1..nodes).map(|number| edge(number, number - 1, number, EdgeType::Linear)).collect();
    edges.extend((0..nodes / 2).map(|number| {
        let from = number * 2;
        edge(nodes + number, from, (from + 2).min(nodes - 1), EdgeType::Branch)
    }));
    edges.retain(|edge| edge.from_node_id != edge.to_node_id);
    let cast = (0..CAST).flat_map(|number| {
        [
            entity(&character(number), EntityType::Character, format!("Person {number}")),
            entity(&location(number), EntityType::Location, format!("Place {number}")),
        ]
    });
    World {
        entities: cast.collect(),
        nodes: (0..nodes).map(node).collect(),
        edges,
        ..World::empty(project())
    }
}

/// A world of so many entities and no story.
pub(crate) fn crowd(entities: usize) -> World {
    const WORDS: [&str; 8] =
        ["harbour", "lantern", "captain", "orchard", "smuggler", "archive", "tempest", "violet"];
    let entities = (0..entities).map(|number| {
        let (one, two) = (WORDS[number % 8], WORDS[number / 8 % 8]);
        let id = format!("d3{number:022x}");
        entity(&id, EntityType::Lore, format!("The {one} of {two} {number}"))
    });
    World { entities: entities.collect(), ..World::empty(project()) }
}

fn project() -> Project {
    Project {
        id: PROJECT.into(),
        tenant_id: TENANT.into(),
        title: "Bench".into(),
        logline: String::new(),
        style_bible: serde_json::Map::new(),
        created_at: 1,
    }
}

fn entity(id: &str, kind: EntityType, name: String) -> Entity {
    Entity {
        id: id.to_owned(),
        tenant_id: TENANT.into(),
        project_id: PROJECT.into(),
        kind,
        name,
        summary: "Made for measuring.".into(),
        tags: vec!["bench".into()],
        attributes: serde_json::Map::new(),
        relationships: Vec::new(),
        version: VERSION,
        audit: audit(),
    }
}

fn node(number: usize) -> StoryNode {
    let (who, place) = (character(number), location(number));
    StoryNode {
        id: node_id(number),
        tenant_id: TENANT.into(),
        project_id: PROJECT.into(),
        node_type: NodeType::Scene,
        title: format!("Scene {number}"),
        synopsis: "Somebody goes somewhere and something changes. It matters later.".into(),
        goals: Goals {
            dramatic_goal: "Arrive.".into(),
            conflict: "The way is long.".into(),
            turn: "Somebody waits.".into(),
        },
        hooks: Default::default(),
        time: Time { in_world_date: Some(format!("Day {number}")), order: number as u64 },
        participants: vec![Participant {
            entity_id: who.clone(),
            role: ParticipantRole::Protagonist,
        }],
        locations: vec![place.clone()],
        world_state_delta: vec![
            delta(format!("character.{who}.location"), DeltaOp::Set, json!(place)),
            delta(format!("character.{who}.steps"), DeltaOp::Inc, json!(1)),
            delta(format!("character.{who}.mood"), DeltaOp::Set, json!(number % 7)),
            delta(format!("flag.seen{}", number % 200), DeltaOp::Set, json!(true)),
            delta(format!("threat.level{}", number % 50), DeltaOp::Inc, json!(1)),
        ],
        chapter_node_id: None,
        requires: Vec::new(),
        cinematic_settings: serde_json::Map::new(),
        waivers: Vec::new(),
        version: VERSION,
        audit: audit(),
    }
}

fn delta(key: String, op: DeltaOp, value: Value) -> Delta {
    Delta { key, op, value }
}

fn edge(number: usize, from: usize, to: usize, edge_type: EdgeType) -> StoryEdge {
    StoryEdge {
        id: format!("f1{number:022x}"),
        tenant_id: TENANT.into(),
        project_id: PROJECT.into(),
        from_node_id: node_id(from),
        to_node_id: node_id(to),
        edge_type,
        conditions: Vec::new(),
        notes: String::new(),
        audit: audit(),
    }
}

const VERSION: Version = Version { status: VersionStatus::Draft, number: 1 };

fn audit() -> Audit {
    Audit { created_by: USER.into(), updated_by: USER.into(), updated_at: 1, revision: 1 }
}
