//! `doctor`

use std::path::PathBuf;

use toolwright_runtime::{Call, Handle};

use super::answer;
use crate::Agentpack;
use crate::doctor::RootReport;
use crate::generated::{Doctor, DoctorCheck, DoctorRequest, DoctorResponse, DoctorRoot, Result};
use crate::model::Target;
use crate::paths::posix;

impl Handle<Doctor> for Agentpack {
    async fn handle(&self, call: &Call, request: DoctorRequest) -> Result<DoctorResponse> {
        let repo = request.repo.map(PathBuf::from);
        let target = Target::from_name(request.target.as_str());
        let (report, journals) = self.run(call, move |engine| engine.doctor(repo, target)).await?;
        report.warnings.iter().for_each(|warning| call.warn(warning));
        let mut checks: Vec<DoctorCheck> = report
            .checks
            .iter()
            .map(|check| DoctorCheck {
                name: check.id.to_owned(),
                ok: check.problems.is_empty(),
                message: check.problems.join(" "),
            })
            .collect();
        let left: Vec<String> = journals
            .iter()
            .filter(|journal| !journal.running)
            .map(|journal| {
                format!("The journal `{}` of a crash waits to be undone.", journal.path.display())
            })
            .collect();
        left.iter().for_each(|warning| call.warn(warning));
        checks.push(DoctorCheck {
            name: "journal".to_owned(),
            ok: left.is_empty(),
            message: left.join(" "),
        });
        Ok(DoctorResponse {
            machine_id: report.machine_id,
            project_root: Some(answer::native(&report.project_root)),
            roots: report.roots.iter().map(root).collect(),
            gitignore_fixes: Vec::new(),
            checks,
            next_actions: report.next_actions,
        })
    }
}

fn root(report: &RootReport) -> DoctorRoot {
    DoctorRoot {
        target: report.root.target.as_str().to_owned(),
        root: answer::native(&report.root.path),
        root_posix: posix(&report.root.path),
        exists: report.exists,
        writable: report.writable,
        scan_extras: report.root.scan_extras,
        issues: report.issues.iter().map(|issue| issue.as_str().to_owned()).collect(),
        suggestion: report.suggestion.clone(),
    }
}
