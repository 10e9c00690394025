//! Input and output types of the policy. Plain data.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::model::{Action, Actor, ActorKind, Decision, Millis, PaneRow, PaneState};

/// How a policy is set up.
#[derive(Debug, Clone)]
pub struct Options {
    /// Actions of one kind on one pane in any 60 seconds; 0 is no limit.
    pub per_pane_per_minute: u32,
    /// Actions of all kinds in the workspace in any 60 seconds; 0 is no limit.
    pub global_per_minute: u32,
    /// Text goes only to a shell that waits for a command.
    pub require_prompt: bool,
    /// Nothing is typed into a program on the alternate screen.
    pub block_alt_screen: bool,
    /// Who may approve what was held.
    pub approvals: ApprovalMode,
    /// How long an approval code can be used.
    pub approval_ttl_ms: Millis,
    /// The user's own rules.
    pub rules_file: Option<PathBuf>,
    /// Whether the rules file may be missing; otherwise that isan error, so that a mistyped name
    /// never means "no rules".
    pub rules_optional: bool,
    /// The external checker.
    pub dcg: Dcg,
    /// How long a reservation lasts when nobody says.
    pub reservation_default_secs: u64,
    /// The longest a reservation may last.
    pub reservation_max_secs: u64,
    /// Name of the workspace; approvals count only in theirs.
    pub workspace: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            per_pane_per_minute: 30,
            global_per_minute: 100,
            require_prompt: true,
            block_alt_screen: true,
            approvals: ApprovalMode::OtherClient,
            approval_ttl_ms: 24 * 60 * 60 * 1000,
            rules_file: None,
            rules_optional: false,
            dcg: Dcg::default(),
            reservation_default_secs: 300,
            reservation_max_secs: 3600,
            workspace: String::new(),
        }
    }
}

/// Who may approve. A user on the command line always may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalMode {
    /// Nobody else.
    Off,
    /// Any session but the one that was held.
    OtherClient,
    /// Anybody, the one that was held included.
    On,
}

/// When the external checker is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DcgMode {
    /// Never.
    Off,
    /// When it is there; a checker that fails changes nothing.
    Opportunistic,
    /// Always; a checker that fails holds the command.
    Required,
}

/// The external checker: a program that reads a hook's JSON on standard input.
#[derive(Debug, Clone)]
pub struct Dcg {
    /// When it is asked.
    pub mode: DcgMode,
    /// The program: a path, or a name that is looked up in `PATH`.
    pub program: String,
    /// How long it may take.
    pub timeout: Duration,
}

impl Default for Dcg {
    fn default() -> Self {
        Self { mode: DcgMode::Off, program: "dcg".to_owned(), timeout: Duration::from_secs(2) }
    }
}

/// An action to decide.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The actor.
    pub actor: &'a Actor,
    /// The action.
    pub action: Action,
    /// The pane.
    pub pane: Option<&'a PaneRow>,
    /// The pane's state, read just now; unknown when it is missing.
    pub state: Option<&'a PaneState>,
    /// The text to send, without its final newline; the command line of `exec_command`.
    pub text: Option<&'a str>,
    /// The workflow that it belongs to.
    pub workflow: Option<&'a str>,
}

/// The decision about a request, with reasons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The decision.
    pub decision: Decision,
    /// The rule that decided; none if no rule objected.
    pub rule: Option<String>,
    /// Why, for display. Carries no secrets.
    pub reason: Option<String>,
    /// 0 to 100; reported, never decisive.
    pub risk: u8,
    /// What the risk is made of: `risk.factor.*`.
    pub factors: Vec<&'static str>,
    /// Every rule that was checked, in order.
    pub checked: Vec<Checked>,
    /// The granted approval that lets it pass.
    pub approved_by: Option<i64>,
}

/// One rule that was checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// Its id.
    pub rule: String,
    /// Its decision; none if it did not object.
    pub outcome: Option<Decision>,
    /// Why, or why it was skipped.
    pub note: Option<String>,
}

/// What the user said to the question about a held action.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Consent {
    /// Nobody could be asked, or did not answer.
    #[default]
    Unasked,
    /// Yes to the action of this digest, held by this rule.
    Given {
        /// The rule.
        rule: String,
        /// Digest of the action.
        fingerprint: String,
    },
    /// No.
    Declined,
}

/// A held action that the user can be asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// The rule that holds it.
    pub rule: String,
    /// Why, for display. Carries no secrets.
    pub reason: String,
    /// Digest of the action.
    pub fingerprint: String,
}

/// A permitted action. Settle it when it is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleared {
    /// Always [`Decision::Allow`].
    pub decision: Decision,
    /// Why, if it was allowed explicitly.
    pub reason: Option<String>,
    /// The rule that allowed it explicitly.
    pub rule: Option<String>,
    /// Its row in the audit.
    pub audit_id: i64,
    /// The approval that was used up.
    pub approved_by: Option<i64>,
}

