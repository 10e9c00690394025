//! One order of what was found by words and by meaning, page by page.
//!
//! The best matches by words and the nearest entries are ordered together: by their similarity, and by
//! how much of the question they say. The scores of a database are not used, so both give the same
//! order. The other matches by words follow in their own order, so every entry is on exactly one page.

use std::collections::{BTreeMap, BTreeSet};

use super::super::Result;
use super::super::meaning::Near;
use super::Match;
use crate::records::baskets::Totals;
use crate::records::substrate::{self, Entry, Filter, Kind};
use crate::records::{Tx, blocks, dumps};

/// Matches by words that are ordered together with those by meaning.
const BEST: i64 = 100;
/// Words of a question that matches are looked through for: each is a query of its own.
const MOST_WORDS: usize = 40;
/// What saying all words of a question counts, against the similarity of a text to itself.
const SAYS_ALL: f64 = 0.5;
/// How much of a block's similarity is that of the text it comes from: it tells what the block is about.
const AROUND: f64 = 0.25;
/// Entries that are compared token by token.
const CLOSELY: usize = 32;
/// What saying all tokens of a question counts.
const TOKENS: f64 = 0.8;
/// What an entry counts less for each one before it from the same raw dump.
const SAME_SOURCE: f64 = 0.04;

/// What is searched for.
pub(super) struct Sought<'a> {
    pub(super) filter: &'a Filter<'a>,
    /// Entries of the filter's basket and anchors, the nearest first.
    pub(super) near: Vec<Near>,
    /// How much of the question each of these texts says; none if no model can tell.
    pub(super) says: &'a dyn Fn(&[String]) -> Option<Vec<f64>>,
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
    sought: &Sought<'_>,
    limit: i64,
    offset: i64,
) -> Result<Page> {
    let Sought { filter, near, says, matched, totals } = sought;
    let (skipped, most) = (usize::try_from(offset), usize::try_from(limit));
    let (skipped, most) = (skipped.unwrap_or(usize::MAX), most.unwrap_or(usize::MAX));
    let size = |entries: &[Entry]| i64::try_from(entries.len()).unwrap_or(i64::MAX);
    match matched {
        Match::Words => by_words(tx, scope, filter, *totals, limit, offset),
        Match::Meaning => {
            let all = ordered(tx, scope, &[], near, filter.words, says)?;
            let total = size(&all);
            Ok(Page { entries: all.into_iter().skip(skipped).take(most).collect(), total })
        }
        Match::Both => {
            let best = substrate::find(tx, scope, filter, BEST, 0)?;
            let rest = Rest::of(tx, scope, filter, &best, near)?;
            let head = ordered(tx, scope, &best, near, filter.words, says)?;
            let (ahead, total) = (size(&head), size(&head) + rest.count);
            let mut entries: Vec<Entry> = head.into_iter().skip(skipped).take(most).collect();
            let (wanted, past) = (limit - size(&entries), (offset - ahead).max(0));
            if wanted > 0 && past < rest.count {
                let Rest { without, from, .. } = rest;
                let start = from + past;
                entries.extend(substrate::find_others(tx, scope, filter, &without, wanted, start)?);
            }
            Ok(Page { entries, total })
        }
    }
}

/// By words alone. Among the best ones, raw dumps come after what was extracted from them.
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
    if filter.words.is_empty() || offset >= total {
        let entries = match offset >= total {
            true => Vec::new(),
            false => substrate::find(tx, scope, filter, limit, offset)?,
        };
        return Ok(Page { entries, total });
    }
    let mut entries = Vec::new();
    if offset < BEST {
        let best = substrate::find(tx, scope, filter, BEST, 0)?;
        let all: Vec<&Entry> = best.iter().collect();
        let extracted: BTreeSet<String> = sources(tx, scope, &all)?.into_values().collect();
        let (last, first): (Vec<&Entry>, Vec<&Entry>) = all
            .into_iter()
            .partition(|entry| entry.kind == Kind::Dump && extracted.contains(&entry.id));
        let (skipped, most) = (usize::try_from(offset), usize::try_from(limit));
        let (skipped, most) = (skipped.unwrap_or(usize::MAX), most.unwrap_or(usize::MAX));
        entries.extend(first.into_iter().chain(last).skip(skipped).take(most).cloned());
    }
    let wanted = limit - i64::try_from(entries.len()).unwrap_or(i64::MAX);
    if wanted > 0 {
        entries.extend(substrate::find(tx, scope, filter, wanted, offset.max(BEST))?);
    }
    Ok(Page { entries, total })
}

