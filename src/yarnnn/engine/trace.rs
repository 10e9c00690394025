//! Where something comes from: its source, who proposed, changed, approved or rejected it, when and
//! from which host.
//!
//! The only place that still shows what was rejected, and only to owners and admins.

use std::collections::BTreeSet;

use serde::Serialize;

use super::capture::Payload;
use super::decisions::{Reviewed, Standing, reviewed};
use super::{Caller, Engine, Error, Result};
use crate::extract::clean;
use crate::model::{ByteSpan, Millis, Operation};
use crate::records::captures::{self, Capture};
use crate::records::dumps::{self, Dump, Tombstone};
use crate::records::reviews::Action;
use crate::records::timeline::{self, Line};
use crate::records::{Tx, blocks, items, proposals};

/// Most versions of a block that are followed.
const VERSIONS: usize = 100;

/// What an id is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Traced {
    /// A statement in memory.
    Block,
    /// A name in memory.
    Item,
    /// A text as received.
    RawDump,
    /// A proposal.
    Proposal,
    /// A text that waits or waited for a basket.
    Capture,
}

/// The origin and history of something.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trace {
    /// What was asked for.
    pub id: String,
    /// What it is.
    pub kind: Traced,
    /// The block, the newest of its versions first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<Version>,
    /// The dumps that it comes from.
    pub sources: Vec<SourceText>,
    /// What was proposed from them.
    pub proposals: Vec<TracedProposal>,
    /// How they waited for a basket.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub captures: Vec<TracedCapture>,
    /// All events, the oldest first.
    pub history: Vec<Step>,
}

/// A version of a block, or a name.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Version {
    /// Its id.
    pub id: String,
    /// Its text.
    pub content: String,
    /// Its type.
    pub semantic_type: String,
    /// `ACCEPTED`, `SUPERSEDED`, …
    pub state: String,
    /// 1, 2, …
    pub version: i64,
    /// Its basket.
    pub basket_id: String,
    /// The proposal that added it.
    pub proposal_id: String,
    /// Where in the dump it is said.
    pub raw_dump_id: String,
    /// The words of the dump.
    pub quotes: Vec<Quote>,
    /// Who approved it, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
    /// When it was added.
    pub at: String,
    /// The host it came through.
    pub source_host: String,
}

/// A part of a dump.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Quote {
    /// First byte.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
    /// The words; none where the reader may not see them, or they are forgotten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A dump, or what is left of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SourceText {
    /// The dump.
    pub raw_dump_id: String,
    /// `in_memory`, `rejected`, `moved` or `forgotten`.
    pub state: &'static str,
    /// Its basket.
    pub basket_id: String,
    /// Who added it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added_by: Option<String>,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_host: Option<String>,
    /// The host's session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_session: Option<String>,
    /// Who withdrew it, when and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<Withdrawal>,
    /// The text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The end of a dump.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Withdrawal {
    /// Who.
    pub by: String,
    /// When.
    pub at: String,
    /// Why.
    pub reason: String,
}

/// A proposal with the standing of its operations.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TracedProposal {
    /// Its id.
    pub id: String,
    /// The dump.
    pub raw_dump_id: String,
    /// `PROPOSED`, `APPROVED`, `REJECTED` or `SUPERSEDED`.
    pub status: &'static str,
    /// `auto` or `manual`, and why.
    pub mode: String,
    /// Codes of the deciding rules.
    pub reasons: Vec<String>,
    /// The extractor.
    pub extractor: String,
    /// Who proposed it.
    pub proposed_by: String,
    /// When.
    pub at: String,
    /// The host.
    pub source_host: String,
    /// The operations.
    pub operations: Vec<TracedOperation>,
}

/// An operation of a proposal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TracedOperation {
    /// From 1.
    pub number: usize,
    /// `CreateBlock`, …
    pub operation: &'static str,
    /// Its words; none where the reader may not see them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// `waiting`, `approved`, `rejected` or `withdrawn`.
    pub standing: &'static str,
    /// Where in the dump.
    pub quotes: Vec<Quote>,
    /// What reviewers did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<OperationStep>,
}

