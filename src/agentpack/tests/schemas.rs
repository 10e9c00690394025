//! `tools/list` shows the input schemas of the contract word for word: `seed/<tool>.json` is the
//! contract's own text.

use serde_json::Value;

use crate::sandbox::Sandbox;

const SEED: [(&str, &str); 11] = [
    ("deploy", include_str!("seed/deploy.json")),
    ("deploy_apply", include_str!("seed/deploy_apply.json")),
    ("diff", include_str!("seed/diff.json")),
    ("doctor", include_str!("seed/doctor.json")),
    ("evolve_propose", include_str!("seed/evolve_propose.json")),
    ("evolve_restore", include_str!("seed/evolve_restore.json")),
    ("explain", include_str!("seed/explain.json")),
    ("plan", include_str!("seed/plan.json")),
    ("preview", include_str!("seed/preview.json")),
    ("rollback", include_str!("seed/rollback.json")),
    ("status", include_str!("seed/status.json")),
];

#[test]
fn every_input_schema_is_the_contracts_own() {
    let tools = Sandbox::bare().session().stdio.tools();
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, SEED.map(|(name, _)| name));
    for (tool, (name, text)) in tools.iter().zip(SEED) {
        let expected: Value = serde_json::from_str(text).expect("the contract is JSON");
        assert_eq!(tool["inputSchema"], expected, "{name}");
    }
}

#[test]
fn every_tool_has_a_title_hints_and_a_schema_of_its_envelope() {
    for tool in Sandbox::bare().session().stdio.tools() {
        let name = tool["name"].as_str().expect("a name");
        assert!(tool["title"].as_str().is_some_and(|title| !title.is_empty()), "{name}");
        let writes = ["deploy_apply", "evolve_propose", "evolve_restore", "rollback"];
        assert_eq!(tool["annotations"]["readOnlyHint"], !writes.contains(&name), "{name}");
        assert_eq!(tool["annotations"]["openWorldHint"], false, "{name}");
        for (shape, ok) in
            tool["outputSchema"]["anyOf"].as_array().unwrap().iter().zip([true, false])
        {
            let members = &shape["properties"];
            assert_eq!(members["ok"]["const"], ok, "{name}");
            for member in ["schema_version", "command", "version", "data", "warnings", "errors"] {
                assert!(members.get(member).is_some(), "{name} has no {member}: {members}");
            }
        }
    }
}
