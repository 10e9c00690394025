//! Sharing a database with the studio product: every write preserves what another program wrote, reads
//! fill in what it lacks, and one unreadable document breaks nothing else.

mod canon;
mod reading;
mod values;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::instance::{Instance, list, on_both, text, without_transactions};
use crate::session::Session;
use toolwright_testing::random::Random;
use values::{ForeignValue, Tree};

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
pub(crate) struct ForeignWorld {
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

impl ForeignWorld {
    /// Its ids. In SQLite, which has no other writers, ordinary documents are created for them first.
    pub(crate) fn new(instance: &Instance, random: &mut Random) -> Self {
        if instance.on_mongo() {
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
        let admin = instance.admin();
        let (ana, bento) = (admin.entity("CHARACTER", "Ana"), admin.entity("CHARACTER", "Bento"));
        let chapter = admin.node(json!({"nodeType": "CHAPTER", "title": "One"}));
        let (scene, next) = (admin.scene("Low tide", 1), admin.scene("The lamp", 2));
        Self {
            project: instance.fixture.project.clone(),
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

    fn head(&self, instance: &Instance, id: &str) -> Vec<(&'static str, ForeignValue)> {
        vec![
            ("_id", ForeignValue::Id(id.to_owned())),
            ("tenantId", ForeignValue::Id(instance.fixture.tenant.clone())),
            ("projectId", ForeignValue::Id(self.project.clone())),
        ]
    }

    pub(crate) fn project(&self, instance: &Instance) -> ForeignValue {
        ForeignValue::object(vec![
            ("_id", ForeignValue::Id(self.project.clone())),
            ("tenantId", ForeignValue::Id(instance.fixture.tenant.clone())),
            ("title", ForeignValue::text("Salt Road")),
            ("styleBible", ForeignValue::object(vec![("palette", ForeignValue::text("ash"))])),
            ("createdAt", ForeignValue::Date(1_700_000_000_000)),
        ])
    }

    pub(crate) fn entity(
        &self,
        instance: &Instance,
        id: &str,
        more: Vec<(&str, ForeignValue)>,
    ) -> ForeignValue {
        let kind = if id == self.pier { "LOCATION" } else { "CHARACTER" };
        let mut all = self.head(instance, id);
        all.push(("type", ForeignValue::text(kind)));
        all.push(("name", ForeignValue::text("Somebody")));
        all.extend(more);
        ForeignValue::object(all)
    }

    pub(crate) fn node(
        &self,
        instance: &Instance,
        id: &str,
        more: Vec<(&str, ForeignValue)>,
    ) -> ForeignValue {
        let kind = if id == self.chapter { "CHAPTER" } else { "SCENE" };
        let mut all = self.head(instance, id);
        all.push(("nodeType", ForeignValue::text(kind)));
        all.push(("title", ForeignValue::text("Something")));
        all.extend(more);
        ForeignValue::object(all)
    }

    pub(crate) fn edge(&self, instance: &Instance, from: &str, to: &str) -> ForeignValue {
        let mut all = self.head(instance, &self.edge);
        all.push(("fromNodeId", ForeignValue::Id(from.to_owned())));
        all.push(("toNodeId", ForeignValue::Id(to.to_owned())));
        all.push(("edgeType", ForeignValue::text("LINEAR")));
        ForeignValue::object(all)
    }

    pub(crate) fn pack(&self, instance: &Instance) -> ForeignValue {
        let mut all = self.head(instance, &self.pack);
        all.push(("nodeId", ForeignValue::Id(self.next.clone())));
        all.push(("target", ForeignValue::text("HIGGSFIELD")));
        all.push(("template", ForeignValue::text("CINEMATIC_V1")));
        let shot = ForeignValue::object(vec![
            ("shotId", ForeignValue::text("S1")),
            ("prompt", ForeignValue::text("Fog")),
        ]);
        all.push(("shots", ForeignValue::List(vec![shot])));
        all.push(("createdAt", ForeignValue::Date(1_700_000_000_000)));
        ForeignValue::object(all)
    }

    /// The barest documents of another program.
    pub(crate) fn plant(&self, instance: &Instance) {
        self.plant_with(instance, |_, _| {});
    }

    /// The same after `change`, which receives the collection of each.
    pub(crate) fn plant_with(
        &self,
        instance: &Instance,
        mut change: impl FnMut(&str, &mut ForeignValue),
    ) {
        let bare = Vec::new;
        for (collection, id, value) in [
            ("projects", &self.project, self.project(instance)),
            ("entities", &self.ana, self.entity(instance, &self.ana, bare())),
            ("entities", &self.bento, self.entity(instance, &self.bento, bare())),
            ("entities", &self.pier, self.entity(instance, &self.pier, bare())),
            ("storyNodes", &self.chapter, self.node(instance, &self.chapter, bare())),
            ("storyNodes", &self.scene, self.node(instance, &self.scene, bare())),
            ("storyNodes", &self.next, self.node(instance, &self.next, bare())),
            ("storyEdges", &self.edge, self.edge(instance, &self.chapter, &self.scene)),
            ("promptPacks", &self.pack, self.pack(instance)),
        ] {
            let mut value = value;
            change(collection, &mut value);
            instance.plant(collection, id, &value);
        }
    }

    /// Known members as the studio product writes them, some of them missing or null.
    fn with_all_fields(
        &self,
        instance: &Instance,
        random: &mut Random,
        collection: &str,
        value: &mut ForeignValue,
    ) {
        let texts = |words: &[&str]| {
            ForeignValue::List(words.iter().map(|word| ForeignValue::text(word)).collect())
        };
        let mut more: Vec<(&str, ForeignValue)> = Vec::new();
        let user = || ForeignValue::Id(instance.fixture.admin.clone());
        if collection == "entities" {
            more.push(("summary", ForeignValue::text("First.")));
            more.push(("tags", texts(&["a", "b"])));
            let inner = ForeignValue::object(vec![
                ("one", ForeignValue::Odd(2)),
                ("two", ForeignValue::Odd(0)),
            ]);
            let attributes = vec![
                ("age", ForeignValue::Odd(random.below(12))),
                ("hair", ForeignValue::text("grey")),
                ("inner", inner),
                (
                    "list",
                    ForeignValue::List(vec![
                        ForeignValue::Odd(random.below(12)),
                        ForeignValue::Odd(3),
                    ]),
                ),
            ];
            more.push(("attributes", ForeignValue::object(attributes)));
            let link = vec![
                ("toEntityId", ForeignValue::text(&self.pier)),
                ("relType", ForeignValue::text("lives_at")),
                ("note", ForeignValue::text("Since long.")),
            ];
            more.push(("relationships", ForeignValue::List(vec![ForeignValue::object(link)])));
        }
        if collection == "storyNodes" {
            more.push(("synopsis", ForeignValue::text("First. Second.")));
            let goals = vec![
                ("dramaticGoal", ForeignValue::text("Home")),
                ("turn", ForeignValue::text("Fog")),
            ];
            more.push(("goals", ForeignValue::object(goals)));
            let hooks = vec![("hook", ForeignValue::text("?")), ("foreshadow", texts(&["storm"]))];
            more.push(("hooks", ForeignValue::object(hooks)));
            more.push((
                "time",
                ForeignValue::object(vec![("order", ForeignValue::Json(json!(3)))]),
            ));
            let ana = vec![
                ("entityId", ForeignValue::text(&self.ana)),
                ("role", ForeignValue::text("PROTAGONIST")),
            ];
            more.push(("participants", ForeignValue::List(vec![ForeignValue::object(ana)])));
            more.push(("locations", texts(&[&self.pier])));
            let delta = vec![
                ("key", ForeignValue::text("storm")),
                ("op", ForeignValue::text("SET")),
                ("value", ForeignValue::Odd(0)),
            ];
            more.push(("worldStateDelta", ForeignValue::List(vec![ForeignValue::object(delta)])));
            more.push((
                "cinematicSettings",
                ForeignValue::object(vec![("lens", ForeignValue::text("35 mm"))]),
            ));
            let waiver = vec![
                ("code", ForeignValue::text("CHAR_TELEPORT")),
                ("reason", ForeignValue::text("Magic.")),
            ];
            more.push(("waivers", ForeignValue::List(vec![ForeignValue::object(waiver)])));
            more.push(("parentNodeId", ForeignValue::Id(self.chapter.clone())));
        }
        if collection == "entities" || collection == "storyNodes" {
            let version = vec![
                ("status", ForeignValue::text("DRAFT")),
                ("number", ForeignValue::Json(json!(1))),
            ];
            more.push(("version", ForeignValue::object(version)));
            let mut audit =
                vec![("createdAt", ForeignValue::Date(5)), ("updatedAt", ForeignValue::Date(6))];
            if random.yes() {
                audit.extend([("createdBy", user()), ("updatedBy", user())]);
            }
            more.push(("audit", ForeignValue::object(audit)));
        }
        more.retain(|_| random.below(5) > 0);
        if let Some((_, last)) = more.last_mut().filter(|_| random.below(4) == 0) {
            *last = ForeignValue::Json(Value::Null);
        }
        if let ForeignValue::Object(members) = value {
            members.extend(more.into_iter().map(|(name, value)| (name.to_owned(), value)));
        }
        value.sprinkle(random);
    }
}

/// A server on the world of another program.
pub(crate) struct ForeignWorldServer<'a> {
    pub(crate) instance: &'a Instance,
    pub(crate) world: &'a ForeignWorld,
    pub(crate) session: Session,
}

impl<'a> ForeignWorldServer<'a> {
    pub(crate) fn new(instance: &'a Instance, world: &'a ForeignWorld) -> Self {
        let mut server = Self { instance, world, session: instance.session() };
        // MongoDB gets the words to find entities by when it is first used.
        server.ok("project.get", json!({}));
        server
    }

    fn with_project(&self, tool: &str, mut arguments: Value) -> Value {
        if tool != "project.create" {
            arguments["projectId"] = json!(self.world.project);
        }
        arguments
    }

    pub(crate) fn ok(&mut self, tool: &str, arguments: Value) -> Value {
        let arguments = self.with_project(tool, arguments);
        self.session.ok(tool, arguments)
    }

    pub(crate) fn fails(&mut self, tool: &str, arguments: Value, code: &str) -> Value {
        let arguments = self.with_project(tool, arguments);
        let reply = self.session.call(tool, &arguments);
        assert!(reply.is_error, "{tool} did not fail: {}", reply.body);
        assert_eq!(reply.body["code"], code, "{tool}: {}", reply.body);
        reply.body
    }

    /// Runs `work`; of the documents that were there only `target` may differ, and only below `paths`.
    pub(crate) fn changes_only<T>(
        &mut self,
        target: &str,
        paths: &[&str],
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let before = self.instance.collections();
        let done = work(self);
        let after = self.instance.collections();
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

/// Whether a document may differ there: where the call changed it, or in the store's own fields.
fn expected(key: &(String, String), path: &str, before: &Tree, paths: Option<&[&str]>) -> bool {
    let below = |allowed: &str| path == allowed || path.starts_with(&format!("{allowed}/"));
    if key.0 == "projects" {
        return ["/_revision", "/_writes", "/_writers", "/_pending"].into_iter().any(below);
    }
    let Some(paths) = paths else { return false };
    let is_object = |path: &str| matches!(before.get(path), Some(Tree::Object(_)));
    // What was missing or null is created when a member is set in it.
    let made = |parent: &str| path == parent && !is_object(parent);
    let audit = ["/audit/updatedBy", "/audit/updatedAt", "/audit/revision"];
    paths.iter().copied().any(|allowed| {
        below(allowed) || allowed.match_indices('/').skip(1).any(|(end, _)| made(&allowed[..end]))
    }) || audit.into_iter().any(below)
        || made("/audit")
        || ["/_name", "/_words"].into_iter().any(below)
}

fn unknown_fields_survive_every_tool_that_writes(instance: &Instance) {
    let random = &mut Random::seeded();
    let world = ForeignWorld::new(instance, random);
    world.plant_with(instance, |collection, value| {
        world.with_all_fields(instance, random, collection, value)
    });
    let server = &mut ForeignWorldServer::new(instance, &world);
    for round in 0..ROUNDS {
        write(server, random, round);
    }
    let bible =
        instance.run(&["export", "--in", &instance.fixture.name, &world.project]).ok().stdout;
    std::fs::write(instance.path("bible.json"), bible).unwrap();
    server.changes_only("", &[], |_| {
        instance.run(&["import", "--in", &instance.fixture.name, "bible.json"]).into_line();
        instance.run(&["tenant", "create", "Another"]).into_line();
    });
    server.changes_only("", &[], |server| {
        for tool in
            ["storyGraph.get", "entity.search", "export.storyBible", "export.shotPromptPack"]
        {
            server.ok(tool, json!({}));
        }
        server.ok("continuity.check", json!({"nodeId": world.scene}));
    });
}

/// One random write, with a look at everything before and after.
fn write(server: &mut ForeignWorldServer<'_>, random: &mut Random, round: usize) {
    let world = server.world;
    let words = format!("Round {round}.");
    let who = random.pick(&[&world.ana, &world.bento]).to_owned();
    let node = random.pick(&[&world.chapter, &world.scene, &world.next]).to_owned();
    let upsert =
        |server: &mut ForeignWorldServer<'_>, field: &str, paths: &[&str], value: Value| {
            let mut entity = json!({"entityId": who});
            entity[field] = value.clone();
            let paths: Vec<&str> = paths.iter().copied().chain(["/version/status"]).collect();
            server.changes_only(who, &paths, |server| {
                let reply = server.ok("entity.upsert", json!({"entity": entity}));
                assert_eq!(reply["entity"][field], value);
            });
            assert_eq!(server.ok("entity.get", json!({"entityId": who}))["entity"][field], value);
        };
    let update = |server: &mut ForeignWorldServer<'_>, patch: Value, paths: &[&str]| {
        let paths: Vec<&str> = paths.iter().copied().chain(["/version/status"]).collect();
        server.changes_only(node, &paths, |server| {
            server.ok("storyNode.update", json!({"nodeId": node, "patch": patch}));
        });
    };
    match random.below(14) {
        0 => upsert(server, "summary", &["/summary"], json!(words)),
        1 => {
            let entity = server.ok("entity.get", json!({"entityId": who}))["entity"].clone();
            let mut attributes = entity["attributes"].clone();
            attributes["age"] = json!(round);
            upsert(server, "attributes", &["/attributes/age"], attributes);
        }
        2 => {
            let entity = server.ok("entity.get", json!({"entityId": who}))["entity"].clone();
            let mut tags = entity["tags"].clone();
            tags.as_array_mut().unwrap().push(json!(words));
            let new = format!("/tags/{}", list(&tags).len() - 1);
            upsert(server, "tags", &[&new], tags);
        }
        3 | 4 => {
            let other = if *who == world.ana { &world.bento } else { &world.ana };
            let entity = server.ok("entity.get", json!({"entityId": who}))["entity"].clone();
            let links = list(&entity["relationships"]);
            let known = links.iter().position(|link| link["relType"] == "ally_of");
            let path = match known {
                Some(index) => format!("/relationships/{index}/note"),
                None => format!("/relationships/{}", links.len()),
            };
            server.changes_only(who, &[&path, "/version/status"], |server| {
                let link = json!({"fromEntityId": who, "toEntityId": other, "relType": "ally_of", "note": words});
                server.ok("entity.link", link);
            });
        }
        5 => update(server, json!({"title": words}), &["/title"]),
        6 => update(server, json!({"goals": {"turn": words}}), &["/goals/turn"]),
        7 => update(server, json!({"time": {"order": round + 10}}), &["/time/order"]),
        8 => {
            let reply = server.ok("storyNode.get", json!({"nodeId": node}))["node"].clone();
            let mut deltas = reply["worldStateDelta"].clone();
            deltas.as_array_mut().unwrap().push(json!({"key": words, "op": "SET", "value": {"a": 1.0}}));
            let new = format!("/worldStateDelta/{}", list(&deltas).len() - 1);
            update(server, json!({"worldStateDelta": deltas}), &[&new]);
        }
        9 => {
            let reply = server.ok("storyNode.get", json!({"nodeId": node}))["node"].clone();
            let mut cast_of_it = reply["participants"].clone();
            match list(&cast_of_it).iter().position(|one| one["entityId"] == json!(world.bento)) {
                Some(index) => {
                    let role = *random.pick(&["SUPPORT", "ANTAGONIST"]);
                    cast_of_it[index]["role"] = json!(role);
                    let path = format!("/participants/{index}/role");
                    update(server, json!({"participants": cast_of_it}), &[&path]);
                }
                None => {
                    let new = format!("/participants/{}", list(&cast_of_it).len());
                    let bento = json!({"entityId": world.bento, "role": "SUPPORT"});
                    cast_of_it.as_array_mut().unwrap().push(bento);
                    update(server, json!({"participants": cast_of_it}), &[&new]);
                }
            }
        }
        10 => {
            let paths = ["/version/status", "/version/number"];
            server.changes_only(who, &paths, |server| {
                let reply = server.ok("version.publish", json!({"objectType": "ENTITY", "objectId": who}));
                assert_eq!(reply["object"]["version"]["status"], "PUBLISHED");
            });
        }
        11 => {
            let paths = ["/version/status", "/version/number"];
            server.changes_only(node, &paths, |server| {
                // One that contradicts the story stays a draft.
                let object = json!({"objectType": "STORY_NODE", "objectId": node});
                let object = server.with_project("version.publish", object);
                server.session.call("version.publish", &object);
            });
        }
        12 => server.changes_only("", &[], |server| {
            server.ok("prompt.compose", json!({"nodeId": node}));
            server.ok("project.create", json!({"title": words}));
        }),
        _ => server.changes_only("", &[], |server| {
            let made = server.ok("storyNode.create", json!({"node": {"nodeType": "BEAT", "title": words}}));
            let edge = json!({"fromNodeId": node, "toNodeId": made["node"]["_id"], "edgeType": "TIMEJUMP"});
            server.ok("storyEdge.create", json!({"edge": edge}));
            server.ok("entity.upsert", json!({"entity": {"type": "ITEM", "name": words}}));
        }),
    }
}

fn a_replaced_list_keeps_what_is_unknown_of_the_elements_that_stay(instance: &Instance) {
    let world = ForeignWorld::new(instance, &mut Random::seeded());
    world.plant(instance);
    let link = |to: &str, kind: &str, odd: usize| {
        ForeignValue::object(vec![
            ("strength", ForeignValue::Odd(odd)),
            ("toEntityId", ForeignValue::Id(to.to_owned())),
            ("relType", ForeignValue::text(kind)),
        ])
    };
    let links = vec![
        link(&world.bento, "ally_of", 1),
        link(&world.pier, "lives_at", 2),
        link(&world.bento, "cousin_of", 3),
    ];
    instance.plant(
        "entities",
        &world.ana,
        &world.entity(instance, &world.ana, vec![("relationships", ForeignValue::List(links))]),
    );
    let delta = |key: &str, odd: usize| {
        ForeignValue::object(vec![
            ("key", ForeignValue::text(key)),
            ("op", ForeignValue::text("SET")),
            ("value", ForeignValue::Odd(2)),
            ("ui", ForeignValue::Odd(odd)),
        ])
    };
    let person = |id: &str, odd: usize| {
        ForeignValue::object(vec![
            ("entityId", ForeignValue::text(id)),
            ("role", ForeignValue::text("SUPPORT")),
            ("ui", ForeignValue::Odd(odd)),
        ])
    };
    let more = vec![
        ("worldStateDelta", ForeignValue::List(vec![delta("a", 4), delta("b", 5), delta("c", 8)])),
        ("participants", ForeignValue::List(vec![person(&world.ana, 9), person(&world.bento, 10)])),
        ("locations", ForeignValue::List(vec![ForeignValue::Id(world.pier.clone())])),
    ];
    instance.plant("storyNodes", &world.scene, &world.node(instance, &world.scene, more));
    let before = instance.collections();
    let server = &mut ForeignWorldServer::new(instance, &world);
    // Another order, one gone, one new, one with a note.
    let relationships = json!([
        {"toEntityId": world.bento, "relType": "cousin_of", "note": "By marriage."},
        {"toEntityId": world.pier, "relType": "owns"},
        {"toEntityId": world.bento, "relType": "ally_of"},
    ]);
    let entity = json!({"entityId": world.ana, "relationships": relationships});
    let reply = server.ok("entity.upsert", json!({"entity": entity}))["entity"].clone();
    assert_eq!(reply["relationships"], relationships);
    let patch = json!({
        "worldStateDelta": [
            {"key": "c", "op": "SET", "value": 7}, {"key": "new", "op": "INC"}, {"key": "a", "op": "SET", "value": 8},
        ],
        "participants": [{"entityId": world.bento, "role": "PROTAGONIST"}],
        "locations": [world.pier],
    });
    server.ok("storyNode.update", json!({"nodeId": world.scene, "patch": patch}));
    let after = instance.collections();
    let at =
        |collections: &BTreeMap<(String, String), Tree>, collection: &str, id: &str, path: &str| {
            let tree = &collections[&(collection.to_owned(), id.to_owned())];
            tree.get(path).cloned()
        };
    for (collection, id, new, old) in [
        ("entities", &world.ana, "/relationships/0/strength", "/relationships/2/strength"),
        ("entities", &world.ana, "/relationships/0/toEntityId", "/relationships/2/toEntityId"),
        ("entities", &world.ana, "/relationships/2", "/relationships/0"),
        ("storyNodes", &world.scene, "/worldStateDelta/0/ui", "/worldStateDelta/2/ui"),
        ("storyNodes", &world.scene, "/worldStateDelta/2/ui", "/worldStateDelta/0/ui"),
        ("storyNodes", &world.scene, "/participants/0/ui", "/participants/1/ui"),
        ("storyNodes", &world.scene, "/locations", "/locations"),
    ] {
        let old = at(&before, collection, id, old);
        assert!(old.is_some());
        assert_eq!(at(&after, collection, id, new), old, "{new}");
    }
    assert_eq!(at(&after, "entities", &world.ana, "/relationships/1/strength"), None);
    assert_eq!(at(&after, "storyNodes", &world.scene, "/worldStateDelta/1/ui"), None);
    assert_eq!(at(&after, "storyNodes", &world.scene, "/participants/1"), None);
}

fn cleared_fields_are_cleared_and_unknown_ones_beside_them_stay(instance: &Instance) {
    let world = ForeignWorld::new(instance, &mut Random::seeded());
    world.plant(instance);
    let more = vec![
        (
            "goals",
            ForeignValue::object(vec![
                ("theme", ForeignValue::Odd(1)),
                ("turn", ForeignValue::text("Fog")),
            ]),
        ),
        (
            "time",
            ForeignValue::object(vec![
                ("inWorldDate", ForeignValue::text("Day 1")),
                ("zone", ForeignValue::Odd(3)),
            ]),
        ),
        ("cinematicSettings", ForeignValue::object(vec![("lens", ForeignValue::text("35 mm"))])),
    ];
    instance.plant("storyNodes", &world.scene, &world.node(instance, &world.scene, more));
    let server = &mut ForeignWorldServer::new(instance, &world);
    let patch = json!({"goals": null, "cinematicSettings": null, "time": {"inWorldDate": null}});
    let paths = ["/goals/turn", "/time/inWorldDate", "/cinematicSettings"];
    server.changes_only(&world.scene, &paths, |server| {
        let reply = server.ok("storyNode.update", json!({"nodeId": world.scene, "patch": patch}));
        assert_eq!(reply["node"]["goals"]["turn"], "");
    });
    let node = server.ok("storyNode.get", json!({"nodeId": world.scene}))["node"].clone();
    assert_eq!((&node["goals"]["turn"], &node["time"]), (&json!(""), &json!({"order": 0})));
    assert!(node.get("cinematicSettings").is_none());
}
