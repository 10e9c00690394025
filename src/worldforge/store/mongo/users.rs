//! Tenants and users.

use mongodb::bson::{Document, RawDocumentBuf, doc};
use serde::de::DeserializeOwned;

use super::bson::{document, either, id, json};
use super::{Connected, error::store_error, show};
use crate::model::{Tenant, User};
use crate::store::change::{storable, valid_id};
use crate::store::error::{Result, StoreError};
use crate::store::reader;

pub(super) fn create_tenant(connected: &Connected, tenant: &Tenant) -> Result<()> {
    valid_id("tenant", &tenant.id)?;
    storable("tenant", tenant)?;
    let document = document(tenant)?;
    connected.documents("tenants").insert_one(document).run().map(drop).map_err(store_error)
}

pub(super) fn tenants(connected: &Connected) -> Result<Vec<Tenant>> {
    all(connected, "tenants", "tenant", doc! {}, doc! {"name": 1})
}

pub(super) fn tenant(connected: &Connected, tenant: &str) -> Result<Tenant> {
    let missing = || StoreError::missing("tenant");
    let filter = doc! {"_id": either(id(tenant).ok_or_else(missing)?)};
    all(connected, "tenants", "tenant", filter, doc! {})?.pop().ok_or_else(missing)
}

pub(super) fn add_user(connected: &Connected, user: &User) -> Result<()> {
    valid_id("user", &user.id)?;
    storable("user", user)?;
    tenant(connected, &user.tenant_id)?;
    let document = document(user)?;
    connected.documents("users").insert_one(document).run().map(drop).map_err(store_error)
}

pub(super) fn users(connected: &Connected, tenant: &str) -> Result<Vec<User>> {
    match id(tenant) {
        Some(tenant) => {
            all(connected, "users", "user", doc! {"tenantId": either(tenant)}, doc! {"email": 1})
        }
        None => Ok(Vec::new()),
    }
}

pub(super) fn user(connected: &Connected, tenant: &str, user: &str) -> Result<User> {
    let missing = || StoreError::missing("user");
    let (tenant, user) = (id(tenant).ok_or_else(missing)?, id(user).ok_or_else(missing)?);
    let filter = doc! {"_id": either(user), "tenantId": either(tenant)};
    all(connected, "users", "user", filter, doc! {})?.pop().ok_or_else(missing)
}

pub(super) fn user_by_email(connected: &Connected, tenant: &str, email: &str) -> Result<User> {
    let missing = || StoreError::missing("user");
    let filter = doc! {"tenantId": either(id(tenant).ok_or_else(missing)?), "email": email};
    all(connected, "users", "user", filter, doc! {})?.pop().ok_or_else(missing)
}

/// Parses what is found.
pub(super) fn all<T: DeserializeOwned>(
    connected: &Connected,
    collection: &str,
    what: &'static str,
    filter: Document,
    sort: Document,
) -> Result<Vec<T>> {
    let found =
        connected.documents(collection).find(filter).sort(sort).run().map_err(store_error)?;
    let mut all = Vec::new();
    for document in found {
        let document: RawDocumentBuf = document.map_err(store_error)?;
        let read = serde_json::from_str(&json(&document)?);
        all.extend(reader::typed(what, read, || Ok(show::whole(&document)))?);
    }
    Ok(all)
}
