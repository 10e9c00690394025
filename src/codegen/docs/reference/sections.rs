//! One section for each kind of file: its keys in a table, then each key that has members.

use super::super::page::{
    Block, Inline, Row, Section, Table, Target, Text, anchor, code, none, text,
};
use super::groups::{File, Group, prompt, surface, tool};
use super::keys::{Key, accepted_break, code_links, codes, definition, description, members};
use super::quote;
use crate::docs::envelope;
use crate::docs::prose::prose;

/// All kinds of files, and the schemas within them.
pub(super) fn files() -> Vec<Section> {
    vec![
        file("surface", "surface.yaml", "Once per surface.", &surface()),
        types(),
        file("tool", "tools/*.yaml", "One file per tool, named after it.", &tool()),
        file(
            "prompt",
            "prompts/*.yaml",
            "One file per prompt, named after it. Optional.",
            &prompt(),
        ),
        icons(),
        schemas(),
        accepted_breaks(),
    ]
}

/// All keys, for links from the diagnostics.
pub(super) fn keys() -> Vec<Key> {
    let mut all = Vec::new();
    for file in [surface(), tool(), prompt()] {
        all.extend(file.keys);
        for group in file.groups {
            all.extend(group.members);
            for alternative in group.alternatives {
                all.push(alternative.key);
                all.extend(alternative.members);
            }
        }
    }
    all.extend(members(definition("icon"), "icon", false));
    all.extend(members(definition("types"), "types", false));
    all.extend(members(definition("schema"), "schema", false));
    all
}

/// Members that no example uses.
pub(super) fn gaps() -> Vec<String> {
    let mut gaps = Vec::new();
    for file in [surface(), tool(), prompt()] {
        for group in file.groups.iter().flat_map(|group| group.alternatives.iter().chain([group])) {
            gaps.extend(group.missing.iter().map(|name| format!("{}: {name}", group.key.path)));
        }
    }
    gaps.extend(schema_examples().1.iter().map(|name| format!("schema: {name}")));
    gaps
}

fn file(name: &str, title: &str, when: &str, file: &File) -> Section {
    let mut section = Section::new(&anchor("file", name), title);
    section.title = code(title);
    let lead = [description(file.node), text(&format!(" {when}"))].concat();
    let columns = ["key", "type", "default", "meaning", "example", "diagnostics"];
    let mut table = Table::new(title, &columns);
    for key in &file.keys {
        let mut row = row(key);
        row.cells.insert(4, example(name, key, file));
        table.rows.push(row);
    }
    section.blocks = vec![Block::Paragraph(lead), Block::Table(table)];
    section.sections = file.groups.iter().map(|group| group_section(name, group)).collect();
    section
}

/// A short value, or where to find a longer one.
fn example(file: &str, key: &Key, of: &File) -> Text {
    if of.groups.iter().any(|group| group.key.path == key.path) {
        return vec![Inline::Link(
            Target::Here(group_anchor(file, key)),
            Box::new(Inline::Text("below".to_owned())),
        )];
    }
    quote::cell(of.fixtures, &key.path).map_or_else(none, code)
}

fn group_anchor(file: &str, key: &Key) -> String {
    anchor("section", &format!("{file}.{}", key.path))
}

fn row(key: &Key) -> Row {
    let cells =
        vec![code(&key.path), key.kind(), key.default(), key.meaning(), code_links(&key.codes())];
    Row { anchor: Some(key.anchor()), ..Row::new(cells) }
}

fn rows(label: &str, keys: &[Key]) -> Block {
    let mut table = Table::new(label, &["key", "type", "default", "meaning", "diagnostics"]);
    table.rows = keys.iter().map(row).collect();
    Block::Table(table)
}

fn group_section(file: &str, group: &Group) -> Section {
    let mut section = Section::new(&group_anchor(file, &group.key), "");
    section.title = code(&group.key.path);
    let leads = group.alternatives.is_empty();
    section.blocks.push(Block::Paragraph(group.key.meaning()));
    if leads {
        section.blocks.extend(contents(group));
    }
    if group.key.path == "envelope" {
        section.blocks.push(Block::Paragraph(text("Words of the templates:")));
        section.blocks.push(Block::Table(envelope::words(|_| true)));
    }
    section.sections = group.alternatives.iter().map(alternative).collect();
    section
}

fn alternative(group: &Group) -> Section {
    let mut section = Section::new(&group.key.anchor(), "");
    section.title = match group.key.path.starts_with('<') {
        true => text("Guards of the surface"),
        false => code(&group.key.path),
    };
    section.blocks.push(Block::Paragraph(description(group.key.node)));
    let codes = group.key.codes();
    if !codes.is_empty() {
        let codes = [text("Diagnostics: "), code_links(&codes), text(".")].concat();
        section.blocks.push(Block::Paragraph(codes));
    }
    section.blocks.extend(contents(group));
    section
}

fn contents(group: &Group) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !group.members.is_empty() {
        blocks.push(rows(&group.key.path, &group.members));
    }
    blocks.extend(group.examples.iter().map(|example| Block::Code("yaml", example.clone())));
    blocks
}

fn types() -> Section {
    let node = definition("types");
    let mut section = Section::new(&anchor("file", "types"), "");
    section.title = code("types.yaml");
    section.blocks.push(Block::Paragraph(prose(
        "Schemas that several tools of a surface share. Optional. Other files refer to them as \
         `../types.yaml#/$defs/Name`, and this file as `#/$defs/Name`.",
    )));
    section.blocks.push(rows("types.yaml", &members(node, "types", false)));
    section
        .blocks
        .extend(quote::TYPES.map(|file| Block::Code("yaml", quote::without_header(file))));
    section
}

fn icons() -> Section {
    let node = definition("icon");
    let mut section = Section::new("icons", "Icons");
    let members = members(node, "icon", false);
    let (examples, _) = quote::blocks(&quote::SURFACE, "icons", &members);
    section.blocks = vec![Block::Paragraph(description(node)), rows("Icons", &members)];
    section.blocks.extend(examples.into_iter().map(|text| Block::Code("yaml", text)));
    section
}

fn schemas() -> Section {
    let node = definition("schema");
    let mut section = Section::new("schemas", "Schemas");
    let codes = [text("Diagnostics of every schema: "), code_links(&codes(node)), text(".")];
    section.blocks = vec![
        Block::Paragraph(description(node)),
        Block::Paragraph(codes.concat()),
        rows("Keywords", &members(node, "schema", false)),
        Block::Paragraph(prose("In an input:")),
    ];
    section.blocks.extend(schema_examples().0.into_iter().map(|text| Block::Code("yaml", text)));
    section
}

/// An input, and the keywords that neither it nor the shared types use.
fn schema_examples() -> (Vec<String>, Vec<String>) {
    let keywords = members(definition("schema"), "schema", false);
    let (mut shown, mut missing) = quote::blocks(&quote::TOOLS[..1], "input", &keywords);
    let (_, of_types) = quote::blocks(&quote::TYPES, "$defs", &keywords);
    missing.retain(|name| of_types.contains(name));
    shown.truncate(1);
    (shown, missing)
}

fn accepted_breaks() -> Section {
    let mut section = Section::new(&anchor("file", "accepted-breaks"), "");
    section.title = code("accepted-breaks.yaml");
    section.blocks = vec![
        Block::Paragraph(prose(
            "A list beside the surfaces: breaking changes that `toolwright diff` lets pass, each \
             with a reason.",
        )),
        rows("accepted-breaks.yaml", &members(accepted_break(), "accepted-breaks", false)),
        Block::Code("yaml", quote::without_header(quote::ACCEPTED)),
    ];
    section
}
