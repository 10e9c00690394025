//! The operator commands: administration that no tool can do.

use serde_json::{Value, json};
use yarnnn::governance::Role;

use crate::instance::{Instance, axis, list, on_both, text_of, vector};

/// The output of a command that must succeed.
#[track_caller]
fn run(instance: &Instance, arguments: &[&str]) -> String {
    let ran = instance.run(arguments);
    assert!(ran.succeeded(), "{arguments:?}: {}", ran.stderr);
    ran.stdout.trim_end().to_owned()
}

#[track_caller]
fn rows(instance: &Instance, arguments: &[&str]) -> Vec<Value> {
    let mut arguments = arguments.to_vec();
    arguments.push("--json");
    let printed = run(instance, &arguments);
    let read: Value = serde_json::from_str(&printed).unwrap_or_else(|_| panic!("{printed}"));
    list(&read).to_vec()
}

/// The message of a command that must fail.
#[track_caller]
fn fails(instance: &Instance, arguments: &[&str]) -> String {
    let ran = instance.run(arguments);
    assert!(!ran.succeeded(), "{arguments:?}: {ran:?}");
    assert!(ran.stderr.contains("error") && !ran.stderr.contains("panicked"), "{}", ran.stderr);
    ran.stderr
}

#[test]
fn workspaces_members_and_tokens_are_created_and_revoked() {
    on_both(|instance| {
        let token = run(instance, &["workspace", "create", "Nebenan", "--owner", "otto"]);
        assert!(token.starts_with("yit_"), "{token}");
        let read = instance.user(Some(&token)).ok("config_settings", json!({}));
        assert_eq!(read["workspace"], "Nebenan");
        assert_eq!(rows(instance, &["workspace", "list"]).len(), 2);
        fails(instance, &["workspace", "create", "Nebenan", "--owner", "ottilie"]);
        fails(instance, &["workspace", "create", "Drittens", "--owner", "otto"]);
        // With two workspaces one has to be named.
        fails(instance, &["basket", "list"]);
        fails(instance, &["basket", "list", "-w", "Nirgends"]);
        run(instance, &["workspace", "add-member", "anna", "--role", "admin", "-w", "Nebenan"]);
        let members = rows(instance, &["workspace", "members", "-w", "Nebenan"]);
        assert_eq!(
            members,
            [json!({"user": "anna", "role": "admin"}), json!({"user": "otto", "role": "owner"})]
        );
        fails(instance, &["token", "create", "stranger", "-w", "Nebenan"]);
        let token =
            run(instance, &["token", "create", "anna", "--description", "laptop", "-w", "Nebenan"]);
        instance.user(Some(&token)).ok("config_settings", json!({"auto_approve": true}));
        let tokens = rows(instance, &["token", "list", "-w", "Nebenan"]);
        assert!(!tokens.iter().any(|row| row.to_string().contains(&token)));
        let of_anna = tokens.iter().find(|row| row["user"] == "anna").expect("a token");
        let id = text_of(&of_anna["id"]);
        fails(instance, &["token", "revoke", &id, "-w", "Main"]);
        run(instance, &["token", "revoke", &id, "-w", "Nebenan"]);
        let reply = instance.user(Some(&token)).call("config_settings", &json!({}));
        assert_eq!(reply.body["details"]["reason"], "AUTH_REVOKED");
    });
}

#[test]
fn proposals_are_listed_shown_approved_and_rejected() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        instance
            .owner()
            .add_stored("We decided to keep all invoices of Acme for ten years.", &axis(0));
        let waiting = rows(instance, &["proposal", "list"]);
        assert_eq!(waiting.len(), 2, "{waiting:?}");
        let mut ids: Vec<String> = waiting.iter().map(|row| text_of(&row["id"])).collect();
        ids.sort_by_key(|id| run(instance, &["proposal", "show", id]).contains("invoices of Acme"));
        instance.member("rita", Role::Admin);
        run(instance, &["proposal", "approve", &ids[1], "--notes", "fine", "--as", "rita"]);
        run(instance, &["proposal", "reject", &ids[0]]);
        for id in &ids {
            fails(instance, &["proposal", "approve", id]);
        }
        fails(instance, &["proposal", "show", "nothing"]);
        assert_eq!(
            instance.count("proposals WHERE status = 'APPROVED' AND reviewed_by = 'rita'"),
            1
        );
        assert_eq!(
            instance.count("proposals WHERE status = 'REJECTED' AND reviewed_by = 'olga'"),
            1
        );
        assert_eq!(rows(instance, &["proposal", "list"]), [] as [Value; 0]);
        assert_eq!(instance.count("blocks"), 1);
    });
}

