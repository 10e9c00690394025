//! Reservations of panes.
//!
//! A reservation belongs to the session that created it. One created under a shared owner name belongs
//! to every session that uses that name too. It ends when it is released, expires, or its pane closes;
//! the pane's identity is stored, so a new pane with an old number is free.

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use toolwright_runtime::clock::Ids;
use toolwright_runtime::hidden::is_hidden;

use super::sql;
use super::types::{Options, Released, Reservation, Reserved};
use crate::error::{Error, Kind, Result};
use crate::model::{Actor, ActorKind, BackendKind, Millis, PaneRow};
use crate::redact::redact;

/// A reservation with what only this module needs.
#[derive(Debug, Clone)]
pub(super) struct Held {
    pub(super) public: Reservation,
    identity: String,
    backend: String,
    shared: bool,
    session: String,
    released_at: Option<Millis>,
}

/// What is asked for.
pub(super) struct Wanted<'a> {
    pub(super) pane: &'a PaneRow,
    pub(super) actor: &'a Actor,
    pub(super) owner: Option<&'a str>,
    pub(super) reason: Option<&'a str>,
    pub(super) ttl_secs: Option<u64>,
}

impl Held {
    /// Whether the actor may do what the owner may.
    pub(super) fn belongs_to(&self, actor: &Actor) -> bool {
        self.session == actor.session || (self.shared && self.public.owner_id == actor.id)
    }

    /// Text that names the holder and the expiry.
    pub(super) fn describe_holder(&self) -> String {
        let Reservation { pane_id, owner_kind, owner_id, reason, expires_at, .. } = &self.public;
        let what_for = reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        let until = sql::when(*expires_at);
        format!("Pane {pane_id} is reserved by {owner_kind} `{owner_id}`{what_for} until {until}.")
    }

    fn is_active(&self, now: Millis) -> bool {
        self.released_at.is_none() && self.public.expires_at > now
    }
}

/// The reservation that holds a pane now.
pub(super) fn of_pane(
    connection: &Connection,
    pane: &PaneRow,
    now: Millis,
) -> Result<Option<Held>> {
    let all = active(connection, Some(pane.pane_id), now)?;
    Ok(all.into_iter().find(|held| held.identity == pane.identity))
}

/// The reservations that hold now, by pane.
pub(super) fn active(
    connection: &Connection,
    pane_id: Option<u64>,
    now: Millis,
) -> Result<Vec<Held>> {
    let mut statement = connection.prepare_cached(
        "SELECT * FROM reservations
         WHERE released_at IS NULL AND expires_at > ?1 AND (?2 IS NULL OR pane_id = ?2)
         ORDER BY pane_id, created_at, id",
    )?;
    let rows = statement.query_map(params![now, pane_id.map(sql::id)], row)?;
    Ok(rows.collect::<std::result::Result<_, _>>()?)
}

/// Creates or renews a reservation.
pub(super) fn reserve(
    connection: &Connection,
    options: &Options,
    wanted: &Wanted<'_>,
    ids: &dyn Ids,
    now: Millis,
) -> Result<Reserved> {
    let Wanted { pane, actor, owner, reason, .. } = *wanted;
    let ttl_secs = clamped(options, wanted.ttl_secs)?;
    let owner = owner.map(visible_name);
    let owner = owner.as_deref().filter(|owner| !owner.is_empty());
    let expires_at = now.saturating_add(i64::try_from(ttl_secs).unwrap_or(i64::MAX / 1000) * 1000);
    if let Some(mut held) = of_pane(connection, pane, now)? {
        let same_name = held.shared && owner == Some(held.public.owner_id.as_str());
        if !same_name && !held.belongs_to(actor) {
            return Err(conflict(&held));
        }
        held.public.expires_at = expires_at;
        held.public.reason = reason.map(redacted_reason).or(held.public.reason);
        if let Some(owner) = owner {
            owner.clone_into(&mut held.public.owner_id);
            held.shared = true;
        }
        connection.execute(
            "UPDATE reservations SET expires_at = ?2, reason = ?3, owner_id = ?4, shared = ?5
             WHERE id = ?1",
            params![
                held.public.id,
                expires_at,
                held.public.reason,
                held.public.owner_id,
                held.shared
            ],
        )?;
        return Ok(Reserved { reservation: held.public, created: false, ttl_secs });
    }
    let reservation = Reservation {
        id: format!("rsv-{}", ids.hex(8)),
        pane_id: pane.pane_id,
        owner_kind: actor.kind,
        owner_id: owner.unwrap_or(&actor.id).to_owned(),
        reason: reason.map(redacted_reason),
        created_at: now,
        expires_at,
    };
    connection.execute(
        "INSERT INTO reservations (id, pane_id, pane_identity, backend, owner_kind, owner_id, shared,
            session, reason, created_at, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![
            reservation.id,
            sql::id(pane.pane_id),
            pane.identity,
            pane.backend.as_str(),
            actor.kind.as_str(),
            reservation.owner_id,
            owner.is_some(),
            actor.session,
            reservation.reason,
            now,
            expires_at,
        ],
    )?;
    Ok(Reserved { reservation, created: true, ttl_secs })
}

