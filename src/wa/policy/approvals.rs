//! Approval codes: issued when an action is held, approved by the user, valid for one repetition of
//! exactly that action. An action that the user agreed to in the client gets a row that is granted and
//! consumed at once.
//!
//! Only the code's hash is stored. A row goes from open to granted (the code was used) to consumed (the
//! action passed); each step happens once, in a transaction.

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use toolwright_runtime::clock::Ids;
use toolwright_runtime::digest::{constant_time_eq, sha256_hex};

use super::types::{Approval, ApprovalMode, Options, Pending, Request, Verdict};
use super::{audit, sql};
use crate::error::{Error, Kind, Result};
use crate::model::{Action, Actor, ActorKind, Millis};

/// Open codes in one workspace.
const MOST_OPEN: i64 = 100;
/// Open codes for one action: one that is retried in a loop does not fill the list.
const MOST_OF_ONE: i64 = 3;
/// How long an ended code is remembered, to say that it has ended.
const KEPT: Millis = 7 * 24 * 60 * 60 * 1000;
/// Failed attempts of one session in a minute.
pub(super) const MOST_ATTEMPTS: usize = 10;
/// No letters or digits that look alike; 32 of them, so five bits make one without bias.
const LETTERS: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// The content of an approval: this action with this very text on this very pane.
pub(super) fn fingerprint(workspace: &str, request: &Request<'_>) -> String {
    let text = request.text.map(|text| sha256_hex(text.as_bytes())).unwrap_or_default();
    let parts = [
        workspace,
        request.pane.map_or("", |pane| pane.identity.as_str()),
        request.action.as_str(),
        &text,
        request.workflow.unwrap_or_default(),
    ];
    // With their lengths, so that no two lists of parts read the same.
    let all: String = parts.iter().map(|part| format!("{}:{part};", part.len())).collect();
    format!("sha256:{}", sha256_hex(all.as_bytes()))
}

/// A granted approval that was not used up yet.
pub(super) fn granted(
    connection: &Connection,
    workspace: &str,
    fingerprint: &str,
    now: Millis,
) -> Result<Option<i64>> {
    let mut statement = connection.prepare_cached(
        "SELECT id FROM approvals
         WHERE fingerprint = ?1 AND workspace = ?2 AND granted_at IS NOT NULL
           AND consumed_at IS NULL AND expires_at > ?3
         ORDER BY id LIMIT 1",
    )?;
    let id = statement.query_row(params![fingerprint, workspace, now], |row| row.get(0));
    Ok(id.optional()?)
}

/// Uses a granted approval up.
pub(super) fn consume(connection: &Connection, id: i64, now: Millis) -> Result<()> {
    connection.execute(
        "UPDATE approvals SET consumed_at = ?2 WHERE id = ?1 AND consumed_at IS NULL",
        params![id, now],
    )?;
    Ok(())
}

/// Issues a code for a held action: its row, the code and when it ends. None when too many are open.
pub(super) fn issue(
    connection: &Connection,
    options: &Options,
    request: &Request<'_>,
    verdict: &Verdict,
    ids: &dyn Ids,
    now: Millis,
) -> Result<Option<(i64, String, Millis)>> {
    let print = fingerprint(&options.workspace, request);
    connection.execute("DELETE FROM approvals WHERE expires_at < ?1", [now - KEPT])?;
    connection.execute(
        "DELETE FROM approvals WHERE id IN (
            SELECT id FROM approvals
            WHERE fingerprint = ?1 AND workspace = ?2 AND granted_at IS NULL
            ORDER BY id DESC LIMIT -1 OFFSET ?3)",
        params![print, options.workspace, MOST_OF_ONE - 1],
    )?;
    let open: i64 = connection.query_row(
        "SELECT count(*) FROM approvals
         WHERE workspace = ?1 AND granted_at IS NULL AND expires_at > ?2",
        params![options.workspace, now],
        |row| row.get(0),
    )?;
    if open >= MOST_OPEN {
        return Ok(None);
    }
    let code = new_code(ids);
    let expires_at = now.saturating_add(options.approval_ttl_ms);
    let id = insert(connection, options, request, verdict, &code, (now, expires_at))?;
    Ok(Some((id, code, expires_at)))
}

/// Records that the user agreed when asked in the client. Nobody ever learns the code.
pub(super) fn agreed(
    connection: &Connection,
    options: &Options,
    request: &Request<'_>,
    verdict: &Verdict,
    ids: &dyn Ids,
    now: Millis,
) -> Result<i64> {
    let id = insert(connection, options, request, verdict, &new_code(ids), (now, now))?;
    connection.execute(
        "UPDATE approvals SET granted_at = ?2, granted_by = ?3 WHERE id = ?1",
        params![id, now, format!("{}:asked by {}", ActorKind::Human, request.actor.id)],
    )?;
    Ok(id)
}

