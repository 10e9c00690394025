//! The review page in a real browser, by the cases of `tests/page/cases/review.mjs`.

use std::process::Command;

use serde_json::json;
use toolwright_testing::provided::provided;

use crate::instance::{Instance, axis};

/// What a hostile transcript says: none of it may run.
const HOSTILE: &str = "We decided that <script>window.hurt=1</script> runs on Mondays. \
    Goals: <img src=x onerror=\"window.hurt=1\"> must be shown within 3 days.";

fn talk(topic: &str) -> String {
    format!(
        "We decided to keep all records of {topic} for ten years. \
         Refunds of {topic} must be paid within five days. \
         The goal is to answer every customer of {topic} within one hour."
    )
}

#[test]
fn the_review_page_works_in_a_browser() {
    let Some(playwright) = provided("TOOLWRIGHT_TEST_PLAYWRIGHT") else { return };
    let instance = Instance::on_sqlite();
    for (place, topic) in ["Keyboard", "Mouse", "Phone", "Plain"].iter().enumerate() {
        let basket = instance.basket(topic, place);
        instance.owner().through("Cursor").ok(
            "add_to_substrate",
            json!({"content": talk(topic), "basket_id": basket,
                   "session_fingerprint": {"embedding": axis(place)}}),
        );
    }
    let hostile = instance.basket("<img src=x onerror=window.hurt=1>", 5);
    instance.owner().ok(
        "add_to_substrate",
        json!({"content": HOSTILE, "basket_id": hostile,
               "session_fingerprint": {"embedding": axis(5)}}),
    );
    instance.owner().add(&format!("Unassigned: {HOSTILE}"), &axis(6));
    instance.owner().add("The garden needs water twice a week.", &axis(7));
    let server = instance.serve(&[]);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/page/browser.mjs");
    let output = Command::new("node")
        .arg(script)
        .env("PLAYWRIGHT", playwright)
        .env("REVIEW", format!("http://{}/review", server.address))
        .env("REVIEW_TOKEN", &instance.tenant.token)
        .output()
        .expect("node runs");
    let report = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{report}\n{errors}");
    // What the cases did is in the history.
    for action in ["approved", "edited", "rejected"] {
        let done = format!("proposal_reviews WHERE action = '{action}' AND source_host = 'web'");
        assert!(instance.count(&done) > 0, "{action}");
    }
    eprintln!("{report}");
}
