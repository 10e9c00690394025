//! `explain`

use toolwright_runtime::page;
use toolwright_runtime::{Call, Handle};

use super::{answer, selection};
use crate::Agentpack;
use crate::drift::Drift;
use crate::explain::{self, ExplainedChange, Origin};
use crate::generated::{
    Explain, ExplainRequest, ExplainRequestKind, ExplainResponse, ExplainedFile, ExplainedFileKind,
    ExplainedFileOp, ExplainedModule, Result,
};
use crate::model::{ModuleType, Op};
use crate::paths::posix;

impl Handle<Explain> for Agentpack {
    async fn handle(&self, call: &Call, request: ExplainRequest) -> Result<ExplainResponse> {
        let selection =
            selection(request.repo, request.profile, request.target.as_str(), request.machine);
        let of_status = request.kind == ExplainRequestKind::Status;
        let (profile, targets, files, warnings) = self
            .run(call, move |engine| {
                if of_status {
                    let (status, _) = engine.status(selection)?;
                    let files: Vec<_> = explain::status(&status).into_iter().map(drifted).collect();
                    return Ok((status.profile, status.targets, files, status.warnings));
                }
                let (plan, changes) = engine.explain_plan(selection)?;
                let files = changes.into_iter().map(changed).collect();
                Ok((plan.profile, plan.targets, files, plan.warnings))
            })
            .await?;
        warnings.iter().for_each(|warning| call.warn(warning));
        let room = page::budget_bytes(call.tool().budget.result_tokens) * 3 / 4;
        let (files, omitted) = answer::fitting(files, room);
        if let Some(omitted) = omitted {
            call.warn(format!("{omitted} files are left out to keep the answer small"));
        }
        let (changes, drift) = if of_status { (None, Some(files)) } else { (Some(files), None) };
        Ok(ExplainResponse {
            profile,
            targets: answer::targets(&targets),
            changes: changes.unwrap_or_default(),
            drift: drift.unwrap_or_default(),
        })
    }
}

fn changed(change: ExplainedChange) -> ExplainedFile {
    ExplainedFile {
        target: change.target.as_str().to_owned(),
        path: answer::native(&change.path),
        path_posix: posix(&change.path),
        op: Some(match change.op {
            Op::Create => ExplainedFileOp::Create,
            Op::Update => ExplainedFileOp::Update,
            Op::Delete => ExplainedFileOp::Delete,
        }),
        kind: None,
        expected: None,
        actual: None,
        modules: change.modules.into_iter().map(module).collect(),
    }
}

fn drifted(drift: &Drift) -> ExplainedFile {
    ExplainedFile {
        target: drift.target.as_str().to_owned(),
        path: answer::native(&drift.path),
        path_posix: posix(&drift.path),
        op: None,
        kind: match answer::kind(drift.kind) {
            "missing" => Some(ExplainedFileKind::Missing),
            "modified" => Some(ExplainedFileKind::Modified),
            _ => Some(ExplainedFileKind::Extra),
        },
        expected: answer::prefixed(drift.expected.as_ref()),
        actual: answer::prefixed(drift.actual.as_ref()),
        modules: drift
            .module_ids
            .iter()
            .map(|id| ExplainedModule {
                module_id: id.clone(),
                module_type: None,
                layer: None,
                module_path: None,
            })
            .collect(),
    }
}

fn module(origin: Origin) -> ExplainedModule {
    ExplainedModule {
        module_id: origin.module_id,
        module_type: origin.module_type.map(|module_type| {
            match module_type {
                ModuleType::Instructions => "Instructions",
                ModuleType::Skill => "Skill",
                ModuleType::Prompt => "Prompt",
                ModuleType::Command => "Command",
            }
            .to_owned()
        }),
        layer: origin.layer.and_then(|layer| layer.parse().ok()),
        module_path: origin.module_path,
    }
}
