//! Each server over standard streams.

use std::collections::BTreeMap;

use serde_json::json;
use toolwright_testing::{StdioSession, ToolReply};

use crate::fixtures::{self, ToolCall};
use crate::process_usage::ProcessUsage;
use crate::traffic::{Event, Traffic};

/// Sent before any of them is answered.
pub(crate) const OUTSTANDING: usize = 16;
/// The same before the first look, so that pools of threads and connections are as large as they
/// will ever be.
const OUTSTANDING_AT_FIRST: usize = 64;

/// What the answer to a request must be.
enum Wanted {
    Success,
    Code(&'static str),
    Anything,
}

/// A server and the answers that are outstanding.
struct Flood {
    session: StdioSession,
    outstanding: BTreeMap<u64, Wanted>,
    /// Outstanding errors without an id.
    unnumbered: usize,
}

impl Flood {
    fn send(&mut self, event: Event) {
        match event {
            Event::Valid(call) => self.call(&call, Wanted::Success),
            Event::Invalid(call, code) => self.call(&call, Wanted::Code(code)),
            // Whether there is still an answer does not matter.
            Event::Cancelled(call) => {
                let id = self.session.begin_call(call.tool, &call.arguments);
                self.session.cancel(id);
            }
            Event::Method(method) => {
                let id = self.session.begin(method, json!({}));
                self.outstanding.insert(id, Wanted::Anything);
            }
            Event::Garbage(text) => {
                self.unnumbered += 1;
                self.session.send_line(text);
            }
        }
    }

    fn call(&mut self, call: &ToolCall, wanted: Wanted) {
        let id = self.session.begin_call(call.tool, &call.arguments);
        self.outstanding.insert(id, wanted);
    }

    /// Waits until every answer has arrived.
    fn settle(&mut self) {
        while !self.outstanding.is_empty() || self.unnumbered > 0 {
            let answer = self.session.receive();
            let Some(id) = answer["id"].as_u64() else {
                assert!(answer["error"]["code"].is_i64(), "{answer}");
                self.unnumbered -= 1;
                continue;
            };
            match self.outstanding.remove(&id) {
                Some(Wanted::Success) => drop(ToolReply::of(answer).ok()),
                Some(Wanted::Code(code)) => drop(ToolReply::of(answer).fails(code)),
                Some(Wanted::Anything) | None => {}
            }
        }
    }
}

fn flood(name: &str, calls: usize) {
    let fixture = fixtures::named(name);
    let server = crate::with_few_arenas(fixture.server());
    let session = StdioSession::start(server, "soak");
    let process = session.process_id().unsigned_abs();
    let mut usage = ProcessUsage::new(name, process, calls);
    let mut traffic = Traffic::new(&fixture);
    let mut flood = Flood { session, outstanding: BTreeMap::new(), unnumbered: 0 };
    let warm_up = crate::warm_up(calls);
    for sent in 0..warm_up + calls {
        flood.send(traffic.next());
        let outstanding = if sent < warm_up { OUTSTANDING_AT_FIRST } else { OUTSTANDING };
        if sent % outstanding == 0 {
            flood.settle();
            usage.after(sent.saturating_sub(warm_up));
        }
    }
    flood.settle();
    usage.is_flat();
    flood.session.close();
}

macro_rules! soak {
    ($($name:ident $surface:literal $calls:literal;)*) => {$(
        #[test]
        fn $name() {
            flood($surface, crate::calls($calls));
        }
    )*};
}

// Most of agentpack's calls read a whole folder and run git; yarnnn's caches fill for a while.
soak! {
    agentpack_stays_as_it_is "agentpack" 1_000;
    wa_stays_as_it_is "wa" 3_000;
    wink_stays_as_it_is "wink" 6_000;
    worldforge_stays_as_it_is "worldforge" 6_000;
    yarnnn_stays_as_it_is "yarnnn" 12_000;
}
