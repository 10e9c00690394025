//! Servers and databases killed during writes: clients retry at the other replica
//! with the same request, and every acknowledged write is there exactly once.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolwright_testing::{HttpServer, PATIENCE};
use ureq::Agent;

use crate::instance::{Instance, addition, axis, on_both, text_of};
use crate::postgres::Server as Postgres;

const WRITES: usize = 1000;
const WRITERS: usize = 16;
/// After so many acknowledged writes something dies.
const DEATHS: [usize; 3] = [150, 450, 750];

/// One try at one replica; None where the answer is lost or is to come later.
fn attempt(agent: &Agent, url: &str, token: &str, text: &str) -> Option<Value> {
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params":
        {"name": "add_to_substrate", "arguments": addition(text, &axis(0))}});
    let sent = agent
        .post(url)
        .header("Authorization", format!("Bearer {token}"))
        .header("Accept", "application/json, text/event-stream")
        .header("Content-Type", "application/json")
        .send(message.to_string());
    let mut response = sent.ok()?;
    let status = response.status().as_u16();
    let answer: Value = serde_json::from_str(&response.body_mut().read_to_string().ok()?).ok()?;
    match status {
        200 if answer["result"]["isError"] == false => {
            Some(answer["result"]["structuredContent"].clone())
        }
        503 => None,
        200 if answer["error"]["data"]["retryable"] == true => None,
        _ => panic!("{status}: {answer}"),
    }
}

/// Tries the replicas in turn until one acknowledges.
fn write(agent: &Agent, urls: &Mutex<[String; 2]>, token: &str, number: usize) -> (String, String) {
    let text = format!("We decided that parcel {number} goes to shelf {}.", number % 17);
    let started = Instant::now();
    for replica in number.. {
        let url = urls.lock().expect("no panic")[replica % 2].clone();
        if let Some(stored) = attempt(agent, &url, token, &text) {
            assert_eq!(stored["status"], "success", "{stored}");
            return (text, text_of(&stored["raw_dump_id"]));
        }
        assert!(started.elapsed() < PATIENCE, "no replica takes {text}");
        std::thread::sleep(Duration::from_millis(5));
    }
    unreachable!("the numbers do not end")
}

/// Two replicas, and the addresses that clients know them by.
struct Replicas<'a> {
    instance: &'a Instance,
    servers: [Option<HttpServer>; 2],
    urls: Mutex<[String; 2]>,
}

impl<'a> Replicas<'a> {
    fn start(instance: &'a Instance) -> Self {
        let servers = [instance.serve(&[]), instance.serve(&[])];
        let urls = Mutex::new(servers.each_ref().map(|server| server.url()));
        Self { instance, servers: servers.map(Some), urls }
    }
}

/// Writes it all; `kill` is called with 0, 1, … while writes are under way.
fn write_through(
    instance: &Instance,
    urls: &Mutex<[String; 2]>,
    mut kill: impl FnMut(usize),
) -> BTreeMap<String, String> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let writer = || {
        let agent: Agent = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(PATIENCE))
            .build()
            .into();
        let mut written = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= WRITES {
                return written;
            }
            written.push(write(&agent, urls, &instance.tenant.token, number));
            done.fetch_add(1, Ordering::Relaxed);
        }
    };
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS).map(|_| scope.spawn(writer)).collect();
        for (death, at) in DEATHS.into_iter().enumerate() {
            let all_ended = || writers.iter().all(std::thread::ScopedJoinHandle::is_finished);
            while done.load(Ordering::Relaxed) < at && !all_ended() {
                std::thread::sleep(Duration::from_millis(1));
            }
            kill(death);
        }
        writers.into_iter().flat_map(|writer| writer.join().expect("it writes")).collect()
    })
}

#[test]
fn killed_servers_lose_and_double_no_acknowledged_write() {
    on_both(|instance| {
        instance.basket("Parcels", 0);
        let Replicas { instance, mut servers, urls } = Replicas::start(instance);
        let written = write_through(instance, &urls, |death| {
            let dying = death % 2;
            servers[dying].take().expect("it runs").kill();
            let risen = instance.serve(&[]);
            urls.lock().expect("no panic")[dying] = risen.url();
            servers[dying] = Some(risen);
        });
        check(instance, &written);
    });
}

#[test]
fn a_killed_database_loses_and_doubles_no_acknowledged_write() {
    let Some(mut postgres) = Postgres::start() else { return };
    let instance = Instance::new(postgres.url(), tempfile::tempdir().expect("a folder"));
    instance.basket("Parcels", 0);
    let replicas = Replicas::start(&instance);
    let written = write_through(&instance, &replicas.urls, |_| {
        postgres.send("crash");
        postgres.send("start");
    });
    check(&instance, &written);
}

fn check(instance: &Instance, written: &BTreeMap<String, String>) {
    assert_eq!(written.len(), WRITES);
    let rows = instance
        .rows("SELECT id, body_md FROM raw_dumps WHERE body_md LIKE 'We decided that parcel%'");
    assert_eq!(rows.len(), WRITES, "each is there once");
    let stored: BTreeMap<String, String> = rows
        .iter()
        .map(|row| (row.get("body_md").expect("text"), row.get("id").expect("text")))
        .collect();
    assert_eq!(&stored, written, "as it was acknowledged");
    // The whole write is there: its proposal, its place in the index, and the basket's count.
    let proposals = "proposals WHERE raw_dump_id IN (SELECT id FROM raw_dumps WHERE body_md LIKE 'We decided that parcel%')";
    assert_eq!(instance.count(proposals), i64::try_from(WRITES).expect("small"));
    let dumps: i64 = instance.value("SELECT dumps AS x FROM baskets WHERE name = 'Parcels'");
    assert_eq!(dumps, instance.count("raw_dumps"));
}
