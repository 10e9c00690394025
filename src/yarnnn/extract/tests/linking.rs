//! Relations between blocks.

use super::block;
use crate::extract::{MAX_RELATIONS, RelationKind, link};
use crate::model::{Block, BlockState};

fn found(blocks: &[Block], items: &[(&str, &str)]) -> Vec<(String, RelationKind, String)> {
    let items: Vec<(String, String)> =
        items.iter().map(|(id, label)| ((*id).to_owned(), (*label).to_owned())).collect();
    link(blocks, &items).into_iter().map(|one| (one.from, one.kind, one.to)).collect()
}

fn one(from: &str, kind: RelationKind, to: &str) -> Vec<(String, RelationKind, String)> {
    vec![(from.to_owned(), kind, to.to_owned())]
}

use RelationKind::{
    CausalRelationship, ConditionalLogic, ContextReference, EnablementChain, ImpactRelationship,
    RelatedContent, TemporalSequence, ThematicConnection,
};

#[test]
fn phrases_say_which_comes_first() {
    let rows = [
        (
            "Signups fell because the payment page is slow.",
            "The payment page loads eight scripts.",
            "b",
            CausalRelationship,
            "a",
        ),
        (
            "A full queue leads to duplicate customer emails.",
            "Support got complaints about duplicate emails.",
            "a",
            CausalRelationship,
            "b",
        ),
        (
            "Training starts after the warehouse migration.",
            "The warehouse migration takes three days.",
            "b",
            TemporalSequence,
            "a",
        ),
        (
            "We run the load test before the public launch.",
            "Marketing plans the public launch for May.",
            "a",
            TemporalSequence,
            "b",
        ),
        (
            "Offline mode depends on the local cache.",
            "Paul writes the local cache in Rust.",
            "b",
            EnablementChain,
            "a",
        ),
        (
            "The new sensor enables remote diagnosis.",
            "Clinics ask for remote diagnosis weekly.",
            "a",
            EnablementChain,
            "b",
        ),
        (
            "The price change affects annual contracts.",
            "Lawyers review all annual contracts.",
            "a",
            ImpactRelationship,
            "b",
        ),
        (
            "Refunds are automatic if the courier loses parcels.",
            "The courier loses many parcels in winter.",
            "b",
            ConditionalLogic,
            "a",
        ),
    ];
    for (left, right, from, kind, to) in rows {
        let blocks = [block("a", left), block("b", right)];
        assert_eq!(found(&blocks, &[]), one(from, kind, to), "{left}");
        let swapped = [block("b", right), block("a", left)];
        assert_eq!(found(&swapped, &[]), one(from, kind, to), "{left}");
    }
}

#[test]
fn shared_words_relate_and_a_field_connects() {
    let related = [
        block("a", "Clinics export invoices every month"),
        block("b", "Invoices that clinics export arrive late every month"),
    ];
    assert_eq!(found(&related, &[]), one("a", RelatedContent, "b"));
    let themed = [
        block("a", "The database server keeps sessions in memory"),
        block("b", "Every server pushes its queue into cold storage overnight"),
    ];
    assert_eq!(found(&themed, &[]), one("a", ThematicConnection, "b"));
    let apart = [
        block("a", "Tomatoes grow best next to basil in warm soil"),
        block("b", "Retrieval quality grows with better chunking"),
    ];
    assert_eq!(found(&apart, &[]), []);
}

#[test]
fn blocks_that_name_an_item_refer_to_it() {
    let blocks = [block("a", "Acme Corp's lawyer called"), block("b", "The acme is far away")];
    let items = [("i1", "Acme Corp"), ("i2", "Lawyer"), ("i3", ""), ("i4", "corpse")];
    assert_eq!(found(&blocks, &items[1..]), one("a", ContextReference, "i2"));
    let both = found(&[block("a", "The lawyer of Acme Corp called")], &items);
    assert_eq!(both, [one("a", ContextReference, "i1"), one("a", ContextReference, "i2")].concat());
}

#[test]
fn dead_blocks_are_not_linked() {
    let mut blocks =
        [block("a", "Clinics export invoices"), block("b", "Clinics export invoices daily")];
    assert_eq!(found(&blocks, &[]).len(), 1);
    blocks[1].state = BlockState::Superseded;
    assert_eq!(found(&blocks, &[]), []);
}

#[test]
fn the_strongest_come_first_and_no_more_than_fifty() {
    let blocks: Vec<Block> = (0..40)
        .map(|number| {
            block(&format!("b{number:02}"), &format!("clinics export invoices lot{}", number / 2))
        })
        .collect();
    let relations = link(&blocks, &[]);
    assert_eq!(relations.len(), MAX_RELATIONS);
    assert!(relations.is_sorted_by(|one, other| one.strength >= other.strength));
    assert!(relations.iter().all(|one| one.strength > 0.0 && one.strength <= 0.95));
    // The twenty pairs of the same lot are the strongest.
    assert!(relations[..20].iter().all(|one| one.strength == 0.95));
    let mut turned = blocks;
    turned.reverse();
    assert_eq!(link(&turned, &[]), relations);
}
