//! Many clients at once, in several workspaces: no error at all, and every acknowledged write is
//! there once.

use std::collections::BTreeMap;
use std::sync::Barrier;

use serde_json::{Value, json};
use toolwright_testing::{HttpServer, HttpUser};

use crate::instance::{Instance, Tenant, addition, axis, on_both, text_of};

const CLIENTS: usize = 64;
const ROUNDS: usize = 12;

/// What one client does; text → raw dump of what was acknowledged.
fn work(server: &HttpServer, tenant: &Tenant, client: usize) -> BTreeMap<String, String> {
    let mut user = server.user(&tenant.token);
    let mut written = BTreeMap::new();
    for round in 0..ROUNDS {
        let topic = (client + round) % 4;
        let text = format!("We decided that client {client} pays {round} coins for topic {topic}.");
        let added = user.ok("add_to_substrate", addition(&text, &axis(topic)));
        assert_eq!(added["basket_name"], format!("Topic {topic}"), "{added}");
        written.insert(text, text_of(&added["raw_dump_id"]));
        let recalled = user.ok("get_substrate", json!({"keywords": ["coins"], "limit": 5}));
        assert!(recalled["total_count"].as_u64() > Some(0), "{recalled}");
        let idea = json!({"new_idea": format!("Topic {topic} never costs coins."),
            "session_fingerprint": {"embedding": axis(topic)}});
        let compared = user.ok("validate_against_substrate", idea);
        assert!(compared["alignment_score"].is_number(), "{compared}");
        let settings = user.ok("config_settings", json!({}));
        assert_eq!(settings["changed"], false, "{settings}");
    }
    written
}

#[test]
fn sixty_four_clients_are_all_served_and_nothing_is_lost_or_doubled() {
    on_both(|instance| {
        let homes =
            ["Second", "Third"].map(|name| instance.create_workspace(name, &name.to_lowercase()));
        let homes: Vec<Tenant> = [instance.tenant.clone()].into_iter().chain(homes).collect();
        let server = instance.serve(&[]);
        for tenant in &homes {
            let mut user = server.user(&tenant.token);
            user.ok("config_settings", json!({"auto_approve": true}));
            (0..4).for_each(|topic| begin(&mut user, topic));
        }
        let start = Barrier::new(CLIENTS);
        let written: BTreeMap<String, String> = std::thread::scope(|scope| {
            let running: Vec<_> = (0..CLIENTS)
                .map(|client| {
                    let (server, tenant, start) = (&server, &homes[client % homes.len()], &start);
                    scope.spawn(move || {
                        start.wait();
                        work(server, tenant, client)
                    })
                })
                .collect();
            running.into_iter().flat_map(|client| client.join().expect("no error")).collect()
        });
        assert_eq!(written.len(), CLIENTS * ROUNDS);
        let rows = instance.rows("SELECT id, body_md, workspace_id FROM raw_dumps WHERE body_md LIKE 'We decided that client%'");
        let stored: BTreeMap<String, String> = rows
            .iter()
            .map(|row| (row.get("body_md").expect("text"), row.get("id").expect("text")))
            .collect();
        assert_eq!(rows.len(), written.len(), "each is there once");
        assert_eq!(stored, written, "as it was acknowledged");
        counters_agree(instance);
    });
}

fn begin(user: &mut HttpUser, topic: usize) {
    let create: Value = json!({"conversation_history": format!("User: Topic {topic} has coins to spend."),
        "basket_name_suggestion": format!("Topic {topic}"),
        "session_fingerprint": {"embedding": axis(topic)}});
    user.ok("create_memory_from_chat", create);
}

/// What a basket counts is what it has.
fn counters_agree(instance: &Instance) {
    for (counter, rows) in [
        ("dumps", "raw_dumps r WHERE r.basket_id = b.id"),
        (
            "blocks",
            "blocks r WHERE r.basket_id = b.id AND r.state IN ('ACCEPTED', 'LOCKED', 'CONSTANT')",
        ),
    ] {
        let wrong = instance
            .count(&format!("baskets b WHERE b.{counter} <> (SELECT count(*) FROM {rows})"));
        assert_eq!(wrong, 0, "{counter}");
    }
}
