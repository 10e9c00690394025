//! Each server over standard streams.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolwright_runtime::client::Client;

use crate::gauge::Gauge;
use crate::homes;
use crate::mix::{Event, Mix};

/// Sent before any of them is answered.
pub(crate) const OUTSTANDING: usize = 16;
/// The same before the first look, so that pools of threads and connections are as large as they
/// will ever be.
const OUTSTANDING_AT_FIRST: usize = 64;

/// What an answer must have.
enum Wanted {
    Success,
    Code(&'static str),
    Anything,
}

/// A server and what it still owes.
struct Flood {
    client: Client,
    next: u64,
    owed: BTreeMap<u64, Wanted>,
    /// Answers without an id.
    complaints: usize,
}

impl Flood {
    fn send(&mut self, event: Event) {
        match event {
            Event::Good(ask) => self.call(&ask, Wanted::Success),
            Event::Bad(ask, code) => self.call(&ask, Wanted::Code(code)),
            Event::Cancelled(ask) => {
                self.call(&ask, Wanted::Anything);
                // It may have been too late; whether there is an answer is nobody's business now.
                let id = self.next;
                self.owed.remove(&id);
                self.line(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
                    "params": {"requestId": id}}));
            }
            Event::Method(method) => self.request(method, json!({}), Wanted::Anything),
            Event::Garbage(text) => {
                self.complaints += 1;
                self.client.send_line(text).expect("the server reads");
            }
        }
    }

    fn call(&mut self, ask: &homes::Ask, wanted: Wanted) {
        let params = json!({"name": ask.tool, "arguments": ask.arguments});
        self.request("tools/call", params, wanted);
    }

    fn request(&mut self, method: &str, params: Value, wanted: Wanted) {
        self.next += 1;
        self.owed.insert(self.next, wanted);
        let id = self.next;
        self.line(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }

    fn line(&mut self, message: &Value) {
        self.client.send(message).expect("the server reads");
    }

    /// Waits until nothing is owed.
    fn settle(&mut self) {
        while !self.owed.is_empty() || self.complaints > 0 {
            let answer = self.client.receive().expect("an answer");
            let Some(id) = answer["id"].as_u64() else {
                assert!(answer["error"]["code"].is_i64(), "{answer}");
                self.complaints -= 1;
                continue;
            };
            match self.owed.remove(&id) {
                Some(Wanted::Success) => {
                    assert_eq!(answer["result"]["isError"], false, "{answer}");
                }
                Some(Wanted::Code(code)) => {
                    assert!(answer.to_string().contains(code), "no {code} in {answer}");
                }
                Some(Wanted::Anything) | None => {}
            }
        }
    }
}

fn flood(name: &str, calls: usize) {
    let home = homes::named(name);
    let server = crate::with_few_arenas(home.server());
    let client = Client::spawn(server, "soak").expect("the server starts");
    let mut gauge = Gauge::new(name, client.process_id(), calls);
    let mut mix = Mix::new(&home);
    let mut flood = Flood { client, next: 1000, owed: BTreeMap::new(), complaints: 0 };
    let warm_up = crate::warm_up(calls);
    for sent in 0..warm_up + calls {
        flood.send(mix.next());
        let outstanding = if sent < warm_up { OUTSTANDING_AT_FIRST } else { OUTSTANDING };
        if sent % outstanding == 0 {
            flood.settle();
            gauge.after(sent.saturating_sub(warm_up));
        }
    }
    flood.settle();
    gauge.is_flat();
    assert!(flood.client.close().expect("it ends").success());
}

macro_rules! soak {
    ($($name:ident $surface:literal $calls:literal;)*) => {$(
        #[test]
        fn $name() {
            flood($surface, crate::calls($calls));
        }
    )*};
}

// Most of agentpack's calls look at a whole folder and run git.
soak! {
    agentpack_stays_as_it_is "agentpack" 1_000;
    wa_stays_as_it_is "wa" 3_000;
    wink_stays_as_it_is "wink" 6_000;
    worldforge_stays_as_it_is "worldforge" 6_000;
    yarnnn_stays_as_it_is "yarnnn" 6_000;
}
