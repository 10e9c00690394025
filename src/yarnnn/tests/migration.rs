//! A database of an earlier release: what was rejected there is no longer recalled either.

use serde_json::json;
use yarnnn::records::MIGRATIONS;
use yarnnn::sql::{self, Database, Options};

use crate::instance::{Instance, list};
use crate::postgres::postgres;

/// A workspace with a rejected dump and one that waits, as releases before the review by operation
/// stored them.
const BEFORE: &str = "
    INSERT INTO workspaces (id, name, owner_id, created_at) VALUES ('w', 'Old', 'otto', 1);
    INSERT INTO workspace_memberships (user_id, workspace_id, role, created_at)
      VALUES ('otto', 'w', 'owner', 1);
    INSERT INTO baskets (id, workspace_id, name, status, mode, user_id, created_at, revision, blocks,
        items, dumps, proposed, source_host)
      VALUES ('b', 'w', 'Billing', 'ACTIVE', 'default', 'otto', 1, 1, 0, 0, 2, 1, 'claude');
    INSERT INTO raw_dumps (id, basket_id, workspace_id, body_md, content_hash, dump_request_id,
        source_meta, fingerprint, user_id, source_host, created_at) VALUES
      ('wrong', 'b', 'w', 'Refunds take years.', 'h1', 'r1', '{}', '{}', 'otto', 'claude', 1),
      ('right', 'b', 'w', 'Refunds take days.', 'h2', 'r2', '{}', '{}', 'otto', 'claude', 1);
    INSERT INTO proposals (id, basket_id, workspace_id, proposal_kind, origin, raw_dump_id, ops,
        validator_report, extractor, status, mode, reasons, confidence, blast_radius, user_id,
        created_at, reviewed_by, reviewed_at, source_host) VALUES
      ('p1', 'b', 'w', 'Extraction', 'agent', 'wrong', '[]', 'REPORT', 'rules', 'REJECTED', 'manual', '[]',
        0.7, 'Local', 'otto', 1, 'otto', 2, 'claude'),
      ('p2', 'b', 'w', 'Extraction', 'agent', 'right', '[]', 'REPORT', 'rules', 'PROPOSED', 'manual', '[]',
        0.7, 'Local', 'otto', 1, NULL, NULL, 'claude');";

const REPORT: &str = r#"{"confidence": 0.7, "dupes": [], "ontology_hits": [],
    "suggested_merges": [], "warnings": [], "impact_summary": ""}"#;

fn check(url: &str) {
    let at = MIGRATIONS.iter().position(|one| one.sqlite.contains("proposal_reviews"));
    let earlier = &MIGRATIONS[..at.expect("the migration")];
    let database = Database::open(url, Options::default()).expect("a database");
    database.migrate(earlier).expect("migrated");
    let (index, words) = match url.starts_with("sqlite:") {
        true => (
            "",
            "INSERT INTO substrate_words (rowid, words) SELECT number, '1xrefund' FROM substrate;",
        ),
        false => (", words", ""),
    };
    let value = if index.is_empty() { "" } else { ", array_to_tsvector(ARRAY['1xrefund'])" };
    let entries = format!(
        "INSERT INTO substrate (workspace_id, basket_id, kind, ref_id, at{index}) VALUES
           ('w', 'b', 'raw_dump', 'wrong', 1{value}), ('w', 'b', 'raw_dump', 'right', 1{value}); {words}"
    );
    database
        .write::<_, sql::Error>(|tx| {
            tx.batch(&format!("{}{entries}", BEFORE.replace("REPORT", REPORT)))
        })
        .expect("filled");
    drop(database);

    let instance = Instance::new(url, tempfile::tempdir().expect("a folder"));
    let workspace = instance.engine.workspace(Some("Old")).expect("the workspace");
    let token = instance.engine.mint_token(&workspace, "otto", "test").expect("a token").token;
    let found = instance.user(Some(&token)).ok("get_substrate", json!({"keywords": ["refund"]}));
    let texts: Vec<&str> =
        list(&found["substrate"]).iter().filter_map(|one| one["content"].as_str()).collect();
    assert_eq!(texts, ["Refunds take days."], "{found}");
    let all = instance.user(Some(&token)).ok("get_substrate", json!({}));
    assert_eq!(all["total_count"], 1, "{all}");
    let otto = instance.engine.operator(workspace, "otto").expect("a member");
    let trace = instance.engine.trace(&otto, "wrong").expect("a trace");
    assert_eq!(
        (trace.sources[0].state, trace.sources[0].text.as_deref()),
        ("rejected", Some("Refunds take years."))
    );
}

#[test]
fn what_an_earlier_release_rejected_is_no_longer_recalled() {
    let folder = tempfile::tempdir().expect("a folder");
    check(&format!("sqlite:{}", folder.path().join("yarnnn.db").display()));
    if let Some(url) = postgres() {
        check(&url);
    }
}
