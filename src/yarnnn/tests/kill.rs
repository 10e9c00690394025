//! kill -9 of the server and of the database during a thousand writes: afterwards every
//! acknowledged write is there exactly once.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::instance::{Instance, addition, axis, on_both, text_of};
use crate::integrity::is_whole;
use crate::postgres::Server;
use toolwright_testing::random::Random;

const WRITES: usize = 1_000;
const BASKETS: usize = 8;

fn text(number: usize) -> String {
    format!("We decided that parcel {number} goes to shelf {}.", number * 7)
}

fn write(number: usize) -> Value {
    addition(&text(number), &axis(number % BASKETS))
}

/// Compares what was acknowledged with what is there.
fn check(instance: &Instance, acknowledged: &BTreeMap<usize, String>) {
    assert_eq!(acknowledged.len(), WRITES);
    for (number, dump) in acknowledged {
        assert_eq!(instance.dumps(&text(*number)), 1, "write {number}");
        let query = format!("raw_dumps WHERE id = '{dump}' AND body_md = '{}'", text(*number));
        assert_eq!(instance.count(&query), 1, "write {number}");
    }
    assert_eq!(instance.count("raw_dumps"), i64::try_from(WRITES + BASKETS).expect("few"));
    is_whole(instance);
}

#[test]
fn killing_the_server_loses_and_doubles_nothing() {
    on_both(|instance| {
        for at in 0..BASKETS {
            instance.basket(&format!("B{at}"), at);
        }
        let mut random = Random::seeded();
        let mut client = instance.session();
        let (mut acknowledged, mut kills) = (BTreeMap::new(), 0);
        for number in 0..WRITES {
            let call = json!({"name": "add_to_substrate", "arguments": write(number)});
            loop {
                if random.below(40) == 0 {
                    client.begin("tools/call", call.clone());
                    std::thread::sleep(Duration::from_micros(random.below(20_000) as u64));
                    client.kill();
                    kills += 1;
                    client = instance.session();
                    continue;
                }
                let result = client.request("tools/call", call.clone());
                let body = &result["structuredContent"];
                assert_eq!(body["status"], "success", "{result}");
                acknowledged.insert(number, text_of(&body["raw_dump_id"]));
                break;
            }
        }
        eprintln!("killed {kills} times");
        check(instance, &acknowledged);
    });
}

#[test]
fn killing_the_database_loses_and_doubles_nothing() {
    let Some(mut server) = Server::start() else { return };
    let instance = Instance::new(server.url(), tempfile::tempdir().expect("a folder"));
    for at in 0..BASKETS {
        instance.basket(&format!("B{at}"), at);
    }
    let (next, acknowledged) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let writer = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= WRITES {
                return;
            }
            loop {
                let reply = instance.owner().call("add_to_substrate", &write(number));
                if reply.body["status"] == "success" {
                    let dump = text_of(&reply.body["raw_dump_id"]);
                    acknowledged.lock().expect("no panic").insert(number, dump);
                    break;
                }
                assert_eq!(reply.body["code"], "UNAVAILABLE", "{}", reply.body);
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    };
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4).map(|_| scope.spawn(writer)).collect();
        for death in 1..=6 {
            let reached = || acknowledged.lock().expect("no panic").len() >= death * WRITES / 7;
            while !reached() && writers.iter().any(|one| !one.is_finished()) {
                std::thread::sleep(Duration::from_millis(1));
            }
            server.send(if death % 2 == 0 { "crash" } else { "kill" });
            server.send("start");
        }
    });
    check(&instance, &acknowledged.into_inner().expect("no panic"));
}