/// A denied or held action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// [`Decision::Deny`] or [`Decision::RequireApproval`].
    pub decision: Decision,
    /// The rule that decided.
    pub rule: String,
    /// Why.
    pub reason: String,
    /// The code with which the user lets it pass once; only for held actions.
    pub code: Option<String>,
    /// When the code stops working.
    pub expires_at: Option<Millis>,
    /// Digest of the action.
    pub fingerprint: String,
    /// Its row in the audit.
    pub audit_id: i64,
}

/// The result of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attempt {
    /// Permitted.
    Cleared(Cleared),
    /// Denied or held.
    Refused(Refused),
}

/// How a cleared action ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome<'a> {
    /// Successfully.
    Done,
    /// It failed, and why.
    Failed(&'a str),
}

/// A valid approval code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// The code, as it was issued.
    pub code: String,
    /// What it is for.
    pub action: Action,
    /// The pane it is for.
    pub pane_id: Option<u64>,
    /// When it was issued.
    pub created_at: Millis,
    /// When it stops working.
    pub expires_at: Millis,
    /// When it was used; none in a dry run.
    pub consumed_at: Option<Millis>,
    /// Digest of the action.
    pub fingerprint: String,
    /// Nothing was changed.
    pub dry_run: bool,
}

/// A held action that waits for the user. The code itself is not kept anywhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pending {
    /// Row of the approval.
    pub id: i64,
    /// What was wanted.
    pub action: Action,
    /// The pane.
    pub pane_id: Option<u64>,
    /// Who wanted it.
    pub actor_kind: ActorKind,
    /// Their name.
    pub actor_id: String,
    /// The rule that held it.
    pub rule: String,
    /// Why.
    pub reason: String,
    /// The beginning of the text, secrets removed.
    pub preview: Option<String>,
    /// The workflow it belongs to.
    pub workflow: Option<String>,
    /// Digest of the action.
    pub fingerprint: String,
    /// When it was held.
    pub created_at: Millis,
    /// When the code stops working.
    pub expires_at: Millis,
}

/// A reserved pane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reservation {
    /// Its id.
    pub id: String,
    /// The pane.
    pub pane_id: u64,
    /// What the owner is.
    pub owner_kind: ActorKind,
    /// The owner's name.
    pub owner_id: String,
    /// What for.
    pub reason: Option<String>,
    /// Since when.
    pub created_at: Millis,
    /// Until when.
    pub expires_at: Millis,
}

/// A pane that was reserved just now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reserved {
    /// The reservation.
    pub reservation: Reservation,
    /// It is new; false when the owner's own one was renewed.
    pub created: bool,
    /// How long it lasts from now, after the limits.
    pub ttl_secs: u64,
}

/// Result of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Released {
    /// The reservation, as it was.
    pub reservation: Reservation,
    /// It was released just now.
    pub released: bool,
    /// How long it was held.
    pub held_for_ms: Option<Millis>,
    /// Why there was nothing to give back.
    pub not_found_reason: Option<&'static str>,
}

/// Which audit rows.
#[derive(Debug, Clone, Default)]
pub struct AuditFilter {
    /// Of this pane.
    pub pane_id: Option<u64>,
    /// Of this action.
    pub action: Option<Action>,
    /// With this decision.
    pub decision: Option<Decision>,
    /// Not before this.
    pub since: Option<Millis>,
    /// Maximum number of rows, newest first; 0 is 100.
    pub limit: usize,
}

/// One decision, as it was stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditRow {
    /// Its number.
    pub id: i64,
    /// When.
    pub at: Millis,
    /// What the actor is.
    pub actor_kind: ActorKind,
    /// The actor's name.
    pub actor_id: String,
    /// The actor's session.
    pub session: String,
    /// What was wanted.
    pub action: Action,
    /// The pane.
    pub pane_id: Option<u64>,
    /// The decision.
    pub decision: Decision,
    /// The rule that decided.
    pub rule: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// The beginning of the text, secrets removed; at most 80 characters.
    pub preview: Option<String>,
    /// Bytes of the text.
    pub text_length: Option<u64>,
    /// SHA-256 of the text.
    pub text_hash: Option<String>,
    /// The workflow it belonged to.
    pub workflow: Option<String>,
    /// The approval that was issued or used up.
    pub approval_id: Option<i64>,
    /// 0 to 100.
    pub risk: u8,
    /// The rules that were checked, as JSON.
    pub context: String,
    /// `refused`, `held`, `started`, `done`, `failed`.
    pub result: String,
    /// Why it failed.
    pub result_text: Option<String>,
    /// When it ended.
    pub settled_at: Option<Millis>,
}

impl Attempt {
    /// The cleared action, or the error that says why not.
    pub fn cleared(self) -> Result<Cleared, Error> {
        match self {
            Self::Cleared(cleared) => Ok(cleared),
            Self::Refused(refused) => Err(refused.into()),
        }
    }
}
