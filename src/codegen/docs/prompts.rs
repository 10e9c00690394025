//! Prompts on the page of a surface: what the user fills in, and what the model is told.

use super::page::{Block, Inline, Row, Section, Table, Text, anchor, code, none, text, yes_or_no};
use super::prose::prose;
use super::tables;
use crate::model::{Content, Contract, Piece, Prompt, PromptMessage};

/// The section; none without prompts.
pub(super) fn section(contract: &Contract) -> Option<Section> {
    if contract.prompts.is_empty() {
        return None;
    }
    let mut section = Section::new("prompts", "Prompts");
    section.blocks = vec![Block::Table(tables::prompts(contract))];
    section.sections = contract.prompts.iter().map(|one| prompt(contract, one)).collect();
    Some(section)
}

fn prompt(contract: &Contract, prompt: &Prompt) -> Section {
    let mut section = Section::new(&anchor("prompt", &prompt.name), "");
    section.title = code(&prompt.name);
    section.blocks.push(Block::Paragraph(prose(&prompt.title)));
    if !prompt.arguments.is_empty() {
        section.blocks.push(Block::Table(arguments(prompt)));
    }
    let messages = prompt.messages.iter().flat_map(|message| describe(contract, message)).collect();
    section.blocks.push(Block::Fold(text("Messages"), messages));
    section
}

fn arguments(prompt: &Prompt) -> Table {
    let columns = ["argument", "value", "required", "default", "example", "description"];
    let mut table = Table::new(&format!("Arguments of {}", prompt.name), &columns);
    for argument in &prompt.arguments {
        let example = prompt.example.get(&argument.name);
        table.rows.push(Row::new(vec![
            code(&argument.name),
            text(&argument.kind.describe()),
            yes_or_no(argument.required),
            argument.default.as_deref().map_or_else(none, code),
            example.map_or_else(none, |example| code(example)),
            prose(&argument.description),
        ]));
    }
    table
}

fn describe(contract: &Contract, message: &PromptMessage) -> Vec<Block> {
    let who = if message.assistant { "The model" } else { "The user" };
    let mut lead = text(who);
    if let Some(argument) = &message.when {
        lead.extend([text(", with "), code(argument)].concat());
    }
    match &message.content {
        Content::Text(pieces) => {
            lead.extend(text(":"));
            vec![Block::Paragraph(lead), Block::Code("text", template(contract, pieces))]
        }
        Content::Resource(uri) => {
            lead.extend([text(": the resource "), code(&template(contract, uri))].concat());
            vec![Block::Paragraph(lead)]
        }
        Content::Result { tool, input } => {
            let input = serde_json::to_value(input).unwrap_or_default().to_string();
            let link: Text = vec![Inline::Text(": the answer of ".to_owned())];
            lead.extend(link);
            lead.push(tables::tool_link(contract, tool));
            lead.extend([text(" to "), code(&input)].concat());
            vec![Block::Paragraph(lead)]
        }
        Content::Image { path, mime_type, .. } => {
            lead.extend([text(": the image "), code(path), text(", "), code(mime_type)].concat());
            vec![Block::Paragraph(lead)]
        }
    }
}

fn template(contract: &Contract, pieces: &[Piece]) -> String {
    let each = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Argument(name) => format!("{{{name}}}"),
        Piece::Tool(name) => format!("{}{name}", contract.prefix),
    });
    each.collect::<String>().trim_end().to_owned()
}
