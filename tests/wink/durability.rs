//! Sudden death: whatever the moment, the file is the old one or the new one.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::project::{Project, strays, succeed};

const KILLS: u32 = 100;

#[test]
fn kill_minus_nine_leaves_the_old_or_the_new_file() {
    let project = Project::with_sections(2);
    let file = project.overrides().join("load/test/latest.json");
    let write = |body: &str| json!({"ns": "load", "prompt": "test", "section_path": "s0", "body": body, "confirm": true});
    let large = "All work and no play. ".repeat(20_000);
    let mut client = project.session();
    succeed(&mut client, "wink.write_section_override", write(&large));
    let start = Instant::now();
    succeed(&mut client, "wink.write_section_override", write(&format!("{large}once more")));
    let duration = start.elapsed();
    drop(client);

    let mut random = Random::new();
    let mut replaced = 0;
    for kill in 0..KILLS {
        let before = std::fs::read(&file).expect("the override file");
        let body = format!("{large}{kill}");
        let mut client = project.session();
        let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
            "params": {"name": "wink.write_section_override", "arguments": write(&body)}});
        client.send(&call).expect("the server reads");
        // From the first moment to well after the end of a write.
        std::thread::sleep(duration.mul_f64(random.fraction() * 1.5));
        let pid = i32::try_from(client.process_id()).expect("a process id");
        rustix::process::kill_process(
            rustix::process::Pid::from_raw(pid).expect("a process id"),
            rustix::process::Signal::KILL,
        )
        .expect("the server is killed");
        drop(client);

        let after = std::fs::read(&file).expect("the override file");
        if after != before {
            let content: Value = serde_json::from_slice(&after).expect("a whole file");
            assert_eq!(content["sections"]["s0"]["body"], body, "kill {kill}, {random:?}");
            replaced += 1;
        }
    }
    eprintln!("{replaced} of {KILLS} kills came after the new file was in place; {random:?}");

    let mut client = project.session();
    succeed(&mut client, "wink.write_section_override", write("the end"));
    assert!(strays(&project.overrides()).is_empty(), "{:?}", strays(&project.overrides()));
}

/// Random numbers whose seed is told when something fails.
#[derive(Debug)]
struct Random {
    #[allow(dead_code, reason = "shown by Debug")]
    seed: u64,
    state: u64,
}

impl Random {
    fn new() -> Self {
        let since = std::time::UNIX_EPOCH.elapsed().expect("a clock after 1970");
        let seed = since.as_secs() ^ u64::from(since.subsec_nanos()).rotate_left(32) | 1;
        Self { seed, state: seed }
    }

    /// From 0 up to 1.
    fn fraction(&mut self) -> f64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[test]
fn a_lock_dies_with_its_holder() {
    let project = Project::with_sections(1);
    let write =
        json!({"ns": "load", "prompt": "test", "section_path": "s0", "body": "x", "confirm": true});
    for _ in 0..5 {
        let mut victim = project.session();
        let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
            "params": {"name": "wink.write_section_override", "arguments": write}});
        victim.send(&call).expect("the server reads");
        std::thread::sleep(Duration::from_millis(1));
        drop(victim);
        succeed(&mut project.session(), "wink.write_section_override", write.clone());
    }
}
