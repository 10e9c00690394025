//! Review, operation by operation: who may decide, what a rejection takes out of recall, and what two
//! reviewers see of each other.

use serde_json::{Value, json};
use yarnnn::engine::{Decision, Edit, Error, Reviewed, Standing};
use yarnnn::governance::Role;
use yarnnn::model::SemanticType;

use crate::instance::{Instance, axis, list, on_both, text_of};

const TEXT: &str = "We decided to keep all invoices of Acme for ten years. \
    Refunds must be paid within five days. \
    The goal is to answer every customer within one hour.";

/// A proposal of three statements: its id and its dump.
fn proposed(instance: &Instance) -> (String, String) {
    instance.basket("Billing", 0);
    let added = instance.owner().add_stored(TEXT, &axis(0));
    assert_eq!(added["proposed_blocks"], 3, "{added}");
    (text_of(&added["proposal_id"]), text_of(&added["raw_dump_id"]))
}

fn decide(instance: &Instance, id: &str, approve: bool, only: &[usize]) -> Reviewed {
    let decision = Decision { approve, only: Some(only), notes: None, seen: None };
    instance.engine.decide(&instance.operator(), id, &decision).expect("decided")
}

/// Places of the statements, in the order of the text.
fn statements(reviewed: &Reviewed) -> Vec<usize> {
    let operations = reviewed.proposal.operations.iter().enumerate();
    operations.filter(|(_, one)| one.is_block()).map(|(index, _)| index).collect()
}

fn recalled(instance: &Instance, keyword: &str) -> Vec<Value> {
    let found =
        instance.owner().ok("get_substrate", json!({"keywords": [keyword], "match": "words"}));
    list(&found["substrate"]).to_vec()
}

#[test]
fn single_operations_are_approved_edited_and_rejected() {
    on_both(|instance| {
        let (id, _) = proposed(instance);
        let before = instance.engine.reviewed(&instance.operator(), &id).unwrap();
        let all = statements(&before);
        let hidden = |instance: &Instance| {
            instance.owner().ok("get_substrate", json!({"keywords": ["acme"]}))["hidden_count"]
                .as_u64()
                .unwrap()
        };
        let waiting = hidden(instance);

        // One is in memory at once, the others still wait.
        let after = decide(instance, &id, true, &all[..1]);
        assert_eq!(after.proposal.status.as_str(), "PROPOSED");
        assert_eq!(after.standing(all[0]), Standing::Approved);
        assert_eq!(after.standing(all[1]), Standing::Waiting);
        assert_eq!((instance.count("blocks"), hidden(instance)), (1, waiting - 1));

        let edit = Edit {
            content: "Refunds must be paid within six days.",
            title: None,
            semantic_type: Some(SemanticType::Constraint),
            seen: None,
        };
        let engine = &instance.engine;
        let edited = engine.edit(&instance.operator(), &id, all[1], &edit).unwrap();
        assert_eq!(edited.standing(all[1]), Standing::Waiting);
        decide(instance, &id, true, &all[1..2]);
        assert!(recalled(instance, "refund").iter().any(|one| one["content"] == edit.content));

        decide(instance, &id, false, &all[2..]);
        let left = engine.reviewed(&instance.operator(), &id).unwrap();
        let rest = left.waiting();
        if !rest.is_empty() {
            assert!(rest.iter().all(|index| !left.proposal.operations[*index].is_block()));
            decide(instance, &id, true, &rest);
        }
        let done = engine.reviewed(&instance.operator(), &id).unwrap();
        assert_eq!(done.proposal.status.as_str(), "APPROVED");
        assert_eq!(instance.count("blocks"), 2);
        let again = engine.approve(&instance.operator(), &id, None);
        assert!(matches!(again, Err(Error::SettledProposal { .. })), "{again:?}");
    });
}

