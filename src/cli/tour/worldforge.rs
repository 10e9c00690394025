//! The chapter about worldforge: a contradiction is detected and not published; the fixed scene
//! becomes canon and shot prompts, and stays readable after a later edit.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolwright_runtime::clock::{SystemClock, SystemIds};

use super::session::{Error, TourSession, text};
use worldforge::engine::{Engine, Setup};
use worldforge::messages::Language;
use worldforge::model::{ObjectType, Role, Tenant, User};
use worldforge::store::{self, Scope};

/// How long the database may be busy.
const WAIT: Duration = Duration::from_secs(10);

/// Runs the chapter.
pub(super) fn run(session: &mut TourSession) -> Result<(), Error> {
    let url = format!("sqlite:{}", session.path("worldforge.db").display());
    let engine = engine(&url)?;
    let users = Users::new(&engine)?;
    session.step(
        "An operator runs `worldforge tenant create` and `worldforge user add --role`. The host \
         gets the tenant and the users that the server may act for.",
    );
    session.show(&format!("WORLDFORGE_TENANT={}", users.tenant.id));
    let ids = [&users.admin, &users.writer, &users.editor].map(|user| user.id.clone());
    session.show(&format!("WORLDFORGE_USERS={}", ids.join(",")));
    session.set("WORLDFORGE_DATABASE_URL", url);
    session.set("WORLDFORGE_TENANT", users.tenant.id.clone());
    session.set("WORLDFORGE_USERS", ids.join(","));
    session.hide_arguments(&["tenantId", "userId", "projectId"]);

    let mut scenario = Scenario { session, users, project: String::new() };
    let world = WorldIds::build(&mut scenario)?;
    add_contradiction(&mut scenario, &world)?;
    refuse_other_tenant(&mut scenario, &world)?;
    fix_scene(&mut scenario, &world)?;
    compose_prompts(&mut scenario, &world)?;
    read_back(&mut scenario, &world, &engine)
}

/// The engine that the command line of worldforge uses.
fn engine(url: &str) -> Result<Engine, Error> {
    Ok(Engine::new(Setup {
        store: store::open(url, "", WAIT)?,
        language: Language::English,
        publishes_contradictions: false,
        clock: Arc::new(SystemClock::default()),
        ids: Arc::new(SystemIds),
    }))
}

struct Users {
    tenant: Tenant,
    admin: User,
    writer: User,
    editor: User,
    /// An administrator, of another tenant.
    stranger: User,
}

impl Users {
    fn new(engine: &Engine) -> Result<Self, Error> {
        let tenant = engine.create_tenant("Salt Road Pictures")?;
        let other = engine.create_tenant("Glass Hill Films")?;
        let add = |tenant: &Tenant, name: &str, role| {
            engine.add_user(&tenant.id, &format!("{name}@example.com"), &[role])
        };
        Ok(Self {
            admin: add(&tenant, "ada", Role::Admin)?,
            writer: add(&tenant, "wim", Role::Writer)?,
            editor: add(&tenant, "eva", Role::Editor)?,
            stranger: add(&other, "sam", Role::Admin)?,
            tenant,
        })
    }
}

/// The session with its users and their project.
struct Scenario<'a> {
    session: &'a mut TourSession,
    users: Users,
    project: String,
}

impl Scenario<'_> {
    /// Arguments with tenant, user and project.
    fn with(&self, user: &User, mut arguments: Value) -> Value {
        arguments["tenantId"] = json!(self.users.tenant.id);
        arguments["userId"] = json!(user.id);
        if !self.project.is_empty() {
            arguments["projectId"] = json!(self.project);
        }
        arguments
    }

    fn admin(&mut self, tool: &str, arguments: Value) -> Result<Value, Error> {
        self.session.call(tool, self.with(&self.users.admin, arguments))
    }

    fn writer(&mut self, tool: &str, arguments: Value) -> Result<Value, Error> {
        self.session.call(tool, self.with(&self.users.writer, arguments))
    }

    fn editor(&mut self, tool: &str, arguments: Value) -> Result<Value, Error> {
        self.session.call(tool, self.with(&self.users.editor, arguments))
    }

    fn entity(&mut self, fields: Value) -> Result<String, Error> {
        let made = self.writer("entity.upsert", json!({"entity": fields}))?;
        Ok(text(&made["entity"]["_id"]).to_owned())
    }

    fn node(&mut self, fields: Value) -> Result<String, Error> {
        let made = self.writer("storyNode.create", json!({"node": fields}))?;
        Ok(text(&made["node"]["_id"]).to_owned())
    }
}

