//! Prompts: conversations that a user starts, written down as templates.

use crate::IconInfo;

/// A prompt.
#[derive(Debug)]
pub struct PromptInfo {
    /// Name in the spec and on the wire.
    pub name: &'static str,
    /// Human-readable title.
    pub title: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// Key of the boolean setting without which it is not offered.
    pub offered_by: Option<&'static str>,
    /// In the order of the spec.
    pub arguments: &'static [PromptArgument],
    /// In the order of the spec.
    pub messages: &'static [PromptMessage],
    /// Indices in `SurfaceInfo::tools` of the tools that it names or runs, sorted: without one of them it
    /// is not offered.
    pub tools: &'static [usize],
    /// Icons.
    pub icons: &'static [IconInfo],
    /// Arguments of an example, as sent.
    pub example: &'static [(&'static str, &'static str)],
}

impl PromptInfo {
    /// Finds an argument by its name.
    pub fn argument(&self, name: &str) -> Option<&'static PromptArgument> {
        self.arguments.iter().find(|argument| argument.name == name)
    }
}

/// An argument. On the wire it is a string.
#[derive(Debug)]
pub struct PromptArgument {
    /// Name.
    pub name: &'static str,
    /// Human-readable title.
    pub title: Option<&'static str>,
    /// What it says.
    pub description: &'static str,
    /// It must be given.
    pub required: bool,
    /// What stands in its place where it is not given.
    pub default: Option<&'static str>,
    /// What it may be.
    pub kind: PromptValueKind,
    /// The argument of a tool that has the same values: index in `SurfaceInfo::tools`, and name.
    pub complete: Option<(usize, &'static str)>,
}

/// What an argument of a prompt may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptValueKind {
    /// Any text.
    Text {
        /// In characters.
        max_length: Option<u32>,
    },
    /// One of these.
    Choice(&'static [&'static str]),
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

/// A message.
#[derive(Debug)]
pub struct PromptMessage {
    /// Who says it.
    pub role: PromptRole,
    /// The optional argument without which it is left out.
    pub when: Option<&'static str>,
    /// What it says.
    pub content: PromptContent,
}

/// Who says a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptRole {
    /// The user.
    User,
    /// The model.
    Assistant,
}

/// What a message says.
#[derive(Debug)]
pub enum PromptContent {
    /// A text.
    Text(&'static [PromptPiece]),
    /// A resource of the surface, embedded; its URI.
    Resource(&'static [PromptPiece]),
    /// The answer of a read tool, as text.
    Result {
        /// Index in `SurfaceInfo::tools`.
        tool: usize,
        /// Its arguments.
        input: &'static [(&'static str, PromptInput)],
    },
    /// An image of the contract.
    Image {
        /// Base64.
        data: &'static str,
        /// Media type.
        mime_type: &'static str,
    },
}

/// A run of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptPiece {
    /// As it is.
    Text(&'static str),
    /// The value of an argument.
    Argument(&'static str),
    /// The name of the tool at this index, as the client knows it.
    Tool(usize),
}

/// An argument of a tool that a prompt runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptInput {
    /// JSON text.
    Json(&'static str),
    /// The value of an argument of the prompt, with its type; left out where that is not given.
    Argument(&'static str),
}
