//! Prompts and icons of a contract.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
pub use toolwright_contract::IconTheme;
use toolwright_contract::UriTemplate;

/// A prompt.
#[derive(Debug, Clone, Serialize)]
pub struct Prompt {
    /// Name in the spec; the file's stem.
    pub name: String,
    /// For users.
    pub title: String,
    /// For users and models.
    pub description: String,
    /// Key of the boolean setting without which it is not offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offered_by: Option<String>,
    /// In the order of the spec.
    pub arguments: Vec<PromptArgument>,
    /// In the order of the spec.
    pub messages: Vec<PromptMessage>,
    /// Icons.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// Arguments of an example, as sent.
    pub example: BTreeMap<String, String>,
}

impl Prompt {
    /// The tools that it names or runs, sorted; `resources` of the contract may run some too.
    pub fn tools(&self, resources: &[super::Resource]) -> Vec<String> {
        let mut tools = Vec::new();
        for message in &self.messages {
            match &message.content {
                Content::Text(pieces) => {
                    tools.extend(pieces.iter().filter_map(|piece| match piece {
                        Piece::Tool(name) => Some(name.clone()),
                        _ => None,
                    }))
                }
                Content::Result { tool, .. } => tools.push(tool.clone()),
                Content::Resource(uri) => {
                    let mirrored = mirror(resources, uri).map(|resource| &resource.source);
                    if let Some(super::Source::Tool(tool)) = mirrored {
                        tools.push(tool.clone());
                    }
                }
                Content::Image { .. } => {}
            }
        }
        tools.sort();
        tools.dedup();
        tools
    }
}

/// The resource that a template of a URI reads, whatever its arguments are.
pub fn mirror<'r>(resources: &'r [super::Resource], uri: &[Piece]) -> Option<&'r super::Resource> {
    // A value that is no word of any path.
    const ANY: &str = "%7F";
    let written = |piece: &Piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Argument(_) | Piece::Tool(_) => ANY.to_owned(),
    };
    let uri: String = uri.iter().map(written).collect();
    let path = uri.split_once('?').map_or(uri.as_str(), |(path, _)| path);
    let reads = |resource: &&super::Resource| {
        UriTemplate::parse(&resource.uri).is_ok_and(|template| template.matches(path).is_some())
    };
    resources.iter().find(reads)
}

/// An argument of a prompt; a string on the wire.
#[derive(Debug, Clone, Serialize)]
pub struct PromptArgument {
    /// Its name.
    pub name: String,
    /// For users.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// For users.
    pub description: String,
    /// It must be given.
    pub required: bool,
    /// What stands in its place where it is not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// What it may be.
    #[serde(flatten)]
    pub kind: PromptValueKind,
    /// Tool and argument that have the same values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complete: Option<(String, String)>,
}

/// What an argument may be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum PromptValueKind {
    /// Any text.
    Text {
        /// In characters.
        max_length: Option<u32>,
    },
    /// One of these.
    Choice {
        /// The words.
        words: Vec<String>,
    },
    /// A whole number.
    Integer {
        /// At least.
        minimum: Option<i64>,
        /// At most.
        maximum: Option<i64>,
    },
    /// `true` or `false`.
    Boolean,
}

impl PromptValueKind {
    /// In words, for messages and tables.
    pub fn describe(&self) -> String {
        match self {
            Self::Text { max_length: None } => "text".to_owned(),
            Self::Text { max_length: Some(limit) } => format!("text of up to {limit} characters"),
            Self::Choice { words } => format!("one of {}", words.join(", ")),
            Self::Integer { minimum, maximum } => match (minimum, maximum) {
                (None, None) => "integer".to_owned(),
                (Some(low), None) => format!("integer from {low}"),
                (None, Some(high)) => format!("integer up to {high}"),
                (Some(low), Some(high)) => format!("integer from {low} to {high}"),
            },
            Self::Boolean => "true or false".to_owned(),
        }
    }

    /// A text as a value of this kind, or none.
    pub fn read(&self, text: &str) -> Option<Value> {
        match self {
            Self::Text { max_length } => {
                let fits = max_length.is_none_or(|limit| text.chars().count() <= limit as usize);
                fits.then(|| text.into())
            }
            Self::Choice { words } => words.iter().any(|word| word == text).then(|| text.into()),
            Self::Integer { minimum, maximum } => {
                let number: i64 = text.parse().ok()?;
                let fits = minimum.is_none_or(|low| number >= low)
                    && maximum.is_none_or(|high| number <= high);
                fits.then(|| number.into())
            }
            Self::Boolean => text.parse::<bool>().ok().map(Value::Bool),
        }
    }
}

/// A message of a prompt.
#[derive(Debug, Clone, Serialize)]
pub struct PromptMessage {
    /// The model says it, not the user.
    pub assistant: bool,
    /// The optional argument without which it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// What it says.
    #[serde(flatten)]
    pub content: Content,
}

/// What a message says.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// A text.
    Text(Vec<Piece>),
    /// A resource of the surface, embedded.
    Resource(Vec<Piece>),
    /// The answer of a read tool.
    Result {
        /// The tool.
        tool: String,
        /// Its arguments: JSON, or `"$argument"`.
        input: BTreeMap<String, Value>,
    },
    /// An image of the contract.
    Image {
        /// Below the surface's folder.
        path: String,
        /// Media type.
        mime_type: String,
        /// Base64.
        data: String,
    },
}

/// A run of a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Piece {
    /// As it is.
    Text(String),
    /// The value of an argument.
    Argument(String),
    /// The name of a tool, as the client knows it.
    Tool(String),
}

/// An icon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Icon {
    /// `https:` URL, or `data:` URI.
    pub src: String,
    /// Media type.
    pub mime_type: String,
    /// `48x48`, `any`.
    pub sizes: Vec<String>,
    /// The background that it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theme: Option<IconTheme>,
}

/// What an icon is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IconOwner {
    /// The server.
    Surface,
    /// A tool by its name.
    Tool(String),
    /// A resource by its URI.
    Resource(String),
}
