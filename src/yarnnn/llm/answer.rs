//! Parses the model's answer: it must fit the schema completely, else it is rejected.

use serde::Deserialize;

use super::error::{ErrorKind, LlmError};
use crate::model::SemanticType;

/// Most statements, and most entities, of an answer. The prompt asks for a dozen.
const MOST: usize = 100;

/// What a model extracted.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answer {
    pub(super) statements: Vec<AnsweredStatement>,
    pub(super) entities: Vec<AnsweredName>,
}

/// A statement.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AnsweredStatement {
    pub(super) semantic_type: SemanticType,
    pub(super) title: String,
    pub(super) content: String,
    pub(super) confidence: f64,
    pub(super) quotes: Vec<String>,
}

/// A name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AnsweredName {
    pub(super) label: String,
    pub(super) kind: Kind,
    pub(super) synonyms: Vec<String>,
    pub(super) confidence: f64,
}

/// What kind of name it is.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    Entity,
    Code,
    Quote,
}

impl Kind {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Entity => "entity",
            Self::Code => "code",
            Self::Quote => "quote",
        }
    }
}

/// The completion around an answer. Unknown fields are ignored.
#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
    refusal: Option<String>,
}

/// Parses the body of a completion.
pub(super) fn read(body: &[u8]) -> Result<Answer, LlmError> {
    let completion: Completion = serde_json::from_slice(body).map_err(|error| unfit(&error))?;
    let choice = completion.choices.into_iter().next();
    let Choice { message, finish_reason } =
        choice.ok_or_else(|| ErrorKind::Invalid.because("no choice"))?;
    if message.refusal.is_some_and(|words| !words.is_empty()) {
        return Err(ErrorKind::Declined.into());
    }
    match finish_reason.as_deref() {
        Some("length") => return Err(ErrorKind::Truncated.into()),
        Some("content_filter") => return Err(ErrorKind::Declined.because("content filter")),
        _ => {}
    }
    let content = message.content.ok_or_else(|| ErrorKind::Invalid.because("no content"))?;
    let answer: Answer = serde_json::from_str(&content).map_err(|error| unfit(&error))?;
    let sure = answer.statements.iter().map(|told| told.confidence);
    let mut sure = sure.chain(answer.entities.iter().map(|named| named.confidence));
    if !sure.all(|sure| (0.0..=1.0).contains(&sure)) {
        return Err(ErrorKind::Invalid.because("a confidence is not between 0 and 1"));
    }
    if answer.statements.len().max(answer.entities.len()) > MOST {
        return Err(ErrorKind::Invalid.because(format!("more than {MOST} statements or entities")));
    }
    Ok(answer)
}

/// Where it does not fit. Only the position: the error's message may quote the dump.
fn unfit(error: &serde_json::Error) -> LlmError {
    let (line, column) = (error.line(), error.column());
    ErrorKind::Invalid.because(format!("{:?} error at {line}:{column}", error.classify()))
}
