//! What all rooms of the engine talk about: baskets, dumps, blocks, proposals, fingerprints.
//!
//! Plain data. Words are those of the contract and of its canon.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Epoch milliseconds.
pub type Millis = i64;

/// What a session is about: the vector that baskets are compared by, and words beside it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fingerprint {
    /// Made by the host, or by the server from the text.
    pub embedding: Vec<f32>,
    /// The model that made it. Vectors of different models are never compared.
    pub model: String,
    /// Two to four sentences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// `ask`, `create`, `validate`, `recall` or any other word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// Names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<String>,
    /// Words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
}

impl Fingerprint {
    /// The same without its vector, as stored beside it.
    pub(crate) fn words(&self) -> Self {
        Self { embedding: Vec::new(), model: String::new(), ..self.clone() }
    }
}

/// The speaker of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// The user.
    User,
    /// The model.
    Assistant,
    /// Unknown: a note, a document.
    Unknown,
}

/// The semantic type of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SemanticType {
    /// A decision.
    Decision,
    /// A rule: something must or must not be.
    Constraint,
    /// A goal.
    Goal,
    /// A number with a meaning.
    Metric,
    /// A task.
    Action,
    /// A problem.
    Problem,
    /// A reason or explanation.
    Insight,
    /// A quotation.
    Quote,
    /// Any other statement.
    Fact,
}

/// A byte range of a raw dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ByteSpan {
    /// First byte.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
}

/// The state of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum BlockState {
    /// Awaiting approval.
    Proposed,
    /// In memory.
    Accepted,
    /// In memory; changes need a reviewer.
    Locked,
    /// True everywhere in its scope.
    Constant,
    /// Replaced by a later version.
    Superseded,
    /// Rejected.
    Rejected,
}

/// A statement of memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// Its id.
    pub id: String,
    /// Its semantic type.
    pub semantic_type: SemanticType,
    /// Its title.
    pub title: String,
    /// Its text.
    pub content: String,
    /// 0 to 1.
    pub confidence: f64,
    /// Its state.
    pub state: BlockState,
    /// Its place among the basket's anchors, such as `problem`.
    pub anchor: Option<String>,
}

/// A change that P1 proposes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum Operation {
    /// A new block.
    CreateBlock {
        /// Its semantic type.
        semantic_type: SemanticType,
        /// Its title.
        title: String,
        /// Its text.
        content: String,
        /// 0 to 1.
        confidence: f64,
        /// Where in the dump it was read.
        spans: Vec<ByteSpan>,
        /// More about it: owner, priority, number and unit, speaker.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        metadata: BTreeMap<String, String>,
    },
    /// A later version of a block.
    ReviseBlock {
        /// The block.
        block_id: String,
        /// Its text.
        content: String,
        /// 0 to 1.
        confidence: f64,
        /// Where in the dump it was read.
        spans: Vec<ByteSpan>,
    },
    /// A name that matters.
    CreateContextItem {
        /// The name.
        label: String,
        /// `entity`, `code`, `quote`.
        kind: String,
        /// Other spellings.
        synonyms: Vec<String>,
        /// 0 to 1.
        confidence: f64,
        /// Where in the dump it occurs.
        spans: Vec<ByteSpan>,
    },
}

impl SemanticType {
    /// All of them, in the order in which cues are tried.
    pub const ALL: [Self; 9] = [
        Self::Decision,
        Self::Constraint,
        Self::Goal,
        Self::Metric,
        Self::Action,
        Self::Problem,
        Self::Insight,
        Self::Quote,
        Self::Fact,
    ];

    /// The contract's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Constraint => "constraint",
            Self::Goal => "goal",
            Self::Metric => "metric",
            Self::Action => "action",
            Self::Problem => "problem",
            Self::Insight => "insight",
            Self::Quote => "quote",
            Self::Fact => "fact",
        }
    }

    /// Reads the contract's word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

impl BlockState {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Proposed,
        Self::Accepted,
        Self::Locked,
        Self::Constant,
        Self::Superseded,
        Self::Rejected,
    ];

    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Proposed => "PROPOSED",
            Self::Accepted => "ACCEPTED",
            Self::Locked => "LOCKED",
            Self::Constant => "CONSTANT",
            Self::Superseded => "SUPERSEDED",
            Self::Rejected => "REJECTED",
        }
    }

    /// Reads the stored word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }

    /// In memory.
    pub fn is_current(self) -> bool {
        matches!(self, Self::Accepted | Self::Locked | Self::Constant)
    }
}

impl Operation {
    /// The contract's word.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::CreateBlock { .. } => "CreateBlock",
            Self::ReviseBlock { .. } => "ReviseBlock",
            Self::CreateContextItem { .. } => "CreateContextItem",
        }
    }

    /// It is about a block.
    pub fn is_block(&self) -> bool {
        !matches!(self, Self::CreateContextItem { .. })
    }
}

impl SemanticType {
    /// The anchor role that statements of this type speak to by themselves.
    pub fn anchor(self) -> Option<&'static str> {
        match self {
            Self::Problem => Some("problem"),
            Self::Constraint => Some("constraint"),
            Self::Metric => Some("metric"),
            Self::Insight => Some("insight"),
            Self::Goal => Some("vision"),
            Self::Decision | Self::Action | Self::Quote | Self::Fact => None,
        }
    }
}
