//! What may be done, by whom, and what the user must approve first.
//!
//! One order of rules (see `engine.rs`), decided in one transaction together with everything that
//! follows from the decision: the rate limit's tick, the approval that is consumed or issued, the audit
//! row. All of that is in the workspace's database, so every process of the workspace sees the same
//! limits, reservations and approvals. Knows nothing of terminals: the pane and its state are passed
//! in.
//!
//! A guard rail, not a sandbox: it stops accidents and careless agents. Anyone who can run programs
//! outside the panes can bypass it.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, params};
use toolwright_runtime::clock::Ids;

use super::error::{Kind, Result};
use super::model::{Action, Actor, ActorKind, BackendKind, Decision, Millis, PaneRow};
use super::store::Store;
use approvals::Presented;
use engine::DecisionInputs;
use reservations::Wanted;

mod approvals;
mod audit;
mod codes;
mod dcg;
mod engine;
pub mod gate;
mod rate;
mod reservations;
mod risk;
mod rules;
mod schema;
mod sql;
#[cfg(test)]
mod tests;
mod types;

pub use codes::REASONS;
pub use schema::SCHEMA;
pub use types::{
    Approval, ApprovalMode, Attempt, AuditFilter, AuditRow, Checked, Cleared, Consent, Dcg,
    DcgMode, Held, Options, Outcome, Pending, Refused, Released, Request, Reservation, Reserved,
    Verdict,
};

/// The policy of one workspace.
pub struct Policy {
    store: Arc<Store>,
    options: Options,
    rules: rules::Cache,
    /// Failed dry runs of approvals: they write nothing, but count against the attempt limit.
    failed_dry_runs: Mutex<Vec<(Millis, String)>>,
}

impl Policy {
    /// Reads the user's rules. A rules file that cannot be used is a [`Kind::Config`] error.
    pub fn new(store: Arc<Store>, options: Options) -> Result<Self> {
        let policy = Self {
            store,
            options,
            rules: rules::Cache::default(),
            failed_dry_runs: Mutex::default(),
        };
        policy.rules()?;
        Ok(policy)
    }

    fn rules(&self) -> Result<rules::Rules> {
        self.rules.rules(self.options.rules_file.as_deref(), self.options.rules_optional)
    }

    /// Computes the inputs that need no database, so that no transaction waits for a program.
    fn decision_inputs(&self, request: &Request<'_>) -> Result<DecisionInputs> {
        let rules = self.rules()?;
        let text = request.text.filter(|_| request.action == Action::SendText);
        let Some(text) = text else {
            let report = gate::Report::default();
            return Ok(DecisionInputs { report, dcg: dcg::Answer::NotAsked, rules });
        };
        let cwd = request.pane.and_then(|pane| pane.cwd.as_deref());
        // For an agent the text is prose, which the external checker cannot judge.
        let (report, dcg) = if request.state.and_then(engine::working_agent).is_some() {
            (gate::check_prose(text, cwd), dcg::Answer::NotAsked)
        } else {
            (gate::check(text, cwd), dcg::ask(&self.options.dcg, text))
        };
        Ok(DecisionInputs { report, dcg, rules })
    }

    /// The decision, without recording it: for dry runs, and for waiting until a held action
    /// was approved (`approved_by` is then some).
    pub fn decide(&self, request: &Request<'_>, now: Millis) -> Result<Verdict> {
        let inputs = self.decision_inputs(request)?;
        self.store.read(|reader| {
            let reader = reader.transaction()?;
            engine::evaluate(&reader, &self.options, request, &inputs, now)
        })
    }

