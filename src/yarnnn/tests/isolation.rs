//! Two workspaces of one database are isolated: whatever one calls with the other's ids and words,
//! it learns nothing, not even that they exist.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use yarnnn::engine::Error;
use yarnnn::governance::{Mode, Settings};
use yarnnn::records::governance;
use yarnnn::sql::{Database, Options};

use crate::instance::{DIMS, Instance, Tenant, axis, on_both, text_of};
use crate::user::TestUser;
use toolwright_testing::random::Random;

/// Words that both workspaces use.
const COMMON: &[&str] = &["invoice", "budget", "Acme", "refund", "archive", "contract", "Berlin"];
const ROUNDS: usize = 60;

/// What only one of them may ever see.
struct World {
    tenant: Tenant,
    /// Words that only its texts have.
    words: Vec<String>,
    baskets: Vec<String>,
    /// Captures that wait, with their texts.
    captures: Vec<(String, String)>,
    /// Every id that the database has of it.
    ids: BTreeSet<String>,
}

fn session(random: &mut Random) -> Value {
    let embedding: Vec<f64> = (0..DIMS).map(|_| random.below(19) as f64 - 9.0 + 0.5).collect();
    json!({"embedding": embedding})
}

fn sentence(random: &mut Random, words: &[String]) -> String {
    let (one, two) = (random.pick(words).clone(), random.pick(words).clone());
    let (three, four) = (random.pick(COMMON), random.pick(COMMON));
    format!("We decided that the {one} of {three} must keep every {two} in the {four}.")
}

impl World {
    fn build(instance: &Instance, random: &mut Random, tenant: Tenant, mark: &str) -> Self {
        let words: Vec<String> = (0..12).map(|n| format!("{mark}{n}")).collect();
        let smart = Settings { manual_edit: Mode::Hybrid, ..Settings::default() };
        let database = Database::open(&instance.url, Options::default()).expect("a database");
        database
            .write(|tx| governance::save(tx, &tenant.workspace.id, &smart, "test", 0))
            .expect("settings");
        let user = instance.user(Some(&tenant.token));
        let (mut baskets, mut captures) = (Vec::new(), Vec::new());
        for n in 0..4 {
            let made = user.ok(
                "create_memory_from_chat",
                json!({"conversation_history": format!("User: {}", sentence(random, &words)),
                       "basket_name_suggestion": format!("{mark}basket{n}"), "new_basket": true,
                       "anchor_suggestions": {"vision": format!("{mark}vision")},
                       "idempotency_key": format!("shared-{n}"),
                       "session_fingerprint": session(random)}),
            );
            baskets.push(text_of(&made["basket_id"]));
        }
        for n in 0..25 {
            let text = sentence(random, &words);
            let mut arguments = json!({"content": text, "session_fingerprint": session(random),
                                       "metadata": {"mark": mark}});
            if n % 3 != 0 {
                arguments["basket_id"] = json!(random.pick(&baskets));
            }
            let reply = user.call("add_to_substrate", &arguments);
            let waits = [&reply.body["capture_id"], &reply.body["details"]["capture_id"]];
            let waits = waits.into_iter().find_map(Value::as_str).map(str::to_owned);
            captures.extend(waits.map(|id| (id, text)));
        }
        assert!(!captures.is_empty());
        let mut ids = BTreeSet::new();
        for table in [
            "baskets",
            "raw_dumps",
            "blocks",
            "context_items",
            "proposals",
            "mcp_unassigned_captures",
            "integration_tokens",
        ] {
            let workspace = &tenant.workspace.id;
            let rows = instance
                .rows(&format!("SELECT id FROM {table} WHERE workspace_id = '{workspace}'"));
            ids.extend(rows.iter().map(|row| row.get::<String>("id").expect("an id")));
        }
        ids.insert(tenant.workspace.id.clone());
        Self { tenant, words, baskets, captures, ids }
    }

