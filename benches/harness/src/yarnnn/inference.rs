//! Choosing among thousands of baskets, against one plain pass of dot products over the same floats.

use std::hint::black_box;

use yarnnn::inference::{Candidate, Packed, ScoreInputs, Signature, select, shortlist};
use yarnnn::model::Fingerprint;

use crate::stats::{least, timed};
use crate::table::{Bar, Row, Table};
use crate::{Plan, Result};

const DIMS: usize = 1_536;
const NOW: i64 = 1_700_000_000_000;
/// Numbers added side by side in the plain pass.
const LANES: usize = 16;

pub(super) fn measure(baskets: usize, plan: &Plan, table: &mut Table) -> Result<()> {
    let mut seed = 7_u64;
    let mut number = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    };
    let mut floats = Vec::with_capacity(baskets * DIMS);
    let mut packed = Packed::with_capacity(DIMS, baskets);
    for _ in 0..baskets {
        let vector: Vec<f32> = (0..DIMS).map(|_| number()).collect();
        packed.push(&vector)?;
        floats.extend(vector);
    }
    let embedding: Vec<f32> = (0..DIMS).map(|_| number()).collect();
    let session = Fingerprint { embedding, ..Fingerprint::default() };
    let standing = ScoreInputs { last_refreshed: Some(NOW), ..ScoreInputs::default() };
    let standings = vec![standing; baskets];
    let (mut ours, mut plain) = (Vec::new(), Vec::new());
    for _ in 0..plan.rounds.max(3) * 4 {
        ours.push(timed(|| Ok::<_, String>(choose(&session, &packed, &standings, &floats)))?.0);
        plain.push(timed(|| Ok::<_, String>(black_box(pass(&session.embedding, &floats))))?.0);
    }
    let bar = (baskets == plan.baskets).then_some(Bar::AtMost(1.5));
    let row = Row::new("choosing a basket", "µs", least(ours)).floor(least(plain), bar);
    table.add(row.at(baskets, "baskets"));
    Ok(())
}

/// What a call does once the vectors are in memory.
fn choose(
    session: &Fingerprint,
    packed: &Packed,
    standings: &[ScoreInputs],
    floats: &[f32],
) -> usize {
    let rows = shortlist(&session.embedding, packed, standings, NOW).unwrap_or_default();
    let signatures: Vec<Signature> = rows
        .iter()
        .map(|row| Signature {
            basket_id: row.to_string(),
            embedding: floats[row * DIMS..(row + 1) * DIMS].to_vec(),
            last_refreshed: Some(NOW),
            ..Signature::default()
        })
        .collect();
    let candidates: Vec<Candidate<'_>> = signatures
        .iter()
        .map(|signature| Candidate { signature, similarity: None, affinity: 0.0, conflict: false })
        .collect();
    select(session, &candidates, NOW).ranked.len()
}

fn pass(wanted: &[f32], floats: &[f32]) -> f32 {
    let mut best = f32::MIN;
    for row in floats.chunks_exact(DIMS) {
        let mut sums = [0.0_f32; LANES];
        for (a, b) in wanted.chunks_exact(LANES).zip(row.chunks_exact(LANES)) {
            for lane in 0..LANES {
                sums[lane] += a[lane] * b[lane];
            }
        }
        best = best.max(sums.iter().sum());
    }
    best
}
