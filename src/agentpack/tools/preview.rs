//! `preview`

use toolwright_runtime::page;
use toolwright_runtime::{Call, Handle};

use super::{answer, selection};
use crate::Agentpack;
use crate::diff::FileDiff;
use crate::generated::{
    DiffPart, FileDiff as AnsweredDiff, FileDiffOp, PlanPart, Preview, PreviewRequest,
    PreviewResponse, Result,
};
use crate::paths::posix;

impl Handle<Preview> for Agentpack {
    async fn handle(&self, call: &Call, request: PreviewRequest) -> Result<PreviewResponse> {
        let selection =
            selection(request.repo, request.profile, request.target.as_str(), request.machine);
        let with_diff = request.diff;
        let (plan, files, warnings) = self
            .run(call, move |engine| match with_diff {
                true => engine.preview(selection),
                false => Ok((engine.plan(selection)?, Vec::new(), Vec::new())),
            })
            .await?;
        plan.warnings.iter().chain(&warnings).for_each(|warning| call.warn(warning));
        // The plan's list is in the answer twice when there is a diff.
        let share = call.tool().budget.result_tokens / if with_diff { 4 } else { 1 };
        let shown = answer::plan(&plan, share);
        let diff = with_diff.then(|| {
            let room = page::budget_bytes(call.tool().budget.result_tokens) / 2;
            let (files, omitted) = answer::fitting(files.into_iter().map(file).collect(), room);
            if let Some(omitted) = omitted {
                call.warn(format!(
                    "{omitted} files are left out of the diff to keep the answer small"
                ));
            }
            DiffPart {
                changes: shown.changes.clone(),
                summary: shown.summary.clone(),
                changes_omitted: shown.changes_omitted,
                files,
            }
        });
        Ok(PreviewResponse {
            profile: shown.profile,
            targets: shown.targets,
            plan: PlanPart {
                changes: shown.changes,
                summary: shown.summary,
                changes_omitted: shown.changes_omitted,
            },
            diff,
        })
    }
}

fn file(file: FileDiff) -> AnsweredDiff {
    AnsweredDiff {
        target: file.target.as_str().to_owned(),
        root: answer::native(&file.root),
        root_posix: posix(&file.root),
        path_posix: file.path.clone(),
        path: file.path,
        op: match answer::op(file.op).as_str() {
            "create" => FileDiffOp::Create,
            "update" => FileDiffOp::Update,
            _ => FileDiffOp::Delete,
        },
        before_hash: answer::prefixed(file.before_sha256.as_ref()),
        after_hash: answer::prefixed(file.after_sha256.as_ref()),
        unified: file.unified,
    }
}