    /// What to ask the user about before [`Self::pass_with`]: the action is held, and a yes in the
    /// client would let it pass.
    pub fn held(&self, request: &Request<'_>, now: Millis) -> Result<Option<Held>> {
        let person = request.actor.kind == ActorKind::Human;
        if self.options.approvals == ApprovalMode::Off || person {
            return Ok(None);
        }
        let verdict = self.decide(request, now)?;
        let held =
            verdict.decision == Decision::RequireApproval && approvals::can_wait(request.action);
        Ok(held.then(|| Held {
            rule: verdict.rule.unwrap_or_default(),
            reason: verdict.reason.unwrap_or_default(),
            fingerprint: approvals::fingerprint(&self.options.workspace, request),
        }))
    }

    /// Decides and records the decision. A refusal is an `Ok` here; errors are only those of
    /// the database and of the rules file.
    pub fn attempt(&self, request: &Request<'_>, ids: &dyn Ids, now: Millis) -> Result<Attempt> {
        self.attempt_with(request, &Consent::Unasked, ids, now)
    }

    /// A yes of the user lets exactly what they were asked about pass: it is decided again, and what is
    /// denied by now, or held by another rule, stays so.
    fn attempt_with(
        &self,
        request: &Request<'_>,
        consent: &Consent,
        ids: &dyn Ids,
        now: Millis,
    ) -> Result<Attempt> {
        let inputs = self.decision_inputs(request)?;
        let options = &self.options;
        self.store.write(|transaction| {
            let mut verdict = engine::evaluate(transaction, options, request, &inputs, now)?;
            let pane_id = request.pane.map(|pane| pane.pane_id);
            let mut issued = None;
            if verdict.decision == Decision::RequireApproval {
                self.apply(consent, transaction, request, &mut verdict, ids, now)?;
            }
            match verdict.decision {
                Decision::Allow => {
                    if rate::counts(request.action) {
                        rate::tick(transaction, pane_id, request.action, now)?;
                    }
                    if let Some(id) = verdict.approved_by {
                        approvals::consume(transaction, id, now)?;
                    }
                }
                Decision::RequireApproval if approvals::can_wait(request.action) => {
                    issued = approvals::issue(transaction, options, request, &verdict, ids, now)?;
                }
                Decision::RequireApproval | Decision::Deny => verdict.decision = Decision::Deny,
            }
            let approval = verdict.approved_by.or(issued.as_ref().map(|(id, ..)| *id));
            let audit_id = audit::record(transaction, request, &verdict, approval, now)?;
            let Verdict { decision, rule, reason, approved_by, .. } = verdict;
            if decision == Decision::Allow {
                let cleared = Cleared { decision, reason, rule, audit_id, approved_by };
                return Ok(Attempt::Cleared(cleared));
            }
            let (code, expires_at) = issued.map(|(_, code, at)| (code, at)).unzip();
            Ok(Attempt::Refused(Refused {
                decision,
                rule: rule.unwrap_or_default(),
                reason: reason.unwrap_or_default(),
                code,
                expires_at,
                fingerprint: approvals::fingerprint(&options.workspace, request),
                audit_id,
            }))
        })
    }

    /// [`Self::attempt`], with a refusal as a [`Kind::PolicyDenied`] error whose reason is the rule
    /// and whose hint has the code for the user.
    pub fn pass(&self, request: &Request<'_>, ids: &dyn Ids, now: Millis) -> Result<Cleared> {
        self.attempt(request, ids, now)?.cleared()
    }

    /// The same with what the user said to the question about it.
    pub fn pass_with(
        &self,
        request: &Request<'_>,
        consent: &Consent,
        ids: &dyn Ids,
        now: Millis,
    ) -> Result<Cleared> {
        self.attempt_with(request, consent, ids, now)?.cleared()
    }

