//! The commands for people: everything that deep management needs and no tool can do.

use serde_json::{Value, json};

use crate::harness::{Stage, axis, list, on_both, text_of, vector};

/// What a command that must go well prints.
#[track_caller]
fn run(stage: &Stage, arguments: &[&str]) -> String {
    let ran = stage.ran(arguments);
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{arguments:?}: {said}");
    String::from_utf8(ran.stdout).expect("text").trim_end().to_owned()
}

#[track_caller]
fn rows(stage: &Stage, arguments: &[&str]) -> Vec<Value> {
    let mut arguments = arguments.to_vec();
    arguments.push("--json");
    let printed = run(stage, &arguments);
    let read: Value = serde_json::from_str(&printed).unwrap_or_else(|_| panic!("{printed}"));
    list(&read).to_vec()
}

/// What a command that must fail says.
#[track_caller]
fn fails(stage: &Stage, arguments: &[&str]) -> String {
    let ran = stage.ran(arguments);
    assert!(!ran.status.success(), "{arguments:?}: {ran:?}");
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(said.contains("error") && !said.contains("panicked"), "{said}");
    said
}

#[test]
fn workspaces_members_and_tokens_are_made_and_revoked() {
    on_both(|stage| {
        let token = run(stage, &["workspace", "create", "Nebenan", "--owner", "otto"]);
        assert!(token.starts_with("yit_"), "{token}");
        let read = stage.guest(Some(&token)).ok("config_settings", json!({}));
        assert_eq!(read["workspace"], "Nebenan");
        assert_eq!(rows(stage, &["workspace", "list"]).len(), 2);
        fails(stage, &["workspace", "create", "Nebenan", "--owner", "ottilie"]);
        fails(stage, &["workspace", "create", "Drittens", "--owner", "otto"]);
        // With two workspaces one has to be named.
        fails(stage, &["basket", "list"]);
        fails(stage, &["basket", "list", "-w", "Nirgends"]);
        run(stage, &["workspace", "add-member", "anna", "--role", "admin", "-w", "Nebenan"]);
        let members = rows(stage, &["workspace", "members", "-w", "Nebenan"]);
        assert_eq!(
            members,
            [json!({"user": "anna", "role": "admin"}), json!({"user": "otto", "role": "owner"})]
        );
        fails(stage, &["token", "create", "stranger", "-w", "Nebenan"]);
        let token =
            run(stage, &["token", "create", "anna", "--description", "laptop", "-w", "Nebenan"]);
        stage.guest(Some(&token)).ok("config_settings", json!({"auto_approve": true}));
        let tokens = rows(stage, &["token", "list", "-w", "Nebenan"]);
        assert!(!tokens.iter().any(|row| row.to_string().contains(&token)));
        let of_anna = tokens.iter().find(|row| row["user"] == "anna").expect("a token");
        let id = text_of(&of_anna["id"]);
        fails(stage, &["token", "revoke", &id, "-w", "Main"]);
        run(stage, &["token", "revoke", &id, "-w", "Nebenan"]);
        let told = stage.guest(Some(&token)).call("config_settings", &json!({}));
        assert_eq!(told.body["details"]["reason"], "AUTH_REVOKED");
    });
}

#[test]
fn proposals_are_listed_shown_approved_and_rejected() {
    on_both(|stage| {
        stage.basket("Billing", 0);
        stage.owner().lands("We decided to keep all invoices of Acme for ten years.", &axis(0));
        let waiting = rows(stage, &["proposal", "list"]);
        assert_eq!(waiting.len(), 2, "{waiting:?}");
        let mut ids: Vec<String> = waiting.iter().map(|row| text_of(&row["id"])).collect();
        ids.sort_by_key(|id| run(stage, &["proposal", "show", id]).contains("invoices of Acme"));
        run(stage, &["proposal", "approve", &ids[1], "--notes", "fine", "--as", "rita"]);
        run(stage, &["proposal", "reject", &ids[0]]);
        for id in &ids {
            fails(stage, &["proposal", "approve", id]);
        }
        fails(stage, &["proposal", "show", "nothing"]);
        assert_eq!(stage.count("proposals WHERE status = 'APPROVED' AND reviewed_by = 'rita'"), 1);
        assert_eq!(stage.count("proposals WHERE status = 'REJECTED' AND reviewed_by = 'petra'"), 1);
        assert_eq!(rows(stage, &["proposal", "list"]), [] as [Value; 0]);
        assert_eq!(stage.count("blocks"), 1);
    });
}

