//! Servers that are killed in the middle of writes: clients go to the other replica with the same
//! request, and every acknowledged write is there exactly once.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use ureq::Agent;

use super::server::{LIMIT, Server};
use crate::stage::{Stage, addition, axis, on_both, text_of};

const WRITES: usize = 1000;
const WRITERS: usize = 8;
/// After so many acknowledged writes one of the two dies.
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
        assert!(started.elapsed() < LIMIT, "no replica takes {text}");
        std::thread::sleep(Duration::from_millis(5));
    }
    unreachable!("the numbers do not end")
}

#[test]
fn killed_servers_lose_and_double_no_acknowledged_write() {
    on_both(|stage| {
        stage.basket("Parcels", 0);
        let start = || stage.serve(&[]);
        let mut servers: [Option<Server>; 2] = [Some(start()), Some(start())];
        let urls = servers.each_ref().map(|server| server.as_ref().expect("it runs").url("/mcp"));
        let urls = Mutex::new(urls);
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let writer = || {
            let agent: Agent = Agent::config_builder()
                .http_status_as_error(false)
                .timeout_global(Some(LIMIT))
                .build()
                .into();
            let mut written = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= WRITES {
                    return written;
                }
                written.push(write(&agent, &urls, &stage.home.token, number));
                done.fetch_add(1, Ordering::Relaxed);
            }
        };
        let written: BTreeMap<String, String> = std::thread::scope(|scope| {
            let writers: Vec<_> = (0..WRITERS).map(|_| scope.spawn(writer)).collect();
            for (death, at) in DEATHS.into_iter().enumerate() {
                let dying = death % 2;
                while done.load(Ordering::Relaxed) < at
                    && !writers.iter().all(std::thread::ScopedJoinHandle::is_finished)
                {
                    std::thread::sleep(Duration::from_millis(1));
                }
                servers[dying].take().expect("it runs").kill();
                let risen = start();
                urls.lock().expect("no panic")[dying] = risen.url("/mcp");
                servers[dying] = Some(risen);
            }
            writers.into_iter().flat_map(|writer| writer.join().expect("it writes")).collect()
        });
        assert_eq!(written.len(), WRITES);
        check(stage, &written);
    });
}

fn check(stage: &Stage, written: &BTreeMap<String, String>) {
    let rows = stage
        .rows("SELECT id, body_md FROM raw_dumps WHERE body_md LIKE 'We decided that parcel%'");
    assert_eq!(rows.len(), WRITES, "each is there once");
    let stored: BTreeMap<String, String> = rows
        .iter()
        .map(|row| (row.get("body_md").expect("text"), row.get("id").expect("text")))
        .collect();
    assert_eq!(&stored, written, "as it was acknowledged");
    // The whole write is there: its proposal, its place in the index, and the basket's count.
    let proposals = "proposals WHERE raw_dump_id IN (SELECT id FROM raw_dumps WHERE body_md LIKE 'We decided that parcel%')";
    assert_eq!(stage.count(proposals), i64::try_from(WRITES).expect("small"));
    let dumps: i64 = stage.value("SELECT dumps AS x FROM baskets WHERE name = 'Parcels'");
    assert_eq!(dumps, stage.count("raw_dumps"));
}
