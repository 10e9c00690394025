//! The states that worldforge's examples are `given`: worlds in a SQLite file and, if available, in
//! MongoDB. `specs/worldforge/surface.yaml` describes them.

mod fixtures;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tempfile::TempDir;
use toolwright_runtime::clock::{CountingIds, FixedClock};
use toolwright_runtime::contract::{Effects, Expect, SurfaceInfo};
use worldforge::Identity;
use worldforge::continuity::{CODES, CodeInfo};
use worldforge::engine::{Actor, Engine, Setup};
use worldforge::generated::SURFACE;
use worldforge::messages::Language;
use worldforge::model::{ObjectType, Role, Tenant, User};
use worldforge::store::{AuditEvent, Collection, Scope, Store, World, open};

use fixtures::{ADMIN, ELSEWHERE, HERE, NOW, id};
use toolwright_testing::contract::{self as kit, Beyond, Picture, State};

/// worldforge's states, in SQLite.
pub(crate) struct States;

impl kit::States for States {
    fn surface(&self) -> &'static SurfaceInfo {
        &SURFACE
    }

    fn make(&self, given: Option<&str>) -> State {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite:{}", folder.path().join("worldforge.db").display());
        TestStore::new(&url, "", Some(folder)).state(given)
    }

    fn beyond(&self) -> &'static [Beyond] {
        BEYOND
    }
}

/// How problems begin that the schema does not know: those of the schema say what was expected.
const PROBLEMS: &str = "\"problems\":[{\"message\"";
const STORY: &str = "it must fit the other entities and nodes of the project";
/// What the contract of worldforge answers with its one code for input that cannot be taken.
const BEYOND: &[Beyond] = &[
    Beyond { tool: "entity.link", says: PROBLEMS, why: STORY },
    Beyond { tool: "entity.upsert", says: PROBLEMS, why: STORY },
    Beyond { tool: "export.shotPromptPack", says: PROBLEMS, why: STORY },
    Beyond { tool: "project.create", says: PROBLEMS, why: "blanks are no title" },
    Beyond { tool: "storyEdge.create", says: PROBLEMS, why: STORY },
    Beyond { tool: "storyNode.create", says: PROBLEMS, why: STORY },
    Beyond { tool: "storyNode.update", says: PROBLEMS, why: STORY },
    Beyond {
        tool: "version.publish",
        says: "\"issues\":",
        why: "canon must not contradict itself",
    },
];

#[test]
fn examples_answer_as_written_from_mongodb() {
    let Some(url) = crate::mongo::shared(true) else { return };
    let fresh = |given| TestStore::new(&url, &database(), None).state(given);
    // Making a database takes a moment: what must change nothing shares one.
    let mut shared = BTreeMap::new();
    let runs = kit::all_examples(&SURFACE).map(|(index, tool, example)| {
        let writes = tool.effects != Effects::Read && matches!(example.expect, Expect::Output(_));
        let mut own = writes.then(|| fresh(example.given));
        let state = match &mut own {
            Some(state) => state,
            None => shared.entry(example.given).or_insert_with_key(|given| fresh(*given)),
        };
        let before = state.picture();
        let reply = state.call(index, &kit::json(example.input));
        kit::Run { tool, example, before, reply, after: state.picture() }
    });
    let runs: Vec<kit::Run> = runs.collect();
    kit::examples::answer_as_written(&SURFACE, &runs);
    kit::effects::nothing_changes_on_reads_refusals_and_errors(&runs);
}

#[test]
fn the_page_of_the_surface_lists_every_code_of_continuity() {
    let mut table = "| code | severity | when |\n|---|---|---|\n".to_owned();
    for CodeInfo { name, severity, meaning, .. } in CODES {
        let severity = format!("{severity:?}").to_uppercase();
        table += &format!("| `{name}` | {severity} | {meaning} |\n");
    }
    let page = include_str!("../README.md");
    assert!(page.contains(&table), "put this into src/worldforge/README.md:\n{table}");
}

/// A name that no other database of the server has.
fn database() -> String {
    static MADE: AtomicU32 = AtomicU32::new(0);
    format!("contract{}", MADE.fetch_add(1, Ordering::Relaxed))
}

/// A store with two tenants.
struct TestStore {
    store: Arc<dyn Store>,
    engine: Arc<Engine>,
    folder: Option<TempDir>,
}

