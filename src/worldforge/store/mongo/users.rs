//! Tenants and users.

use mongodb::bson::{Document, RawDocumentBuf, doc};
use serde::de::DeserializeOwned;

use super::bson::{document, either, id, json};
use super::{Ready, error::fault, show};
use crate::model::{Tenant, User};
use crate::store::change::{storable, valid_id};
use crate::store::error::{Fault, Result};
use crate::store::reader;

pub(super) fn create_tenant(ready: &Ready, tenant: &Tenant) -> Result<()> {
    valid_id("tenant", &tenant.id)?;
    storable("tenant", tenant)?;
    let document = document(tenant)?;
    ready.documents("tenants").insert_one(document).run().map(drop).map_err(fault)
}

pub(super) fn tenants(ready: &Ready) -> Result<Vec<Tenant>> {
    all(ready, "tenants", "tenant", doc! {}, doc! {"name": 1})
}

pub(super) fn tenant(ready: &Ready, tenant: &str) -> Result<Tenant> {
    let missing = || Fault::missing("tenant");
    let filter = doc! {"_id": either(id(tenant).ok_or_else(missing)?)};
    all(ready, "tenants", "tenant", filter, doc! {})?.pop().ok_or_else(missing)
}

pub(super) fn add_user(ready: &Ready, user: &User) -> Result<()> {
    valid_id("user", &user.id)?;
    storable("user", user)?;
    tenant(ready, &user.tenant_id)?;
    let document = document(user)?;
    ready.documents("users").insert_one(document).run().map(drop).map_err(fault)
}

pub(super) fn users(ready: &Ready, tenant: &str) -> Result<Vec<User>> {
    match id(tenant) {
        Some(tenant) => {
            all(ready, "users", "user", doc! {"tenantId": either(tenant)}, doc! {"email": 1})
        }
        None => Ok(Vec::new()),
    }
}

pub(super) fn user(ready: &Ready, tenant: &str, user: &str) -> Result<User> {
    let missing = || Fault::missing("user");
    let (tenant, user) = (id(tenant).ok_or_else(missing)?, id(user).ok_or_else(missing)?);
    let filter = doc! {"_id": either(user), "tenantId": either(tenant)};
    all(ready, "users", "user", filter, doc! {})?.pop().ok_or_else(missing)
}

pub(super) fn user_by_email(ready: &Ready, tenant: &str, email: &str) -> Result<User> {
    let missing = || Fault::missing("user");
    let filter = doc! {"tenantId": either(id(tenant).ok_or_else(missing)?), "email": email};
    all(ready, "users", "user", filter, doc! {})?.pop().ok_or_else(missing)
}

/// Parses what is found.
pub(super) fn all<T: DeserializeOwned>(
    ready: &Ready,
    collection: &str,
    what: &'static str,
    filter: Document,
    sort: Document,
) -> Result<Vec<T>> {
    let found = ready.documents(collection).find(filter).sort(sort).run().map_err(fault)?;
    let mut all = Vec::new();
    for document in found {
        let document: RawDocumentBuf = document.map_err(fault)?;
        let read = serde_json::from_str(&json(&document)?);
        all.extend(reader::typed(what, read, || Ok(show::whole(&document)))?);
    }
    Ok(all)
}