    /// Applies the user's answer to a held action.
    fn apply(
        &self,
        consent: &Consent,
        transaction: &Connection,
        request: &Request<'_>,
        verdict: &mut Verdict,
        ids: &dyn Ids,
        now: Millis,
    ) -> Result<()> {
        let reason = verdict.reason.take().unwrap_or_default();
        verdict.reason = Some(match consent {
            Consent::Given { rule, fingerprint }
                if self.options.approvals != ApprovalMode::Off
                    && verdict.rule.as_ref() == Some(rule)
                    && approvals::fingerprint(&self.options.workspace, request) == *fingerprint =>
            {
                let id = approvals::agreed(transaction, &self.options, request, verdict, ids, now)?;
                verdict.approved_by = Some(id);
                verdict.decision = Decision::Allow;
                format!("The user agreed. {reason}")
            }
            Consent::Declined => {
                verdict.decision = Decision::Deny;
                format!("The user declined. {reason}")
            }
            Consent::Given { .. } | Consent::Unasked => reason,
        });
        Ok(())
    }

    /// Completes the audit row of a cleared action.
    pub fn settle(&self, cleared: &Cleared, outcome: Outcome<'_>, now: Millis) -> Result<()> {
        self.store.write(|transaction| audit::settle(transaction, cleared.audit_id, outcome, now))
    }

    /// Uses an approval code: the action that was held passes once when it is tried again. The
    /// user's rules, the limit on attempts and the audit are in here.
    pub fn approve(
        &self,
        code: &str,
        pane_id: Option<u64>,
        fingerprint: Option<&str>,
        by: &Actor,
        dry_run: bool,
        now: Millis,
    ) -> Result<Approval> {
        let request = Request {
            actor: by,
            action: Action::Approve,
            pane: None,
            state: None,
            text: None,
            workflow: None,
        };
        let inputs = self.decision_inputs(&request)?;
        let presented = Presented { code, pane_id, fingerprint, by };
        let failed_dry_runs = self.failed_dry_runs(&by.session, now);
        let options = &self.options;
        let check = |connection: &Connection| {
            let verdict = engine::evaluate(connection, options, &request, &inputs, now)?;
            if verdict.decision != Decision::Allow {
                let rule = verdict.rule.clone().unwrap_or_default();
                let reason = verdict.reason.clone().unwrap_or_default();
                let error = Kind::PolicyDenied.because(reason).reason(rule);
                let error = error.hint("A rule of this workspace restricts who may approve.");
                let verdict = Verdict { decision: Decision::Deny, ..verdict };
                return Ok((verdict, Err(error)));
            }
            let attempts = approvals::attempts(connection, &by.session, now)? + failed_dry_runs;
            let checked = approvals::check(connection, options, &presented, attempts, now)?;
            Ok((verdict, checked))
        };
        if dry_run {
            let (_, checked) = self.store.read(|reader| {
                let reader = reader.transaction()?;
                check(&reader)
            })?;
            let (_, approval) =
                checked.inspect_err(|_| self.count_failed_dry_run(&by.session, now))?;
            return Ok(Approval { dry_run, ..approval });
        }
        // A refusal is stored too, so it may not undo the transaction.
        self.store.write(|transaction| {
            let (mut verdict, checked) = check(transaction)?;
            let approval = checked.as_ref().ok().map(|(id, _)| *id);
            match &checked {
                Ok((id, _)) => approvals::grant(transaction, *id, by, now)?,
                Err(error) => {
                    verdict.decision = Decision::Deny;
                    verdict.rule.clone_from(&error.reason);
                    verdict.reason = Some(error.message.clone());
                    // One that was not even checked does not count, or the wait would never end.
                    if error.reason.as_deref() != Some("E_TOO_MANY_ATTEMPTS") {
                        approvals::failed(transaction, &by.session, now)?;
                    }
                }
            }
            let id = audit::record(transaction, &request, &verdict, approval, now)?;
            audit::settle(transaction, id, Outcome::Done, now)?;
            Ok(checked.map(|(_, approval)| Approval { consumed_at: Some(now), ..approval }))
        })?
    }

    fn failed_dry_runs(&self, session: &str, now: Millis) -> usize {
        let mut failed_dry_runs =
            self.failed_dry_runs.lock().unwrap_or_else(PoisonError::into_inner);
        failed_dry_runs.retain(|(at, _)| *at > now - 60_000);
        failed_dry_runs.iter().filter(|(_, who)| who == session).count()
    }

