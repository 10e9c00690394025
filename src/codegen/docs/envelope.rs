//! The section about what every answer looks like: the templates and the words in them.

use super::page::{Block, Row, Section, Table, code, text};
use super::prose::json;
use crate::model::Contract;
use crate::schema::{Piece, WORDS, envelope_pieces};

/// The section.
pub(super) fn section(contract: &Contract) -> Section {
    let mut section = Section::new("envelopes", "Envelopes");
    let envelope = &contract.envelope;
    let mut used = envelope_pieces(&envelope.success);
    used.extend(envelope_pieces(&envelope.failure));
    section.blocks = vec![
        Block::Paragraph(text("A success:")),
        Block::Code("json", json(&envelope.success)),
        Block::Paragraph(text("A failure:")),
        Block::Code("json", json(&envelope.failure)),
        Block::Table(words(|piece| used.contains(piece))),
    ];
    section
}

/// The words of the templates that are shown, with their meanings.
pub(super) fn words(shown: impl Fn(&Piece) -> bool) -> Table {
    let mut table = Table::new("Words of the templates", &["word", "stands for"]);
    let words = WORDS.iter().map(|(word, piece)| (*word, piece));
    for (word, piece) in words.chain([("$spread", &Piece::ErrorSpread)]) {
        if shown(piece) {
            table.rows.push(Row::new(vec![code(word), text(meaning(piece))]));
        }
    }
    table
}

fn meaning(piece: &Piece) -> &'static str {
    match piece {
        Piece::Text(_) => "itself",
        Piece::Data => "what the tool returns",
        Piece::ErrorCode => "the code of the error",
        Piece::ErrorMessage => "what happened",
        Piece::ErrorHint => "what to do next, or null",
        Piece::ErrorRetryable => "whether the same call may succeed later",
        Piece::ErrorDetails => "an object with what else is known about the error",
        Piece::ErrorSpread => "the members of the details, in its place",
        Piece::Warnings => "a list of remarks",
        Piece::ElapsedMs => "how long the call took, in milliseconds",
        Piece::NowMs => "the time of the answer, in milliseconds since 1970",
        Piece::Now => "the time of the answer",
        Piece::Version => "the version of the server",
        Piece::Contract => "the version of the contract",
        Piece::Tool => "the name of the tool",
        Piece::Command => "the names in the command line, joined by dots",
        Piece::CommandPath => "the words of the command line, as a list",
        Piece::CommandId => "the words of the command line, as one text",
        Piece::RequestId => "the id of the request",
    }
}
