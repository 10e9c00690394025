//! Beside the studio product on one database: what another program wrote is kept by every write,
//! read with what it lacks filled in, and one document that cannot be read breaks nothing else.

mod canon;
mod foreign;
mod reading;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::harness::{Stage, list, on_both, text, without_transactions};
use crate::program::Session;
use foreign::{Thing, Tree};
use toolwright_testing::random::Random;

on_both! {
    unknown_fields_survive_every_tool_that_writes
    a_replaced_list_keeps_what_is_unknown_of_the_elements_that_stay
    cleared_fields_are_cleared_and_unknown_ones_beside_them_stay
}
without_transactions! {
    unknown_fields_survive_every_tool_that_writes
    a_replaced_list_keeps_what_is_unknown_of_the_elements_that_stay
}

const ROUNDS: usize = 40;

/// A small world of another program.
pub(crate) struct Cast {
    pub(crate) project: String,
    pub(crate) ana: String,
    pub(crate) bento: String,
    pub(crate) pier: String,
    pub(crate) chapter: String,
    pub(crate) scene: String,
    pub(crate) next: String,
    pub(crate) edge: String,
    pub(crate) pack: String,
}

impl Cast {
    /// Ids for it. In SQLite, where nobody else writes, there are documents of ours for them first.
    pub(crate) fn new(stage: &Stage, random: &mut Random) -> Self {
        if stage.on_mongo() {
            let mut id = || random.id();
            return Self {
                project: id(),
                ana: id(),
                bento: id(),
                pier: id(),
                chapter: id(),
                scene: id(),
                next: id(),
                edge: id(),
                pack: id(),
            };
        }
        let admin = stage.admin();
        let (ana, bento) = (admin.entity("CHARACTER", "Ana"), admin.entity("CHARACTER", "Bento"));
        let chapter = admin.node(json!({"nodeType": "CHAPTER", "title": "One"}));
        let (scene, next) = (admin.scene("Low tide", 1), admin.scene("The lamp", 2));
        Self {
            project: stage.home.project.clone(),
            pier: admin.entity("LOCATION", "Old Pier"),
            edge: admin.edge(&chapter, &scene, "LINEAR"),
            pack: text(&admin.ok("prompt.compose", json!({"nodeId": next}))["promptPack"]["_id"]),
            ana,
            bento,
            chapter,
            scene,
            next,
        }
    }

    fn head(&self, stage: &Stage, id: &str) -> Vec<(&'static str, Thing)> {
        vec![
            ("_id", Thing::Id(id.to_owned())),
            ("tenantId", Thing::Id(stage.home.tenant.clone())),
            ("projectId", Thing::Id(self.project.clone())),
        ]
    }

    pub(crate) fn project(&self, stage: &Stage) -> Thing {
        Thing::object(vec![
            ("_id", Thing::Id(self.project.clone())),
            ("tenantId", Thing::Id(stage.home.tenant.clone())),
            ("title", Thing::text("Salt Road")),
            ("styleBible", Thing::object(vec![("palette", Thing::text("ash"))])),
            ("createdAt", Thing::Date(1_700_000_000_000)),
        ])
    }

    pub(crate) fn entity(&self, stage: &Stage, id: &str, more: Vec<(&str, Thing)>) -> Thing {
        let kind = if id == self.pier { "LOCATION" } else { "CHARACTER" };
        let mut all = self.head(stage, id);
        all.push(("type", Thing::text(kind)));
        all.push(("name", Thing::text("Somebody")));
        all.extend(more);
        Thing::object(all)
    }

    pub(crate) fn node(&self, stage: &Stage, id: &str, more: Vec<(&str, Thing)>) -> Thing {
        let kind = if id == self.chapter { "CHAPTER" } else { "SCENE" };
        let mut all = self.head(stage, id);
        all.push(("nodeType", Thing::text(kind)));
        all.push(("title", Thing::text("Something")));
        all.extend(more);
        Thing::object(all)
    }

    pub(crate) fn edge(&self, stage: &Stage, from: &str, to: &str) -> Thing {
        let mut all = self.head(stage, &self.edge);
        all.push(("fromNodeId", Thing::Id(from.to_owned())));
        all.push(("toNodeId", Thing::Id(to.to_owned())));
        all.push(("edgeType", Thing::text("LINEAR")));
        Thing::object(all)
    }