fn insert(
    connection: &Connection,
    options: &Options,
    request: &Request<'_>,
    verdict: &Verdict,
    code: &str,
    (now, expires_at): (Millis, Millis),
) -> Result<i64> {
    connection.execute(
        "INSERT INTO approvals (workspace, code_hash, fingerprint, action, pane_id, workflow,
            preview, rule, reason, actor_kind, actor_id, session, created_at, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        params![
            options.workspace,
            hashed(code),
            fingerprint(&options.workspace, request),
            request.action.as_str(),
            request.pane.map(|pane| sql::id(pane.pane_id)),
            request.workflow,
            request.text.map(audit::preview),
            verdict.rule.as_deref().unwrap_or_default(),
            verdict.reason.as_deref().unwrap_or_default(),
            request.actor.kind.as_str(),
            request.actor.id,
            request.actor.session,
            now,
            expires_at,
        ],
    )?;
    Ok(connection.last_insert_rowid())
}

fn new_code(ids: &dyn Ids) -> String {
    let mut bytes = [0; 5];
    ids.fill(&mut bytes);
    let bits = bytes.iter().fold(0_u64, |bits, byte| (bits << 8) | u64::from(*byte));
    let letter = |place: u32| char::from(LETTERS[((bits >> (5 * place)) & 31) as usize]);
    (0..8).rev().map(letter).collect()
}

fn hashed(code: &str) -> String {
    format!("sha256:{}", sha256_hex(code.as_bytes()))
}

/// A code presented for approval.
pub(super) struct Presented<'a> {
    pub(super) code: &'a str,
    pub(super) pane_id: Option<u64>,
    pub(super) fingerprint: Option<&'a str>,
    pub(super) by: &'a Actor,
}

struct Stored {
    id: i64,
    workspace: String,
    code_hash: String,
    session: String,
    granted_at: Option<Millis>,
    approval: Approval,
}

/// Checks a code in the contract's order: exists, workspace, unused, unexpired, pane, fingerprint;
/// then who it is.
pub(super) fn check(
    connection: &Connection,
    options: &Options,
    presented: &Presented<'_>,
    attempts: usize,
    now: Millis,
) -> Result<std::result::Result<(i64, Approval), Error>> {
    let person = presented.by.kind == ActorKind::Human;
    let refuse = |code: &str, message: String, hint: &str| {
        Ok(Err(Kind::Approval.because(message).reason(code).hint(hint)))
    };
    if options.approvals == ApprovalMode::Off && !person {
        return refuse(
            "E_APPROVALS_OFF",
            "In this workspace only the user can approve, on the command line.".to_owned(),
            "Ask them to run `wa approve CODE`.",
        );
    }
    if attempts >= MOST_ATTEMPTS {
        return refuse(
            "E_TOO_MANY_ATTEMPTS",
            format!("This session failed {MOST_ATTEMPTS} times within a minute."),
            "Wait a minute, then use the code exactly as it was shown.",
        );
    }
    let code = presented.code.trim().to_ascii_uppercase();
    let hash = hashed(&code);
    let Some(stored) = all(connection)?
        .into_iter()
        .rfind(|row| constant_time_eq(row.code_hash.as_bytes(), hash.as_bytes()))
    else {
        return refuse(
            "E_APPROVAL_NOT_FOUND",
            "There is no such approval `code`.".to_owned(),
            "Use the code from the held action's hint; `wa approve` lists held actions.",
        );
    };
    let Stored { id, workspace, session, granted_at, mut approval, .. } = stored;
    approval.code = code;
    if workspace != options.workspace {
        return refuse(
            "E_WRONG_WORKSPACE",
            format!("The code belongs to the workspace `{workspace}`."),
            "Approve it there.",
        );
    }
    if let Some(at) = granted_at {
        return refuse(
            "E_APPROVAL_CONSUMED",
            format!("The code was already used at {}.", sql::when(at)),
            "A code works once. Try the action again to get a new one.",
        );
    }
    if approval.expires_at <= now {
        return refuse(
            "E_APPROVAL_EXPIRED",
            format!("The code expired at {}.", sql::when(approval.expires_at)),
            "Try the action again to get a new one.",
        );
    }
    if let Some(wanted) = presented.pane_id
        && approval.pane_id != Some(wanted)
    {
        let of = approval.pane_id.map_or("no pane".to_owned(), |id| format!("pane {id}"));
        return refuse(
            "E_WRONG_PANE",
            format!("The code is for {of}, not for `pane_id` {wanted}."),
            "Pass the pane of the held action, or omit `pane_id`.",
        );
    }
    if presented.fingerprint.is_some_and(|wanted| {
        !constant_time_eq(wanted.trim().as_bytes(), approval.fingerprint.as_bytes())
    }) {
        return refuse(
            "E_FINGERPRINT_MISMATCH",
            "The code is for an action other than `fingerprint`.".to_owned(),
            "Check the held action again, or omit `fingerprint`.",
        );
    }
    if options.approvals == ApprovalMode::OtherClient && !person && session == presented.by.session
    {
        return refuse(
            "E_SAME_SESSION",
            "A session cannot approve its own action.".to_owned(),
            "The user can run `wa approve CODE`, or another client can call wa.approve.",
        );
    }
    Ok(Ok((id, approval)))
}

