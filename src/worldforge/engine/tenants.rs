//! Tenants and users, which only operators create.

use toolwright_runtime::hidden::is_hidden;
use unicode_normalization::UnicodeNormalization as _;

use super::{Engine, EngineError, Result};
use crate::model::{Project, Role, Tenant, User};

impl Engine {
    /// Creates a tenant.
    pub fn create_tenant(&self, name: &str) -> Result<Tenant> {
        let name = self.identity("/name", name)?;
        let tenant = Tenant { id: self.id(), name, created_at: self.now() };
        self.store().create_tenant(&tenant)?;
        Ok(tenant)
    }

    /// All tenants.
    pub fn tenants(&self) -> Result<Vec<Tenant>> {
        Ok(self.store().tenants()?)
    }

    /// A tenant by id or name.
    pub fn tenant(&self, id_or_name: &str) -> Result<Option<Tenant>> {
        let all = self.tenants()?;
        let by_id = all.iter().find(|tenant| tenant.id == id_or_name);
        Ok(by_id.or_else(|| all.iter().find(|tenant| tenant.name == id_or_name)).cloned())
    }

    /// Adds a user.
    pub fn add_user(&self, tenant: &str, email: &str, roles: &[Role]) -> Result<User> {
        let email = address(&self.identity("/email", email)?);
        let mut roles = roles.to_vec();
        roles.sort();
        roles.dedup();
        let user = User {
            id: self.id(),
            tenant_id: tenant.to_owned(),
            email,
            roles,
            created_at: self.now(),
        };
        self.store().add_user(&user)?;
        Ok(user)
    }

    /// The users of a tenant.
    pub fn users(&self, tenant: &str) -> Result<Vec<User>> {
        Ok(self.store().users(tenant)?)
    }

    /// A user of a tenant by id or e-mail; none when there is no such user.
    pub fn user(&self, tenant: &str, id_or_email: &str) -> Result<Option<User>> {
        let found = match id_or_email.contains('@') {
            true => self.store().user_by_email(tenant, &address(id_or_email)),
            false => self.store().user(tenant, id_or_email),
        };
        match found {
            Ok(user) => Ok(Some(user)),
            Err(error) if error.kind == crate::store::Kind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The projects of a tenant.
    pub fn projects(&self, tenant: &str) -> Result<Vec<Project>> {
        Ok(self.store().projects(tenant)?)
    }

    /// A normalized name: two that look the same are the same.
    fn identity(&self, pointer: &str, name: &str) -> Result<String> {
        let name = self.named(pointer, name)?;
        if name.chars().any(is_hidden) {
            let message = self.language().pick(
                "must not contain invisible characters",
                "não pode ter caracteres que ninguém vê",
            );
            return Err(EngineError::invalid(pointer, message));
        }
        Ok(name)
    }
}

/// An e-mail address as it is kept and compared: however its letters are composed and cased.
pub(crate) fn address(email: &str) -> String {
    email.nfc().collect::<String>().to_lowercase()
}
