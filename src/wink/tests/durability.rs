//! A killed writer frees its lock. What its write leaves behind is tested in `tests/faults`.

use std::time::Duration;

use serde_json::json;

use crate::project::with_sections;

#[test]
fn a_lock_dies_with_its_holder() {
    let project = with_sections(1);
    let write =
        json!({"ns": "load", "prompt": "test", "section_path": "s0", "body": "x", "confirm": true});
    for _ in 0..5 {
        let mut victim = project.session();
        victim.begin_call("wink.write_section_override", &write);
        std::thread::sleep(Duration::from_millis(1));
        victim.kill();
        project.session().ok("wink.write_section_override", write.clone());
    }
}