/// A name as users see it: two that look the same because one hides something are the same.
fn visible_name(name: &str) -> String {
    let visible: String = name.chars().filter(|letter| !is_hidden(*letter)).collect();
    visible.trim().to_owned()
}

fn clamped(options: &Options, wanted: Option<u64>) -> Result<u64> {
    match wanted {
        Some(0) => {
            let error = Kind::InvalidArguments.because("`ttl_secs` must be at least 1.");
            Err(error.hint("To end a reservation, call wa.release."))
        }
        wanted => {
            let most = options.reservation_max_secs.max(1);
            Ok(wanted.unwrap_or(options.reservation_default_secs).clamp(1, most))
        }
    }
}

/// The error for a pane that another session holds.
pub(super) fn conflict(held: &Held) -> Error {
    Kind::PolicyDenied
        .because(held.describe_holder())
        .reason("policy.pane_reserved")
        .hint("Wait until it expires, ask the owner to release it, or use another pane.")
}

/// Releases a reservation.
pub(super) fn release(
    connection: &Connection,
    id: &str,
    actor: &Actor,
    now: Millis,
) -> Result<Released> {
    let held = connection
        .prepare_cached("SELECT * FROM reservations WHERE id = ?1")?
        .query_row([id], row)
        .optional()?;
    let Some(held) = held else {
        let error = Kind::InvalidArguments
            .because(format!("`reservation_id` `{id}` was never issued in this workspace."));
        return Err(error.hint("wa.reservations lists the active ones."));
    };
    // The user may take back what an agent left behind.
    if !held.belongs_to(actor) && actor.kind != ActorKind::Human {
        let error = Kind::PolicyDenied.because(format!(
            "Reservation `{id}` belongs to {} `{}`.",
            held.public.owner_kind, held.public.owner_id
        ));
        return Err(error
            .reason("policy.not_owner")
            .hint("Only its owner, or the user on the command line, can release it."));
    }
    if !held.is_active(now) {
        return Ok(Released {
            reservation: held.public,
            released: false,
            held_for_ms: None,
            not_found_reason: Some("no reservation"),
        });
    }
    connection
        .execute("UPDATE reservations SET released_at = ?2 WHERE id = ?1", params![id, now])?;
    let held_for_ms = Some((now - held.public.created_at).max(0));
    let reservation = held.public;
    Ok(Released { reservation, released: true, held_for_ms, not_found_reason: None })
}

/// Active reservations whose pane is gone.
pub(super) fn orphans(
    connection: &Connection,
    live: &[PaneRow],
    reachable: &[BackendKind],
    now: Millis,
) -> Result<Vec<String>> {
    let gone = active(connection, None, now)?.into_iter().filter(|held| {
        let known = reachable.iter().any(|kind| kind.as_str() == held.backend);
        let lives = |pane: &PaneRow| pane.identity == held.identity && pane.dead.is_none();
        known && !live.iter().any(lives)
    });
    Ok(gone.map(|held| held.public.id).collect())
}

fn row(row: &Row<'_>) -> std::result::Result<Held, rusqlite::Error> {
    Ok(Held {
        public: Reservation {
            id: row.get("id")?,
            pane_id: sql::pane_id(row)?.unwrap_or_default(),
            owner_kind: sql::word(row, "owner_kind", ActorKind::parse)?,
            owner_id: row.get("owner_id")?,
            reason: row.get("reason")?,
            created_at: row.get("created_at")?,
            expires_at: row.get("expires_at")?,
        },
        identity: row.get("pane_identity")?,
        backend: row.get("backend")?,
        shared: row.get("shared")?,
        session: row.get("session")?,
        released_at: row.get("released_at")?,
    })
}

/// What a reservation is for, as it is stored.
fn redacted_reason(reason: &str) -> String {
    redact(reason).into_owned()
}
