//! Renders answers as text: fills in the placeholders of the surface's envelope templates.
//!
//! Everything is written into one buffer, front to back; the handler's response is serialised
//! directly into it, once. This module does not know where the text is sent.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::call::Call;
use crate::clock::Clock;
use crate::contract::{Piece, SurfaceInfo};
use crate::error::RawFailure;

/// Values for the placeholders that success and failure share.
pub(crate) struct Frame<'a> {
    /// The surface.
    pub(crate) surface: &'static SurfaceInfo,
    /// Name of the tool, as the contract has it or as the client spelled it.
    pub(crate) name: &'a str,
    /// The request's id.
    pub(crate) request_id: &'a str,
    /// Version of the product.
    pub(crate) version: &'static str,
    /// Clock, for templates that include the time.
    pub(crate) clock: &'a dyn Clock,
    /// Milliseconds since the call arrived.
    pub(crate) elapsed_ms: u64,
    /// Warnings of the call.
    pub(crate) warnings: &'a [String],
    /// The call; absent when the client named an unknown tool.
    pub(crate) call: Option<&'a Call>,
}

impl<'a> Frame<'a> {
    /// The frame of a call of `tool`.
    pub(crate) fn of(
        surface: &'static SurfaceInfo,
        call: &'a Call,
        elapsed_ms: u64,
        warnings: &'a [String],
    ) -> Self {
        Self {
            surface,
            name: call.tool().name,
            request_id: call.id(),
            version: call.version(),
            clock: call.clock(),
            elapsed_ms,
            warnings,
            call: Some(call),
        }
    }

    /// The words of the tool command.
    fn command(&self) -> Vec<String> {
        self.call.map(Call::command_words).unwrap_or_default()
    }
}

/// Renders a success around `data`.
pub(crate) fn success<D: Serialize>(frame: &Frame<'_>, data: &D) -> serde_json::Result<String> {
    let mut out = Vec::with_capacity(1024);
    for piece in frame.surface.envelope.success {
        match piece {
            Piece::Data => serde_json::to_writer(&mut out, data)?,
            piece => common(frame, piece, &mut out)?,
        }
    }
    text(out)
}

/// Renders a failure.
pub(crate) fn failure(frame: &Frame<'_>, failure: &RawFailure) -> serde_json::Result<String> {
    let pieces = frame.surface.envelope.failure;
    let mut out = Vec::with_capacity(512);
    for piece in pieces {
        match piece {
            Piece::Data => out.extend_from_slice(b"null"),
            Piece::ErrorCode => serde_json::to_writer(&mut out, failure.info.code)?,
            Piece::ErrorMessage => serde_json::to_writer(&mut out, &failure.message)?,
            Piece::ErrorHint => serde_json::to_writer(&mut out, &failure.effective_hint())?,
            Piece::ErrorRetryable => serde_json::to_writer(&mut out, &failure.info.retryable)?,
            Piece::ErrorDetails => serde_json::to_writer(&mut out, &*failure.all_details())?,
            Piece::ErrorSpread => spread(pieces, &failure.all_details(), &mut out)?,
            piece => common(frame, piece, &mut out)?,
        }
    }
    if pieces.contains(&Piece::ErrorSpread) {
        // Details follow the template's members; sorting makes the text the same on every
        // transport.
        return serde_json::from_slice::<Value>(&out).map(|value| value.to_string());
    }
    text(out)
}

fn common(frame: &Frame<'_>, piece: &Piece, out: &mut Vec<u8>) -> serde_json::Result<()> {
    match piece {
        Piece::Text(text) => {
            out.extend_from_slice(text.as_bytes());
            Ok(())
        }
        Piece::Warnings => serde_json::to_writer(out, frame.warnings),
        Piece::ElapsedMs => serde_json::to_writer(out, &frame.elapsed_ms),
        Piece::NowMs => serde_json::to_writer(out, &frame.clock.now().as_millisecond()),
        Piece::Now => serde_json::to_writer(out, &format_args!("{:.3}", frame.clock.now())),
        Piece::Version => serde_json::to_writer(out, frame.version),
        Piece::Contract => serde_json::to_writer(out, frame.surface.contract),
        Piece::Tool => serde_json::to_writer(out, frame.name),
        Piece::Command => {
            let words = frame.command();
            let names: Vec<&str> =
                words.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
            serde_json::to_writer(out, &names.join("."))
        }
        Piece::CommandId => serde_json::to_writer(out, &frame.command().join(" ")),
        Piece::CommandPath => serde_json::to_writer(out, &frame.command()),
        Piece::RequestId => serde_json::to_writer(out, frame.request_id),
        // A success has no error: the compiler rejects such templates, and this keeps them valid JSON.
        Piece::ErrorSpread => Ok(()),
        Piece::Data
        | Piece::ErrorCode
        | Piece::ErrorMessage
        | Piece::ErrorHint
        | Piece::ErrorRetryable
        | Piece::ErrorDetails => serde_json::to_writer(out, &Value::Null),
    }
}

/// Members of `details`, each led by a comma. A detail never replaces a member of the template.
fn spread(
    pieces: &[Piece],
    details: &Map<String, Value>,
    out: &mut Vec<u8>,
) -> serde_json::Result<()> {
    if details.is_empty() {
        return Ok(());
    }
    let taken = beside_spread(pieces);
    for (name, value) in details.iter().filter(|(name, _)| !taken.contains_key(*name)) {
        if out.last() != Some(&b'{') {
            out.push(b',');
        }
        serde_json::to_writer(&mut *out, name)?;
        out.push(b':');
        serde_json::to_writer(&mut *out, value)?;
    }
    Ok(())
}

/// The members that the template itself puts into the object with the spread.
fn beside_spread(pieces: &[Piece]) -> Map<String, Value> {
    const MARK: &str = "$spread";
    let mut template = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => template.push_str(text),
            Piece::ErrorSpread if template.ends_with('{') => template.push_str("\"$spread\":0"),
            Piece::ErrorSpread => template.push_str(",\"$spread\":0"),
            _ => template.push('0'),
        }
    }
    fn find(value: Value) -> Option<Map<String, Value>> {
        match value {
            Value::Object(members) if members.contains_key(MARK) => Some(members),
            Value::Object(members) => members.into_iter().find_map(|(_, value)| find(value)),
            Value::Array(items) => items.into_iter().find_map(find),
            _ => None,
        }
    }
    serde_json::from_str(&template).ok().and_then(find).unwrap_or_default()
}

fn text(bytes: Vec<u8>) -> serde_json::Result<String> {
    String::from_utf8(bytes).map_err(serde::ser::Error::custom)
}