/// The matches by words after the best ones, without those that are near.
struct Rest<'a> {
    without: Vec<&'a str>,
    /// So many of the best ones are not near: the others begin after them.
    from: i64,
    count: i64,
}

impl<'a> Rest<'a> {
    fn of(
        tx: &mut Tx<'_>,
        scope: (&str, i64),
        filter: &Filter<'_>,
        best: &[Entry],
        near: &'a [Near],
    ) -> Result<Self> {
        let without: Vec<&str> = near.iter().map(|near| near.entry.id.as_str()).collect();
        let are_near: BTreeSet<&str> = without.iter().copied().collect();
        let apart = best.iter().filter(|entry| !are_near.contains(entry.id.as_str())).count();
        let from = i64::try_from(apart).unwrap_or(i64::MAX);
        let count = match i64::try_from(best.len()).unwrap_or(i64::MAX) < BEST {
            true => 0,
            false => {
                let near = substrate::with_words(tx, scope, filter.words, &without)?.len();
                let near = i64::try_from(near).unwrap_or(i64::MAX);
                substrate::count(tx, scope, filter)? - near - from
            }
        };
        Ok(Self { without, from, count })
    }
}

/// Both lists as one, the best first.
///
/// A raw dump comes after what was extracted from it, unless it says more of what is asked than any
/// of that. And an entry counts less the more of its source came before, so that one long text does
/// not take all places.
fn ordered(
    tx: &mut Tx<'_>,
    scope: (&str, i64),
    best: &[Entry],
    near: &[Near],
    words: &[String],
    says: &dyn Fn(&[String]) -> Option<Vec<f64>>,
) -> Result<Vec<Entry>> {
    let known: BTreeSet<&str> = best.iter().map(|entry| entry.id.as_str()).collect();
    let others =
        near.iter().map(|near| &near.entry).filter(|entry| !known.contains(entry.id.as_str()));
    let all: Vec<&Entry> = best.iter().chain(others).collect();
    let said = match best.is_empty() {
        true => BTreeMap::new(),
        false => said(tx, scope, &all, words)?,
    };
    let similarity: BTreeMap<&str, f64> =
        near.iter().map(|near| (near.entry.id.as_str(), near.similarity)).collect();
    let least = near.last().map_or(0.0, |near| near.similarity);
    let sources = sources(tx, scope, &all)?;
    let scored = all.into_iter().map(|entry| {
        let source = sources.get(&entry.id).map_or(entry.id.as_str(), String::as_str);
        let near = similarity.get(entry.id.as_str()).map_or(0.0, |own| {
            let around = similarity.get(source).copied().unwrap_or(own.min(least));
            own * (1.0 - AROUND) + around * AROUND
        });
        // To the third power: some words of many say little.
        let said = said.get(&entry.id).map_or(0.0, |share| share.powi(3));
        Scored { entry, source, score: near + SAYS_ALL * said }
    });
    let mut scored: Vec<Scored<'_>> = scored.collect();
    if !near.is_empty() {
        compare_closely(tx, scope, &mut scored, says)?;
    }
    Ok(varied(scored))
}

