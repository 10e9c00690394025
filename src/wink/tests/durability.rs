//! A killed writer frees its lock. What its write leaves behind is tested in `tests/faults`.

use std::time::Duration;

use serde_json::json;

use crate::project::{Project, succeed};

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
