//! The chapter about worldforge: a dead man walks, is found, is not published; the mended scene is
//! canon, becomes pictures, and stays readable when it is edited again.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolwright_runtime::clock::{SystemClock, SystemIds};

use super::session::{Error, Stage, text};
use worldforge::engine::{Engine, Setup};
use worldforge::messages::Language;
use worldforge::model::{ObjectType, Role, Tenant, User};
use worldforge::store::{self, Scope};

/// How long the file may be busy.
const WAIT: Duration = Duration::from_secs(10);

/// Tells the chapter.
pub(super) fn tell(stage: &mut Stage) -> Result<(), Error> {
    let url = format!("sqlite:{}", stage.path("worldforge.db").display());
    let engine = engine(&url)?;
    let people = People::new(&engine)?;
    stage.say(
        "A person runs `worldforge tenant create` and `worldforge user add --role`; the host gets \
         the tenant and the users that the server may act for.",
    );
    stage.show(&format!("WORLDFORGE_TENANT={}", people.tenant.id));
    let users = [&people.admin, &people.writer, &people.editor].map(|user| user.id.clone());
    stage.show(&format!("WORLDFORGE_USERS={}", users.join(",")));
    stage.set("WORLDFORGE_DATABASE_URL", url);
    stage.set("WORLDFORGE_TENANT", people.tenant.id.clone());
    stage.set("WORLDFORGE_USERS", users.join(","));
    stage.leave_out(&["tenantId", "userId", "projectId"]);

    let mut set = Set { stage, people, project: String::new() };
    let world = World::build(&mut set)?;
    contradict(&mut set, &world)?;
    strangers(&mut set, &world)?;
    mend(&mut set, &world)?;
    pictures(&mut set, &world)?;
    read_back(&mut set, &world, &engine)
}

/// What `worldforge` does at the command line.
fn engine(url: &str) -> Result<Engine, Error> {
    Ok(Engine::new(Setup {
        store: store::open(url, "", WAIT)?,
        language: Language::English,
        publishes_contradictions: false,
        clock: Arc::new(SystemClock::default()),
        ids: Arc::new(SystemIds),
    }))
}

struct People {
    tenant: Tenant,
    admin: User,
    writer: User,
    editor: User,
    /// An administrator, of another tenant.
    stranger: User,
}

impl People {
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

/// The stage, the people on it and the project they work on.
struct Set<'a> {
    stage: &'a mut Stage,
    people: People,
    project: String,
}