/// Ids that the later steps use.
struct WorldIds {
    ana: String,
    bento: String,
    ashore: String,
}

impl WorldIds {
    fn build(scenario: &mut Scenario<'_>) -> Result<Self, Error> {
        scenario.session.step(
            "The administrator creates a project. Every call names tenant, user and project.",
        );
        let style = json!({"palette": "slate and brass", "lighting": "overcast", "fps": 24});
        let made =
            scenario.admin("project.create", json!({"title": "Salt Road", "styleBible": style}))?;
        scenario.project = text(&made["project"]["_id"]).to_owned();

        scenario.session.step("A writer adds characters, a location and an item.");
        let ana = scenario.entity(json!({"type": "CHARACTER", "name": "Ana",
            "attributes": {"age": 34, "hair": "black, cropped", "outfit": "an oilskin coat"}}))?;
        let bento = scenario.entity(json!({"type": "CHARACTER", "name": "Bento",
            "attributes": {"age": 51, "marks": "a burnt hand"}}))?;
        let pier = scenario.entity(json!({"type": "LOCATION", "name": "Old Pier",
            "attributes": {"weather": "drizzle"}}))?;
        let compass = scenario.entity(json!({"type": "ITEM", "name": "Brass Compass"}))?;

        scenario
            .session
            .step("Two scenes follow: what happens, who takes part, what changes in the world.");
        let here = |who: &str| change(&format!("character.{who}.location"), json!(pier));
        let low_tide = scenario.node(json!({"nodeType": "SCENE", "title": "Low tide",
            "synopsis": "Bento wants the compass. He slips, and the sea takes him.",
            "goals": {"dramaticGoal": "Ana keeps the compass.", "conflict": "Bento has a knife.",
                      "turn": "He falls."},
            "time": {"order": 1, "inWorldDate": "Day 1"}, "locations": [pier],
            "participants": [participant(&ana, "PROTAGONIST"), participant(&bento, "ANTAGONIST")],
            "worldStateDelta": [here(&ana), here(&bento),
                change(&format!("item.{compass}.holder"), json!(ana)),
                change(&format!("character.{bento}.alive"), json!(false))]}))?;
        let ashore = scenario.node(json!({"nodeType": "SCENE", "title": "Ashore",
            "synopsis": "Bento sells the compass to the guild.",
            "goals": {"dramaticGoal": "Get rid of the compass.", "conflict": "Nobody will buy it.",
                      "turn": "The needle points at the buyer."},
            "time": {"order": 2, "inWorldDate": "Day 2"}, "locations": [pier],
            "participants": [participant(&bento, "PROTAGONIST")],
            "worldStateDelta": [here(&bento)]}))?;
        let edge = json!({"fromNodeId": low_tide, "toNodeId": ashore, "edgeType": "LINEAR"});
        scenario.writer("storyEdge.create", json!({"edge": edge}))?;
        Ok(Self { ana, bento, ashore })
    }
}

fn change(key: &str, value: Value) -> Value {
    json!({"key": key, "op": "SET", "value": value})
}

fn participant(who: &str, role: &str) -> Value {
    json!({"entityId": who, "role": role})
}

/// The contradiction is detected and cannot be published.
fn add_contradiction(scenario: &mut Scenario<'_>, world: &WorldIds) -> Result<(), Error> {
    scenario.session.step(
        "Bento drowns on day 1 and trades on day 2. The continuity check follows every path.",
    );
    let checked = check(scenario, world)?;
    let alive = &checked["preState"][format!("character.{}.alive", world.bento)];
    scenario.session.show(&format!("before the scene, Bento alive: {alive}"));
    if checked["issues"][0]["code"] != "CHAR_DEAD_ACTIVE" {
        return Err(format!("the contradiction was not detected: {checked}").into());
    }

    scenario.session.step("A contradiction cannot be published; the refusal lists the findings.");
    let publish = scenario.with(&scenario.users.admin, publication(world));
    let refusal = scenario.session.expect_error("version.publish", publish, "VALIDATION_ERROR")?;
    list(scenario.session, &refusal["details"]["issues"]);
    Ok(())
}

/// Roles and tenants.
fn refuse_other_tenant(scenario: &mut Scenario<'_>, world: &WorldIds) -> Result<(), Error> {
    scenario.session.step("Writers cannot publish, and sam of another tenant cannot read.");
    let publish = scenario.with(&scenario.users.writer, publication(world));
    scenario.session.expect_error("version.publish", publish, "FORBIDDEN")?;
    let look = scenario.with(&scenario.users.stranger, json!({"nodeId": world.ashore}));
    scenario.session.expect_error("storyNode.get", look, "UNAUTHORIZED")?;
    Ok(())
}