    pub(crate) fn pack(&self, stage: &Stage) -> Thing {
        let mut all = self.head(stage, &self.pack);
        all.push(("nodeId", Thing::Id(self.next.clone())));
        all.push(("target", Thing::text("HIGGSFIELD")));
        all.push(("template", Thing::text("CINEMATIC_V1")));
        let shot =
            Thing::object(vec![("shotId", Thing::text("S1")), ("prompt", Thing::text("Fog"))]);
        all.push(("shots", Thing::List(vec![shot])));
        all.push(("createdAt", Thing::Date(1_700_000_000_000)));
        Thing::object(all)
    }

    /// The barest documents of another program.
    pub(crate) fn plant(&self, stage: &Stage) {
        self.plant_with(stage, |_, _| {});
    }

    /// The same after `change`, which is told the collection of each.
    pub(crate) fn plant_with(&self, stage: &Stage, mut change: impl FnMut(&str, &mut Thing)) {
        let bare = Vec::new;
        for (shelf, id, thing) in [
            ("projects", &self.project, self.project(stage)),
            ("entities", &self.ana, self.entity(stage, &self.ana, bare())),
            ("entities", &self.bento, self.entity(stage, &self.bento, bare())),
            ("entities", &self.pier, self.entity(stage, &self.pier, bare())),
            ("storyNodes", &self.chapter, self.node(stage, &self.chapter, bare())),
            ("storyNodes", &self.scene, self.node(stage, &self.scene, bare())),
            ("storyNodes", &self.next, self.node(stage, &self.next, bare())),
            ("storyEdges", &self.edge, self.edge(stage, &self.chapter, &self.scene)),
            ("promptPacks", &self.pack, self.pack(stage)),
        ] {
            let mut thing = thing;
            change(shelf, &mut thing);
            stage.plant(shelf, id, &thing);
        }
    }

    /// Known members as the studio product writes them, some of them missing or null.
    fn whole(&self, stage: &Stage, random: &mut Random, shelf: &str, thing: &mut Thing) {
        let texts =
            |words: &[&str]| Thing::List(words.iter().map(|word| Thing::text(word)).collect());
        let mut more: Vec<(&str, Thing)> = Vec::new();
        let user = || Thing::Id(stage.home.admin.clone());
        if shelf == "entities" {
            more.push(("summary", Thing::text("First.")));
            more.push(("tags", texts(&["a", "b"])));
            let inner = Thing::object(vec![("one", Thing::Odd(2)), ("two", Thing::Odd(0))]);
            let attributes = vec![
                ("age", Thing::Odd(random.below(12))),
                ("hair", Thing::text("grey")),
                ("inner", inner),
                ("list", Thing::List(vec![Thing::Odd(random.below(12)), Thing::Odd(3)])),
            ];
            more.push(("attributes", Thing::object(attributes)));
            let link = vec![
                ("toEntityId", Thing::text(&self.pier)),
                ("relType", Thing::text("lives_at")),
                ("note", Thing::text("Since long.")),
            ];
            more.push(("relationships", Thing::List(vec![Thing::object(link)])));
        }
        if shelf == "storyNodes" {
            more.push(("synopsis", Thing::text("First. Second.")));
            let goals = vec![("dramaticGoal", Thing::text("Home")), ("turn", Thing::text("Fog"))];
            more.push(("goals", Thing::object(goals)));
            let hooks = vec![("hook", Thing::text("?")), ("foreshadow", texts(&["storm"]))];
            more.push(("hooks", Thing::object(hooks)));
            more.push(("time", Thing::object(vec![("order", Thing::Json(json!(3)))])));
            let ana =
                vec![("entityId", Thing::text(&self.ana)), ("role", Thing::text("PROTAGONIST"))];
            more.push(("participants", Thing::List(vec![Thing::object(ana)])));
            more.push(("locations", texts(&[&self.pier])));
            let delta = vec![
                ("key", Thing::text("storm")),
                ("op", Thing::text("SET")),
                ("value", Thing::Odd(0)),
            ];
            more.push(("worldStateDelta", Thing::List(vec![Thing::object(delta)])));
            more.push(("cinematicSettings", Thing::object(vec![("lens", Thing::text("35 mm"))])));
            let waiver =
                vec![("code", Thing::text("CHAR_TELEPORT")), ("reason", Thing::text("Magic."))];
            more.push(("waivers", Thing::List(vec![Thing::object(waiver)])));
            more.push(("parentNodeId", Thing::Id(self.chapter.clone())));
        }
        if shelf == "entities" || shelf == "storyNodes" {
            let version = vec![("status", Thing::text("DRAFT")), ("number", Thing::Json(json!(1)))];
            more.push(("version", Thing::object(version)));
            let mut audit = vec![("createdAt", Thing::Date(5)), ("updatedAt", Thing::Date(6))];
            if random.yes() {
                audit.extend([("createdBy", user()), ("updatedBy", user())]);
            }
            more.push(("audit", Thing::object(audit)));
        }
        more.retain(|_| random.below(5) > 0);
        if let Some((_, last)) = more.last_mut().filter(|_| random.below(4) == 0) {
            *last = Thing::Json(Value::Null);
        }
        if let Thing::Object(members) = thing {
            members.extend(more.into_iter().map(|(name, value)| (name.to_owned(), value)));
        }
        thing.sprinkle(random);
    }
}

