//! Tenants and users.

use rusqlite::{Connection, Params, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::model::{Tenant, User};
use crate::store::change::{storable, valid_id};
use crate::store::error::{Result, StoreError};
use crate::store::reader;
use crate::store::served::parsed;

pub(super) fn create_tenant(writer: &Connection, tenant: &Tenant) -> Result<()> {
    valid_id("tenant", &tenant.id)?;
    storable("tenant", tenant)?;
    writer.execute(
        "INSERT INTO tenants (id, name, json) VALUES (?1, ?2, ?3)",
        params![tenant.id, tenant.name, json(tenant)?],
    )?;
    Ok(())
}

pub(super) fn tenants(reader: &Connection) -> Result<Vec<Tenant>> {
    all(reader, "tenant", "SELECT json FROM tenants ORDER BY name", [])
}

pub(super) fn tenant(reader: &Connection, id: &str) -> Result<Tenant> {
    first(reader, "tenant", "SELECT json FROM tenants WHERE id = ?1", [id])?
        .ok_or_else(|| StoreError::missing("tenant"))
}

pub(super) fn add_user(writer: &Connection, user: &User) -> Result<()> {
    valid_id("user", &user.id)?;
    storable("user", user)?;
    tenant(writer, &user.tenant_id)?;
    writer.execute(
        "INSERT INTO users (id, tenant, email, json) VALUES (?1, ?2, ?3, ?4)",
        params![user.id, user.tenant_id, user.email, json(user)?],
    )?;
    Ok(())
}

pub(super) fn users(reader: &Connection, tenant: &str) -> Result<Vec<User>> {
    all(reader, "user", "SELECT json FROM users WHERE tenant = ?1 ORDER BY email", [tenant])
}

pub(super) fn user(reader: &Connection, tenant: &str, id: &str) -> Result<User> {
    let sql = "SELECT json FROM users WHERE tenant = ?1 AND id = ?2";
    first(reader, "user", sql, [tenant, id])?.ok_or_else(|| StoreError::missing("user"))
}

pub(super) fn user_by_email(reader: &Connection, tenant: &str, email: &str) -> Result<User> {
    let sql = "SELECT json FROM users WHERE tenant = ?1 AND email = ?2";
    first(reader, "user", sql, [tenant, email])?.ok_or_else(|| StoreError::missing("user"))
}

pub(super) fn json(document: &impl Serialize) -> Result<String> {
    serde_json::to_string(document).map_err(|error| StoreError::unreadable("document", error))
}

/// Parses what is in the first column of all rows.
pub(super) fn all<T: DeserializeOwned>(
    reader: &Connection,
    what: &'static str,
    sql: &str,
    params: impl Params,
) -> Result<Vec<T>> {
    let mut statement = reader.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let text = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
        found.extend(reader::typed(what, serde_json::from_str(text), || parsed(text))?);
    }
    Ok(found)
}

/// Parses what is in the first column of the first row.
pub(super) fn first<T: DeserializeOwned>(
    reader: &Connection,
    what: &'static str,
    sql: &str,
    params: impl Params,
) -> Result<Option<T>> {
    Ok(all(reader, what, sql, params)?.into_iter().next())
}
