//! The capture pipeline, in one transaction: P0 stores the dump, P1 proposes changes and applies
//! the review rules, P2 links what was committed, P3 refreshes the basket's signature when it is
//! due.

use serde_json::json;
use toolwright_runtime::digest::sha256_hex;

use super::capture::{Payload, Stored};
use super::{Caller, Engine, Result};
use crate::conflict::{self, Idea, Known};
use crate::extract::{self, Extraction, clean};
use crate::governance::{Assessment, BlastRadius, Mode, Origin, Review, ReviewRequest, decide};
use crate::model::{Block, Fingerprint, Operation};
use crate::records::baskets::{self, Count};
use crate::records::dumps::{self, Dump};
use crate::records::proposals::{self, Proposal, Status};
use crate::records::substrate;
use crate::records::timeline::{self, Event, Kind};
use crate::records::{Tx, blocks, governance, signals};
use crate::sql;

/// The newest blocks of a basket that new ones are linked with.
pub(super) const LATEST: i64 = 200;
/// The newest blocks of a basket that a new text is compared with, besides near duplicates.
const COMPARED: i64 = 100;
/// The extractor's name when no model is used.
const RULES: &str = "rules";
/// The warning about a text without statements.
const NOTHING_STATED: &str =
    "The text states nothing new: it is kept as a raw dump, and nothing was proposed.";
/// Most operations of a capture; such a capture has complexity 1.
const MOST_OPERATIONS: f64 = 22.0;

/// A capture to commit to a basket.
pub(super) struct CaptureCommit<'a> {
    pub(super) caller: &'a Caller,
    /// Id and name.
    pub(super) basket: (&'a str, &'a str),
    pub(super) payload: &'a Payload,
    pub(super) fingerprint: &'a Fingerprint,
    pub(super) extracted: &'a ExtractedCapture,
    /// One dump per basket and request.
    pub(super) request: &'a str,
    /// A reviewer or the caller confirmed the basket.
    pub(super) affirmed: bool,
}

/// What was extracted from a text, before anything is written.
pub(super) struct ExtractedCapture {
    extraction: Extraction,
    /// Contradictions with the basket; none when not checked.
    conflicts: Option<usize>,
}

/// Near duplicates of what is proposed.
fn near(tx: &mut Tx<'_>, basket: &str, extraction: &Extraction) -> sql::Result<Vec<Block>> {
    let mut found: Vec<Block> = Vec::new();
    for operation in extraction.parts().flat_map(|part| &part.operations) {
        let Operation::CreateBlock { content, .. } = operation else { continue };
        for block in blocks::near(tx, basket, content)? {
            if found.iter().all(|known| known.id != block.id) {
                found.push(block);
            }
        }
    }
    Ok(found)
}

fn contradictions(content: &str, blocks: &[Block]) -> usize {
    let text = clean(content).text;
    let known: Vec<Known<'_>> =
        blocks.iter().map(|block| Known { block, similarity: None }).collect();
    let analysis = conflict::compare(&Idea { text: &text, focus: &[] }, &known);
    let found = analysis.conflicts.iter();
    found.filter(|conflict| conflict.kind == conflict::Kind::Contradiction).count()
}

impl Engine {
    /// Extracts from a text for a basket; for a new one there is nothing to compare with. A model
    /// may be slow here: no transaction is open.
    pub(super) fn extract_for(
        &self,
        caller: &Caller,
        basket: Option<&str>,
        content: &str,
    ) -> Result<ExtractedCapture> {
        let options = extract::Options::of(content);
        let reading = self.extractor.read(content, &options)?;
        let first = reading.against(&[], &options);
        self.prepare_meaning(caller, &first.operations)?;
        let Some(basket) = basket else {
            return Ok(ExtractedCapture { extraction: first, conflicts: Some(0) });
        };
        self.store.read(|tx| {
            let near = near(tx, basket, &first)?;
            let settings = governance::load(tx, caller.workspace_id())?;
            // Only smart review counts conflicts.
            let smart =
                settings.governance_enabled && settings.coerced().manual_edit == Mode::Hybrid;
            let conflicts = match smart {
                false => None,
                true => {
                    let mut compared = blocks::latest(tx, basket, COMPARED)?;
                    compared.retain(|block| near.iter().all(|other| other.id != block.id));
                    compared.extend(near.iter().cloned());
                    Some(contradictions(content, &compared))
                }
            };
            Ok(ExtractedCapture { extraction: reading.against(&near, &options), conflicts })
        })
    }