#[test]
fn captures_are_listed_assigned_and_dismissed() {
    on_both(|instance| {
        let basket = instance.basket("Billing", 0);
        instance.owner().add("Nothing fits.", &axis(7));
        instance.owner().add("Nothing fits either.", &axis(6));
        instance.owner().add("Something fits a little.", &vector(&[1.0, 1.0]));
        let waiting = rows(instance, &["unassigned", "list"]);
        assert_eq!(waiting.len(), 3, "{waiting:?}");
        let id = |summary: &str| {
            let found = waiting.iter().find(|row| row["summary"] == summary);
            text_of(&found.unwrap_or_else(|| panic!("{waiting:?}"))["id"])
        };
        run(instance, &["unassigned", "assign", &id("Nothing fits."), &basket]);
        run(instance, &["unassigned", "dismiss", &id("Nothing fits either.")]);
        fails(instance, &["unassigned", "assign", &id("Nothing fits."), &basket]);
        fails(instance, &["unassigned", "assign", &id("Nothing fits either."), &basket]);
        fails(instance, &["unassigned", "assign", &id("Something fits a little."), "nowhere"]);
        assert_eq!(instance.dumps("Nothing fits."), 1);
        assert_eq!(rows(instance, &["unassigned", "list"]).len(), 1);
        assert_eq!(rows(instance, &["unassigned", "list", "--status", "dismissed"]).len(), 1);
    });
}

#[test]
fn baskets_dumps_and_logs_are_managed_by_operators() {
    on_both(|instance| {
        let basket = instance.basket("Billing", 0);
        let other = instance.basket("Garden", 5);
        run(instance, &["basket", "rename", &other, "Rose garden"]);
        let dump = instance.remember("We decided that roses get water on Mondays.", &axis(0));
        let moved = run(instance, &["misrouted", &dump, "--to", &other]);
        assert!(moved.contains("Rose garden"), "{moved}");
        let dump = moved.split(' ').next().expect("an id").to_owned();
        fails(instance, &["forget", &dump]);
        run(instance, &["forget", &dump, "--reason", "asked to"]);
        run(instance, &["forget", &dump, "--reason", "again"]);
        fails(instance, &["forget", "nothing", "--reason", "asked to"]);
        run(instance, &["basket", "archive", &basket]);
        let reply = instance.owner().add("A thought.", &axis(0));
        assert_eq!(reply.body["status"], "queued", "{}", reply.body);
        run(instance, &["basket", "restore", &basket]);
        instance.remember_in(&basket, "We decided on another thought.");
        let baskets = rows(instance, &["basket", "list"]);
        let mut names: Vec<String> = baskets.iter().map(|row| text_of(&row["name"])).collect();
        names.sort();
        assert_eq!(names, ["Billing", "Rose garden"]);
        let hosts = rows(instance, &["activity"]);
        let hosts: Vec<&Value> = hosts.iter().map(|row| &row["host"]).collect();
        assert_eq!(hosts, ["claude", "cli"]);
        let calls = rows(instance, &["activity", "--calls", "--most", "2"]);
        assert_eq!(calls.len(), 2);
        // It also has the operator who moved the dump, at the real time.
        assert_eq!((&calls[0]["tool"], &calls[0]["host"]), (&json!("admin"), &json!("cli")));
        let events = rows(instance, &["timeline", "--most", "500"]);
        for kind in ["dump.withdrawn", "proposal.approved", "dump.created", "basket.created"] {
            assert!(events.iter().any(|event| event["kind"] == kind), "{kind}: {events:?}");
        }
    });
}

#[test]
fn a_fingerprint_of_the_command_finds_its_basket() {
    on_both(|instance| {
        let made = |text: &str| -> Value {
            serde_json::from_str(&run(instance, &["fingerprint", text])).expect("JSON")
        };
        let billing = "Invoices and refunds of Acme are paid by Stripe.";
        let garden = "Roses and tulips in the garden need water in summer.";
        assert_eq!(made(billing), made(billing));
        let mut baskets = Vec::new();
        for text in [billing, garden] {
            let created = instance.owner().ok(
                "create_memory_from_chat",
                json!({"conversation_history": text, "session_fingerprint": made(text)}),
            );
            assert_eq!(created["created"], true, "{created}");
            baskets.push(created["basket_id"].clone());
        }
        let again = made("Stripe paid the refunds and invoices of Acme.");
        let reply =
            instance.owner().call_ok("get_substrate", json!({"session_fingerprint": again}));
        assert_eq!(reply.meta("_basket_selection")["primary"]["basket"]["id"], baskets[0]);
        fails(instance, &["fingerprint", "\u{200b}"]);
    });
}