/// A server on the world of another program.
pub(crate) struct Beside<'a> {
    pub(crate) stage: &'a Stage,
    pub(crate) cast: &'a Cast,
    pub(crate) session: Session,
}

impl<'a> Beside<'a> {
    pub(crate) fn new(stage: &'a Stage, cast: &'a Cast) -> Self {
        let mut beside = Self { stage, cast, session: stage.session() };
        // MongoDB gets the words to find entities by when it is first used.
        beside.ok("project.get", json!({}));
        beside
    }

    fn whole(&self, tool: &str, mut arguments: Value) -> Value {
        if tool != "project.create" {
            arguments["projectId"] = json!(self.cast.project);
        }
        arguments
    }

    pub(crate) fn ok(&mut self, tool: &str, arguments: Value) -> Value {
        let arguments = self.whole(tool, arguments);
        self.session.ok(tool, arguments)
    }

    pub(crate) fn fails(&mut self, tool: &str, arguments: Value, code: &str) -> Value {
        let arguments = self.whole(tool, arguments);
        let told = self.session.call(tool, &arguments);
        assert!(told.is_error, "{tool} did not fail: {}", told.text);
        assert_eq!(told.body()["code"], code, "{tool}: {}", told.text);
        told.body()
    }

    /// Runs `work`; of the documents that were there only `target` may differ, and only below `paths`.
    pub(crate) fn changes_only<T>(
        &mut self,
        target: &str,
        paths: &[&str],
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let before = self.stage.shelves();
        let done = work(self);
        let after = self.stage.shelves();
        for (key, tree) in &before {
            let now = after.get(key).unwrap_or_else(|| panic!("{key:?} is gone"));
            let stray: Vec<String> = tree
                .differences(now)
                .into_iter()
                .filter(|path| !expected(key, path, tree, (key.1 == target).then_some(paths)))
                .collect();
            assert!(stray.is_empty(), "{key:?}: {stray:?}\nbefore {tree:?}\nafter {now:?}");
        }
        done
    }
}

/// Whether a document may differ there: where it was told to, or where the store keeps its own fields.
fn expected(key: &(String, String), path: &str, before: &Tree, paths: Option<&[&str]>) -> bool {
    let below = |allowed: &str| path == allowed || path.starts_with(&format!("{allowed}/"));
    if key.0 == "projects" {
        return ["/_revision", "/_writes", "/_writers", "/_pending"].into_iter().any(below);
    }
    let Some(paths) = paths else { return false };
    let is_object = |path: &str| matches!(before.get(path), Some(Tree::Object(_)));
    // What was missing or null is made when something is put into it.
    let made = |parent: &str| path == parent && !is_object(parent);
    let audit = ["/audit/updatedBy", "/audit/updatedAt", "/audit/revision"];
    paths.iter().copied().any(|allowed| {
        below(allowed) || allowed.match_indices('/').skip(1).any(|(end, _)| made(&allowed[..end]))
    }) || audit.into_iter().any(below)
        || made("/audit")
        || ["/_name", "/_words"].into_iter().any(below)
}

