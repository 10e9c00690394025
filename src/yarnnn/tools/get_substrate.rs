//! `get_substrate`: recalls approved entries.

use toolwright_runtime::page::{budget_bytes, fitting};
use toolwright_runtime::{Call, HandleGuarded, Tool as _};

use super::super::Yarnnn;
use super::super::engine::{Caller, RecallQuery, Recalled, RecalledEntry};
use super::super::records::substrate::Kind;
use super::{id, selection};
use crate::generated::{
    GetSubstrate, GetSubstrateRequest, GetSubstrateRequestFormat, GetSubstrateResponse, Result,
    SubstrateEntry, SubstrateEntryType,
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
        let offset = request.offset;
        let prose = request.format == GetSubstrateRequestFormat::Prose;
        let question = RecallQuery {
            basket_id: request.basket_id.map(id),
            keywords: request.keywords,
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

/// The entries that fit the tool's budget; the rest is on the next page.
fn response(found: Recalled, offset: u64, prose: bool) -> GetSubstrateResponse {
    let total = u64::try_from(found.total).unwrap_or(0);
    let mut entries: Vec<SubstrateEntry> = found.entries.into_iter().map(entry).collect();
    let share = if prose { 2 } else { 1 };
    let room = budget_bytes(GetSubstrate::INFO.budget.result_tokens).saturating_sub(AROUND) / share;
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
