//! Every code that any module can return is explained by `wa.why`.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::json;
use wa::{backend, policy, why};

use crate::session::{Session, text};
use crate::terminal::Backend;
use crate::workspace::Workspace;

fn session() -> (Workspace, Session) {
    let workspace = Workspace::new(Backend::Embedded);
    let session = workspace.session();
    (workspace, session)
}

/// The codes of the contract itself.
fn contract() -> BTreeSet<String> {
    let errors = wa::generated::SURFACE.errors;
    let codes = errors.iter().flat_map(|error| {
        let aliases = error.aliases.iter().map(|alias| (*alias).to_owned());
        aliases.chain([error.code.to_owned()]).collect::<Vec<_>>()
    });
    codes.collect()
}

/// Codes that stand in the engine's sources, tests aside: the argument of `.reason("…")`, and every
/// text that looks like a code of a family that has been found so.
fn in_sources() -> BTreeSet<String> {
    fn collect(folder: &Path, texts: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).expect("the sources").flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if path.is_dir() && name != "tests" {
                collect(&path, texts);
            } else if name.ends_with(".rs") && name != "tests.rs" && name != "testing.rs" {
                let text = std::fs::read_to_string(&path).expect("a source");
                let product = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
                texts.push(product.to_owned());
            }
        }
    }
    let mut texts = Vec::new();
    collect(Path::new(env!("CARGO_MANIFEST_DIR")), &mut texts);
    let quoted = regex::Regex::new(r#""((?:policy|command|dcg|config|backend|workflow|accounts|watch|robot|embedded|history|storage|drive|rules|risk|deny)\.[a-z_]+(?:\.[a-z_]+)*|E_[A-Z_]+)""#).unwrap();
    let not_codes = ["policy.yaml", "config.rule", "watch.lock"];
    let found =
        texts.iter().flat_map(|text| quoted.captures_iter(text).map(|found| found[1].to_owned()));
    found.filter(|code| !not_codes.contains(&&**code)).collect()
}

#[test]
fn every_code_is_explained() {
    let (_stage, mut session) = session();
    let sources = in_sources();
    assert!(sources.len() > 40, "the sources were not read: {sources:?}");
    let mut codes: BTreeSet<String> = contract();
    assert_eq!(codes.iter().filter(|code| code.starts_with("WA-MCP-")).count(), 12);
    assert_eq!(codes.iter().filter(|code| code.starts_with("robot.")).count(), 12);
    codes.extend(policy::REASONS.iter().map(|code| (*code).to_owned()));
    codes.extend(backend::REASONS.iter().map(|code| (*code).to_owned()));
    codes.extend(sources);
    for word in [
        "deny.alt_screen",
        "deny.command_running",
        "deny.recent_gap",
        "deny.rate_limited",
        "deny.unknown_pane",
        "deny.permission",
        "workflow.usage_limit",
        "workflow.compaction",
        "workflow.error_detected",
        "workflow.approval_needed",
        "event.pattern_detected",
        "event.gap_detected",
        "risk.elevated",
        "risk.high",
    ] {
        codes.insert(word.to_owned());
    }
    let mut missing = Vec::new();
    for code in &codes {
        let asked = if code == "config.rule.*" { "config.rule.any-of-them" } else { code };
        let envelope = session.call("wa.why", json!({"code": asked}));
        if envelope["ok"] == false {
            missing.push(asked.to_owned());
            continue;
        }
        let data = &envelope["data"];
        assert!(text(&data["title"]).len() > 5, "{data}");
        assert!(text(&data["explanation"]).len() > 10, "{data}");
        assert!(data["suggestions"].as_array().is_some_and(|all| !all.is_empty()), "{data}");
        let category = match asked {
            code if code.starts_with("WA-MCP-") => "WA-MCP",
            code if code.starts_with("E_") => "E",
            code => code.split('.').next().unwrap(),
        };
        assert_eq!(data["category"], category, "{data}");
    }
    assert_eq!(missing, [""; 0], "codes that nothing explains");
}

#[test]
fn explanations_lead_on_and_spelling_is_forgiven() {
    let (_stage, mut session) = session();
    for code in why::codes() {
        let data = session.data("wa.why", json!({"code": code}));
        for other in data["see_also"].as_array().into_iter().flatten() {
            session.data("wa.why", json!({"code": other}));
        }
    }
    let shouted = session.data("wa.why", json!({"code": "POLICY.ALT_SCREEN"}));
    assert_eq!(shouted["code"], "policy.alt_screen");
    let quiet = session.data("wa.why", json!({"code": " e_approval_expired "}));
    assert_eq!(quiet["code"], "E_APPROVAL_EXPIRED");
    session.refused("wa.why", json!({"code": "deny.nothing"}), "WA-MCP-0001");
}