#[test]
fn captures_are_listed_assigned_and_dismissed() {
    on_both(|stage| {
        let basket = stage.basket("Billing", 0);
        stage.owner().add("Nothing fits.", &axis(7));
        stage.owner().add("Nothing fits either.", &axis(6));
        stage.owner().add("Something fits a little.", &vector(&[1.0, 1.0]));
        let waiting = rows(stage, &["unassigned", "list"]);
        assert_eq!(waiting.len(), 3, "{waiting:?}");
        let id = |summary: &str| {
            let found = waiting.iter().find(|row| row["summary"] == summary);
            text_of(&found.unwrap_or_else(|| panic!("{waiting:?}"))["id"])
        };
        run(stage, &["unassigned", "assign", &id("Nothing fits."), &basket]);
        run(stage, &["unassigned", "dismiss", &id("Nothing fits either.")]);
        fails(stage, &["unassigned", "assign", &id("Nothing fits."), &basket]);
        fails(stage, &["unassigned", "assign", &id("Nothing fits either."), &basket]);
        fails(stage, &["unassigned", "assign", &id("Something fits a little."), "nowhere"]);
        assert_eq!(stage.dumps("Nothing fits."), 1);
        assert_eq!(rows(stage, &["unassigned", "list"]).len(), 1);
        assert_eq!(rows(stage, &["unassigned", "list", "--status", "dismissed"]).len(), 1);
    });
}

#[test]
fn baskets_dumps_and_logs_are_in_the_hands_of_people() {
    on_both(|stage| {
        let basket = stage.basket("Billing", 0);
        let other = stage.basket("Garden", 5);
        run(stage, &["basket", "rename", &other, "Rose garden"]);
        let dump = stage.knows("We decided that roses get water on Mondays.", &axis(0));
        let moved = run(stage, &["misrouted", &dump, "--to", &other]);
        assert!(moved.contains("Rose garden"), "{moved}");
        let dump = moved.split(' ').next().expect("an id").to_owned();
        fails(stage, &["forget", &dump]);
        run(stage, &["forget", &dump, "--reason", "asked to"]);
        fails(stage, &["forget", &dump, "--reason", "again"]);
        run(stage, &["basket", "archive", &basket]);
        let told = stage.owner().add("A thought.", &axis(0));
        assert_eq!(told.body["status"], "queued", "{}", told.body);
        run(stage, &["basket", "restore", &basket]);
        stage.knows_in(&basket, "We decided on another thought.");
        let baskets = rows(stage, &["basket", "list"]);
        let mut names: Vec<String> = baskets.iter().map(|row| text_of(&row["name"])).collect();
        names.sort();
        assert_eq!(names, ["Billing", "Rose garden"]);
        let hosts = rows(stage, &["activity"]);
        let hosts: Vec<&Value> = hosts.iter().map(|row| &row["host"]).collect();
        assert_eq!(hosts, ["claude", "web"]);
        let calls = rows(stage, &["activity", "--calls", "--most", "2"]);
        assert_eq!(calls.len(), 2);
        // The person who moved the dump is in it, too, under the real time.
        assert_eq!((&calls[0]["tool"], &calls[0]["host"]), (&json!("admin"), &json!("web")));
        let events = rows(stage, &["timeline", "--most", "500"]);
        for kind in ["dump.withdrawn", "proposal.approved", "dump.created", "basket.created"] {
            assert!(events.iter().any(|event| event["kind"] == kind), "{kind}: {events:?}");
        }
    });
}

#[test]
fn a_fingerprint_made_here_finds_its_basket() {
    on_both(|stage| {
        let made = |text: &str| -> Value {
            serde_json::from_str(&run(stage, &["fingerprint", text])).expect("JSON")
        };
        let billing = "Invoices and refunds of Acme are paid by Stripe.";
        let garden = "Roses and tulips in the garden need water in summer.";
        assert_eq!(made(billing), made(billing));
        let mut baskets = Vec::new();
        for text in [billing, garden] {
            let created = stage.owner().ok(
                "create_memory_from_chat",
                json!({"conversation_history": text, "session_fingerprint": made(text)}),
            );
            assert_eq!(created["created"], true, "{created}");
            baskets.push(created["basket_id"].clone());
        }
        let again = made("Stripe paid the refunds and invoices of Acme.");
        let told = stage.owner().told("get_substrate", json!({"session_fingerprint": again}));
        assert_eq!(told.selection()["primary"]["basket"]["id"], baskets[0]);
        fails(stage, &["fingerprint", "\u{200b}"]);
    });
}
