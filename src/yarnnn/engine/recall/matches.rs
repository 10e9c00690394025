//! One order of what was found by words and by meaning, page by page.
//!
//! The best matches by words and the nearest blocks are fused by their ranks, which both databases
//! give alike, unlike scores. The other matches by words follow in their own order. So every entry is
//! on exactly one page, and the order is the same in every call.

use std::collections::{BTreeMap, BTreeSet};

use super::super::Result;
use super::super::meaning::NearBlock;
use super::Match;
use crate::index;
use crate::records::baskets::Totals;
use crate::records::substrate::{self, Entry, Filter, Kind};
use crate::records::{Tx, blocks};

/// Matches by words that are fused with those by meaning.
const FUSED: i64 = 200;
/// How much more the first ranks count than the next ones.
const SPREAD: f64 = 20.0;
/// A rank by meaning against the same rank by words.
const BY_MEANING: f64 = 2.0;

/// What is searched for.
pub(super) struct Sought<'a> {
    pub(super) filter: &'a Filter<'a>,
    /// Blocks of the filter's basket and anchors, the nearest first.
    pub(super) near: &'a [NearBlock],
    pub(super) matched: Match,
    /// The totals of the filter's basket.
    pub(super) totals: Totals,
}

/// Some entries of all that match.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) entries: Vec<Entry>,
    /// All that match.
    pub(super) total: i64,
}

/// The matching entries: the best match first, without words the newest.
pub(super) fn matching(
    tx: &mut Tx<'_>,
    scope: (&str, i64),
    sought: Sought<'_>,
    limit: i64,
    offset: i64,
) -> Result<Page> {
    let Sought { filter, near, matched, totals } = sought;
    match matched {
        Match::Meaning => {
            let all = near.iter().map(block);
            let skipped = usize::try_from(offset).unwrap_or(usize::MAX);
            let most = usize::try_from(limit).unwrap_or(usize::MAX);
            let total = i64::try_from(near.len()).unwrap_or(i64::MAX);
            Ok(Page { entries: all.skip(skipped).take(most).collect(), total })
        }
        Match::Both if !filter.words.is_empty() => fused(tx, scope, filter, near, limit, offset),
        Match::Words | Match::Both => by_words(tx, scope, filter, totals, limit, offset),
    }
}

fn by_words(
    tx: &mut Tx<'_>,
    scope: (&str, i64),
    filter: &Filter<'_>,
    totals: Totals,
    limit: i64,
    offset: i64,
) -> Result<Page> {
    let total = match filter.words.is_empty() && filter.anchors.is_empty() {
        true => totals.count.blocks + totals.count.items + totals.count.dumps,
        false => substrate::count(tx, scope, filter)?,
    };
    let entries = match offset >= total {
        true => Vec::new(),
        false => substrate::find(tx, scope, filter, limit, offset)?,
    };
    Ok(Page { entries, total })
}

fn fused(
    tx: &mut Tx<'_>,
    scope: (&str, i64),
    filter: &Filter<'_>,
    near: &[NearBlock],
    limit: i64,
    offset: i64,
) -> Result<Page> {
    let best = substrate::find(tx, scope, filter, FUSED, 0)?;
    let all_seen = i64::try_from(best.len()).unwrap_or(i64::MAX) < FUSED;
    let is_near: BTreeSet<&str> = near.iter().map(|block| block.block_id.as_str()).collect();
    let apart = best.iter().filter(|entry| !is_near.contains(entry.id.as_str())).count();
    let head = ranked(tx, scope.0, &best, near)?;
    let fused = i64::try_from(head.len()).unwrap_or(i64::MAX);
    let more = match all_seen {
        true => 0,
        // Near blocks that match by words too are in the head: they do not come again.
        false => {
            let matching = substrate::count(tx, scope, filter)?;
            let near: i64 = said(tx, scope.0, near, filter.words)?;
            matching - near - i64::try_from(apart).unwrap_or(i64::MAX)
        }
    };
    let (skipped, most) = (usize::try_from(offset), usize::try_from(limit));
    let (skipped, most) = (skipped.unwrap_or(usize::MAX), most.unwrap_or(usize::MAX));
    let mut entries: Vec<Entry> = head.into_iter().skip(skipped).take(most).collect();
    let wanted = limit - i64::try_from(entries.len()).unwrap_or(i64::MAX);
    let past = (offset - fused).max(0);
    if wanted > 0 && past < more {
        let start = i64::try_from(apart).unwrap_or(i64::MAX) + past;
        let without: Vec<&str> = is_near.into_iter().collect();
        entries.extend(substrate::find_others(tx, scope, filter, &without, wanted, start)?);
    }
    Ok(Page { entries, total: fused + more })
}

/// How many of these blocks have any of the words.
fn said(tx: &mut Tx<'_>, workspace: &str, near: &[NearBlock], words: &[String]) -> Result<i64> {
    let mut count = 0;
    for block in near {
        if let Some(record) = blocks::find(tx, workspace, &block.block_id)? {
            let said = index::words(&substrate::block_text(&record.block));
            count += i64::from(words.iter().any(|word| said.contains(word)));
        }
    }
    Ok(count)
}

/// Both lists as one. A raw dump comes after what was extracted from it, if that was found too: it
/// says the same again.
fn ranked(
    tx: &mut Tx<'_>,
    workspace: &str,
    best: &[Entry],
    near: &[NearBlock],
) -> Result<Vec<Entry>> {
    let mut scores: BTreeMap<&str, f64> = BTreeMap::new();
    for (rank, entry) in best.iter().enumerate() {
        *scores.entry(&entry.id).or_default() += 1.0 / (SPREAD + rank as f64);
    }
    for (rank, block) in near.iter().enumerate() {
        *scores.entry(&block.block_id).or_default() += BY_MEANING / (SPREAD + rank as f64);
    }
    let known: BTreeSet<&str> = best.iter().map(|entry| entry.id.as_str()).collect();
    let others = near.iter().filter(|block| !known.contains(block.block_id.as_str()));
    let mut all: Vec<Entry> = best.iter().cloned().chain(others.map(block)).collect();
    let ids: Vec<&str> = all
        .iter()
        .filter(|entry| entry.kind == Kind::Block)
        .map(|entry| entry.id.as_str())
        .collect();
    let sources: BTreeSet<String> = blocks::dumps_of(tx, workspace, &ids)?;
    let repeats = |entry: &Entry| entry.kind == Kind::Dump && sources.contains(&entry.id);
    let score = |entry: &Entry| scores.get(entry.id.as_str()).copied().unwrap_or(0.0);
    // Stable: of equal ones, the better match by words comes first.
    all.sort_by(|a, b| repeats(a).cmp(&repeats(b)).then(score(b).total_cmp(&score(a))));
    Ok(all)
}

fn block(near: &NearBlock) -> Entry {
    Entry {
        kind: Kind::Block,
        id: near.block_id.clone(),
        basket_id: near.basket_id.clone(),
    }
}
