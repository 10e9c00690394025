//! `wa.rules_lint`

use toolwright_runtime::{Call, Handle};

use super::rules_list::unknown_pack;
use crate::engine::Engine;
use crate::generated::{
    FixtureCoverage, LintIssue, LintIssueCategory, LintReport, Result, RulesLint, RulesLintRequest,
    RulesLintResponse,
};
use crate::patterns::Issue;
use crate::{Wa, error};

use super::convert;

impl Handle<RulesLint> for Wa {
    async fn handle(&self, _: &Call, request: RulesLintRequest) -> Result<RulesLintResponse> {
        self.run(move |engine| lint(engine, &request)).await
    }
}

fn lint(engine: &Engine, request: &RulesLintRequest) -> error::Result<LintReport> {
    let patterns = engine.patterns();
    if let Some(pack) = &request.pack
        && !patterns.packs().iter().any(|known| known.id == *pack)
    {
        return Err(unknown_pack(patterns, pack));
    }
    let report = patterns.lint(request.pack.as_deref(), request.fixtures, request.strict)?;
    Ok(LintReport {
        total_rules: report.total_rules as u64,
        rules_checked: report.rules_checked as u64,
        errors: report.errors.into_iter().map(issue).collect(),
        warnings: report.warnings.into_iter().map(issue).collect(),
        fixture_coverage: report.fixture_coverage.map(|coverage| FixtureCoverage {
            rules_with_fixtures: coverage.rules_with_fixtures as u64,
            rules_without_fixtures: coverage.rules_without_fixtures,
            total_fixtures: coverage.total_fixtures as u64,
        }),
        passed: report.passed,
    })
}

fn issue(issue: Issue) -> LintIssue {
    LintIssue {
        rule_id: issue.rule_id,
        category: convert::convert_enum(issue.category).unwrap_or(LintIssueCategory::Naming),
        message: issue.message,
        suggestion: issue.suggestion,
    }
}