    /// Runs the pipeline. The caller has checked that the basket is open and of the workspace.
    pub(super) fn commit_capture(
        &self,
        tx: &mut Tx<'_>,
        commit: &CaptureCommit<'_>,
    ) -> Result<Stored> {
        let CaptureCommit { caller, basket: (basket, name), extracted, .. } = commit;
        let workspace = caller.workspace_id();
        let at = self.now();
        self.vectors.check_first_dims(tx, workspace, commit.fingerprint)??;

        let dump = self.capture(tx, commit)?;
        let extraction = &extracted.extraction;
        let operations = extraction.parts().flat_map(|part| &part.operations);
        let blocks = operations.filter(|one| one.is_block()).count() as u64;
        let mut stored = Stored {
            basket_id: (*basket).to_owned(),
            basket_name: (*name).to_owned(),
            raw_dump_id: dump.id.clone(),
            proposal_id: None,
            proposed_blocks: blocks,
            blocks_created: 0,
            governance_mode: Review::Manual.as_str().to_owned(),
            governance_reasons: Vec::new(),
            warnings: extraction.report.warnings.clone(),
        };
        let mut mutations = 0;
        if extraction.operations.is_empty() {
            stored.governance_mode = Review::Auto.as_str().to_owned();
            stored.warnings = vec![NOTHING_STATED.to_owned()];
        }
        for part in extraction.parts().filter(|part| !part.operations.is_empty()) {
            let proposal = self.propose(tx, commit, part, &dump)?;
            // One part that needs review makes the answer say so.
            if stored.governance_mode != Review::Manual.as_str() || stored.proposal_id.is_none() {
                stored.governance_mode.clone_from(&proposal.mode);
            }
            for reason in &proposal.reasons {
                if !stored.governance_reasons.contains(reason) {
                    stored.governance_reasons.push(reason.clone());
                }
            }
            if proposal.status == Status::Approved {
                let by = caller.source.user_id.as_str();
                let all: Vec<usize> = (0..proposal.operations.len()).collect();
                let committed = self.commit(tx, caller, &proposal, &all, by)?;
                stored.blocks_created += committed.blocks;
                mutations += committed.mutations;
            }
            stored.proposal_id.get_or_insert(proposal.id);
        }
        if commit.affirmed {
            signals::add(tx, workspace, &caller.source.user_id, basket, 1, None, at)?;
        }
        self.record_write(tx, caller, basket, commit.fingerprint, mutations)?;
        Ok(stored)
    }

    /// P0: stores the dump.
    fn capture(&self, tx: &mut Tx<'_>, commit: &CaptureCommit<'_>) -> Result<Dump> {
        let CaptureCommit { caller, basket: (basket, _), payload, .. } = commit;
        let body = payload.content.clone();
        let dump = Dump {
            id: self.store.id(),
            basket_id: (*basket).to_owned(),
            content_hash: sha256_hex(body.as_bytes()),
            request: commit.request.to_owned(),
            metadata: payload.metadata.clone(),
            fingerprint: commit.fingerprint.clone(),
            source: caller.source.clone(),
            created_at: self.now(),
            body,
        };
        dumps::add(tx, caller.workspace_id(), &dump)?;
        let (place, kind) = (caller.index_scope(), substrate::Kind::Dump);
        substrate::add(tx, place, basket, kind, &dump.id, None, &dump.body, dump.created_at)?;
        self.keep_dump_meaning(tx, caller.workspace_id(), &dump)?;
        baskets::count(tx, basket, Count { dumps: 1, ..Count::default() })?;
        let event = Event {
            kind: Kind::DumpCreated,
            basket: Some(basket),
            about: &dump.id,
            preview: &clean(&dump.body).text,
            payload: json!({"bytes": dump.body.len(), "content_hash": dump.content_hash}),
        };
        timeline::add(tx, caller.workspace_id(), &event, &caller.source, dump.created_at)?;
        Ok(dump)
    }

    /// P1: stores a proposal and decides whether it needs review.
    fn propose(
        &self,
        tx: &mut Tx<'_>,
        commit: &CaptureCommit<'_>,
        part: &Extraction,
        dump: &Dump,
    ) -> Result<Proposal> {
        let CaptureCommit { caller, basket: (basket, _), payload, extracted, .. } = commit;
        let settings = governance::load(tx, caller.workspace_id())?;
        let operations = part.operations.clone();
        let request = ReviewRequest {
            require_approval: payload.require_approval,
            confidence: payload.confidence,
            origin: Origin::Agent,
        };
        let assessment = Assessment {
            validator_confidence: part.report.confidence,
            operations: operations.len(),
            // The settings may have changed since extraction: what was not checked needs review.
            conflicts: extracted.conflicts.unwrap_or(usize::MAX),
            complexity: (operations.len() as f64 / MOST_OPERATIONS).min(1.0),
            scope_promotion: false,
            blast_radius: BlastRadius::Local,
        };
        let ruling = decide(&settings, &request, &assessment);
        let status = match ruling.mode {
            Review::Auto => Status::Approved,
            Review::Manual => Status::Proposed,
        };
        let proposal = Proposal {
            id: self.store.id(),
            basket_id: (*basket).to_owned(),
            dump_id: dump.id.clone(),
            report: part.report.clone(),
            extractor: part.report.extractor.clone().unwrap_or_else(|| RULES.to_owned()),
            status,
            mode: ruling.mode.as_str().to_owned(),
            reasons: ruling.reasons.iter().map(|&reason| reason.to_owned()).collect(),
            confidence: ruling.effective_confidence,
            blast_radius: settings.coerced().default_blast_radius.as_str().to_owned(),
            source: caller.source.clone(),
            created_at: self.now(),
            reviewed_by: None,
            review_notes: None,
            operations,
        };
        proposals::add(tx, caller.workspace_id(), &proposal)?;
        let event = Event {
            kind: Kind::ProposalSubmitted,
            basket: Some(basket),
            about: &proposal.id,
            preview: &proposal.report.impact_summary,
            payload: json!({"mode": proposal.mode, "reasons": proposal.reasons}),
        };
        timeline::add(tx, caller.workspace_id(), &event, &caller.source, proposal.created_at)?;
        if status == Status::Proposed {
            let waiting = i64::try_from(proposal.operations.len()).unwrap_or(i64::MAX);
            baskets::count(tx, basket, Count { proposed: waiting, ..Count::default() })?;
        }
        Ok(proposal)
    }
}
