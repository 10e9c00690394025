//! The accounts' tables: known accounts and refresh times. Runs no program.

use rusqlite::{OptionalExtension as _, Row, Transaction, params};

use super::model::{Account, AccountStatus, Change, Refreshed, Service};
use super::run;
use crate::error::{Error, Kind, Result};
use crate::model::Millis;

/// Minimum interval between refreshes of a service, in any process.
pub const COOLDOWN_MS: Millis = 30_000;

/// Tables of this module.
pub const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS news (topic TEXT PRIMARY KEY, count INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS accounts (
    service TEXT NOT NULL,
    id TEXT NOT NULL,
    label TEXT,
    status TEXT NOT NULL,
    percent_remaining REAL,
    limit_type TEXT,
    resets_at INTEGER,
    current_usage TEXT,
    last_used_at INTEGER,
    auth_expires_at INTEGER,
    PRIMARY KEY (service, id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS account_refreshes (
    service TEXT PRIMARY KEY,
    attempted_at INTEGER NOT NULL,
    finished_at INTEGER
) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS account_refresh_news AFTER UPDATE OF finished_at ON account_refreshes
WHEN NEW.finished_at IS NOT OLD.finished_at
BEGIN
    INSERT INTO news (topic, count) VALUES ('accounts', 1)
    ON CONFLICT (topic) DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER IF NOT EXISTS account_use_news AFTER UPDATE OF last_used_at ON accounts
WHEN NEW.last_used_at IS NOT OLD.last_used_at
BEGIN
    INSERT INTO news (topic, count) VALUES ('accounts', 1)
    ON CONFLICT (topic) DO UPDATE SET count = count + 1;
END;
";

/// Claims the refresh of these services; returns the earlier attempts.
pub(super) fn claim(
    transaction: &Transaction<'_>,
    services: &[Service],
    now: Millis,
) -> Result<Vec<(Service, Option<Millis>)>> {
    let mut before = Vec::new();
    for service in services {
        let attempted: Option<Millis> = transaction
            .query_row(
                "SELECT attempted_at FROM account_refreshes WHERE service = ?1",
                [service.as_str()],
                |row| row.get(0),
            )
            .optional()?;
        // A time in the future is a clock that was set back: no reason to wait.
        let waited = attempted.map(|attempted| now - attempted);
        if let Some(waited) = waited.filter(|waited| (0..COOLDOWN_MS).contains(waited)) {
            return Err(cooling(*service, COOLDOWN_MS - waited));
        }
        before.push((*service, attempted));
        transaction.execute(
            "INSERT INTO account_refreshes (service, attempted_at) VALUES (?1, ?2)
                     ON CONFLICT (service) DO UPDATE SET attempted_at = excluded.attempted_at",
            params![service.as_str(), now],
        )?;
    }
    Ok(before)
}

/// Releases the claim, as if nobody had asked.
pub(super) fn unclaim(
    transaction: &Transaction<'_>,
    before: &[(Service, Option<Millis>)],
) -> Result<()> {
    for (service, attempted) in before {
        transaction.execute(
            "UPDATE account_refreshes SET attempted_at = ?2 WHERE service = ?1",
            params![service.as_str(), attempted.unwrap_or(0)],
        )?;
    }
    Ok(())
}

fn cooling(service: Service, left: Millis) -> Error {
    let seconds = (left + 999) / 1000;
    Kind::PolicyDenied
        .because(format!(
            "Accounts of {} were refreshed less than {} s ago.",
            service.as_str(),
            COOLDOWN_MS / 1000
        ))
        .reason("policy.refresh_cooldown")
        .hint(format!("Wait {seconds} s, or use wa.accounts for the last known values."))
}

/// Stores what was read.
pub(super) fn store_accounts(
    transaction: &Transaction<'_>,
    services: &[Service],
    read: run::Read,
    now: Millis,
) -> Result<Refreshed> {
    let mut changes = Vec::new();
    for service in services {
        let old = stored(transaction, Some(*service))?;
        let new: Vec<&Account> =
            read.accounts.iter().filter(|account| account.service == *service).collect();
        for account in &new {
            let was = old.iter().find(|old| old.id == account.id);
            let old_status = was.map_or(AccountStatus::Unknown, |was| was.status);
            if old_status != account.status {
                changes.push(Change {
                    account_id: account.id.clone(),
                    old_status,
                    new_status: account.status,
                    reason: Some(why(account, was.is_none())),
                });
            }
            put(transaction, account)?;
        }
        // Only a source that read everything can say that an account is gone.
        let complete = read.complete.contains(service);
        for gone in old.iter().filter(|old| complete && new.iter().all(|new| new.id != old.id)) {
            changes.push(Change {
                account_id: gone.id.clone(),
                old_status: gone.status,
                new_status: AccountStatus::Unknown,
                reason: Some("its source no longer lists it".to_owned()),
            });
            transaction.execute(
                "DELETE FROM accounts WHERE service = ?1 AND id = ?2",
                params![service.as_str(), gone.id],
            )?;
        }
        if read.answered.contains(service) {
            transaction.execute(
                "UPDATE account_refreshes SET finished_at = ?2 WHERE service = ?1",
                params![service.as_str(), now],
            )?;
        }
    }
    Ok(Refreshed {
        refreshed_at: now,
        accounts_updated: read.accounts.len() as u64,
        changes,
        caut_version: read.version,
        errors: read.problems,
    })
}

fn why(account: &Account, new: bool) -> String {
    let left = match account.percent_remaining {
        Some(percent) => format!("{percent:.0} % left"),
        None => "its source reports no percentage".to_owned(),
    };
    if new { format!("new; {left}") } else { left }
}

fn put(transaction: &Transaction<'_>, account: &Account) -> Result<()> {
    transaction.execute(
        "INSERT INTO accounts (service, id, label, status, percent_remaining, limit_type, resets_at,
                               current_usage, last_used_at, auth_expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT (service, id) DO UPDATE SET
             label = coalesce(excluded.label, label), status = excluded.status,
             percent_remaining = excluded.percent_remaining, limit_type = excluded.limit_type,
             resets_at = excluded.resets_at, current_usage = excluded.current_usage,
             last_used_at = max(coalesce(excluded.last_used_at, last_used_at),
                                coalesce(last_used_at, excluded.last_used_at)),
             auth_expires_at = excluded.auth_expires_at",
        params![
            account.service.as_str(),
            account.id,
            account.label,
            account.status.as_str(),
            account.percent_remaining,
            account.limit_type,
            account.resets_at,
            account.current_usage,
            account.last_used_at,
            account.auth_expires_at,
        ],
    )?;
    Ok(())
}

pub(super) fn stored(
    transaction: &Transaction<'_>,
    service: Option<Service>,
) -> Result<Vec<Account>> {
    let mut statement = transaction.prepare_cached(
        "SELECT service, id, label, status, percent_remaining, limit_type, resets_at,
                current_usage, last_used_at, auth_expires_at
         FROM accounts WHERE ?1 IS NULL OR service = ?1 ORDER BY service, id",
    )?;
    let rows = statement.query_map([service.map(Service::as_str)], account)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn account(row: &Row<'_>) -> rusqlite::Result<Account> {
    let word: String = row.get(0)?;
    let status: String = row.get(3)?;
    Ok(Account {
        service: Service::parse(&word).unwrap_or(Service::Openai),
        id: row.get(1)?,
        label: row.get(2)?,
        status: AccountStatus::parse(&status).unwrap_or(AccountStatus::Unknown),
        percent_remaining: row.get(4)?,
        limit_type: row.get(5)?,
        resets_at: row.get(6)?,
        current_usage: row.get(7)?,
        last_used_at: row.get(8)?,
        auth_expires_at: row.get(9)?,
    })
}

/// When each service asked for was last refreshed.
pub(super) fn refreshes(
    transaction: &Transaction<'_>,
    service: Option<Service>,
) -> Result<Vec<Option<Millis>>> {
    let mut statement = transaction
        .prepare_cached("SELECT finished_at FROM account_refreshes WHERE service = ?1")?;
    let services = service.map_or_else(|| Service::ALL.to_vec(), |service| vec![service]);
    let mut times = Vec::new();
    for service in services {
        let time = statement.query_row([service.as_str()], |row| row.get(0)).optional()?;
        times.push(time.flatten());
    }
    Ok(times)
}

/// An account at its limit whose window has reset since: the remaining usage is unknown.
pub(super) fn after_reset(account: Account, now: Millis) -> Account {
    let over = account.resets_at.is_some_and(|resets_at| resets_at <= now);
    if account.status == AccountStatus::AtLimit && over {
        return Account { status: AccountStatus::Unknown, percent_remaining: None, ..account };
    }
    account
}

/// Notes when an account was chosen.
pub(super) fn used(
    transaction: &Transaction<'_>,
    service: Service,
    id: &str,
    now: Millis,
) -> Result<()> {
    transaction.execute(
        "UPDATE accounts SET last_used_at = ?3 WHERE service = ?1 AND id = ?2",
        params![service.as_str(), id, now],
    )?;
    Ok(())
}