fn unknown_fields_survive_every_tool_that_writes(stage: &Stage) {
    let random = &mut Random::seeded();
    let cast = Cast::new(stage, random);
    cast.plant_with(stage, |shelf, thing| cast.whole(stage, random, shelf, thing));
    let beside = &mut Beside::new(stage, &cast);
    for round in 0..ROUNDS {
        write(beside, random, round);
    }
    let bible = stage.ran(&["export", "--in", &stage.home.name, &cast.project]).good();
    std::fs::write(stage.path("bible.json"), bible).unwrap();
    beside.changes_only("", &[], |_| {
        stage.ran(&["import", "--in", &stage.home.name, "bible.json"]).line();
        stage.ran(&["tenant", "create", "Another"]).line();
    });
    beside.changes_only("", &[], |beside| {
        for tool in
            ["storyGraph.get", "entity.search", "export.storyBible", "export.shotPromptPack"]
        {
            beside.ok(tool, json!({}));
        }
        beside.ok("continuity.check", json!({"nodeId": cast.scene}));
    });
}

/// One random write, with a look at everything before and after.
fn write(beside: &mut Beside<'_>, random: &mut Random, round: usize) {
    let cast = beside.cast;
    let words = format!("Round {round}.");
    let who = random.pick(&[&cast.ana, &cast.bento]).to_owned();
    let node = random.pick(&[&cast.chapter, &cast.scene, &cast.next]).to_owned();
    let upsert = |beside: &mut Beside<'_>, field: &str, paths: &[&str], value: Value| {
        let mut entity = json!({"entityId": who});
        entity[field] = value.clone();
        let paths: Vec<&str> = paths.iter().copied().chain(["/version/status"]).collect();
        beside.changes_only(who, &paths, |beside| {
            let told = beside.ok("entity.upsert", json!({"entity": entity}));
            assert_eq!(told["entity"][field], value);
        });
        assert_eq!(beside.ok("entity.get", json!({"entityId": who}))["entity"][field], value);
    };
    let update = |beside: &mut Beside<'_>, patch: Value, paths: &[&str]| {
        let paths: Vec<&str> = paths.iter().copied().chain(["/version/status"]).collect();
        beside.changes_only(node, &paths, |beside| {
            beside.ok("storyNode.update", json!({"nodeId": node, "patch": patch}));
        });
    };
    match random.below(14) {
        0 => upsert(beside, "summary", &["/summary"], json!(words)),
        1 => {
            let entity = beside.ok("entity.get", json!({"entityId": who}))["entity"].clone();
            let mut attributes = entity["attributes"].clone();
            attributes["age"] = json!(round);
            upsert(beside, "attributes", &["/attributes/age"], attributes);
        }
        2 => {
            let entity = beside.ok("entity.get", json!({"entityId": who}))["entity"].clone();
            let mut tags = entity["tags"].clone();
            tags.as_array_mut().unwrap().push(json!(words));
            let new = format!("/tags/{}", list(&tags).len() - 1);
            upsert(beside, "tags", &[&new], tags);
        }
        3 | 4 => {
            let other = if *who == cast.ana { &cast.bento } else { &cast.ana };
            let entity = beside.ok("entity.get", json!({"entityId": who}))["entity"].clone();
            let links = list(&entity["relationships"]);
            let known = links.iter().position(|link| link["relType"] == "ally_of");
            let path = match known {
                Some(index) => format!("/relationships/{index}/note"),
                None => format!("/relationships/{}", links.len()),
            };
            beside.changes_only(who, &[&path, "/version/status"], |beside| {
                let link = json!({"fromEntityId": who, "toEntityId": other, "relType": "ally_of", "note": words});
                beside.ok("entity.link", link);
            });
        }
        5 => update(beside, json!({"title": words}), &["/title"]),
        6 => update(beside, json!({"goals": {"turn": words}}), &["/goals/turn"]),
        7 => update(beside, json!({"time": {"order": round + 10}}), &["/time/order"]),
        8 => {
            let told = beside.ok("storyNode.get", json!({"nodeId": node}))["node"].clone();
            let mut deltas = told["worldStateDelta"].clone();
            deltas.as_array_mut().unwrap().push(json!({"key": words, "op": "SET", "value": {"a": 1.0}}));
            let new = format!("/worldStateDelta/{}", list(&deltas).len() - 1);
            update(beside, json!({"worldStateDelta": deltas}), &[&new]);
        }
        9 => {
            let told = beside.ok("storyNode.get", json!({"nodeId": node}))["node"].clone();
            let mut cast_of_it = told["participants"].clone();
            match list(&cast_of_it).iter().position(|one| one["entityId"] == json!(cast.bento)) {
                Some(index) => {
                    let role = *random.pick(&["SUPPORT", "ANTAGONIST"]);
                    cast_of_it[index]["role"] = json!(role);
                    let path = format!("/participants/{index}/role");
                    update(beside, json!({"participants": cast_of_it}), &[&path]);
                }
                None => {
                    let new = format!("/participants/{}", list(&cast_of_it).len());
                    let bento = json!({"entityId": cast.bento, "role": "SUPPORT"});
                    cast_of_it.as_array_mut().unwrap().push(bento);
                    update(beside, json!({"participants": cast_of_it}), &[&new]);
                }
            }
        }
        10 => {
            let paths = ["/version/status", "/version/number"];
            beside.changes_only(who, &paths, |beside| {
                let told = beside.ok("version.publish", json!({"objectType": "ENTITY", "objectId": who}));
                assert_eq!(told["object"]["version"]["status"], "PUBLISHED");
            });
        }
        11 => {
            let paths = ["/version/status", "/version/number"];
            beside.changes_only(node, &paths, |beside| {
                // One that contradicts the story stays a draft.
                let object = json!({"objectType": "STORY_NODE", "objectId": node});
                let object = beside.whole("version.publish", object);
                beside.session.call("version.publish", &object);
            });
        }
        12 => beside.changes_only("", &[], |beside| {
            beside.ok("prompt.compose", json!({"nodeId": node}));
            beside.ok("project.create", json!({"title": words}));
        }),
        _ => beside.changes_only("", &[], |beside| {
            let made = beside.ok("storyNode.create", json!({"node": {"nodeType": "BEAT", "title": words}}));
            let edge = json!({"fromNodeId": node, "toNodeId": made["node"]["_id"], "edgeType": "TIMEJUMP"});
            beside.ok("storyEdge.create", json!({"edge": edge}));
            beside.ok("entity.upsert", json!({"entity": {"type": "ITEM", "name": words}}));
        }),
    }
}