/// A step of a reviewer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OperationStep {
    /// `approved`, `edited` or `rejected`.
    pub action: &'static str,
    /// Who.
    pub by: String,
    /// When.
    pub at: String,
    /// From where: `cli` or `web`.
    pub host: String,
    /// The words before an edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

/// A capture.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TracedCapture {
    /// Its id.
    pub id: String,
    /// What it waits or waited for.
    pub purpose: &'static str,
    /// `pending`, `assigned` or `dismissed`.
    pub status: &'static str,
    /// One line about it.
    pub summary: String,
    /// Who added it.
    pub added_by: String,
    /// When.
    pub at: String,
    /// The host.
    pub source_host: String,
    /// The basket it was assigned to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assigned_to: Option<String>,
}

/// An event.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// When.
    pub at: String,
    /// What happened.
    pub event: String,
    /// Who did it.
    pub by: String,
    /// From where.
    pub host: String,
    /// The record.
    pub about: String,
}

/// What is looked up for one trace.
#[derive(Default)]
struct Related {
    versions: Vec<Version>,
    dumps: Vec<String>,
    proposals: Vec<Reviewed>,
    captures: Vec<Capture<Payload>>,
}

impl Engine {
    /// Where a block, name, dump, proposal or capture comes from.
    pub fn trace(&self, caller: &Caller, id: &str) -> Result<Trace> {
        self.store.read(|tx| trace(tx, caller, id))
    }

    /// The text of a dump byte by byte, as spans count, also of a rejected one; none if it is
    /// forgotten. For owners and admins.
    pub fn source(&self, caller: &Caller, dump: &str) -> Result<Option<String>> {
        caller.must_review()?;
        let found = self.store.read(|tx| Ok(dumps::find(tx, caller.workspace_id(), dump)?))?;
        Ok(found.map(|dump| dump.body))
    }
}

fn trace(tx: &mut Tx<'_>, caller: &Caller, id: &str) -> Result<Trace> {
    let workspace = caller.workspace_id();
    let mut related = Related::default();
    let kind = start(tx, workspace, id, &mut related)?;
    let kind = kind.ok_or_else(|| Error::NothingToTrace(id.to_owned()))?;
    for dump in related.dumps.clone() {
        for capture in captures::of_dump(tx, workspace, &dump)? {
            if related.captures.iter().all(|known| known.id != capture.id) {
                related.captures.push(capture);
            }
        }
    }
    let mut texts = Vec::new();
    for dump in &related.dumps {
        let stone = dumps::tombstone(tx, workspace, dump)?;
        let found = dumps::find(tx, workspace, dump)?;
        let seen = caller.role.may_review() || stone.is_none();
        texts.push((dump.clone(), found.filter(|_| seen), stone));
    }
    let body = |dump: &str| {
        let found = texts.iter().find(|(id, ..)| id == dump);
        found.and_then(|(_, found, _)| found.as_ref()).map(|found| found.body.as_str())
    };
    for version in &mut related.versions {
        let text = body(&version.raw_dump_id);
        version.quotes.iter_mut().for_each(|quote| quote.fill(text));
    }
    let proposals =
        related.proposals.iter().map(|one| traced(one, body(&one.proposal.dump_id))).collect();
    let about: BTreeSet<&str> = related
        .versions
        .iter()
        .map(|version| version.id.as_str())
        .chain(related.dumps.iter().map(String::as_str))
        .chain(related.proposals.iter().map(|one| one.proposal.id.as_str()))
        .chain(related.captures.iter().map(|one| one.id.as_str()))
        .collect();
    let events = timeline::about(tx, workspace, &about)?;
    Ok(Trace {
        id: id.to_owned(),
        kind,
        proposals,
        captures: related.captures.iter().map(waited).collect(),
        sources: texts.into_iter().map(|(id, dump, stone)| source(id, dump, stone)).collect(),
        history: events.into_iter().map(step).collect(),
        versions: related.versions,
    })
}

