//! From the engine's values to the contract's answers.

use std::path::Path;

use toolwright_runtime::page;

use crate::drift::{self, DriftKind};
use crate::generated::{Change, ChangeOp, ChangeUpdateKind, DriftSummary, PlanReport, Summary};
use crate::model::{self, Op, Plan, Target, UpdateKind};
use crate::paths::posix;

/// What everything but the list of changes may take of an answer.
const FRAME_BYTES: usize = 4_000;

/// A plan, cut to the budget of the tool that shows it. Counts are always of the whole plan.
pub(super) fn plan(plan: &Plan, result_tokens: u32) -> PlanReport {
    let room = page::budget_bytes(result_tokens).saturating_sub(FRAME_BYTES);
    let (changes, omitted) = fitting(changes(plan), room);
    PlanReport {
        profile: plan.profile.clone(),
        targets: targets(&plan.targets),
        changes,
        summary: summary(plan),
        changes_omitted: omitted,
    }
}

/// Every change.
pub(super) fn changes(plan: &Plan) -> Vec<Change> {
    plan.changes.iter().map(change).collect()
}

fn change(change: &model::Change) -> Change {
    Change {
        target: change.target.as_str().to_owned(),
        op: op(change.op),
        path: native(&change.path),
        path_posix: posix(&change.path),
        before_sha256: change.before_sha256.clone(),
        after_sha256: change.after_sha256.clone(),
        update_kind: change.update_kind.map(|kind| match kind {
            UpdateKind::ManagedUpdate => ChangeUpdateKind::ManagedUpdate,
            UpdateKind::AdoptUpdate => ChangeUpdateKind::AdoptUpdate,
        }),
        reason: change.reason.to_owned(),
        local_edits: change.local_edits.then_some(true),
    }
}

pub(super) fn op(op: Op) -> ChangeOp {
    match op {
        Op::Create => ChangeOp::Create,
        Op::Update => ChangeOp::Update,
        Op::Delete => ChangeOp::Delete,
    }
}

/// Counts of a plan.
pub(super) fn summary(plan: &Plan) -> Summary {
    let summary = plan.summary();
    let edits = plan.changes.iter().filter(|change| change.local_edits).count() as u64;
    Summary {
        create: summary.create,
        update: summary.update,
        delete: summary.delete,
        local_edits: (edits > 0).then_some(edits),
    }
}

pub(super) fn drift_summary(summary: drift::DriftSummary) -> DriftSummary {
    DriftSummary { modified: summary.modified, missing: summary.missing, extra: summary.extra }
}

pub(super) fn kind(kind: DriftKind) -> &'static str {
    match kind {
        DriftKind::Missing => "missing",
        DriftKind::Modified => "modified",
        DriftKind::Extra => "extra",
    }
}

pub(super) fn targets(targets: &[Target]) -> Vec<String> {
    targets.iter().map(|target| target.as_str().to_owned()).collect()
}

pub(super) fn native(path: &Path) -> String {
    path.display().to_string()
}

/// A hash as drift and diffs show it.
pub(super) fn prefixed(sha256: Option<&String>) -> Option<String> {
    sha256.map(|hash| format!("sha256:{hash}"))
}

/// The leading items that fit into `room` bytes of JSON, and how many were left out.
pub(super) fn fitting<T: serde::Serialize>(
    mut items: Vec<T>,
    room: usize,
) -> (Vec<T>, Option<u64>) {
    let sizes =
        items.iter().map(|item| serde_json::to_string(item).map_or(0, |json| json.len() + 1));
    let count = page::fitting(sizes, room);
    let omitted = items.len().saturating_sub(count);
    items.truncate(count);
    (items, (omitted > 0).then_some(omitted as u64))
}