/// Adds to the best ones how much of the question they say, token by token. Raw dumps that only
/// repeat are left as they are.
fn compare_closely(
    tx: &mut Tx<'_>,
    scope: (&str, i64),
    scored: &mut [Scored<'_>],
    says: &dyn Fn(&[String]) -> Option<Vec<f64>>,
) -> Result<()> {
    scored.sort_by(|a, b| b.score.total_cmp(&a.score));
    let extracted: BTreeSet<&str> =
        scored.iter().filter(|one| one.entry.kind == Kind::Block).map(|one| one.source).collect();
    let (mut closely, mut texts) = (Vec::new(), Vec::new());
    for (at, one) in scored.iter().enumerate() {
        let id = one.entry.id.as_str();
        let text = match one.entry.kind {
            Kind::Block => blocks::find(tx, scope.0, id)?.map(|found| found.block.content),
            Kind::Dump if extracted.contains(id) => None,
            Kind::Dump => dumps::find(tx, scope.0, id)?.map(|found| found.body),
            Kind::Item => None,
        };
        if let Some(text) = text {
            closely.push(at);
            texts.push(text);
        }
        if closely.len() == CLOSELY {
            break;
        }
    }
    let Some(said) = says(&texts) else { return Ok(()) };
    for (at, said) in closely.into_iter().zip(said) {
        if let Some(one) = scored.get_mut(at) {
            one.score += TOKENS * said;
        }
    }
    Ok(())
}

/// An entry and how good it is.
struct Scored<'a> {
    entry: &'a Entry,
    /// The raw dump that it is or comes from.
    source: &'a str,
    score: f64,
}

/// The best first, those of one source spread, and raw dumps that only repeat at the end.
fn varied(mut scored: Vec<Scored<'_>>) -> Vec<Entry> {
    let mut extracted: BTreeMap<&str, f64> = BTreeMap::new();
    for one in scored.iter().filter(|one| one.entry.kind == Kind::Block) {
        let best = extracted.entry(one.source).or_insert(one.score);
        *best = best.max(one.score);
    }
    let repeats = |one: &Scored<'_>| {
        let best = extracted.get(one.source);
        one.entry.kind == Kind::Dump && best.is_some_and(|best| *best >= one.score)
    };
    // Stable: of equal ones, the better match by words comes first.
    scored.sort_by(|a, b| repeats(a).cmp(&repeats(b)).then(b.score.total_cmp(&a.score)));
    let (mut left, last): (Vec<_>, Vec<_>) = scored.into_iter().partition(|one| !repeats(one));
    let mut before: BTreeMap<&str, usize> = BTreeMap::new();
    let mut found = Vec::with_capacity(left.len() + last.len());
    while !left.is_empty() {
        let now = |one: &Scored<'_>| {
            one.score - SAME_SOURCE * before.get(one.source).copied().unwrap_or(0) as f64
        };
        let mut best = 0;
        for (at, one) in left.iter().enumerate() {
            if left.get(best).is_some_and(|best| now(one) > now(best)) {
                best = at;
            }
        }
        let one = left.remove(best);
        *before.entry(one.source).or_default() += 1;
        found.push(one.entry.clone());
    }
    found.extend(last.into_iter().map(|one| one.entry.clone()));
    found
}

/// How much of the words each entry says, 0 to 1. Words that few of these entries have count more.
fn said(
    tx: &mut Tx<'_>,
    scope: (&str, i64),
    all: &[&Entry],
    words: &[String],
) -> Result<BTreeMap<String, f64>> {
    let ids: Vec<&str> = all.iter().map(|entry| entry.id.as_str()).collect();
    let (mut said, mut sum): (BTreeMap<String, f64>, f64) = (BTreeMap::new(), 0.0);
    for word in words.iter().take(MOST_WORDS) {
        let found = substrate::with_words(tx, scope, std::slice::from_ref(word), &ids)?;
        let (with, without) = (found.len() as f64, (ids.len() - found.len()) as f64);
        let weight = ((without + 0.5) / (with + 0.5)).ln_1p();
        sum += weight;
        for id in found {
            *said.entry(id).or_default() += weight;
        }
    }
    said.values_mut().for_each(|share| *share /= sum);
    Ok(said)
}

/// The raw dumps that blocks come from.
fn sources(
    tx: &mut Tx<'_>,
    scope: (&str, i64),
    all: &[&Entry],
) -> Result<BTreeMap<String, String>> {
    let blocks: Vec<&str> = all
        .iter()
        .filter(|entry| entry.kind == Kind::Block)
        .map(|entry| entry.id.as_str())
        .collect();
    Ok(blocks::dumps_of(tx, scope.0, &blocks)?)
}