    fn count_failed_dry_run(&self, session: &str, now: Millis) {
        let mut failed_dry_runs =
            self.failed_dry_runs.lock().unwrap_or_else(PoisonError::into_inner);
        let known = failed_dry_runs.iter().filter(|(_, who)| who == session).count();
        if known < approvals::MOST_ATTEMPTS {
            failed_dry_runs.push((now, session.to_owned()));
        }
    }

    /// What waits for the user, oldest first.
    pub fn pending(&self, now: Millis) -> Result<Vec<Pending>> {
        self.store.read(|reader| approvals::pending(reader, &self.options.workspace, now))
    }

    /// Reserves a pane, or prolongs the owner's own reservation. `owner` is a name that several
    /// sessions may share; without it the reservation is the session's alone.
    #[expect(clippy::too_many_arguments, reason = "every argument is stored")]
    pub fn reserve(
        &self,
        pane: &PaneRow,
        actor: &Actor,
        owner: Option<&str>,
        reason: Option<&str>,
        ttl_secs: Option<u64>,
        ids: &dyn Ids,
        now: Millis,
    ) -> Result<Reserved> {
        let wanted = Wanted { pane, actor, owner, reason, ttl_secs };
        self.store.write(|transaction| {
            reservations::reserve(transaction, &self.options, &wanted, ids, now)
        })
    }

    /// Releases a reservation. An id that was never issued is [`Kind::InvalidArguments`], somebody
    /// else's is [`Kind::PolicyDenied`].
    pub fn release(&self, id: &str, actor: &Actor, now: Millis) -> Result<Released> {
        self.store.write(|transaction| reservations::release(transaction, id, actor, now))
    }

    /// The reservations that hold now, by pane.
    pub fn reservations(&self, pane_id: Option<u64>, now: Millis) -> Result<Vec<Reservation>> {
        let held = self.store.read(|reader| reservations::active(reader, pane_id, now))?;
        Ok(held.into_iter().map(|held| held.public).collect())
    }

    /// Who holds this pane.
    pub fn holder(&self, pane: &PaneRow, now: Millis) -> Result<Option<Reservation>> {
        let held = self.store.read(|reader| reservations::of_pane(reader, pane, now))?;
        Ok(held.map(|held| held.public))
    }

    /// Ends the reservations of panes that are gone: those of a reachable backend that are not among
    /// `live`, or are dead. Writes only when there are any. Returns how many.
    pub fn free_closed(
        &self,
        live: &[PaneRow],
        reachable: &[BackendKind],
        now: Millis,
    ) -> Result<usize> {
        let orphans =
            self.store.read(|reader| reservations::orphans(reader, live, reachable, now))?;
        if orphans.is_empty() {
            return Ok(0);
        }
        self.store.write(|transaction| {
            let mut freed = 0;
            for id in &orphans {
                freed += transaction.execute(
                    "UPDATE reservations SET released_at = ?2 WHERE id = ?1 AND released_at IS NULL",
                    params![id, now],
                )?;
            }
            Ok(freed)
        })
    }

    /// Decisions of the past, newest first.
    pub fn audit(&self, filter: &AuditFilter) -> Result<Vec<AuditRow>> {
        self.store.read(|reader| audit::rows(reader, filter))
    }

    /// Forgets what is older than `before`: audit rows, ended approvals, ended reservations. Gives
    /// how many rows.
    pub fn forget(&self, before: Millis) -> Result<usize> {
        self.store.write(|transaction| {
            let audit = transaction.execute("DELETE FROM policy_audit WHERE at < ?1", [before])?;
            let approvals =
                transaction.execute("DELETE FROM approvals WHERE expires_at < ?1", [before])?;
            let reservations = transaction.execute(
                "DELETE FROM reservations WHERE coalesce(released_at, expires_at) < ?1",
                [before],
            )?;
            Ok(audit + approvals + reservations)
        })
    }
}
