//! The page of one surface.

use serde_json::json;

use super::page::{
    Block, Inline, Page, Row, Section, Table, Target, Text, anchor, code, none, text, yes_or_no,
};
use super::prose::{paragraphs, prose};
use super::{envelope, file_name, prompts, registration, schema_text, tables, tool};
use crate::model::{Contract, Source};
use crate::{profile, schema};

/// The page.
pub(super) fn page(contract: &Contract, in_catalogue: bool) -> Page {
    let sections = [
        Some(overview(contract)),
        Some(instructions(contract)),
        Some(registration::section(contract)),
        Some(tools(contract)),
        Some(errors(contract)),
        guards(contract),
        roles(contract),
        toolsets(contract),
        Some(profiles(contract)),
        settings(contract),
        resources(contract),
        prompts::section(contract),
        Some(envelope::section(contract)),
    ];
    Page {
        file: file_name(&contract.name).to_owned(),
        title: contract.name.clone(),
        lead: prose(&contract.title),
        sections: sections.into_iter().flatten().collect(),
        in_catalogue,
    }
}

/// Tokens of all served definitions.
fn cost(contract: &Contract) -> u32 {
    let listed = contract.tools.iter().filter(|tool| tool.listed);
    let costs = listed.map(|tool| profile::tokens(contract, tool));
    costs.fold(0, u32::saturating_add)
}

fn overview(contract: &Contract) -> Section {
    let mut section = Section::new("overview", "Overview");
    let cost = format!(
        "all definitions take about {} of {} tokens",
        cost(contract),
        contract.definition_tokens
    );
    section.blocks = vec![Block::Facts(vec![
        ("Contract", text(&contract.contract)),
        ("Digest", code(&contract.digest)),
        ("Tools", text(&contract.tools.len().to_string())),
        ("Errors", text(&contract.errors.len().to_string())),
        ("Settings", text(&contract.settings.len().to_string())),
        ("Tokens", text(&cost)),
    ])];
    section
}

fn instructions(contract: &Contract) -> Section {
    let mut section = Section::new("instructions", "Instructions for the model");
    section.blocks = paragraphs(&contract.instructions);
    section
}

fn tools(contract: &Contract) -> Section {
    let mut section = Section::new("tools", "Tools");
    section.blocks = vec![Block::Table(tables::tools(contract))];
    section.sections = contract.tools.iter().map(|tool| tool::section(contract, tool)).collect();
    section
}

fn errors(contract: &Contract) -> Section {
    let mut section = Section::new("errors", "Errors");
    let builtin = &contract.builtin;
    let mut words = text("Invalid arguments fail with ");
    words.extend(tables::error_link(contract, &builtin.invalid_arguments));
    words.push(Inline::Text(", an unknown tool with ".to_owned()));
    words.extend(match &builtin.unknown_tool {
        Some(kind) => tables::error_link(contract, kind),
        None => [text("the JSON-RPC error "), code("-32602")].concat(),
    });
    words.push(Inline::Text(", a defect in the server with ".to_owned()));
    words.extend(tables::error_link(contract, &builtin.internal));
    words.push(Inline::Text(". Exit is the exit status of the tool command.".to_owned()));
    section.blocks = vec![Block::Paragraph(words), Block::Table(tables::errors(contract))];
    section
}

fn guards(contract: &Contract) -> Option<Section> {
    let table = tables::guards(contract);
    if table.rows.is_empty() {
        return None;
    }
    let mut section = Section::new("guards", "Guards");
    section.blocks.push(Block::Table(table));
    for (name, guard) in &contract.guards {
        let required = guard.params.keys().filter(|param| !guard.optional.contains(param));
        let required: Vec<&String> = required.collect();
        let params = json!({"properties": guard.params, "required": required});
        let mut table = schema_text::arguments(&schema::inline(contract, &params), |_| Vec::new());
        if table.rows.is_empty() {
            continue;
        }
        table.label = format!("Parameters of {name}");
        if let Some(column) = table.columns.first_mut() {
            *column = "parameter".to_owned();
        }
        let summary = [text("Parameters of "), code(name)].concat();
        section.blocks.push(Block::Fold(summary, vec![Block::Table(table)]));
    }
    Some(section)
}

