//! Invariants of a database at any moment: every write is complete.

use super::instance::Instance;

/// Asserts that nothing is half-written.
pub(crate) fn is_whole(instance: &Instance) {
    let none = |what: &str, from: &str| assert_eq!(instance.count(from), 0, "{what}");
    none(
        "baskets that count their dumps wrongly",
        "baskets b WHERE b.dumps <> (SELECT count(*) FROM raw_dumps d WHERE d.basket_id = b.id
           AND NOT EXISTS (SELECT 1 FROM substrate_tombstones t WHERE t.target_id = d.id))",
    );
    none(
        "baskets that count their blocks wrongly",
        "baskets b WHERE b.blocks <> (SELECT count(*) FROM blocks k WHERE k.basket_id = b.id
           AND k.state IN ('ACCEPTED', 'LOCKED', 'CONSTANT'))",
    );
    none(
        "baskets that count their names wrongly",
        "baskets b WHERE b.items <> (SELECT count(*) FROM context_items i WHERE i.basket_id = b.id)",
    );
    none(
        "baskets whose index has more or less than they hold",
        "baskets b WHERE b.dumps + b.blocks + b.items <>
           (SELECT count(*) FROM substrate s WHERE s.basket_id = b.id)",
    );
    none(
        "vectors of what is not in the index",
        "substrate_vectors v WHERE NOT EXISTS (SELECT 1 FROM substrate s WHERE s.ref_id = v.ref_id)",
    );
    none(
        "dumps without exactly one timeline event",
        "raw_dumps d WHERE (SELECT count(*) FROM timeline_events e
           WHERE e.ref_id = d.id AND e.kind = 'dump.created') <> 1",
    );
    none(
        "proposals without a dump",
        "proposals p WHERE NOT EXISTS (SELECT 1 FROM raw_dumps d WHERE d.id = p.raw_dump_id)
           AND NOT EXISTS (SELECT 1 FROM substrate_tombstones t WHERE t.target_id = p.raw_dump_id)",
    );
    none(
        "approved proposals that were not executed",
        "proposals p WHERE p.status = 'APPROVED' AND NOT EXISTS
           (SELECT 1 FROM proposal_executions e WHERE e.proposal_id = p.id)",
    );
    none(
        "assigned captures without a dump",
        "mcp_unassigned_captures c WHERE c.status = 'assigned' AND c.raw_dump_id IS NULL",
    );
    none(
        "baskets with a dump and without a signature",
        "baskets b WHERE b.dumps > 0 AND NOT EXISTS
           (SELECT 1 FROM basket_signatures s WHERE s.basket_id = b.id)",
    );
}