/// The fixed scene becomes canon.
fn fix_scene(scenario: &mut Scenario<'_>, world: &WorldIds) -> Result<(), Error> {
    scenario
        .session
        .step("The writer gives the scene to Ana. The patch changes only what it names.");
    let patch = json!({"synopsis": "Ana sells the compass to the guild.",
        "participants": [participant(&world.ana, "PROTAGONIST")], "worldStateDelta": []});
    scenario.writer(
        "storyNode.update",
        json!({"nodeId": world.ashore, "patch": patch, "expectedRevision": 1}),
    )?;
    let checked = check(scenario, world)?;
    if checked["issues"].as_array().is_none_or(|issues| !issues.is_empty()) {
        return Err(format!("the fixed scene has findings: {checked}").into());
    }
    let published = scenario.admin("version.publish", publication(world))?;
    scenario.session.show(&state(&published["object"]));
    Ok(())
}

/// The scene as shot prompts.
fn compose_prompts(scenario: &mut Scenario<'_>, world: &WorldIds) -> Result<(), Error> {
    scenario
        .session
        .step("An editor composes shot prompts. The same world gives the same prompts.");
    let node = json!({"nodeId": world.ashore});
    let composed = scenario.editor("prompt.compose", node.clone())?;
    let pack = &composed["promptPack"];
    let shots = pack["shots"].as_array().map_or(0, Vec::len);
    scenario.session.show(&format!("{shots} prompts, input {}…", head(&pack["inputHash"])));
    let [steady, moving] = [0, 1].map(|shot| text(&pack["shots"][shot]["prompt"]));
    scenario.session.show(steady);
    let mut other = moving.lines().filter(|line| !steady.lines().any(|known| known == *line));
    let (Some(camera), None) = (other.next(), other.next()) else {
        return Err("A and B must differ in one line".into());
    };
    scenario.session.show(&format!("variant B differs in one line: {camera}"));
    let again = scenario.editor("prompt.compose", node)?;
    if again["promptPack"] != *pack {
        return Err("the same world gave other prompts".into());
    }
    scenario.session.show("composed again: the same pack");
    Ok(())
}

/// Canon after a later edit.
fn read_back(scenario: &mut Scenario<'_>, world: &WorldIds, engine: &Engine) -> Result<(), Error> {
    scenario
        .session
        .step("A later edit is a draft. The published version stays: `worldforge history`.");
    let patch = json!({"title": "The buyer"});
    let edited =
        scenario.writer("storyNode.update", json!({"nodeId": world.ashore, "patch": patch}))?;
    scenario.session.show(&format!("now:   {}", state(&edited["node"])));
    let scope = Scope::new(&scenario.users.tenant.id, &scenario.project);
    let node = ObjectType::StoryNode;
    for edition in engine.history(&scope, node, &world.ashore)? {
        let canon = engine.version(&scope, node, &world.ashore, edition.number)?;
        scenario.session.show(&format!("canon: {}", state(&canon)));
        if canon["title"] != "Ashore" {
            return Err("the published version changed".into());
        }
    }

    scenario.session.step("Every change is logged, and `worldforge graph` draws the story.");
    for event in engine.store().events(&scope, None, 3)? {
        let who = engine.user(&scenario.users.tenant.id, &event.user_id)?;
        let who = who.map_or_else(String::new, |user| user.email);
        scenario.session.show(&format!("{:18} {who}", event.action));
    }
    Ok(())
}

fn check(scenario: &mut Scenario<'_>, world: &WorldIds) -> Result<Value, Error> {
    let checked = scenario.writer("continuity.check", json!({"nodeId": world.ashore}))?;
    list(scenario.session, &checked["issues"]);
    Ok(checked)
}

fn publication(world: &WorldIds) -> Value {
    json!({"objectType": "STORY_NODE", "objectId": world.ashore})
}

/// Each finding with its suggestion.
fn list(session: &TourSession, issues: &Value) {
    for issue in issues.as_array().into_iter().flatten() {
        let (severity, code) = (text(&issue["severity"]), text(&issue["code"]));
        session.show(&format!("{severity} {code}: {}", text(&issue["message"])));
        session.show(&format!("  → {}", text(&issue["suggestion"])));
    }
    if issues.as_array().is_some_and(Vec::is_empty) {
        session.show("no findings");
    }
}

/// Title, status and number of an object.
fn state(object: &Value) -> String {
    let version = &object["version"];
    format!("“{}”, {} {}", text(&object["title"]), text(&version["status"]), version["number"])
}

fn head(hash: &Value) -> &str {
    text(hash).get(..12).unwrap_or_default()
}
