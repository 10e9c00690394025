//! The audit log of every decision. Stored text is redacted.

use rusqlite::{Connection, Row, params};
use toolwright_runtime::digest::sha256_hex;

use super::sql;
use super::types::{AuditFilter, AuditRow, Outcome, Request, Verdict};
use crate::error::Result;
use crate::model::{Decision, Millis};
use crate::redact::redact;

/// Longest preview, in characters.
const PREVIEW: usize = 80;
/// Longest text of a failure.
const FAILURE: usize = 300;

/// The beginning of a text on one line. Secrets are removed before it is cut, so none is left in
/// part.
pub(super) fn preview(text: &str) -> String {
    cut(&redact(text), PREVIEW)
}

fn cut(text: &str, most: usize) -> String {
    let mut characters = text.trim().chars();
    let line = characters.by_ref().take(most);
    let mut line: String = line.map(|next| if next.is_control() { ' ' } else { next }).collect();
    if characters.next().is_some() {
        line.pop();
        line.push('…');
    }
    line
}

/// Records a decision and returns its number.
pub(super) fn record(
    connection: &Connection,
    request: &Request<'_>,
    verdict: &Verdict,
    approval: Option<i64>,
    now: Millis,
) -> Result<i64> {
    let context = serde_json::json!({ "checked": verdict.checked, "factors": verdict.factors });
    let result = match verdict.decision {
        Decision::Allow => "started",
        Decision::Deny => "refused",
        Decision::RequireApproval => "held",
    };
    connection.execute(
        "INSERT INTO policy_audit (at, actor_kind, actor_id, session, action, pane_id,
            pane_identity, decision, rule, reason, preview, text_length, text_hash, workflow,
            approval_id, risk, context, result)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
        params![
            now,
            request.actor.kind.as_str(),
            request.actor.id,
            request.actor.session,
            request.action.as_str(),
            request.pane.map(|pane| sql::id(pane.pane_id)),
            request.pane.map(|pane| pane.identity.as_str()),
            verdict.decision.as_str(),
            verdict.rule,
            verdict.reason,
            request.text.map(preview),
            request.text.map(|text| i64::try_from(text.len()).unwrap_or(i64::MAX)),
            request.text.map(|text| sha256_hex(text.as_bytes())),
            request.workflow,
            approval,
            verdict.risk,
            context.to_string(),
            result,
        ],
    )?;
    Ok(connection.last_insert_rowid())
}

/// Completes a row.
pub(super) fn settle(
    connection: &Connection,
    id: i64,
    outcome: Outcome<'_>,
    now: Millis,
) -> Result<()> {
    let (result, text) = match outcome {
        Outcome::Done => ("done", None),
        Outcome::Failed(text) => ("failed", Some(cut(&redact(text), FAILURE))),
    };
    connection.execute(
        "UPDATE policy_audit SET result = ?2, result_text = ?3, settled_at = ?4
         WHERE id = ?1 AND result = 'started'",
        params![id, result, text, now],
    )?;
    Ok(())
}

/// Rows, newest first.
pub(super) fn rows(connection: &Connection, filter: &AuditFilter) -> Result<Vec<AuditRow>> {
    let limit = if filter.limit == 0 { 100 } else { filter.limit };
    let mut statement = connection.prepare_cached(
        "SELECT * FROM policy_audit
         WHERE (?1 IS NULL OR pane_id = ?1) AND (?2 IS NULL OR action = ?2)
           AND (?3 IS NULL OR decision = ?3) AND (?4 IS NULL OR at >= ?4)
         ORDER BY id DESC LIMIT ?5",
    )?;
    let bounds = params![
        filter.pane_id.map(sql::id),
        filter.action.map(|action| action.as_str()),
        filter.decision.map(|decision| decision.as_str()),
        filter.since,
        i64::try_from(limit).unwrap_or(i64::MAX),
    ];
    let rows = statement.query_map(bounds, row)?.collect::<std::result::Result<_, _>>()?;
    Ok(rows)
}

fn row(row: &Row<'_>) -> std::result::Result<AuditRow, rusqlite::Error> {
    let length: Option<i64> = row.get("text_length")?;
    Ok(AuditRow {
        id: row.get("id")?,
        at: row.get("at")?,
        actor_kind: sql::actor_kind(row)?,
        actor_id: row.get("actor_id")?,
        session: row.get("session")?,
        action: sql::action(row)?,
        pane_id: sql::pane_id(row)?,
        decision: sql::decision(row)?,
        rule: row.get("rule")?,
        reason: row.get("reason")?,
        preview: row.get("preview")?,
        text_length: length.and_then(|length| u64::try_from(length).ok()),
        text_hash: row.get("text_hash")?,
        workflow: row.get("workflow")?,
        approval_id: row.get("approval_id")?,
        risk: row.get("risk")?,
        context: row.get("context")?,
        result: row.get("result")?,
        result_text: row.get("result_text")?,
        settled_at: row.get("settled_at")?,
    })
}