impl Set<'_> {
    /// Arguments with who calls and what for.
    fn with(&self, user: &User, mut arguments: Value) -> Value {
        arguments["tenantId"] = json!(self.people.tenant.id);
        arguments["userId"] = json!(user.id);
        if !self.project.is_empty() {
            arguments["projectId"] = json!(self.project);
        }
        arguments
    }

    fn admin(&mut self, tool: &str, arguments: Value) -> Result<Value, Error> {
        self.stage.call(tool, self.with(&self.people.admin, arguments))
    }

    fn writer(&mut self, tool: &str, arguments: Value) -> Result<Value, Error> {
        self.stage.call(tool, self.with(&self.people.writer, arguments))
    }

    fn editor(&mut self, tool: &str, arguments: Value) -> Result<Value, Error> {
        self.stage.call(tool, self.with(&self.people.editor, arguments))
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

/// What the later steps speak of.
struct World {
    ana: String,
    bento: String,
    ashore: String,
}

impl World {
    fn build(set: &mut Set<'_>) -> Result<Self, Error> {
        set.stage
            .say("The administrator makes a world. Every call names tenant, user and project.");
        let style = json!({"palette": "slate and brass", "lighting": "overcast", "fps": 24});
        let made =
            set.admin("project.create", json!({"title": "Salt Road", "styleBible": style}))?;
        set.project = text(&made["project"]["_id"]).to_owned();

        set.stage.say("A writer fills it: people, a place, a thing.");
        let ana = set.entity(json!({"type": "CHARACTER", "name": "Ana",
            "attributes": {"age": 34, "hair": "black, cropped", "outfit": "an oilskin coat"}}))?;
        let bento = set.entity(json!({"type": "CHARACTER", "name": "Bento",
            "attributes": {"age": 51, "marks": "a burnt hand"}}))?;
        let pier = set.entity(json!({"type": "LOCATION", "name": "Old Pier",
            "attributes": {"weather": "drizzle"}}))?;
        let compass = set.entity(json!({"type": "ITEM", "name": "Brass Compass"}))?;

        set.stage.say("And the story: what happens, who is there, what it changes in the world.");
        let here = |who: &str| change(&format!("character.{who}.location"), json!(pier));
        let low_tide = set.node(json!({"nodeType": "SCENE", "title": "Low tide",
            "synopsis": "Bento wants the compass. He slips, and the sea takes him.",
            "goals": {"dramaticGoal": "Ana keeps the compass.", "conflict": "Bento has a knife.",
                      "turn": "He falls."},
            "time": {"order": 1, "inWorldDate": "Day 1"}, "locations": [pier],
            "participants": [cast(&ana, "PROTAGONIST"), cast(&bento, "ANTAGONIST")],
            "worldStateDelta": [here(&ana), here(&bento),
                change(&format!("item.{compass}.holder"), json!(ana)),
                change(&format!("character.{bento}.alive"), json!(false))]}))?;
        let ashore = set.node(json!({"nodeType": "SCENE", "title": "Ashore",
            "synopsis": "Bento sells the compass to the guild.",
            "goals": {"dramaticGoal": "Get rid of the compass.", "conflict": "Nobody will buy it.",
                      "turn": "The needle points at the buyer."},
            "time": {"order": 2, "inWorldDate": "Day 2"}, "locations": [pier],
            "participants": [cast(&bento, "PROTAGONIST")],
            "worldStateDelta": [here(&bento)]}))?;
        let edge = json!({"fromNodeId": low_tide, "toNodeId": ashore, "edgeType": "LINEAR"});
        set.writer("storyEdge.create", json!({"edge": edge}))?;
        Ok(Self { ana, bento, ashore })
    }
}

fn change(key: &str, value: Value) -> Value {
    json!({"key": key, "op": "SET", "value": value})
}

fn cast(who: &str, role: &str) -> Value {
    json!({"entityId": who, "role": role})
}

/// The contradiction is found, and not published.
fn contradict(set: &mut Set<'_>, world: &World) -> Result<(), Error> {
    set.stage.say("Bento drowned on day 1 and trades on day 2. The check follows every path.");
    let checked = check(set, world)?;
    let alive = &checked["preState"][format!("character.{}.alive", world.bento)];
    set.stage.show(&format!("before the scene, Bento alive: {alive}"));
    if checked["issues"][0]["code"] != "CHAR_DEAD_ACTIVE" {
        return Err(format!("the dead man was missed: {checked}").into());
    }

    set.stage.say("A contradiction is not published; the refusal carries the findings.");
    let publish = set.with(&set.people.admin, publication(world));
    let refused = set.stage.refused("version.publish", publish, "VALIDATION_ERROR")?;
    list(set.stage, &refused["details"]["issues"]);
    Ok(())
}

/// Who may do what.
fn strangers(set: &mut Set<'_>, world: &World) -> Result<(), Error> {
    set.stage.say("A writer may not publish at all, and sam of another tenant may not look.");
    let publish = set.with(&set.people.writer, publication(world));
    set.stage.refused("version.publish", publish, "FORBIDDEN")?;
    let look = set.with(&set.people.stranger, json!({"nodeId": world.ashore}));
    set.stage.refused("storyNode.get", look, "UNAUTHORIZED")?;
    Ok(())
}

/// The mended scene becomes canon.
fn mend(set: &mut Set<'_>, world: &World) -> Result<(), Error> {
    set.stage.say("The writer gives the scene to Ana. Only what the patch names changes.");
    let patch = json!({"synopsis": "Ana sells the compass to the guild.",
        "participants": [cast(&world.ana, "PROTAGONIST")], "worldStateDelta": []});
    set.writer(
        "storyNode.update",
        json!({"nodeId": world.ashore, "patch": patch, "expectedRevision": 1}),
    )?;
    let checked = check(set, world)?;
    if checked["issues"].as_array().is_none_or(|issues| !issues.is_empty()) {
        return Err(format!("the mended scene has findings: {checked}").into());
    }
    let published = set.admin("version.publish", publication(world))?;
    set.stage.show(&state(&published["object"]));
    Ok(())
}

/// The scene as shot prompts.
fn pictures(set: &mut Set<'_>, world: &World) -> Result<(), Error> {
    set.stage.say("An editor composes shot prompts: the same world gives the same words.");
    let node = json!({"nodeId": world.ashore});
    let composed = set.editor("prompt.compose", node.clone())?;
    let pack = &composed["promptPack"];
    let shots = pack["shots"].as_array().map_or(0, Vec::len);
    set.stage.show(&format!("{shots} prompts, input {}…", head(&pack["inputHash"])));
    let [steady, moving] = [0, 1].map(|shot| text(&pack["shots"][shot]["prompt"]));
    set.stage.show(steady);
    let mut other = moving.lines().filter(|line| !steady.lines().any(|known| known == *line));
    let (Some(camera), None) = (other.next(), other.next()) else {
        return Err("A and B must differ in one line".into());
    };
    set.stage.show(&format!("variant B differs in one line: {camera}"));
    let again = set.editor("prompt.compose", node)?;
    if again["promptPack"] != *pack {
        return Err("the same world gave other prompts".into());
    }
    set.stage.show("the very same pack");
    Ok(())
}

/// Canon after a later edit.
fn read_back(set: &mut Set<'_>, world: &World, engine: &Engine) -> Result<(), Error> {
    set.stage.say("A later edit is a draft again. What was published stays: `worldforge history`.");
    let patch = json!({"title": "The buyer"});
    let edited = set.writer("storyNode.update", json!({"nodeId": world.ashore, "patch": patch}))?;
    set.stage.show(&format!("now:   {}", state(&edited["node"])));
    let scope = Scope::new(&set.people.tenant.id, &set.project);
    let node = ObjectType::StoryNode;
    for edition in engine.history(&scope, node, &world.ashore)? {
        let canon = engine.version(&scope, node, &world.ashore, edition.number)?;
        set.stage.show(&format!("canon: {}", state(&canon)));
        if canon["title"] != "Ashore" {
            return Err("the published words are gone".into());
        }
    }

    set.stage.say("Who did what is on record, and `worldforge graph` draws the story.");
    for event in engine.store().events(&scope, None, 3)? {
        let who = engine.user(&set.people.tenant.id, &event.user_id)?;
        let who = who.map_or_else(String::new, |user| user.email);
        set.stage.show(&format!("{:18} {who}", event.action));
    }
    Ok(())
}

fn check(set: &mut Set<'_>, world: &World) -> Result<Value, Error> {
    let checked = set.writer("continuity.check", json!({"nodeId": world.ashore}))?;
    list(set.stage, &checked["issues"]);
    Ok(checked)
}

fn publication(world: &World) -> Value {
    json!({"objectType": "STORY_NODE", "objectId": world.ashore})
}

/// One finding a line, and how to mend it.
fn list(stage: &Stage, issues: &Value) {
    for issue in issues.as_array().into_iter().flatten() {
        let (severity, code) = (text(&issue["severity"]), text(&issue["code"]));
        stage.show(&format!("{severity} {code}: {}", text(&issue["message"])));
        stage.show(&format!("  → {}", text(&issue["suggestion"])));
    }
    if issues.as_array().is_some_and(Vec::is_empty) {
        stage.show("no findings");
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
