//! Two servers on one override file: what was acknowledged is there.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::project::{OVERRIDES, strays, with_sections};

const WRITES: usize = 500;

#[test]
fn two_processes_lose_no_acknowledged_write() {
    let project = with_sections(2 * WRITES);
    std::thread::scope(|scope| {
        for process in 0..2 {
            let project = &project;
            scope.spawn(move || {
                let mut client = project.session();
                for write in 0..WRITES {
                    let number = process * WRITES + write;
                    let change = client.ok(
                        "wink.write_section_override",
                        json!({"ns": "load", "prompt": "test", "section_path": format!("s{number}"),
                               "body": format!("by {process}: {number}"), "confirm": true}),
                    );
                    assert_eq!(change["changed"], true);
                }
            });
        }
    });
    let file = project.path(OVERRIDES).join("load/test/latest.json");
    let text = std::fs::read_to_string(&file).expect("the override file");
    let content: Value = serde_json::from_str(&text).expect("JSON");
    for number in 0..2 * WRITES {
        let body = &content["sections"][format!("s{number}")]["body"];
        assert_eq!(*body, format!("by {}: {number}", number / WRITES), "section s{number}");
    }
    assert_eq!(strays(&project.path(OVERRIDES)), Vec::<PathBuf>::new());
}

#[test]
fn a_write_and_a_delete_of_the_whole_file_do_not_lose_each_other() {
    // One process deletes its entry (and with it, at times, the file and its folders) while the
    // other writes another entry: an acknowledged write must be there when both are done.
    let project = with_sections(2);
    for round in 0..60 {
        std::thread::scope(|scope| {
            let mut clients = [project.session(), project.session()];
            let first = json!({"ns": "load", "prompt": "test", "section_path": "s0"});
            let mut written = first.clone();
            written["body"] = json!("short life");
            written["confirm"] = json!(true);
            clients[0].ok("wink.write_section_override", written);
            let [mut deleter, mut writer] = clients;
            scope.spawn(move || deleter.ok("wink.delete_section_override", first));
            scope.spawn(move || {
                writer.ok(
                    "wink.write_section_override",
                    json!({"ns": "load", "prompt": "test", "section_path": "s1",
                           "body": format!("round {round}"), "confirm": true}),
                )
            });
        });
        let file = project.path(OVERRIDES).join("load/test/latest.json");
        let text = std::fs::read_to_string(&file).expect("the acknowledged write is there");
        let content: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(content["sections"]["s1"]["body"], format!("round {round}"));
        assert!(content["sections"].get("s0").is_none());
        let mut client = project.session();
        let rest = json!({"ns": "load", "prompt": "test", "section_path": "s1"});
        client.ok("wink.delete_section_override", rest);
    }
}