/// Finds what the id is of, and what belongs to it.
fn start(
    tx: &mut Tx<'_>,
    workspace: &str,
    id: &str,
    related: &mut Related,
) -> Result<Option<Traced>> {
    if let Some(record) = blocks::find(tx, workspace, id)? {
        let mut next = Some(record);
        while let Some(record) = next.take().filter(|_| related.versions.len() < VERSIONS) {
            add_proposal(tx, workspace, &record.proposal_id, related)?;
            if let Some(parent) = &record.parent_id {
                next = blocks::find(tx, workspace, parent)?;
            }
            related.versions.push(version(record));
        }
        return Ok(Some(Traced::Block));
    }
    if let Some(item) = items::find(tx, workspace, id)? {
        add_proposal(tx, workspace, &item.proposal_id, related)?;
        related.versions.push(Version {
            id: item.id,
            content: item.label,
            semantic_type: item.kind,
            state: "ACTIVE".to_owned(),
            version: 1,
            basket_id: item.basket_id,
            proposal_id: item.proposal_id,
            raw_dump_id: item.dump_id,
            quotes: quotes(&item.spans, None),
            approved_by: None,
            at: moment(item.created_at),
            source_host: item.host,
        });
        return Ok(Some(Traced::Item));
    }
    if proposals::find(tx, workspace, id)?.is_some() {
        add_proposal(tx, workspace, id, related)?;
        return Ok(Some(Traced::Proposal));
    }
    if let Some(capture) = captures::find::<Payload>(tx, workspace, id)? {
        if let Some(dump) = captures::dump_of(tx, workspace, id)? {
            add_dump(tx, workspace, &dump, related)?;
        }
        related.captures.push(capture);
        return Ok(Some(Traced::Capture));
    }
    let known =
        dumps::find(tx, workspace, id)?.is_some() || dumps::tombstone(tx, workspace, id)?.is_some();
    if known {
        add_dump(tx, workspace, id, related)?;
    }
    Ok(known.then_some(Traced::RawDump))
}

fn add_dump(tx: &mut Tx<'_>, workspace: &str, id: &str, related: &mut Related) -> Result<()> {
    for proposal in proposals::of_dump(tx, workspace, id)? {
        related.proposals.push(reviewed(tx, proposal)?);
    }
    related.dumps.push(id.to_owned());
    Ok(())
}

fn add_proposal(tx: &mut Tx<'_>, workspace: &str, id: &str, related: &mut Related) -> Result<()> {
    if related.proposals.iter().any(|known| known.proposal.id == id) {
        return Ok(());
    }
    let Some(proposal) = proposals::find(tx, workspace, id)? else { return Ok(()) };
    if !related.dumps.contains(&proposal.dump_id) {
        related.dumps.push(proposal.dump_id.clone());
    }
    related.proposals.push(reviewed(tx, proposal)?);
    Ok(())
}

fn version(record: blocks::Record) -> Version {
    Version {
        id: record.block.id,
        content: record.block.content,
        semantic_type: record.block.semantic_type.as_str().to_owned(),
        state: record.block.state.as_str().to_owned(),
        version: record.version,
        basket_id: record.basket_id,
        proposal_id: record.proposal_id,
        raw_dump_id: record.dump_id,
        quotes: quotes(&record.spans, None),
        approved_by: Some(record.approved_by),
        at: moment(record.created_at),
        source_host: record.host,
    }
}

