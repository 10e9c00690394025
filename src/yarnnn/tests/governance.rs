//! The truth table of governance, through the real pipeline: what the rules approve and what
//! needs review.

use serde_json::{Value, json};
use yarnnn::governance::{Mode, Settings};

use crate::instance::{Instance, axis, list, on_both, text_of};

const ONE: &str = "We decided to keep all invoices of Acme for ten years in the archive.";
const FIVE: &str = "We decided to keep all invoices of Acme for ten years in the archive. \
    We decided to pay refunds to Globex within five days from the Berlin office. \
    We decided to move the checkout of Initech to Stripe before 1 March. \
    We decided to hire 3 engineers for the Oslo warehouse in spring. \
    We decided to close the Lisbon helpdesk on Sundays after 18 May.";

#[derive(Debug, Clone, Copy, PartialEq)]
enum Governance {
    Off,
    ReviewAll,
    Smart,
}

#[derive(Debug, Clone, Copy)]
struct Case {
    governance: Governance,
    validator_required: bool,
    require_approval: Option<bool>,
    confidence: Option<f64>,
    text: &'static str,
}

impl Case {
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for governance in [Governance::Off, Governance::ReviewAll, Governance::Smart] {
            for validator_required in [false, true] {
                for require_approval in [None, Some(false), Some(true)] {
                    for confidence in [None, Some(1.0), Some(0.65), Some(0.3), Some(0.0)] {
                        for text in [ONE, FIVE] {
                            all.push(Self {
                                governance,
                                validator_required,
                                require_approval,
                                confidence,
                                text,
                            });
                        }
                    }
                }
            }
        }
        all
    }

    fn settings(&self) -> Settings {
        Settings {
            governance_enabled: self.governance != Governance::Off,
            validator_required: self.validator_required,
            manual_edit: match self.governance {
                Governance::Smart => Mode::Hybrid,
                Governance::Off | Governance::ReviewAll => Mode::Proposal,
            },
            ..Settings::default()
        }
    }

    fn arguments(&self, basket: &str) -> Value {
        let mut governance = json!({});
        if let Some(confidence) = self.confidence {
            governance["confidence"] = json!(confidence);
        }
        if let Some(required) = self.require_approval {
            governance["require_approval"] = json!(required);
        }
        json!({"content": self.text, "basket_id": basket, "governance": governance,
               "session_fingerprint": {"embedding": axis(0)}})
    }

    /// What the canon says, written down once more; the validator is sure of both texts.
    fn is_let_in(&self) -> bool {
        if self.require_approval == Some(true) {
            return false;
        }
        match self.governance {
            Governance::Off => true,
            Governance::ReviewAll => false,
            Governance::Smart => {
                !self.validator_required
                    && self.text == ONE
                    && self.confidence.is_none_or(|confidence| confidence > 0.7)
            }
        }
    }

    /// Rules that must be named.
    fn reasons(&self) -> Vec<&'static str> {
        let smart = self.governance == Governance::Smart;
        let governed = self.governance != Governance::Off;
        let said = [
            ("require_approval", self.require_approval == Some(true)),
            ("review_all", self.governance == Governance::ReviewAll),
            ("validator_required", governed && self.validator_required),
            ("low_confidence", smart && self.confidence.is_some_and(|given| given < 0.6)),
            ("unsure_confidence", smart && self.confidence == Some(0.65)),
            ("many_operations", smart && self.text == FIVE),
            ("governance_off", self.is_let_in() && !governed),
            ("smart_review", self.is_let_in() && smart),
        ];
        said.into_iter().filter(|(_, speaks)| *speaks).map(|(code, _)| code).collect()
    }
}

#[test]
fn every_row_of_the_truth_table_holds_and_says_why() {
    on_both(|instance| {
        for (number, case) in Case::all().into_iter().enumerate() {
            let basket = instance.basket(&format!("Case {number}"), 0);
            check(instance, &basket, case);
        }
    });
}

