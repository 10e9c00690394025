//! Doctor rows: what agentpack's own tool `doctor` checks, row by row.

use toolwright_platform::health::{self, Row};
use toolwright_runtime::settings::Loaded;

use super::doctor::{self, Issue, RootReport};
use super::lock::Lock;
use super::transaction;

/// Changes nothing.
pub(super) fn run(loaded: &Loaded) -> Vec<Row> {
    let Ok(settings) = loaded.typed() else { return Vec::new() };
    let environment = super::environment(settings);
    let home = &environment.agentpack_home;
    let mut rows = vec![health::folder("store", home)];
    rows.push(match Lock::is_held(home) {
        true => Row::doubtful("lock", "another process is deploying")
            .remedy("Wait until it has finished."),
        false => Row::good("lock", "free"),
    });
    let journals = transaction::pending(home).unwrap_or_default();
    let left = journals.iter().filter(|journal| !journal.running);
    rows.extend(left.map(|journal| {
        Row::doubtful("journal", format!("`{}` was left by a crash", journal.path.display()))
            .remedy("The next deploy or start of the server undoes or finishes it.")
    }));
    match doctor::doctor(&environment, None, None) {
        Ok(found) => {
            rows.extend(found.checks.iter().flat_map(|check| {
                let well = check.problems.is_empty().then(|| Row::good(check.id, "nothing to fix"));
                let problems = check.problems.iter().map(|text| Row::doubtful(check.id, text));
                well.into_iter().chain(problems).collect::<Vec<_>>()
            }));
            rows.extend(found.roots.iter().map(root));
        }
        Err(failure) => rows.push(
            Row::doubtful("config", "nothing can be deployed")
                .expected("a config repo with an agentpack.yaml")
                .cause(failure.message().to_owned()),
        ),
    }
    rows
}

fn root(report: &RootReport) -> Row {
    let check = format!("root.{}", report.root.target.as_str());
    let measured = format!("`{}`", report.root.path.display());
    let issues: Vec<&str> = report.issues.iter().map(|issue| issue.as_str()).collect();
    // A deploy creates what is missing.
    if issues.is_empty() || report.issues == [Issue::Missing] {
        return Row::good(check, [vec![measured.as_str()], issues].concat().join(", "));
    }
    let row = Row::bad(check, measured).expected("a folder that can be written to");
    let row = row.cause(issues.join(", "));
    match &report.suggestion {
        Some(suggestion) => row.remedy(suggestion.clone()),
        None => row,
    }
}
