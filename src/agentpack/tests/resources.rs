//! Snapshots as resources: what a deploy recorded, read by its id.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

#[test]
fn a_snapshot_is_read_by_its_id() {
    let sandbox = Sandbox::new();
    let mut session = sandbox.session();
    let deployed = session.deploy(json!({}));
    let id = deployed["snapshot_id"].as_str().expect("a snapshot").to_owned();
    let templates = session.stdio.request("resources/templates/list", json!({}));
    let template = &templates["resourceTemplates"][0]["uriTemplate"];
    assert_eq!(template, "agentpack://snapshots/{id}", "{templates}");

    let uri = format!("agentpack://snapshots/{id}");
    let read = session.stdio.request("resources/read", json!({ "uri": uri }));
    let text = read["contents"][0]["text"].as_str().expect("a text");
    let envelope: Value = serde_json::from_str(text).expect("JSON");
    let record = &envelope["data"];
    assert_eq!((&record["id"], &record["kind"]), (&json!(id), &json!("deploy")), "{envelope}");
    assert!(record["changes"].as_array().is_some_and(|all| !all.is_empty()), "{envelope}");

    // Ids name files: nothing else in the folder can be reached by one.
    for other in ["12345", "..%2Fx", "%2e%2e", &format!("{id}.json")] {
        let params = json!({"uri": format!("agentpack://snapshots/{other}")});
        let error = session.stdio.exchange("resources/read", params)["error"].take();
        assert_eq!(error["code"], -32002, "{other}: {error}");
        assert!(error["data"].to_string().contains("E_SNAPSHOT_NOT_FOUND"), "{error}");
    }
    for other in ["", "1/2", "%ff"] {
        let params = json!({"uri": format!("agentpack://snapshots/{other}")});
        let error = session.stdio.exchange("resources/read", params)["error"].take();
        assert_eq!(error["code"], -32002, "{other}: {error}");
    }
    session.stdio.close();
}
