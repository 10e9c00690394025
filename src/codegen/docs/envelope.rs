//! The section about the envelope: its templates and their words.

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
    let mut table = Table::new("Words of the templates", &["word", "meaning"]);
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
        Piece::Data => "the answer of the tool",
        Piece::ErrorCode => "the code of the error",
        Piece::ErrorMessage => "the error message",
        Piece::ErrorHint => "the hint on what to do next, or null",
        Piece::ErrorRetryable => "whether the same call may succeed later",
        Piece::ErrorDetails => "an object with details of the error",
        Piece::ErrorSpread => "the members of the details, merged into the map",
        Piece::Warnings => "a list of warnings",
        Piece::ElapsedMs => "the duration of the call in milliseconds",
        Piece::NowMs => "the time of the answer, in milliseconds since 1970",
        Piece::Now => "the time of the answer",
        Piece::Version => "the version of the server",
        Piece::Contract => "the version of the contract",
        Piece::Tool => "the name of the tool",
        Piece::Command => "the words of the tool command, joined by dots",
        Piece::CommandPath => "the words of the tool command, as a list",
        Piece::CommandId => "the words of the tool command, as one string",
        Piece::RequestId => "the id of the request",
    }
}
