//! The tables of prompts and icons.

use toolwright_codegen::emit::prompt_argument_of;
use toolwright_codegen::model::{self, Contract};
use toolwright_contract::{
    IconInfo, IconOwner, PromptArgument, PromptContent, PromptInfo, PromptInput, PromptMessage,
    PromptPiece, PromptRole, PromptValueKind,
};

use super::{json, list, option, text, texts};

pub(super) fn tables(contract: &Contract) -> Option<&'static [PromptInfo]> {
    let all: Option<Vec<PromptInfo>> =
        contract.prompts.iter().map(|prompt| table(contract, prompt)).collect();
    Some(list(all?))
}

pub(super) fn icons(contract: &Contract) -> Option<&'static [(IconOwner, IconInfo)]> {
    let of = |(owner, one): &(model::IconOwner, model::Icon)| {
        let owner = match owner {
            model::IconOwner::Surface => IconOwner::Surface,
            model::IconOwner::Tool(name) => IconOwner::Tool(index(contract, name)?),
            model::IconOwner::Resource(uri) => IconOwner::Resource(
                contract.resources.iter().position(|resource| resource.uri == *uri)?,
            ),
        };
        Some((owner, icon(one)))
    };
    let all: Option<Vec<(IconOwner, IconInfo)>> = contract.icons.iter().map(of).collect();
    Some(list(all?))
}

fn index(contract: &Contract, tool: &str) -> Option<usize> {
    contract.tools.iter().position(|other| other.name == tool)
}

fn table(contract: &Contract, prompt: &model::Prompt) -> Option<PromptInfo> {
    let arguments: Option<Vec<PromptArgument>> =
        prompt.arguments.iter().map(|one| argument(contract, one)).collect();
    let messages: Option<Vec<PromptMessage>> =
        prompt.messages.iter().map(|one| message(contract, one)).collect();
    let tools = prompt.tools(&contract.resources);
    let tools: Option<Vec<usize>> = tools.iter().map(|tool| index(contract, tool)).collect();
    Some(PromptInfo {
        name: text(&prompt.name),
        title: text(&prompt.title),
        description: text(&prompt.description),
        offered_by: option(prompt.offered_by.as_ref()),
        arguments: list(arguments?),
        messages: list(messages?),
        tools: list(tools?),
        icons: list(prompt.icons.iter().map(icon)),
        example: list(prompt.example.iter().map(|(name, value)| (text(name), text(value)))),
    })
}

fn argument(contract: &Contract, argument: &model::PromptArgument) -> Option<PromptArgument> {
    let complete = match &argument.complete {
        Some((tool, of)) => Some((index(contract, tool)?, text(of))),
        None => None,
    };
    Some(PromptArgument {
        name: text(&argument.name),
        title: option(argument.title.as_ref()),
        description: text(&argument.description),
        required: argument.required,
        default: option(argument.default.as_ref()),
        kind: match &argument.kind {
            model::PromptValueKind::Text { max_length } => {
                PromptValueKind::Text { max_length: *max_length }
            }
            model::PromptValueKind::Choice { words } => PromptValueKind::Choice(texts(words)),
            model::PromptValueKind::Integer { minimum, maximum } => {
                PromptValueKind::Integer { minimum: *minimum, maximum: *maximum }
            }
            model::PromptValueKind::Boolean => PromptValueKind::Boolean,
        },
        complete,
    })
}

fn message(contract: &Contract, message: &model::PromptMessage) -> Option<PromptMessage> {
    Some(PromptMessage {
        role: if message.assistant { PromptRole::Assistant } else { PromptRole::User },
        when: option(message.when.as_ref()),
        content: match &message.content {
            model::Content::Text(text) => PromptContent::Text(pieces(contract, text)?),
            model::Content::Resource(uri) => PromptContent::Resource(pieces(contract, uri)?),
            model::Content::Result { tool, input } => PromptContent::Result {
                tool: index(contract, tool)?,
                input: list(input.iter().map(|(name, value)| {
                    let value = match prompt_argument_of(value) {
                        Some(argument) => PromptInput::Argument(text(argument)),
                        None => PromptInput::Json(json(value)),
                    };
                    (text(name), value)
                })),
            },
            model::Content::Image { mime_type, data, .. } => {
                PromptContent::Image { data: text(data), mime_type: text(mime_type) }
            }
        },
    })
}

fn pieces(contract: &Contract, pieces: &[model::Piece]) -> Option<&'static [PromptPiece]> {
    let all: Option<Vec<PromptPiece>> = pieces
        .iter()
        .map(|piece| {
            Some(match piece {
                model::Piece::Text(run) => PromptPiece::Text(text(run)),
                model::Piece::Argument(name) => PromptPiece::Argument(text(name)),
                model::Piece::Tool(name) => PromptPiece::Tool(index(contract, name)?),
            })
        })
        .collect();
    Some(list(all?))
}

fn icon(icon: &model::Icon) -> IconInfo {
    IconInfo {
        src: text(&icon.src),
        mime_type: text(&icon.mime_type),
        sizes: texts(&icon.sizes),
        theme: icon.theme,
    }
}
