//! The labelled pairs of `pairs.yaml`, and how well the rules tell them apart.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::pair::Pair;
use super::sentence::clauses;
use super::tests::block;
use super::{Idea, Kind, Known, compare, rules};
use crate::model::{BlockState, SemanticType};

#[derive(Deserialize)]
struct Set {
    seen: Vec<Labelled>,
    held_out: Vec<Labelled>,
    crossed: Vec<Crossed>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Labelled {
    is: String,
    known: String,
    idea: String,
    #[serde(default, rename = "type")]
    kind: Option<SemanticType>,
    #[serde(default)]
    state: Option<BlockState>,
}

/// An idea that contradicts the block of another pair as well.
#[derive(Deserialize)]
struct Crossed {
    known: String,
    idea: String,
}

/// (label, answer) to how often.
type Table = BTreeMap<(String, String), usize>;

fn answer(pair: &Labelled) -> (String, String) {
    let mut block = block("b", &pair.known);
    block.semantic_type = pair.kind.unwrap_or(SemanticType::Fact);
    block.state = pair.state.unwrap_or(BlockState::Accepted);
    let idea = Idea { text: &pair.idea, focus: &[] };
    let analysis = compare(&idea, &[Known { block: &block, similarity: None }]);
    let first = analysis.conflicts.first();
    let name = match first.map(|conflict| conflict.kind) {
        Some(Kind::Contradiction) => "contradiction",
        Some(Kind::Overlap) => "overlap",
        Some(Kind::Refinement) => "refinement",
        None => "unrelated",
    };
    (name.to_owned(), first.map_or("none", |conflict| conflict.rule).to_owned())
}

fn table(name: &str, pairs: &[Labelled]) -> Table {
    let mut table = Table::new();
    for pair in pairs {
        let (found, rule) = answer(pair);
        if found != pair.is {
            println!("{name}: {} taken for {found} ({rule})", pair.is);
            println!("    known: {}\n    idea:  {}", pair.known, pair.idea);
        }
        *table.entry((pair.is.clone(), found)).or_default() += 1;
    }
    table
}

/// Precision and recall of a class.
fn quality(table: &Table, class: &str) -> (f64, f64) {
    let sum = |keep: &dyn Fn(&(String, String)) -> bool| -> usize {
        table.iter().filter(|(key, _)| keep(key)).map(|(_, count)| count).sum()
    };
    let hit = sum(&|(is, found)| is == class && found == class);
    let found = sum(&|(_, found)| found == class);
    let is = sum(&|(is, _)| is == class);
    (super::pair::ratio(hit, found), super::pair::ratio(hit, is))
}

#[test]
fn contradictions_are_found_and_nothing_else_is_called_one() {
    let set: Set = serde_yaml::from_str(include_str!("pairs.yaml")).unwrap();
    let seen = table("seen", &set.seen);
    let held_out = table("held out", &set.held_out);
    let mut all = seen.clone();
    for (key, count) in &held_out {
        *all.entry(key.clone()).or_default() += count;
    }
    for (name, table) in [("seen", &seen), ("held out", &held_out), ("all", &all)] {
        let pairs: usize = table.values().sum();
        println!("{name}: {pairs} pairs");
        for class in ["contradiction", "overlap", "refinement", "unrelated"] {
            let (precision, recall) = quality(table, class);
            println!("    {class:<14} precision {precision:.3}  recall {recall:.3}");
        }
        let (precision, recall) = quality(table, "contradiction");
        assert!(precision >= 0.9, "{name}: precision {precision:.3} on contradictions");
        assert!(recall >= 0.7, "{name}: recall {recall:.3} on contradictions");
    }
    assert!(set.seen.len() >= 100 && set.held_out.len() >= 100, "too few pairs");
}

/// Every idea against the blocks of all other pairs: nearly all are about something else, which
/// makes them the largest set of hard negatives to be had.
#[test]
fn ideas_do_not_contradict_blocks_about_other_things() {
    let set: Set = serde_yaml::from_str(include_str!("pairs.yaml")).unwrap();
    let all: Vec<_> = set.seen.iter().chain(&set.held_out).collect();
    let blocks: Vec<_> = all.iter().map(|pair| block("b", &pair.known)).collect();
    let known: Vec<_> = blocks.iter().map(|block| clauses(&block.content, "", 9)).collect();
    let near = super::near::Near::default();
    let mut found = BTreeSet::new();
    for pair in &all {
        for idea in clauses(&pair.idea, "", 9) {
            for (block, theirs) in
                blocks.iter().zip(&known).filter(|(b, _)| b.content != pair.known)
            {
                let judged = theirs.iter().filter_map(|other| Pair::of(&idea, other));
                let mut judged = judged.filter_map(|both| rules::judge(&both, block, None, &near));
                if judged.any(|finding| finding.kind == Kind::Contradiction) {
                    found.insert((block.content.clone(), pair.idea.clone()));
                }
            }
        }
    }
    let meant: BTreeSet<_> = set.crossed.into_iter().map(|pair| (pair.known, pair.idea)).collect();
    println!("{} ideas against {} blocks: {} contradictions", all.len(), all.len(), found.len());
    // Of nearly a hundred thousand combinations, hardly one in two thousand.
    let wrong = found.difference(&meant).count();
    assert!(wrong * 2000 <= all.len() * all.len(), "{wrong}: {found:?}");
}