#[test]
fn what_was_rejected_is_out_of_recall_and_its_text_too() {
    on_both(|instance| {
        let (id, dump) = proposed(instance);
        assert!(!recalled(instance, "customer").is_empty(), "the raw text is recalled until then");
        let all = statements(&instance.engine.reviewed(&instance.operator(), &id).unwrap());
        decide(instance, &id, true, &all[..1]);
        decide(instance, &id, false, &all[2..]);
        assert_eq!(recalled(instance, "customer"), [] as [Value; 0]);
        let kept = recalled(instance, "invoices");
        assert!(kept.iter().all(|one| one["type"] != "raw_dump"), "{kept:?}");
        assert!(kept.iter().any(|one| one["type"] == "block"), "{kept:?}");
        // Nor do the words of its basket speak of it.
        let rest = instance.engine.reviewed(&instance.operator(), &id).unwrap().waiting();
        decide(instance, &id, false, &rest);
        let words: String = instance
            .value("SELECT summary || anchors || entities || keywords AS x FROM basket_signatures");
        assert!(!words.to_lowercase().contains("customer"), "{words}");

        // It stays as the source that reviewers are shown.
        let trace = instance.engine.trace(&instance.operator(), &dump).unwrap();
        assert_eq!(trace.sources[0].state, "rejected");
        assert_eq!(trace.sources[0].text.as_deref(), Some(TEXT));
        instance.member("max", Role::Member);
        let seen = instance.engine.trace(&instance.operator_as("max"), &dump).unwrap();
        assert_eq!(seen.sources[0].text, None);
        assert!(!serde_json::to_string(&seen).unwrap().contains("customer"));

        // What was approved of it goes when it is forgotten.
        instance.engine.forget(&instance.operator(), &dump, "asked to").unwrap();
        assert_eq!(instance.count("blocks"), 0);
    });
}

#[test]
fn a_rejected_proposal_takes_its_session_out_of_the_basket() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let added = instance.owner().add_stored(TEXT, &axis(0));
        let id = text_of(&added["proposal_id"]);
        instance.engine.reject(&instance.operator(), &id, Some("all wrong")).unwrap();
        assert_eq!(recalled(instance, "refunds"), [] as [Value; 0]);
        assert_eq!(instance.count("substrate_tombstones WHERE reason = 'rejected'"), 1);
        let dump = text_of(&added["raw_dump_id"]);
        instance.engine.forget(&instance.operator(), &dump, "asked to").unwrap();
    });
}

#[test]
fn only_owners_and_admins_of_the_workspace_decide() {
    on_both(|instance| {
        let (id, dump) = proposed(instance);
        let other = instance.create_workspace("Nebenan", "otto");
        instance.member("max", Role::Member);
        instance.member("anna", Role::Admin);
        let workspace = || instance.tenant.workspace.clone();
        for stranger in ["nobody", "otto", ""] {
            let refused = instance.engine.operator(workspace(), stranger);
            assert!(matches!(refused, Err(Error::NotAMember { .. })), "{stranger}");
        }
        let max = instance.operator_as("max");
        let engine = &instance.engine;
        let capture = instance.owner().add("Nothing fits.", &axis(7)).body;
        let capture = text_of(&capture["capture_id"]);
        let all = Decision { approve: true, only: None, notes: None, seen: None };
        let edit = Edit { content: "x y z", title: None, semantic_type: None, seen: None };
        let basket = instance.value::<String>("SELECT id AS x FROM baskets");
        for refused in [
            engine.decide(&max, &id, &all).map(drop),
            engine.edit(&max, &id, 0, &edit).map(drop),
            engine.reject(&max, &id, None).map(drop),
            engine.assign(&max, &capture, &basket).map(drop),
            engine.dismiss(&max, &capture),
            engine.misrouted(&max, &dump, None).map(drop),
            engine.forget(&max, &dump, "x"),
            engine.change_basket(&max, &basket, Some("Other"), None).map(drop),
        ] {
            assert!(matches!(refused, Err(Error::NotAReviewer { .. })), "{refused:?}");
        }
        // Members look.
        assert!(engine.reviewed(&max, &id).is_ok());
        // And another workspace's reviewer finds nothing.
        let otto = engine.operator(other.workspace, "otto").unwrap();
        assert!(matches!(engine.decide(&otto, &id, &all), Err(Error::NoProposal(_))));
        assert!(matches!(engine.trace(&otto, &dump), Err(Error::NothingToTrace(_))));
        engine.decide(&instance.operator_as("anna"), &id, &all).unwrap();
        assert_eq!(instance.count("proposals WHERE reviewed_by = 'anna'"), 1);
    });
}