fn source(id: String, dump: Option<Dump>, stone: Option<Tombstone>) -> SourceText {
    let state = match &stone {
        None => "in_memory",
        Some(stone) if stone.how == "deleted" => "forgotten",
        Some(stone) if stone.is_rejection() => "rejected",
        Some(_) => "moved",
    };
    let basket = dump.as_ref().map(|dump| dump.basket_id.clone());
    let basket = basket.or_else(|| stone.as_ref().map(|stone| stone.basket_id.clone()));
    let of = dump.as_ref().map(|dump| &dump.source);
    SourceText {
        raw_dump_id: id,
        state,
        basket_id: basket.unwrap_or_default(),
        added_by: of.map(|of| of.user_id.clone()),
        at: dump.as_ref().map(|dump| moment(dump.created_at)),
        source_host: of.map(|of| of.host.clone()),
        source_session: of.and_then(|of| of.session.clone()),
        withdrawn: stone.map(|stone| Withdrawal {
            by: stone.by,
            at: moment(stone.at),
            reason: stone.reason,
        }),
        text: dump.map(|dump| clean(&dump.body).text.into_owned()),
    }
}

fn traced(one: &Reviewed, text: Option<&str>) -> TracedProposal {
    let proposal = &one.proposal;
    let operations = proposal.operations.iter().enumerate().map(|(index, operation)| {
        let standing = one.standing(index);
        // With the text, the words of what was rejected are withheld.
        let shown = text.is_some() || standing == Standing::Approved;
        let steps = one.steps.iter().filter(|step| step.operation == index);
        TracedOperation {
            number: index + 1,
            operation: operation.as_str(),
            content: shown.then(|| operation.content().to_owned()),
            standing: standing.as_str(),
            quotes: quotes(operation.spans(), text),
            steps: steps
                .map(|step| OperationStep {
                    action: step.action.as_str(),
                    by: step.by.clone(),
                    at: moment(step.at),
                    host: step.host.clone(),
                    before: step
                        .replaced
                        .as_ref()
                        .filter(|_| shown && step.action == Action::Edited)
                        .map(|before| before.content().to_owned()),
                    notes: step.notes.clone(),
                })
                .collect(),
        }
    });
    TracedProposal {
        id: proposal.id.clone(),
        raw_dump_id: proposal.dump_id.clone(),
        status: proposal.status.as_str(),
        mode: proposal.mode.clone(),
        reasons: proposal.reasons.clone(),
        extractor: proposal.extractor.clone(),
        proposed_by: proposal.source.user_id.clone(),
        at: moment(proposal.created_at),
        source_host: proposal.source.host.clone(),
        operations: operations.collect(),
    }
}

fn waited(capture: &Capture<Payload>) -> TracedCapture {
    TracedCapture {
        id: capture.id.clone(),
        purpose: capture.purpose.as_str(),
        status: capture.status.as_str(),
        summary: capture.summary.clone(),
        added_by: capture.source.user_id.clone(),
        at: moment(capture.created_at),
        source_host: capture.source.host.clone(),
        assigned_to: capture.assigned_to.clone(),
    }
}

fn step(line: Line) -> Step {
    let Line { at, kind, about, host, user_id, .. } = line;
    Step { at: moment(at), event: kind, by: user_id, host, about }
}

fn quotes(spans: &[ByteSpan], text: Option<&str>) -> Vec<Quote> {
    let quote = |span: &ByteSpan| {
        let mut quote = Quote { start: span.start, end: span.end, text: None };
        quote.fill(text);
        quote
    };
    spans.iter().map(quote).collect()
}

impl Quote {
    fn fill(&mut self, text: Option<&str>) {
        let words = text.and_then(|text| text.get(self.start..self.end));
        self.text = words.map(|words| clean(words).text.into_owned());
    }
}

impl Operation {
    /// Its words: a statement or a name.
    pub fn content(&self) -> &str {
        match self {
            Self::CreateBlock { content, .. } | Self::ReviseBlock { content, .. } => content,
            Self::CreateContextItem { label, .. } => label,
        }
    }

    /// Where in the dump it was read.
    pub fn spans(&self) -> &[ByteSpan] {
        match self {
            Self::CreateBlock { spans, .. }
            | Self::ReviseBlock { spans, .. }
            | Self::CreateContextItem { spans, .. } => spans,
        }
    }
}

/// A moment for people and programs.
pub(crate) fn moment(at: Millis) -> String {
    jiff::Timestamp::from_millisecond(at).map_or_else(|_| at.to_string(), |at| at.to_string())
}