    /// A block, dump, proposal or the like.
    fn some_id(&self, random: &mut Random) -> String {
        let ids: Vec<&String> = self.ids.iter().collect();
        (*random.pick(&ids)).clone()
    }
}

/// A call of any tool; `id` and `content` are the other's or nobody's.
fn some_call(
    random: &mut Random,
    id: &str,
    content: &str,
    words: &[String],
) -> (&'static str, Value) {
    let mut arguments = json!({});
    let keywords = |random: &mut Random| {
        let mut all = vec![random.pick(words).clone(), (*random.pick(COMMON)).to_owned()];
        all.truncate(1 + random.below(2));
        all
    };
    let tool = match random.below(6) {
        0 => {
            arguments["basket_id"] = json!(id);
            arguments["keywords"] = json!(keywords(random));
            "get_substrate"
        }
        1 => {
            arguments["keywords"] = json!(keywords(random));
            arguments["anchors"] = json!(["vision", "constraint", random.pick(words)]);
            arguments["limit"] = json!(200);
            if random.yes() {
                arguments = json!({"limit": 200, "format": "prose"});
            }
            "get_substrate"
        }
        2 => {
            arguments["new_idea"] = json!(content);
            if random.yes() {
                arguments["basket_id"] = json!(id);
            }
            "validate_against_substrate"
        }
        3 => {
            arguments["content"] = json!(content);
            arguments["basket_id"] = json!(id);
            "add_to_substrate"
        }
        4 => {
            arguments["content"] = json!(content);
            arguments["capture_id"] = json!(id);
            if random.yes() {
                arguments["basket_id"] = json!(id);
            }
            "add_to_substrate"
        }
        _ => return ("config_settings", arguments),
    };
    if random.yes() || arguments.get("content").is_some() {
        arguments["session_fingerprint"] = session(random);
    }
    (tool, arguments)
}

/// Every text and key in it.
fn texts(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| texts(item, into)),
        Value::Object(members) => {
            for (key, member) in members {
                into.push(key.clone());
                texts(member, into);
            }
        }
        _ => {}
    }
}

/// Asserts that a reply to `user` contains nothing of the other workspace.
fn assert_no_leak(user: &TestUser, other: &World, tool: &str, arguments: &Value) -> String {
    let reply = user.call(tool, arguments).response.to_string();
    // What the caller said may come back.
    let mut said = Vec::new();
    texts(arguments, &mut said);
    let leaks = |text: &str| reply.contains(text) && !said.iter().any(|own| own.contains(text));
    for id in &other.ids {
        assert!(!leaks(id), "{tool} {arguments} tells the id {id}: {reply}");
    }
    for word in &other.words {
        assert!(!leaks(word), "{tool} {arguments} tells {word}: {reply}");
    }
    assert!(!reply.contains(&other.tenant.owner) && !reply.contains(&other.tenant.workspace.name));
    reply
}

#[test]
fn no_id_and_no_text_of_another_workspace_is_ever_told() {
    on_both(|instance| {
        let mut random = Random::seeded();
        let own = World::build(instance, &mut random, instance.tenant.clone(), "zaffre");
        let tenant = instance.create_workspace("Nebenan", "ottokar");
        let other = World::build(instance, &mut random, tenant, "quokka");
        for _ in 0..ROUNDS {
            for (mine, theirs) in [(&own, &other), (&other, &own)] {
                let user = instance.user(Some(&mine.tenant.token));
                let (id, content) = match random.below(3) {
                    0 => {
                        (random.pick(&theirs.baskets).clone(), sentence(&mut random, &theirs.words))
                    }
                    1 => random.pick(&theirs.captures).clone(),
                    _ => (theirs.some_id(&mut random), sentence(&mut random, &theirs.words)),
                };
                let (tool, arguments) = some_call(&mut random, &id, &content, &theirs.words);
                assert_no_leak(&user, theirs, tool, &arguments);
            }
        }
    });
}