impl TestStore {
    fn new(url: &str, name: &str, folder: Option<TempDir>) -> Self {
        let store = open(url, name, Duration::from_secs(60)).expect("the store opens");
        let engine = Arc::new(Engine::new(Setup {
            store: Arc::clone(&store),
            language: Language::English,
            publishes_contradictions: false,
            clock: Arc::new(FixedClock::at(NOW.unsigned_abs())),
            ids: Arc::new(CountingIds::default()),
        }));
        Self { store, engine, folder }
    }

    fn state(self, given: Option<&str>) -> State {
        let given = given.expect("every example of worldforge is given a state");
        self.people();
        self.world(fixtures::elsewhere());
        self.world(match given {
            "empty" => fixtures::empty(),
            "contradiction" => fixtures::contradiction(),
            "studio" | "composed" | "published" => fixtures::studio(),
            other => panic!("no state is called `{other}`; make it here"),
        });
        let scope = Scope::new(&id('a', HERE), &id('c', 1));
        let actor = |action: &str| Actor {
            tenant: scope.tenant.clone(),
            user: id('b', ADMIN),
            action: action.to_owned(),
        };
        match given {
            "composed" => {
                let actor = actor("prompt.compose");
                self.engine.compose(&actor, &scope, &id('e', 2), None).expect("a pack");
            }
            "published" => {
                let (actor, ana) = (actor("version.publish"), id('d', 1));
                let published = self.engine.publish(&actor, &scope, ObjectType::Entity, &ana, None);
                published.expect("an entity has no contradiction");
            }
            _ => {}
        }
        self.open()
    }

    fn people(&self) {
        let roles = [
            (HERE, 1, vec![Role::Admin]),
            (HERE, 2, vec![Role::Writer]),
            (HERE, 3, vec![Role::Editor]),
            (HERE, 9, vec![]),
            (ELSEWHERE, 4, vec![Role::Admin]),
        ];
        for number in [HERE, ELSEWHERE] {
            let name = format!("Studio {number}");
            let tenant = Tenant { id: id('a', number), name, created_at: NOW };
            self.store.create_tenant(&tenant).expect("a new tenant");
        }
        for (tenant, number, roles) in roles {
            let (tenant_id, email) = (id('a', tenant), format!("user{number}@studio.example"));
            let user = User { id: id('b', number), tenant_id, email, roles, created_at: NOW };
            self.store.add_user(&user).expect("a new user");
        }
    }

    fn world(&self, world: World) {
        let event = AuditEvent {
            id: world.project.id.clone(),
            tenant_id: world.project.tenant_id.clone(),
            project_id: world.project.id.clone(),
            user_id: id('b', ADMIN),
            action: "project.create".to_owned(),
            object_id: None,
            at: NOW,
            revision: 0,
        };
        self.store.create_project(&world, &event).expect("a new project");
    }

    /// A server that acts for every user of the first tenant, and for no one else.
    fn open(self) -> State {
        let identity = Identity {
            tenant: Some(id('a', HERE)),
            users: [1, 2, 3, 9].iter().map(|number| id('b', *number)).collect(),
            ..Identity::default()
        };
        let surface = worldforge::surface(self.engine, identity, false);
        let path = self.folder.as_ref().map(|folder| folder.path().to_owned()).unwrap_or_default();
        let mut state = State::in_process(surface, path, vec![Box::new(self.folder)]);
        let store = self.store;
        state.view = Some(Box::new(move || store_contents(&*store)));
        state
    }
}

/// All documents of both tenants; what was done is recorded beside them.
fn store_contents(store: &dyn Store) -> Picture {
    const COLLECTIONS: [Collection; 5] = [
        Collection::Entities,
        Collection::Nodes,
        Collection::Edges,
        Collection::Packs,
        Collection::Versions,
    ];
    let mut picture = Picture::new();
    for tenant in store.tenants().expect("tenants") {
        let folder = PathBuf::from(&tenant.id);
        let users = store.users(&tenant.id).expect("users");
        picture.insert(folder.join("users"), format!("{users:?}"));
        for project in store.projects(&tenant.id).expect("projects") {
            let scope = Scope::new(&tenant.id, &project.id);
            let folder = folder.join(&project.id);
            picture.insert(folder.join("project"), format!("{project:?}"));
            let read = store.read(&scope, &COLLECTIONS).expect("collections").collections;
            for (kind, documents) in COLLECTIONS.iter().zip(read) {
                picture.insert(folder.join(format!("{kind:?}")), documents.into_array());
            }
        }
    }
    picture
}
