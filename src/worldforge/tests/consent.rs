//! `version.publish` asks the user before a node with findings becomes canon, where the client can.

use serde_json::{Value, json};
use toolwright_runtime::client::PROTOCOL;
use toolwright_testing::session::STATELESS;
use toolwright_testing::{Person, StdioSession};

use crate::instance::Instance;

fn asking(instance: &Instance, arguments: &[&str], revision: &'static str) -> StdioSession {
    let arguments = [&["mcp"], arguments].concat();
    StdioSession::start_asking(instance.command(&arguments), "desk", revision)
}

#[test]
fn findings_are_asked_about_and_only_a_yes_publishes_over_them() {
    let instance = Instance::sqlite();
    let admin = instance.admin();
    let (_, acts) = crate::versions::contradiction(&admin);
    let ana = admin.entity("CHARACTER", "Ana");
    let object = |kind: &str, id: &str| {
        admin.with_scope("version.publish", &json!({"objectType": kind, "objectId": id}))
    };
    let publish = |node: &str| object("STORY_NODE", node);
    let before = instance.store_contents();

    // What is refused anyway is not asked about.
    let mut strict = asking(&instance, &[], PROTOCOL);
    let (asked, refused) = strict.call_before(Person::Agrees, "version.publish", publish(&acts));
    assert!(asked.is_empty(), "{asked:?}");
    refused.fails("VALIDATION_ERROR");
    strict.close();

    for revision in [PROTOCOL, STATELESS] {
        let mut session = asking(&instance, &["--publish-gate", "warn"], revision);
        let (asked, no) = session.call_before(Person::Declines, "version.publish", publish(&acts));
        let [question] = asked.as_slice() else { panic!("{asked:?}") };
        assert!(question.contains("CHAR_DEAD_ACTIVE") && question.contains(&acts), "{question}");
        no.fails("FORBIDDEN");
        assert_eq!(instance.store_contents(), before);
        session.close();
    }

    let mut session = asking(&instance, &["--publish-gate", "warn"], PROTOCOL);
    // Somebody repairs the story while the user thinks: the yes was to something else.
    let id = session.begin_call("version.publish", &publish(&acts));
    let question = session.receive();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    let patch = json!({"nodeId": acts, "patch": {"title": "Ashore again"}});
    admin.ok("storyNode.update", patch);
    session.send(&json!({"jsonrpc": "2.0", "id": question["id"],
        "result": {"action": "accept", "content": {"confirm": true}}}));
    session.reply(id).fails("CONFLICT");

    let (asked, yes) = session.call_before(Person::Agrees, "version.publish", publish(&acts));
    assert_eq!((asked.len(), status(&yes.ok())), (1, "PUBLISHED".to_owned()));
    // Canon already, or nothing that could contradict: nothing to ask.
    for unasked in [publish(&acts), object("ENTITY", &ana)] {
        let (asked, done) = session.call_before(Person::Declines, "version.publish", unasked);
        assert_eq!((asked, status(&done.ok())), (vec![], "PUBLISHED".to_owned()));
    }
    session.close();
}

fn status(published: &Value) -> String {
    published["object"]["version"]["status"].as_str().expect("a status").to_owned()
}
