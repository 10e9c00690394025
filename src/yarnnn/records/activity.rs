//! The activity log: user, tool, host and outcome of every call. Never contains a vector or a
//! call's text.

use super::Tx;
use crate::model::Millis;
use crate::sql::Result;

/// One call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entry {
    /// The workspace; none for unauthenticated calls.
    pub workspace_id: Option<String>,
    /// The user; none for unauthenticated calls.
    pub user_id: Option<String>,
    /// The tool.
    pub tool: String,
    /// The host.
    pub host: String,
    /// `success`, `queued` or `error`.
    pub result: String,
    /// Duration in milliseconds.
    pub latency_ms: i64,
    /// The basket that was written to.
    pub basket_id: Option<String>,
    /// `auto`, `confirm` or `pick`.
    pub decision: Option<String>,
    /// Score of the selected basket.
    pub score: Option<f64>,
    /// Code of the error.
    pub error_code: Option<String>,
    /// The host's session.
    pub session: Option<String>,
    /// The session's summary.
    pub fingerprint_summary: Option<String>,
    /// SHA-256 of the session's vector.
    pub fingerprint_hash: Option<String>,
    /// When.
    pub at: Millis,
}

/// Recent activity of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostRecent {
    /// The host.
    pub host: String,
    /// Its last call.
    pub last_seen_at: Millis,
    /// Calls in the last hour.
    pub calls_last_hour: i64,
    /// Failures among them.
    pub errors_last_hour: i64,
    /// 95th percentile of the last week's latencies.
    pub p95_latency_ms: i64,
}

/// Adds a call.
pub fn add(tx: &mut Tx<'_>, entry: &Entry) -> Result<()> {
    tx.execute(
        "INSERT INTO mcp_activity_logs
           (workspace_id, user_id, tool, host, result, latency_ms, basket_id, selection_decision,
            selection_score, error_code, session_id, fingerprint_summary, fingerprint_hash,
            created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
        &[
            entry.workspace_id.as_deref().into(),
            entry.user_id.as_deref().into(),
            (&entry.tool).into(),
            (&entry.host).into(),
            (&entry.result).into(),
            entry.latency_ms.into(),
            entry.basket_id.as_deref().into(),
            entry.decision.as_deref().into(),
            entry.score.into(),
            entry.error_code.as_deref().into(),
            entry.session.as_deref().into(),
            entry.fingerprint_summary.as_deref().into(),
            entry.fingerprint_hash.as_deref().into(),
            entry.at.into(),
        ],
    )
    .map(drop)
}

/// Removes entries that were made before `oldest`, at most `step` of them; how many.
pub fn remove_older(tx: &mut Tx<'_>, oldest: Millis, step: i64) -> Result<u64> {
    // Entries are numbered in the order of time, so those with the lowest numbers are the oldest.
    tx.execute(
        "DELETE FROM mcp_activity_logs WHERE number IN (
           SELECT number FROM (SELECT number, created_at FROM mcp_activity_logs
                               ORDER BY number LIMIT $2) AS first WHERE created_at < $1)",
        &[oldest.into(), step.into()],
    )
}

/// Removes the oldest entries where there are more than `most`, at most `step` of them; how many.
pub fn remove_beyond(tx: &mut Tx<'_>, most: i64, step: i64) -> Result<u64> {
    // Numbers have gaps at most, so there are no more entries than numbers.
    tx.execute(
        "DELETE FROM mcp_activity_logs WHERE number IN (
           SELECT number FROM mcp_activity_logs
           WHERE number <= (SELECT max(number) FROM mcp_activity_logs) - $1
           ORDER BY number LIMIT $2)",
        &[most.into(), step.into()],
    )
}

/// The hosts of the last seven days, by name.
pub fn recent_hosts(tx: &mut Tx<'_>, workspace: &str) -> Result<Vec<HostRecent>> {
    tx.query(
        "SELECT host, last_seen_at, calls_last_hour, errors_last_hour, p95_latency_ms
         FROM mcp_activity_host_recent WHERE workspace_id = $1 ORDER BY host",
        &[workspace.into()],
    )?
    .iter()
    .map(|row| {
        Ok(HostRecent {
            host: row.get("host")?,
            last_seen_at: row.get("last_seen_at")?,
            calls_last_hour: row.get("calls_last_hour")?,
            errors_last_hour: row.get("errors_last_hour")?,
            p95_latency_ms: row.get("p95_latency_ms")?,
        })
    })
    .collect()
}

/// The newest calls, the newest first.
pub fn latest(tx: &mut Tx<'_>, workspace: &str, most: i64) -> Result<Vec<Entry>> {
    tx.query(
        "SELECT * FROM mcp_activity_logs WHERE workspace_id = $1
         ORDER BY created_at DESC, number DESC LIMIT $2",
        &[workspace.into(), most.into()],
    )?
    .iter()
    .map(|row| {
        Ok(Entry {
            workspace_id: row.get("workspace_id")?,
            user_id: row.get("user_id")?,
            tool: row.get("tool")?,
            host: row.get("host")?,
            result: row.get("result")?,
            latency_ms: row.get("latency_ms")?,
            basket_id: row.get("basket_id")?,
            decision: row.get("selection_decision")?,
            score: row.get("selection_score")?,
            error_code: row.get("error_code")?,
            session: row.get("session_id")?,
            fingerprint_summary: row.get("fingerprint_summary")?,
            fingerprint_hash: row.get("fingerprint_hash")?,
            at: row.get("created_at")?,
        })
    })
    .collect()
}