fn a_replaced_list_keeps_what_is_unknown_of_the_elements_that_stay(stage: &Stage) {
    let cast = Cast::new(stage, &mut Random::seeded());
    cast.plant(stage);
    let link = |to: &str, kind: &str, odd: usize| {
        Thing::object(vec![
            ("strength", Thing::Odd(odd)),
            ("toEntityId", Thing::Id(to.to_owned())),
            ("relType", Thing::text(kind)),
        ])
    };
    let links = vec![
        link(&cast.bento, "ally_of", 1),
        link(&cast.pier, "lives_at", 2),
        link(&cast.bento, "cousin_of", 3),
    ];
    stage.plant(
        "entities",
        &cast.ana,
        &cast.entity(stage, &cast.ana, vec![("relationships", Thing::List(links))]),
    );
    let delta = |key: &str, odd: usize| {
        Thing::object(vec![
            ("key", Thing::text(key)),
            ("op", Thing::text("SET")),
            ("value", Thing::Odd(2)),
            ("ui", Thing::Odd(odd)),
        ])
    };
    let person = |id: &str, odd: usize| {
        Thing::object(vec![
            ("entityId", Thing::text(id)),
            ("role", Thing::text("SUPPORT")),
            ("ui", Thing::Odd(odd)),
        ])
    };
    let more = vec![
        ("worldStateDelta", Thing::List(vec![delta("a", 4), delta("b", 5), delta("c", 8)])),
        ("participants", Thing::List(vec![person(&cast.ana, 9), person(&cast.bento, 10)])),
        ("locations", Thing::List(vec![Thing::Id(cast.pier.clone())])),
    ];
    stage.plant("storyNodes", &cast.scene, &cast.node(stage, &cast.scene, more));
    let before = stage.shelves();
    let beside = &mut Beside::new(stage, &cast);
    // Another order, one gone, one new, one with a note.
    let relationships = json!([
        {"toEntityId": cast.bento, "relType": "cousin_of", "note": "By marriage."},
        {"toEntityId": cast.pier, "relType": "owns"},
        {"toEntityId": cast.bento, "relType": "ally_of"},
    ]);
    let entity = json!({"entityId": cast.ana, "relationships": relationships});
    let told = beside.ok("entity.upsert", json!({"entity": entity}))["entity"].clone();
    assert_eq!(told["relationships"], relationships);
    let patch = json!({
        "worldStateDelta": [
            {"key": "c", "op": "SET", "value": 7}, {"key": "new", "op": "INC"}, {"key": "a", "op": "SET", "value": 8},
        ],
        "participants": [{"entityId": cast.bento, "role": "PROTAGONIST"}],
        "locations": [cast.pier],
    });
    beside.ok("storyNode.update", json!({"nodeId": cast.scene, "patch": patch}));
    let after = stage.shelves();
    let at = |shelves: &BTreeMap<(String, String), Tree>, shelf: &str, id: &str, path: &str| {
        let tree = &shelves[&(shelf.to_owned(), id.to_owned())];
        tree.get(path).cloned()
    };
    for (shelf, id, new, old) in [
        ("entities", &cast.ana, "/relationships/0/strength", "/relationships/2/strength"),
        ("entities", &cast.ana, "/relationships/0/toEntityId", "/relationships/2/toEntityId"),
        ("entities", &cast.ana, "/relationships/2", "/relationships/0"),
        ("storyNodes", &cast.scene, "/worldStateDelta/0/ui", "/worldStateDelta/2/ui"),
        ("storyNodes", &cast.scene, "/worldStateDelta/2/ui", "/worldStateDelta/0/ui"),
        ("storyNodes", &cast.scene, "/participants/0/ui", "/participants/1/ui"),
        ("storyNodes", &cast.scene, "/locations", "/locations"),
    ] {
        let old = at(&before, shelf, id, old);
        assert!(old.is_some());
        assert_eq!(at(&after, shelf, id, new), old, "{new}");
    }
    assert_eq!(at(&after, "entities", &cast.ana, "/relationships/1/strength"), None);
    assert_eq!(at(&after, "storyNodes", &cast.scene, "/worldStateDelta/1/ui"), None);
    assert_eq!(at(&after, "storyNodes", &cast.scene, "/participants/1"), None);
}