/// Marks a code as used; the action passes once from now on.
pub(super) fn grant(connection: &Connection, id: i64, by: &Actor, now: Millis) -> Result<()> {
    connection.execute(
        "UPDATE approvals SET granted_at = ?2, granted_by = ?3 WHERE id = ?1 AND granted_at IS NULL",
        params![id, now, format!("{}:{}", by.kind, by.id)],
    )?;
    Ok(())
}

/// All codes: each is compared, so that timing reveals nothing.
fn all(connection: &Connection) -> Result<Vec<Stored>> {
    let mut statement = connection.prepare_cached("SELECT * FROM approvals ORDER BY id")?;
    let rows = statement.query_map([], |row| {
        Ok(Stored {
            id: row.get("id")?,
            workspace: row.get("workspace")?,
            code_hash: row.get("code_hash")?,
            session: row.get("session")?,
            granted_at: row.get("granted_at")?,
            approval: Approval {
                code: String::new(),
                action: sql::action(row)?,
                pane_id: sql::pane_id(row)?,
                created_at: row.get("created_at")?,
                expires_at: row.get("expires_at")?,
                consumed_at: None,
                fingerprint: row.get("fingerprint")?,
                dry_run: false,
            },
        })
    })?;
    Ok(rows.collect::<std::result::Result<_, _>>()?)
}

/// Failed attempts of a session within the last minute.
pub(super) fn attempts(connection: &Connection, session: &str, now: Millis) -> Result<usize> {
    let count: i64 = connection.query_row(
        "SELECT count(*) FROM approval_attempts WHERE session = ?1 AND at > ?2 AND at <= ?3",
        params![session, now - 60_000, now + 60_000],
        |row| row.get(0),
    )?;
    Ok(usize::try_from(count).unwrap_or_default())
}

/// Counts a failed attempt.
pub(super) fn failed(connection: &Connection, session: &str, now: Millis) -> Result<()> {
    connection.execute("DELETE FROM approval_attempts WHERE at <= ?1", [now - 60_000])?;
    connection.execute(
        "INSERT INTO approval_attempts (at, session) VALUES (?1, ?2)",
        params![now, session],
    )?;
    Ok(())
}

/// What waits for the user, oldest first.
pub(super) fn pending(
    connection: &Connection,
    workspace: &str,
    now: Millis,
) -> Result<Vec<Pending>> {
    let mut statement = connection.prepare_cached(
        "SELECT * FROM approvals
         WHERE workspace = ?1 AND granted_at IS NULL AND expires_at > ?2 ORDER BY id",
    )?;
    let rows = statement.query_map(params![workspace, now], waiting)?;
    Ok(rows.collect::<std::result::Result<_, _>>()?)
}

fn waiting(row: &Row<'_>) -> std::result::Result<Pending, rusqlite::Error> {
    Ok(Pending {
        id: row.get("id")?,
        action: sql::action(row)?,
        pane_id: sql::pane_id(row)?,
        actor_kind: sql::actor_kind(row)?,
        actor_id: row.get("actor_id")?,
        rule: row.get("rule")?,
        reason: row.get("reason")?,
        preview: row.get("preview")?,
        workflow: row.get("workflow")?,
        fingerprint: row.get("fingerprint")?,
        created_at: row.get("created_at")?,
        expires_at: row.get("expires_at")?,
    })
}

/// Whether an action can be held at all: an approval cannot wait for another one.
pub(super) fn can_wait(action: Action) -> bool {
    action != Action::Approve
}
