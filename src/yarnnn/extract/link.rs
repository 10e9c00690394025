//! P2: finds relations between blocks, and which names they mention.
//!
//! Compares only blocks that share a word, and ignores words that half of memory uses: the
//! time is near linear in the number of blocks. A phrase such as `because` links two blocks only
//! if the clause after it matches the other block. Writes nothing.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::pairs::{Memory, Score};
use super::phrases::THEMES;
use super::title;
use super::words::words;
use crate::model::Block;

/// The most relations of one run.
pub const MAX_RELATIONS: usize = 50;
const NAMED: f64 = 0.75;

/// Kinds of relations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RelationKind {
    /// `from` is why `to` is so.
    CausalRelationship,
    /// `from` comes before `to`.
    TemporalSequence,
    /// `from` makes `to` possible.
    EnablementChain,
    /// `from` changes `to`.
    ImpactRelationship,
    /// `from` is the condition of `to`.
    ConditionalLogic,
    /// They share words.
    RelatedContent,
    /// They are about the same theme.
    ThematicConnection,
    /// The block `from` names the context item `to`.
    ContextReference,
}

impl RelationKind {
    /// The contract's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CausalRelationship => "causal_relationship",
            Self::TemporalSequence => "temporal_sequence",
            Self::EnablementChain => "enablement_chain",
            Self::ImpactRelationship => "impact_relationship",
            Self::ConditionalLogic => "conditional_logic",
            Self::RelatedContent => "related_content",
            Self::ThematicConnection => "thematic_connection",
            Self::ContextReference => "context_reference",
        }
    }
}

/// A link between two blocks, or from a block to a context item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Relation {
    /// A block's id.
    pub from: String,
    /// A block's id; a context item's for [`RelationKind::ContextReference`].
    pub to: String,
    /// The kind of the relation.
    pub kind: RelationKind,
    /// 0 to 1.
    pub strength: f64,
    /// Why, in one sentence.
    pub description: String,
}

/// The strongest relations among blocks, and from blocks to the items (id, label) that they name.
/// At most one relation per pair, at most [`MAX_RELATIONS`] in all, the strongest first.
pub fn link(blocks: &[Block], items: &[(String, String)]) -> Vec<Relation> {
    let memory = Memory::new(blocks);
    let mut relations = references(&memory, items);
    relations.extend(memory.scores(MAX_RELATIONS).iter().map(|score| described(&memory, score)));
    relations.sort_by(|one, other| {
        let key = |relation: &Relation| (relation.kind, relation.from.clone(), relation.to.clone());
        other.strength.total_cmp(&one.strength).then_with(|| key(one).cmp(&key(other)))
    });
    relations.truncate(MAX_RELATIONS);
    relations
}

fn described(memory: &Memory<'_>, score: &Score) -> Relation {
    let (from, to) = (memory.block(score.from), memory.block(score.to));
    let shared: Vec<String> =
        memory.shared(score).iter().take(4).map(|word| format!("“{word}”")).collect();
    let shared = shared.join(", ");
    let does = match score.kind {
        RelationKind::CausalRelationship => "is a cause of",
        RelationKind::TemporalSequence => "comes before",
        RelationKind::EnablementChain => "makes possible",
        RelationKind::ImpactRelationship => "changes",
        _ => "is a condition of",
    };
    let description = match (memory.phrase(score), score.theme) {
        (Some(phrase), _) => format!(
            "“{}” {does} “{}”: “{}” and the words {shared}.",
            title(&from.title),
            title(&to.title),
            phrase.words,
        ),
        (None, Some(theme)) => {
            format!("Both are about {}.", THEMES.get(theme).map_or("the same", |(name, _)| name))
        }
        (None, None) => format!("Both speak of {shared}."),
    };
    Relation {
        from: from.id.clone(),
        to: to.id.clone(),
        kind: score.kind,
        strength: score.strength,
        description,
    }
}

/// Which blocks mention which items.
fn references(memory: &Memory<'_>, items: &[(String, String)]) -> Vec<Relation> {
    let labels: Vec<Vec<String>> = items.iter().map(|(_, label)| spoken(label)).collect();
    let mut by_first: HashMap<&str, Vec<usize>> = HashMap::new();
    for (item, label) in labels.iter().enumerate() {
        if let Some(first) = label.first() {
            by_first.entry(first).or_default().push(item);
        }
    }
    let mut found = Vec::new();
    for block in memory.blocks() {
        let said = spoken(&block.content);
        let mut named: BTreeSet<usize> = BTreeSet::new();
        for at in 0..said.len() {
            let here = by_first.get(said[at].as_str()).into_iter().flatten();
            named.extend(here.filter(|item| said[at..].starts_with(&labels[**item])).copied());
        }
        for (id, label) in named.into_iter().filter_map(|item| items.get(item)) {
            found.push(Relation {
                from: block.id.clone(),
                to: id.clone(),
                kind: RelationKind::ContextReference,
                strength: NAMED,
                description: format!("“{}” names {label}.", title(&block.title)),
            });
        }
    }
    found
}

/// Words in the form compared with labels: `Acme's` names Acme.
fn spoken(text: &str) -> Vec<String> {
    let bare = |word: &str| word.strip_suffix("'s").unwrap_or(word).to_owned();
    words(text).iter().map(|word| bare(&word.text)).collect()
}