#[test]
fn unknown_and_foreign_ids_look_the_same_to_the_byte() {
    on_both(|instance| {
        let mut random = Random::seeded();
        let own = World::build(instance, &mut random, instance.tenant.clone(), "zaffre");
        let tenant = instance.create_workspace("Nebenan", "ottokar");
        let other = World::build(instance, &mut random, tenant, "quokka");
        let user = instance.user(Some(&own.tenant.token));
        let text = "A text.";
        let mut foreign: Vec<(String, String)> = other.captures.clone();
        foreign.extend(other.baskets.iter().map(|id| (id.clone(), text.to_owned())));
        foreign.extend(other.ids.iter().take(20).map(|id| (id.clone(), text.to_owned())));
        for (id, content) in foreign {
            let unknown = random.uuid();
            for (tool, arguments) in [
                ("get_substrate", json!({"basket_id": "ID"})),
                ("get_substrate", json!({"basket_id": "ID", "keywords": ["invoice"]})),
                ("validate_against_substrate", json!({"new_idea": content, "basket_id": "ID"})),
                (
                    "add_to_substrate",
                    json!({"content": content, "basket_id": "ID",
                    "session_fingerprint": {"embedding": axis(0)}}),
                ),
                ("add_to_substrate", json!({"content": content, "capture_id": "ID"})),
                (
                    "add_to_substrate",
                    json!({"content": content, "capture_id": "ID",
                    "basket_id": own.baskets[0]}),
                ),
            ] {
                let ask = |id: &str| {
                    let arguments = arguments.to_string().replace("ID", id);
                    let reply = user.call_raw(tool, &arguments);
                    assert!(reply.is_error, "{tool} {arguments}");
                    reply.response.to_string().replace(id, "ID")
                };
                assert_eq!(ask(&id), ask(&unknown), "{tool} {arguments}");
            }
        }
    });
}

#[test]
fn people_of_one_workspace_cannot_touch_anothers_records() {
    on_both(|instance| {
        let mut random = Random::seeded();
        let own = World::build(instance, &mut random, instance.tenant.clone(), "zaffre");
        let tenant = instance.create_workspace("Nebenan", "ottokar");
        let other = World::build(instance, &mut random, tenant, "quokka");
        let (engine, person) = (&instance.engine, instance.operator());
        let picture = || {
            let mut rows = Vec::new();
            for table in ["baskets", "raw_dumps", "proposals", "mcp_unassigned_captures", "blocks"]
            {
                let workspace = &other.tenant.workspace.id;
                let query =
                    format!("SELECT * FROM {table} WHERE workspace_id = '{workspace}' ORDER BY id");
                rows.push(format!("{:?}", instance.rows(&query)));
            }
            rows
        };
        let before = picture();
        for id in &other.ids {
            assert!(matches!(engine.approve(&person, id, None), Err(Error::NoProposal(_))));
            assert!(matches!(engine.reject(&person, id, None), Err(Error::NoProposal(_))));
            let basket = &own.baskets[0];
            assert!(matches!(engine.assign(&person, id, basket), Err(Error::NoCapture(_))));
            assert!(matches!(engine.dismiss(&person, id), Err(Error::NoCapture(_))));
            assert!(matches!(engine.misrouted(&person, id, None), Err(Error::NoDump(_))));
            assert!(matches!(engine.forget(&person, id, "x"), Err(Error::NoDump(_))));
            let renamed = engine.change_basket(&person, id, Some("mine"), None);
            assert!(matches!(renamed, Err(Error::NoBasket(_))));
            let revoked = engine.revoke_token(&own.tenant.workspace, id);
            assert!(matches!(revoked, Err(Error::NoToken(_))));
        }
        let (capture, _) = &own.captures[0];
        for basket in &other.baskets {
            assert!(matches!(engine.assign(&person, capture, basket), Err(Error::NoBasket(_))));
        }
        assert_eq!(picture(), before);
    });
}