fn cleared_fields_are_cleared_and_unknown_ones_beside_them_stay(stage: &Stage) {
    let cast = Cast::new(stage, &mut Random::seeded());
    cast.plant(stage);
    let more = vec![
        ("goals", Thing::object(vec![("theme", Thing::Odd(1)), ("turn", Thing::text("Fog"))])),
        (
            "time",
            Thing::object(vec![("inWorldDate", Thing::text("Day 1")), ("zone", Thing::Odd(3))]),
        ),
        ("cinematicSettings", Thing::object(vec![("lens", Thing::text("35 mm"))])),
    ];
    stage.plant("storyNodes", &cast.scene, &cast.node(stage, &cast.scene, more));
    let beside = &mut Beside::new(stage, &cast);
    let patch = json!({"goals": null, "cinematicSettings": null, "time": {"inWorldDate": null}});
    let paths = ["/goals/turn", "/time/inWorldDate", "/cinematicSettings"];
    beside.changes_only(&cast.scene, &paths, |beside| {
        let told = beside.ok("storyNode.update", json!({"nodeId": cast.scene, "patch": patch}));
        assert_eq!(told["node"]["goals"]["turn"], "");
    });
    let node = beside.ok("storyNode.get", json!({"nodeId": cast.scene}))["node"].clone();
    assert_eq!((&node["goals"]["turn"], &node["time"]), (&json!(""), &json!({"order": 0})));
    assert!(node.get("cinematicSettings").is_none());
}
