//! `wink.get_section_override`
//!
//! A text may be longer than an answer's budget. Then both texts are read in parts; the cursor
//! holds how far each has come and a digest of both, so that parts of two versions never mix.

use serde::{Deserialize, Serialize};
use toolwright_runtime::page::{self, Cut};
use toolwright_runtime::{Call, ErrorKind, Handle};

use super::answer;
use crate::Wink;
use crate::engine::{SectionReport, Target};
use crate::generated::{
    Error, GetSectionOverride, GetSectionOverrideRequest, GetSectionOverrideResponse, Result,
};
use crate::hash;

/// Bytes of an answer reserved for everything but the two texts.
const FACTS_BYTES: usize = 4_000;

impl Handle<GetSectionOverride> for Wink {
    async fn handle(
        &self,
        call: &Call,
        request: GetSectionOverrideRequest,
    ) -> Result<GetSectionOverrideResponse> {
        let target = Target { ns: request.ns, prompt: request.prompt, tag: Some(request.tag) };
        let path = request.section_path;
        let report = self.read(move |engine| engine.get_section(&target, &path)).await?;
        let room = page::budget_bytes(call.tool().budget.result_tokens).saturating_sub(FACTS_BYTES);
        let texts = Texts::read(&report, request.cursor.as_deref(), room / 2)?;
        Ok(GetSectionOverrideResponse {
            ns: report.file.ns,
            prompt: report.file.prompt,
            tag: report.file.tag,
            section_path: report.section_path,
            section_keys: report.section_path_parts,
            status: answer::status(report.status),
            override_body: texts.override_body,
            default_body: texts.default_body,
            expected_hash: report.expected_hash,
            current_hash: report.current_hash,
            title: report.title,
            number: report.number,
            placeholders: report.placeholders,
            accepts_overrides: report.accepts_overrides,
            matches_default: report.matches_default,
            summary: report.summary,
            visibility: report.visibility,
            descriptor: answer::descriptor(report.descriptor),
            backing_file_path: report.file.backing_file_path,
            content_hash: report.file.content_hash,
            format: report.file.format.map(|format| i64::from(format.number())),
            updated_at: report.file.updated_at,
            next_cursor: texts.next_cursor,
            warnings: answer::warnings(report.warnings),
        })
    }
}

/// How far the reader has come in both texts.
#[derive(Debug, Serialize, Deserialize)]
struct Position {
    digest: String,
    override_at: usize,
    default_at: usize,
}

/// The parts of both texts that this answer carries.
struct Texts {
    override_body: Option<String>,
    default_body: Option<String>,
    next_cursor: Option<String>,
}

impl Texts {
    fn read(report: &SectionReport, cursor: Option<&str>, room: usize) -> Result<Self> {
        let scope = format!("get_section_override {}", report.file.backing_file_path);
        let digest = digest(report);
        let position = match cursor {
            None => Position { digest, override_at: 0, default_at: 0 },
            Some(text) => page::read_cursor::<Position>(&scope, text)
                .ok()
                .filter(|position| position.digest == digest)
                .ok_or_else(|| {
                    Error::CursorInvalid
                        .because("The cursor is not of this section, or the section changed since.")
                        .with("field", "cursor")
                })?,
        };
        let first =
            report.override_body.as_deref().map(|text| part(text, position.override_at, room));
        let second =
            report.default_body.as_deref().map(|text| part(text, position.default_at, room));
        let more = [&first, &second].into_iter().flatten().any(|part| part.next.is_some());
        let next = Position {
            digest: position.digest,
            override_at: first.as_ref().map_or(0, end),
            default_at: second.as_ref().map_or(0, end),
        };
        Ok(Self {
            override_body: first.map(|part| part.text.to_owned()),
            default_body: second.map(|part| part.text.to_owned()),
            next_cursor: more.then(|| page::cursor(&scope, &next)).flatten(),
        })
    }
}

/// Where the next part starts; at the end of the text it is empty.
fn end(part: &Cut<'_>) -> usize {
    part.next.unwrap_or(part.total)
}

fn digest(report: &SectionReport) -> String {
    let texts = (&report.section_path, &report.override_body, &report.default_body);
    let mut digest = hash::of_text(&format!("{texts:?}"));
    digest.truncate(16);
    digest
}

/// The part from `at` on whose JSON form takes at most `room` bytes.
fn part(text: &str, at: usize, room: usize) -> Cut<'_> {
    let mut bytes = room;
    loop {
        let cut = page::cut(text, at, bytes);
        let written = serde_json::to_string(cut.text).map_or(cut.text.len(), |json| json.len());
        if written <= room.max(16) || bytes <= 1 {
            return cut;
        }
        bytes = (bytes * room / written).min(bytes - 1).max(1);
    }
}