fn check(instance: &Instance, basket: &str, case: Case) {
    instance.set_governance(&case.settings());
    let before = instance.owner().ok("get_substrate", json!({"basket_id": basket}));
    let added = instance.owner().ok("add_to_substrate", case.arguments(basket));
    let let_in = case.is_let_in();
    assert_eq!(added["governance_mode"], if let_in { "auto" } else { "manual" }, "{case:?}");
    assert_eq!(added["governance_reasons"], json!(case.reasons()), "{case:?}");
    let proposed = added["proposed_blocks"].as_u64().expect("a number");
    assert_eq!(proposed, if case.text == ONE { 1 } else { 5 }, "{case:?}: {added}");
    let created = if let_in { proposed } else { 0 };
    assert_eq!(added["blocks_created"], created, "{case:?}");

    let proposal = text_of(&added["proposal_id"]);
    let status: String =
        instance.value(&format!("SELECT status AS x FROM proposals WHERE id = '{proposal}'"));
    assert_eq!(status, if let_in { "APPROVED" } else { "PROPOSED" }, "{case:?}");
    let after = instance.owner().ok("get_substrate", json!({"basket_id": basket}));
    let grown = |count: &str| {
        after[count].as_i64().expect("a number") - before[count].as_i64().expect("a number")
    };
    let operations: String =
        instance.value(&format!("SELECT ops AS x FROM proposals WHERE id = '{proposal}'"));
    let operations: Value = serde_json::from_str(&operations).expect("JSON");
    let operations = i64::try_from(list(&operations).len()).expect("few");
    // The dump is there at once; what was read out of it only when it was let in.
    let (shown, hidden) = if let_in { (operations, 0) } else { (0, operations) };
    assert_eq!((grown("total_count"), grown("hidden_count")), (1 + shown, hidden), "{case:?}");
}

#[test]
fn a_callers_confidence_lowers_the_validators_and_never_raises_it() {
    on_both(|instance| {
        let mut stored = Vec::new();
        for (number, confidence) in [None, Some(1.0), Some(0.2), Some(0.0)].into_iter().enumerate()
        {
            let basket = instance.basket(&format!("Case {number}"), 0);
            let case = Case {
                governance: Governance::ReviewAll,
                validator_required: false,
                require_approval: None,
                confidence,
                text: ONE,
            };
            let added = instance.owner().ok("add_to_substrate", case.arguments(&basket));
            let proposal = text_of(&added["proposal_id"]);
            let query = format!("SELECT confidence AS x FROM proposals WHERE id = '{proposal}'");
            stored.push(instance.value::<f64>(&query));
        }
        let own = stored[0];
        assert!(own > 0.7 && own < 1.0, "{own}");
        assert_eq!(stored, [own, own, 0.2, 0.0]);
    });
}

#[test]
fn a_confidence_outside_zero_to_one_is_refused() {
    on_both(|instance| {
        let basket = instance.basket("Billing", 0);
        for confidence in [json!(-0.1), json!(1.1), json!(1e300), json!("high"), json!(null)] {
            let arguments = json!({"content": ONE, "basket_id": basket,
                "governance": {"confidence": confidence},
                "session_fingerprint": {"embedding": axis(0)}});
            instance.owner().fails("add_to_substrate", arguments, "INVALID_ARGUMENTS");
        }
        assert_eq!(instance.dumps(ONE), 0);
    });
}

#[test]
fn what_a_person_approves_is_part_of_the_memory_and_what_they_reject_is_not() {
    on_both(|instance| {
        let basket = instance.basket("Billing", 0);
        let first = instance.owner().add_stored(ONE, &axis(0));
        let second =
            instance.owner().add_stored("Refunds must never take longer than five days.", &axis(0));
        let person = instance.operator();
        instance.engine.approve(&person, &text_of(&first["proposal_id"]), Some("yes")).unwrap();
        instance.engine.reject(&person, &text_of(&second["proposal_id"]), None).unwrap();
        let found = instance.owner().ok("get_substrate", json!({"basket_id": basket}));
        let blocks: Vec<String> = list(&found["substrate"])
            .iter()
            .filter(|entry| entry["type"] == "block")
            .map(|entry| text_of(&entry["content"]))
            .collect();
        assert_eq!(blocks, [ONE]);
        // The basket's own proposal still waits.
        assert_eq!(found["hidden_count"], 1);
        for id in [&first["proposal_id"], &second["proposal_id"]] {
            instance.engine.approve(&person, &text_of(id), None).unwrap_err();
        }
        assert_eq!(instance.count("blocks"), 1);
    });
}
