//! The index of a catalogue: every surface with its purpose and tools.

use super::page::{Block, Item, Page, Row, Section, Table, anchor, code, text};
use super::prose::{first_sentence, prose};
use super::{surface, tables};
use crate::model::Contract;

/// The page. `file` is what the format calls its first page.
pub(super) fn page(contracts: &[Contract], file: &str) -> Page {
    let tools: usize = contracts.iter().map(|contract| contract.tools.len()).sum();
    let mut all = Section::new("surfaces", "Surfaces");
    all.blocks = vec![Block::Table(overview(contracts))];
    let sections = contracts.iter().map(section);
    Page {
        file: file.to_owned(),
        title: "Contract catalogue".to_owned(),
        lead: text(&format!(
            "{}, {}. For each tool: arguments, answer, errors, guards and examples.",
            count(contracts.len(), "surface"),
            count(tools, "tool")
        )),
        sections: std::iter::once(all).chain(sections).collect(),
        in_catalogue: false,
    }
}

fn count(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn overview(contracts: &[Contract]) -> Table {
    let columns = ["surface", "title", "tools", "contract", "digest"];
    let mut table = Table::new("Surfaces", &columns);
    for contract in contracts {
        let digest = contract.digest.get(..12).unwrap_or(&contract.digest);
        table.rows.push(Row::new(vec![
            surface::link(contract, None),
            prose(&contract.title),
            text(&contract.tools.len().to_string()),
            text(&contract.contract),
            code(digest),
        ]));
    }
    table
}

fn section(contract: &Contract) -> Section {
    let mut table = Table::new(&format!("Tools of {}", contract.name), &["tool", "description"]);
    for tool in &contract.tools {
        let cells = vec![
            surface::link(contract, Some(&tables::canonical(contract, tool))),
            prose(first_sentence(&tool.description)),
        ];
        table.rows.push(Row { item: Some(Item::Tool), ..Row::new(cells) });
    }
    Section {
        anchor: Some(anchor("surface", &contract.name)),
        title: [code(&contract.name), text(" "), prose(&contract.title)].concat(),
        blocks: vec![
            Block::Paragraph(prose(first_sentence(&contract.instructions))),
            Block::Table(table),
        ],
        ..Section::default()
    }
}
