//! The handlers, one file per tool, and what they share: the actor, document answers, errors.

mod continuity_check;
mod entity_get;
mod entity_link;
mod entity_search;
mod entity_upsert;
mod export_shot_prompt_pack;
mod export_story_bible;
mod project_create;
mod project_get;
mod prompt_compose;
mod story_edge_create;
mod story_graph_get;
mod story_node_create;
mod story_node_get;
mod story_node_update;
mod version_publish;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use toolwright_runtime::{Call, ErrorKind as _, Failure};

use super::engine::{Actor, EngineError, Problem};
use super::messages::Language;
use super::store::Kind;
use crate::generated::{Error, Result};

/// Who acts.
fn actor(call: &Call, tenant: String, user: String) -> Actor {
    Actor { tenant, user, action: call.tool().name.to_owned() }
}

/// An answer with one member, which is a document of ours.
fn answer(name: &str, document: &impl Serialize) -> Result<Box<RawValue>> {
    raw(serde_json::to_string(document).map(|text| format!("{{\"{name}\":{text}}}")))
}

/// An answer with one member, which is JSON text.
fn stored(name: &str, document: &str) -> Result<Box<RawValue>> {
    raw(Ok(format!("{{\"{name}\":{document}}}")))
}

fn raw(text: serde_json::Result<String>) -> Result<Box<RawValue>> {
    text.and_then(RawValue::from_string).map_err(|error| {
        Error::InternalError
            .because("The store contains something that is not JSON.")
            .internal(error)
    })
}

/// An argument that the schema has shown to be an object.
fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

/// Trouble of the studio, in the words of the contract.
pub(super) fn failure(error: EngineError, language: Language) -> Failure<Error> {
    match error {
        EngineError::Store(error) => {
            let kind = match error.kind {
                Kind::NotFound => Error::NotFound,
                Kind::Conflict | Kind::Moved => Error::Conflict,
                Kind::Refused => Error::ValidationError,
                Kind::Unavailable | Kind::Full | Kind::Denied | Kind::Unreadable | Kind::Broken => {
                    Error::InternalError
                }
            };
            let message = language.pick(error.message.clone(), portuguese(error.kind).to_owned());
            let mut failure = kind.because(message.clone());
            if error.kind == Kind::Refused {
                // All of it together: no single field is to blame.
                failure = failure.with("problems", [Problem { pointer: String::new(), message }]);
            }
            if error.in_doubt {
                failure = failure.with("inDoubt", true);
            }
            if let Some(found) = &error.unreadable {
                failure = failure.with("document", found);
            }
            failure.internal(error.internal.unwrap_or(error.message))
        }
        EngineError::Invalid(problems) => {
            let error = EngineError::Invalid(problems.clone());
            Error::ValidationError.because(error.to_string()).with("problems", problems)
        }
        EngineError::Contradicts(issues) => {
            let message = language.pick(
                "The node contradicts the story. Fix it, or waive what is intended.",
                "O nó contradiz a história; corrija-o, ou dispense o que é intencional.",
            );
            Error::ValidationError.because(message).with("issues", issues)
        }
        EngineError::Stale { expected, found } => {
            let message = language.pick(
                format!("The object is at revision {found}, not {expected}: it was changed in the meantime."),
                format!("O objeto está na revisão {found}, não {expected}: alguém o alterou."),
            );
            Error::Conflict.because(message).with("expected", expected).with("found", found)
        }
    }
}

fn portuguese(kind: Kind) -> &'static str {
    match kind {
        Kind::NotFound => "Não existe, ou não é seu.",
        Kind::Conflict => "Já existe, ou alguém o alterou; nada foi escrito.",
        Kind::Moved => "O projeto mudou entretanto; nada foi escrito.",
        Kind::Refused => {
            "Não pode ser guardado assim: grande demais, fundo demais ou contraditório."
        }
        Kind::Unavailable => "O banco de dados não responde agora; tente mais tarde.",
        Kind::Full => "Não há mais espaço no disco do banco de dados.",
        Kind::Denied => "O banco de dados não permite isto.",
        Kind::Unreadable => {
            "Outro programa escreveu o documento de uma forma que não pode ser lida; details.document \
             diz qual campo."
        }
        Kind::Broken => "O banco de dados está danificado, ou o servidor tem um defeito.",
    }
}