#[test]
fn the_command_line_names_who_may_not_decide() {
    on_both(|instance| {
        let (id, dump) = proposed(instance);
        instance.member("max", Role::Member);
        for (user, code) in [("stranger", "NOT_A_MEMBER"), ("max", "NOT_A_REVIEWER")] {
            for command in [
                &["proposal", "approve", &id][..],
                &["proposal", "reject", &id, "--only", "1"],
                &["proposal", "edit", &id, "1", "--content", "x"],
                &["forget", &dump, "--reason", "x"],
                &["misrouted", &dump],
                &["token", "create", "olga"],
                &["workspace", "add-member", user, "--role", "owner"],
            ] {
                let ran = instance.run(&[command, &["--as", user]].concat());
                assert!(!ran.succeeded() && ran.stderr.contains(code), "{command:?}: {ran:?}");
            }
        }
        let ran = instance.run(&["proposal", "list", "--as", "stranger"]);
        assert!(ran.stderr.contains("NOT_A_MEMBER"), "{ran:?}");
        assert!(instance.run(&["proposal", "list", "--as", "max"]).succeeded());
        // Without a name, the owner of the configured token acts.
        let ran = instance.run(&["proposal", "approve", &id, "--only", "1,2", "--notes", "fine"]);
        assert!(ran.succeeded() && ran.stdout.starts_with("PROPOSED"), "{ran:?}");
        let shown = instance.run(&["proposal", "show", &id, "--json"]);
        let shown: Value = serde_json::from_str(&shown.stdout).expect("JSON");
        assert_eq!(shown["standings"][0], "approved", "{shown}");
        assert_eq!(shown["steps"][0]["by"], "olga", "{shown}");
        let ran =
            instance.run(&["proposal", "edit", &id, "3", "--content", "Every answer is kind."]);
        assert!(ran.succeeded(), "{ran:?}");
        let shown = instance.run(&["proposal", "show", &id]);
        assert!(shown.stdout.contains("Every answer is kind."), "{shown:?}");
        for (arguments, code) in [
            (["approve", &id, "--only", "1"], "OPERATION_DECIDED"),
            (["approve", &id, "--only", "99"], "OPERATION_NOT_FOUND"),
            (["approve", "nothing", "--only", "1"], "PROPOSAL_NOT_FOUND"),
        ] {
            let ran = instance.run(&[&["proposal"], &arguments[..]].concat());
            assert!(!ran.succeeded() && ran.stderr.contains(code), "{ran:?}");
        }
    });
}

#[test]
fn a_reviewer_decides_only_what_they_have_seen() {
    on_both(|instance| {
        let (id, _) = proposed(instance);
        let engine = &instance.engine;
        let operator = instance.operator();
        let edit =
            Edit { content: "Something else.", title: None, semantic_type: None, seen: Some(0) };
        engine.edit(&operator, &id, 0, &edit).unwrap();
        let late = Decision { approve: true, only: None, notes: None, seen: Some(0) };
        let refused = engine.decide(&operator, &id, &late);
        assert!(matches!(refused, Err(Error::ChangedProposal(_))), "{refused:?}");
        let twice = engine.edit(&operator, &id, 0, &edit);
        assert!(matches!(twice, Err(Error::ChangedProposal(_))), "{twice:?}");
        assert_eq!(instance.count("blocks"), 0);
        for content in ["", " \u{200b} ", &"x".repeat(4_001)] {
            let edit = Edit { content, title: None, semantic_type: None, seen: None };
            assert!(engine.edit(&operator, &id, 0, &edit).is_err(), "{content:.9}");
        }
    });
}

#[test]
fn of_two_reviewers_one_decides() {
    on_both(|instance| {
        let (id, _) = proposed(instance);
        let approved: Vec<bool> = std::thread::scope(|scope| {
            let tries: Vec<_> = [true, false, true, false]
                .into_iter()
                .map(|approve| {
                    let id = &id;
                    scope.spawn(move || {
                        let only: &[usize] = &[0];
                        let decision =
                            Decision { approve, only: Some(only), notes: None, seen: None };
                        instance.engine.decide(&instance.operator(), id, &decision).is_ok()
                    })
                })
                .collect();
            tries.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert_eq!(approved.iter().filter(|done| **done).count(), 1, "{approved:?}");
        assert_eq!(instance.count("proposal_reviews"), 1);
    });
}
