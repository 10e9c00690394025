//! Servers that are killed while they work, fifty times each: no acknowledged write is lost, and
//! nothing is half published.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use worldforge::model::ObjectType;

use crate::instance::{Instance, on_both, text, without_transactions};
use crate::session::Session;
use toolwright_testing::random::Random;

on_both! { upserts_survive publications_are_whole }
without_transactions! { publications_are_whole }

const KILLS: u32 = 50;

/// Sends calls one after the other and kills the server at some moment; the acknowledged bodies.
fn kill_while(
    instance: &Instance,
    moment: Duration,
    mut next: impl FnMut(u64) -> (&'static str, Value),
) -> Vec<Value> {
    let mut session = instance.session();
    let mut send = |session: &mut Session, number: u64| {
        let (tool, arguments) = next(number);
        let arguments = session.with_scope(tool, &instance.fixture.admin, &arguments);
        session.begin_call(tool, &arguments)
    };
    // One goes well, then death comes within the next few.
    let first = send(&mut session, 0);
    let mut acknowledged = vec![session.wait(first)];
    for number in 1..=3 {
        send(&mut session, number);
    }
    std::thread::sleep(moment);
    acknowledged.extend(session.kill());
    let bodies = acknowledged.into_iter().map(|message| {
        let result = message["result"].clone();
        assert_eq!(result["isError"], false, "{message}");
        result["structuredContent"].clone()
    });
    bodies.collect()
}

/// How long four such calls take when no server is killed.
fn usual(instance: &Instance, call: (&str, Value)) -> Duration {
    let mut session = instance.session();
    let started = Instant::now();
    for _ in 0..4 {
        session.ok(call.0, call.1.clone());
    }
    started.elapsed()
}

fn upserts_survive(instance: &Instance) {
    let random = &mut Random::seeded();
    let admin = instance.admin();
    let usual =
        usual(instance, ("entity.upsert", json!({"entity": {"type": "LORE", "name": "Warm"}})));
    let mut early = 0;
    for kill in 0..KILLS {
        let mark = format!("k{kill}x");
        let moment = usual.mul_f64(random.below(1000) as f64 / 900.0);
        let acknowledged = kill_while(instance, moment, |id| {
            let name = format!("{mark} n{id}");
            (
                "entity.upsert",
                json!({"entity": {"type": "ITEM", "name": name, "tags": [mark], "attributes": {"id": id}}}),
            )
        });
        let found = admin.ok("entity.search", json!({"query": mark}));
        let items = found["items"].as_array().unwrap();
        assert_eq!(found["total"], json!(items.len()));
        assert!(items.len() >= acknowledged.len() && items.len() <= 4, "{found}");
        for body in &acknowledged {
            assert!(items.contains(&body["entity"]), "{body} is acknowledged, but not there");
        }
        // Whole: what is found is what is read, with an event of its own.
        for item in items {
            let id = text(&item["_id"]);
            assert_eq!(&admin.get_entity(&id), item);
            let events = instance.store().events(&instance.fixture.scope(), Some(&id), 9).unwrap();
            assert_eq!(events.len(), 1, "{events:?}");
        }
        early += u32::from(acknowledged.len() < 4);
    }
    let scope = instance.fixture.scope();
    let revision = || instance.store().project_revision(&scope).unwrap();
    let (revision, events) = loop {
        let before = revision();
        let events = instance.store().events(&scope, None, u32::MAX).unwrap();
        // What the dead server had asked of its database may happen just now.
        if revision() == before {
            break (before, events);
        }
    };
    assert_eq!(revision, events.len() as u64, "a revision for each event");
    eprintln!("{early} of {KILLS} deaths came before the last answer");
}

fn publications_are_whole(instance: &Instance) {
    let random = &mut Random::seeded();
    let admin = instance.admin();
    let usual =
        usual(instance, ("entity.upsert", json!({"entity": {"type": "LORE", "name": "Warm"}})));
    let ana = admin.entity("CHARACTER", "Ana");
    let scene = admin.scene("Low tide", 1);
    let mut early = 0;
    for kill in 0..KILLS {
        let (kind, id) = match kill % 2 {
            0 => (ObjectType::Entity, &ana),
            _ => (ObjectType::StoryNode, &scene),
        };
        let moment = usual.mul_f64(random.below(1000) as f64 / 900.0);
        let edit = |round: u64| match kind {
            ObjectType::Entity => (
                "entity.upsert",
                json!({"entity": {"entityId": id, "summary": format!("{kill} {round}")}}),
            ),
            ObjectType::StoryNode => (
                "storyNode.update",
                json!({"nodeId": id, "patch": {"synopsis": format!("{kill} {round}")}}),
            ),
        };
        let (tool, arguments) = edit(0);
        admin.ok(tool, arguments);
        let publish = ("version.publish", json!({"objectType": kind.name(), "objectId": id}));
        let acknowledged = kill_while(instance, moment, |round| match round % 2 {
            0 => publish.clone(),
            _ => edit(round),
        });
        acknowledged.iter().for_each(|body| whole(instance, kind, id, body));
        early += u32::from(acknowledged.len() < 4);
        // It can still be published.
        assert_eq!(admin.publish(kind.name(), id)["version"]["status"], "PUBLISHED");
    }
    eprintln!("{early} of {KILLS} deaths came before the last answer");
}

/// Status, number and snapshot of an object agree, and what was acknowledged is there.
fn whole(instance: &Instance, kind: ObjectType, id: &str, acknowledged: &Value) {
    let (admin, scope) = (instance.admin(), instance.fixture.scope());
    let get = || match kind {
        ObjectType::Entity => (admin.get_entity(id), "entity"),
        ObjectType::StoryNode => (admin.get_node(id), "node"),
    };
    // What the dead server had asked of its database may happen while one looks; then one looks
    // again.
    let (found, object, history, last) = loop {
        let (found, object) = get();
        let number = found["version"]["number"].as_u64().expect("a number");
        let history = instance.store().history(&scope, kind, id).expect("a history");
        let last = instance.engine.version(&scope, kind, id, number).expect("a readable snapshot");
        if get().0 == found {
            break (found, object, history, last);
        }
    };
    let seen = [&acknowledged["object"], &acknowledged[object]];
    let seen = seen.into_iter().find(|one| one.is_object()).expect("an object");
    let revision = |object: &Value| object["audit"]["revision"].as_u64().expect("a revision");
    assert!(revision(&found) >= revision(seen), "{seen} was acknowledged; there is {found}");
    if revision(&found) == revision(seen) {
        assert_eq!(&found, seen);
    }
    let number = found["version"]["number"].as_u64().expect("a number");
    let numbers: Vec<u64> = history.iter().map(|edition| edition.number).collect();
    assert_eq!(numbers, (2..=number).collect::<Vec<_>>(), "a version for each number");
    assert_eq!(last["version"], json!({"status": "PUBLISHED", "number": number}));
    match found["version"]["status"].as_str() {
        Some("PUBLISHED") => assert_eq!(last, found),
        _ => assert!(revision(&last) < revision(&found), "{last} {found}"),
    }
}
