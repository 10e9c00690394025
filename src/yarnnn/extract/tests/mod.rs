//! Tests of `extract`, on texts as users paste them.

mod cleaning;
mod extracting;
mod fit;
mod linking;
mod reading;
mod spans;
mod splitting;
mod validating;

use super::{Extraction, Options, extract};
use crate::model::{Block, BlockState, ByteSpan, Operation, SemanticType};

/// An accepted block with the content as its title.
fn block(id: &str, content: &str) -> Block {
    Block {
        id: id.to_owned(),
        semantic_type: SemanticType::Fact,
        title: super::title(content),
        content: content.to_owned(),
        confidence: 0.8,
        state: BlockState::Accepted,
        anchor: None,
    }
}

fn read(dump: &str) -> Extraction {
    extract(dump, &[], &Options::default())
}

/// Kind and content of every new block.
fn blocks(extraction: &Extraction) -> Vec<(SemanticType, &str)> {
    let new = extraction.operations.iter().filter_map(|operation| match operation {
        Operation::CreateBlock { semantic_type, content, .. } => {
            Some((*semantic_type, content.as_str()))
        }
        _ => None,
    });
    new.collect()
}

/// Label and kind of every context item.
fn items(extraction: &Extraction) -> Vec<(&str, &str)> {
    let new = extraction.operations.iter().filter_map(|operation| match operation {
        Operation::CreateContextItem { label, kind, .. } => Some((label.as_str(), kind.as_str())),
        _ => None,
    });
    new.collect()
}

fn spans(operation: &Operation) -> &[ByteSpan] {
    match operation {
        Operation::CreateBlock { spans, .. }
        | Operation::ReviseBlock { spans, .. }
        | Operation::CreateContextItem { spans, .. } => spans,
    }
}
