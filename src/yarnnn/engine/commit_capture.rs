//! The pipeline, in one transaction: P0 keeps what came in, P1 proposes changes and lets the rules
//! decide, P2 links what was committed, P3 looks at the basket anew when it is time.

use serde_json::json;
use toolwright_runtime::digest::sha256_hex;

use super::capture::{Payload, Stored};
use super::{Caller, Engine, Result};
use crate::conflict::{self, Idea, Known};
use crate::extract::{self, Extraction, clean};
use crate::governance::{Asked, BlastRadius, Judged, Mode, Origin, Review, decide};
use crate::inference::same_dims;
use crate::model::{Block, Fingerprint, Operation};
use crate::records::baskets::{self, Count};
use crate::records::dumps::{self, Dump};
use crate::records::proposals::{self, Proposal, Status};
use crate::records::substrate;
use crate::records::timeline::{self, Event, Kind};
use crate::records::{Tx, blocks, governance, members, signals};
use crate::sql;

/// The newest blocks of a basket that new ones are linked with.
pub(super) const LATEST: i64 = 200;
/// The newest blocks of a basket that a new text is compared with, beside those nearly like it.
const COMPARED: i64 = 100;
/// Who reads when no model does.
const RULES: &str = "rules";
/// As many operations as a capture has at most: the most complex one there is.
const MOST_OPERATIONS: f64 = 22.0;

/// Something on its way into a basket.
pub(super) struct Landing<'a> {
    pub(super) caller: &'a Caller,
    /// Id and name.
    pub(super) basket: (&'a str, &'a str),
    pub(super) payload: &'a Payload,
    pub(super) fingerprint: &'a Fingerprint,
    pub(super) embedding_model: Option<&'a str>,
    pub(super) read: &'a Read,
    /// One dump per basket and request.
    pub(super) request: &'a str,
    /// A person or the caller said that it belongs here.
    pub(super) affirmed: bool,
}

/// What was read out of a text, before anything is written.
pub(super) struct Read {
    extraction: Extraction,
    /// Contradictions with the basket; none when nobody looked.
    conflicts: Option<usize>,
}

/// Blocks that say nearly what is proposed.
fn near(tx: &mut Tx<'_>, basket: &str, operations: &[Operation]) -> sql::Result<Vec<Block>> {
    let mut found: Vec<Block> = Vec::new();
    for operation in operations {
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
    /// Reads a text out for a basket; for a new one there is nothing to compare it with. A model
    /// may take its time here: no transaction waits for it.
    pub(super) fn read_out(
        &self,
        caller: &Caller,
        basket: Option<&str>,
        content: &str,
    ) -> Result<Read> {
        let options = extract::Options::default();
        let reading = self.extractor.read(content, &options)?;
        let first = reading.against(&[], &options);
        let Some(basket) = basket else {
            return Ok(Read { extraction: first, conflicts: Some(0) });
        };
        self.store.read(|tx| {
            let near = near(tx, basket, &first.operations)?;
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
            Ok(Read { extraction: reading.against(&near, &options), conflicts })
        })
    }

    /// Runs the pipeline. The basket is known to be the workspace's and open.
    pub(super) fn land(&self, tx: &mut Tx<'_>, landing: &Landing<'_>) -> Result<Stored> {
        let Landing { caller, basket: (basket, name), read, .. } = landing;
        let workspace = caller.workspace_id();
        let at = self.now();
        let embedding = &landing.fingerprint.embedding;
        if caller.workspace.dims.is_none() {
            // Somebody else's first write may have come before this one.
            let model = landing.embedding_model;
            same_dims(
                embedding.len(),
                members::settle_dims(tx, workspace, embedding.len(), model)?,
            )?;
        }

        let dump = self.capture(tx, landing)?;
        let extraction = &read.extraction;
        let blocks = extraction.operations.iter().filter(|one| one.is_block()).count() as u64;
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
        } else {
            let proposal = self.propose(tx, landing, &dump)?;
            stored.governance_mode.clone_from(&proposal.mode);
            stored.governance_reasons.clone_from(&proposal.reasons);
            stored.proposal_id = Some(proposal.id.clone());
            if proposal.status == Status::Approved {
                let by = caller.source.user_id.as_str();
                let committed = self.commit(tx, caller, &proposal, by)?;
                stored.blocks_created = committed.blocks;
                mutations = committed.mutations;
            }
        }
        if landing.affirmed {
            signals::add(tx, workspace, &caller.source.user_id, basket, 1, None, at)?;
        }
        self.take_in(tx, caller, basket, embedding, mutations)?;
        Ok(stored)
    }

    /// P0: keeps what came in.
    fn capture(&self, tx: &mut Tx<'_>, landing: &Landing<'_>) -> Result<Dump> {
        let Landing { caller, basket: (basket, _), payload, .. } = landing;
        let body = payload.content.clone();
        let dump = Dump {
            id: self.store.id(),
            basket_id: (*basket).to_owned(),
            content_hash: sha256_hex(body.as_bytes()),
            request: landing.request.to_owned(),
            metadata: payload.metadata.clone(),
            fingerprint: landing.fingerprint.clone(),
            source: caller.source.clone(),
            created_at: self.now(),
            body,
        };
        dumps::add(tx, caller.workspace_id(), &dump)?;
        let (place, kind) = (caller.place(), substrate::Kind::Dump);
        substrate::add(tx, place, basket, kind, &dump.id, None, &dump.body, dump.created_at)?;
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

    /// P1: keeps what is proposed, and decides whether it waits for a person.
    fn propose(&self, tx: &mut Tx<'_>, landing: &Landing<'_>, dump: &Dump) -> Result<Proposal> {
        let Landing { caller, basket: (basket, _), payload, read, .. } = landing;
        let settings = governance::load(tx, caller.workspace_id())?;
        let operations = read.extraction.operations.clone();
        let asked = Asked {
            require_approval: payload.require_approval,
            confidence: payload.confidence,
            origin: Origin::Agent,
        };
        let judged = Judged {
            validator_confidence: read.extraction.report.confidence,
            operations: operations.len(),
            // Review may have been relaxed since then: what nobody looked at waits.
            conflicts: read.conflicts.unwrap_or(usize::MAX),
            complexity: operations.len() as f64 / MOST_OPERATIONS,
            scope_promotion: false,
            blast_radius: BlastRadius::Local,
        };
        let ruling = decide(&settings, &asked, &judged);
        let status = match ruling.mode {
            Review::Auto => Status::Approved,
            Review::Manual => Status::Proposed,
        };
        let proposal = Proposal {
            id: self.store.id(),
            basket_id: (*basket).to_owned(),
            dump_id: dump.id.clone(),
            report: read.extraction.report.clone(),
            extractor: read.extraction.report.extractor.clone().unwrap_or_else(|| RULES.to_owned()),
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
