//! `yarnnn trace`: the whole way of a statement, from any of the records on it.

use serde_json::{Value, json};
use yarnnn::engine::{Edit, Traced};

use crate::instance::{axis, list, on_both, text_of, vector};

const TEXT: &str = "We decided to keep all invoices of Acme for ten years.";

#[test]
fn a_block_is_followed_to_its_source_and_everybody_on_the_way() {
    on_both(|instance| {
        let basket = instance.basket("Billing", 0);
        // Through the queue, so that there is a capture, too.
        let queued = instance.owner().through("Cursor").add(TEXT, &axis(7)).body;
        let capture = text_of(&queued["capture_id"]);
        let stored = instance.engine.assign(&instance.operator(), &capture, &basket).unwrap();
        let proposal = stored.proposal_id.expect("a proposal");
        let new = "We decided to keep all invoices of Acme for eleven years.";
        let edit = Edit { content: new, title: None, semantic_type: None, seen: None };
        instance.engine.edit(&instance.operator(), &proposal, 0, &edit).unwrap();
        instance.engine.approve(&instance.operator(), &proposal, Some("counted again")).unwrap();
        let block: String =
            instance.value(&format!("SELECT id AS x FROM blocks WHERE content = '{new}'"));

        for id in [&block, &capture, &proposal, &stored.raw_dump_id] {
            let ran = instance.run(&["trace", id, "--json"]);
            assert!(ran.succeeded(), "{ran:?}");
            let trace: Value = serde_json::from_str(&ran.stdout).expect("JSON");
            let source = &trace["sources"][0];
            assert_eq!(source["raw_dump_id"], json!(stored.raw_dump_id), "{trace}");
            assert_eq!(source["text"], json!(TEXT), "{trace}");
            assert_eq!(source["added_by"], "olga");
            assert_eq!(source["source_host"], "agent:cursor");
            let operation = &trace["proposals"][0]["operations"][0];
            assert_eq!(
                (&operation["content"], &operation["standing"]),
                (&json!(new), &json!("approved"))
            );
            let quote = text_of(&operation["quotes"][0]["text"]);
            assert!(TEXT.contains(&quote) && quote.contains("ten years"), "{trace}");
            let steps = list(&operation["steps"]);
            assert_eq!(
                (&steps[0]["action"], &steps[0]["before"]),
                (&json!("edited"), &json!(TEXT))
            );
            assert_eq!(
                (&steps[1]["action"], &steps[1]["notes"]),
                (&json!("approved"), &json!("counted again"))
            );
            assert_eq!((&steps[1]["by"], &steps[1]["host"]), (&json!("olga"), &json!("cli")));
            let events: Vec<&str> =
                list(&trace["history"]).iter().filter_map(|step| step["event"].as_str()).collect();
            for event in [
                "capture.queued",
                "capture.assigned",
                "dump.created",
                "proposal.submitted",
                "proposal.edited",
                "proposal.approved",
                "substrate.committed",
            ] {
                assert!(events.contains(&event), "no {event} for {id}: {events:?}");
            }
            let people = instance.run(&["trace", id]).stdout;
            for word in ["eleven", "ten years", "olga", "agent:cursor", "counted again"] {
                assert!(people.contains(word), "no {word} for {id}: {people}");
            }
        }
        let trace = instance.engine.trace(&instance.operator(), &block).unwrap();
        assert_eq!(trace.kind, Traced::Block);
        assert_eq!(trace.versions[0].content, new);
        let ran = instance.run(&["trace", "nothing"]);
        assert!(ran.stderr.contains("NOTHING_TO_TRACE"), "{ran:?}");
    });
}

#[test]
fn a_forgotten_dump_is_traced_to_its_tombstone() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let dump = instance.remember(TEXT, &vector(&[1.0]));
        instance.engine.forget(&instance.operator(), &dump, "asked to").unwrap();
        let ran = instance.run(&["trace", &dump, "--json"]);
        let trace: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        let source = &trace["sources"][0];
        assert_eq!((&source["state"], source.get("text")), (&json!("forgotten"), None), "{trace}");
        assert_eq!(source["withdrawn"]["by"], "olga");
        assert!(!ran.stdout.contains("ten years"), "{trace}");
    });
}
