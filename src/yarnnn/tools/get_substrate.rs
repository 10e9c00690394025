//! `get_substrate`: recalls approved entries, or reads a raw dump part by part.

use toolwright_runtime::page::{budget_bytes, fitting};
use toolwright_runtime::{Call, HandleGuarded, Tool as _};

use super::super::Yarnnn;
use super::super::engine::{Caller, Match, RecallQuery, Recalled, RecalledEntry};
use super::super::records::substrate::Kind;
use super::{id, selection};
use crate::generated::{
    GetSubstrate, GetSubstrateRequest, GetSubstrateRequestFormat, GetSubstrateRequestMatch,
    GetSubstrateResponse, Result, SubstrateEntry, SubstrateEntryType, SubstrateMatched,
};

/// Bytes of an answer besides its entries.
const AROUND: usize = 2_000;

impl HandleGuarded<GetSubstrate, Caller> for Yarnnn {
    async fn handle(
        &self,
        call: &Call,
        request: GetSubstrateRequest,
        caller: Caller,
    ) -> Result<GetSubstrateResponse> {
        if let Some(dump) = request.raw_dump_id {
            return self.part(caller, id(dump), request.offset).await;
        }
        let offset = request.offset;
        let prose = request.format == GetSubstrateRequestFormat::Prose;
        let question = RecallQuery {
            basket_id: request.basket_id.map(id),
            keywords: request.keywords,
            matching: match request.match_ {
                GetSubstrateRequestMatch::Words => Match::Words,
                GetSubstrateRequestMatch::Meaning => Match::Meaning,
                GetSubstrateRequestMatch::Both => Match::Both,
            },
            anchors: request.anchors.into_iter().map(id).collect(),
            limit: i64::try_from(request.limit).unwrap_or(i64::MAX),
            offset: i64::try_from(offset).unwrap_or(i64::MAX),
            fingerprint: self.session(call, request.session_fingerprint)?,
        };
        let found = self.run(move |engine| engine.recall(&caller, &question)).await?;
        if let Some(found) = &found.selection {
            selection::attach(call, found, None);
        }
        Ok(response(found, offset, prose))
    }
}

impl Yarnnn {
    /// A part of a raw dump that fits the tool's budget.
    async fn part(
        &self,
        caller: Caller,
        dump: String,
        offset: u64,
    ) -> Result<GetSubstrateResponse> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let found = self
            .run(move |engine| engine.dump_part(&caller, &dump, start, |text| fits(text, room())))
            .await?;
        let read = found.entry.content.chars().count() as u64;
        Ok(GetSubstrateResponse {
            next_offset: (found.left > 0).then_some(offset.saturating_add(read)),
            substrate_snapshot_id: found.snapshot_id,
            substrate: vec![entry(found.entry)],
            total_count: 1,
            hidden_count: 0,
            matched: None,
            basket_id: None,
            prose: None,
            selection_summary: None,
        })
    }
}

/// Bytes of an answer that are left for entries.
fn room() -> usize {
    budget_bytes(GetSubstrate::INFO.budget.result_tokens).saturating_sub(AROUND)
}

/// How many bytes of a text fit `room` as JSON.
fn fits(text: &str, room: usize) -> usize {
    let mut used = 0;
    let over = text.char_indices().find(|(_, found)| {
        used += match found {
            '"' | '\\' | '\n' | '\r' | '\t' => 2,
            found if found.is_control() => 6,
            found => found.len_utf8(),
        };
        used > room
    });
    over.map_or(text.len(), |(at, _)| at)
}

/// The entries that fit the tool's budget; the rest is on the next page.
fn response(found: Recalled, offset: u64, prose: bool) -> GetSubstrateResponse {
    let total = u64::try_from(found.total).unwrap_or(0);
    let mut entries: Vec<SubstrateEntry> = found.entries.into_iter().map(entry).collect();
    let share = if prose { 2 } else { 1 };
    let room = room() / share;
    let sizes = entries.iter().map(|one| serde_json::to_string(one).map_or(0, |text| text.len()));
    let fit = fitting(sizes.collect::<Vec<_>>(), room);
    entries.truncate(fit);
    let next = offset.saturating_add(entries.len() as u64);
    GetSubstrateResponse {
        prose: prose.then(|| sentences(&entries)),
        next_offset: (next < total && !entries.is_empty()).then_some(next),
        substrate: entries,
        total_count: total,
        hidden_count: u64::try_from(found.hidden).unwrap_or(0),
        substrate_snapshot_id: found.snapshot_id,
        matched: found.matched.map(|matched| match matched {
            Match::Words => SubstrateMatched::Words,
            Match::Meaning => SubstrateMatched::Meaning,
            Match::Both => SubstrateMatched::Both,
        }),
        basket_id: found.narrowed_to,
        selection_summary: found.selection.map(|selection| selection.summary),
    }
}

fn entry(recalled: RecalledEntry) -> SubstrateEntry {
    SubstrateEntry {
        type_: match recalled.kind {
            Kind::Block => SubstrateEntryType::Block,
            Kind::Item => SubstrateEntryType::Item,
            Kind::Dump => SubstrateEntryType::RawDump,
        },
        id: recalled.id,
        content: recalled.content,
        semantic_type: recalled.semantic_type,
        semantic_category: recalled.anchor,
        confidence: recalled.confidence,
        metadata: recalled.metadata,
    }
}

fn sentences(entries: &[SubstrateEntry]) -> String {
    let lines: Vec<String> = entries
        .iter()
        .map(|entry| {
            let what = match entry.type_ {
                SubstrateEntryType::Block => entry.semantic_type.as_deref().unwrap_or("block"),
                SubstrateEntryType::Item => "name",
                SubstrateEntryType::RawDump => "source",
            };
            format!("{what}: {}", entry.content)
        })
        .collect();
    lines.join("\n")
}