fn roles(contract: &Contract) -> Option<Section> {
    if contract.roles.is_empty() {
        return None;
    }
    let mut table = Table::new("Roles", &["tool"]);
    table.columns.extend(contract.roles.keys().cloned());
    for tool in &contract.tools {
        let mut cells = vec![vec![tables::tool_link(contract, &tool.name)]];
        cells.extend(contract.roles.values().map(|may| match may.contains(&tool.name) {
            true => text("yes"),
            false => none(),
        }));
        table.rows.push(Row::new(cells));
    }
    let mut section = Section::new("roles", "Roles");
    section.blocks = vec![
        Block::Paragraph(text("Tools that each role may call, for tools with the guard `role`.")),
        Block::Table(table),
    ];
    Some(section)
}

fn toolsets(contract: &Contract) -> Option<Section> {
    let table = tables::toolsets(contract);
    (!table.rows.is_empty()).then(|| {
        let mut section = Section::new("toolsets", "Toolsets");
        section.blocks = vec![Block::Table(table)];
        section
    })
}

fn profiles(contract: &Contract) -> Section {
    let mut section = Section::new("profiles", "Client profiles");
    let words = "Which tool passes the rules of which family of clients: as it is in the contract, or \
                 in brackets what its served definition says in another way. Served schemas only \
                 ever accept more; the server judges by the contract.";
    section.blocks = vec![Block::Paragraph(text(words)), Block::Table(tables::profiles(contract))];
    section
}

fn settings(contract: &Contract) -> Option<Section> {
    let table = tables::settings(contract);
    if table.rows.is_empty() && contract.config.is_none() {
        return None;
    }
    let mut section = Section::new("settings", "Settings");
    if let Some(config) = &contract.config {
        let mut words = [text("The settings file is "), code(&config.default)].concat();
        words.extend([text(", or the one that "), code(&config.flag)].concat());
        if let Some(env) = &config.env {
            words.extend([text(" or the environment variable "), code(env)].concat());
        }
        words
            .extend(text(" names. Flags override environment variables, which override the file."));
        section.blocks.push(Block::Paragraph(words));
    }
    if !table.rows.is_empty() {
        section.blocks.push(Block::Table(table));
    }
    Some(section)
}

fn resources(contract: &Contract) -> Option<Section> {
    if contract.resources.is_empty() {
        return None;
    }
    let columns = ["URI", "title", "description", "content", "subscribe"];
    let mut table = Table::new("Resources", &columns);
    for resource in &contract.resources {
        let gives = match &resource.source {
            Source::Tool(tool) => {
                let mut words = match &resource.content {
                    Some(content) => {
                        [text("the member "), code(&content.member), text(" of the answer of ")]
                            .concat()
                    }
                    None => text("the answer of "),
                };
                words.push(tables::tool_link(contract, tool));
                words
            }
            Source::File { path, mime_type, .. } | Source::Blob { path, mime_type, .. } => {
                [text("the file "), code(path), text(", "), code(mime_type)].concat()
            }
        };
        table.rows.push(Row::new(vec![
            code(&resource.uri),
            text(&resource.title),
            prose(&resource.description),
            gives,
            yes_or_no(resource.subscribe),
        ]));
    }
    let mut section = Section::new("resources", "Resources");
    section.blocks = vec![Block::Table(table)];
    Some(section)
}

/// A link to the page of a surface, or to a tool on it.
pub(super) fn link(contract: &Contract, tool: Option<&str>) -> Text {
    let label = tool.unwrap_or(&contract.name);
    let file = file_name(&contract.name).to_owned();
    let target = Target::Page(file, tool.map(|tool| anchor("tool", tool)));
    vec![Inline::Link(target, Box::new(Inline::Code(label.to_owned())))]
}
