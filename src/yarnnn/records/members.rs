//! Workspaces and their members. A user has one workspace.

use super::Tx;
use crate::governance::Role;
use crate::model::Millis;
use crate::sql::{Result, Row};

/// A workspace: nothing is ever shared between two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    /// Its id.
    pub id: String,
    /// Sequential number; the prefix of its tokens in the index.
    pub number: i64,
    /// Unique.
    pub name: String,
}

/// A user in a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The user.
    pub user_id: String,
    /// What they may do.
    pub role: Role,
}

const WORKSPACE: &str = "SELECT id, number, name FROM workspaces";

fn workspace(row: &Row) -> Result<Workspace> {
    Ok(Workspace { id: row.get("id")?, number: row.get("number")?, name: row.get("name")? })
}

/// Creates a workspace with its owner.
pub fn create(tx: &mut Tx<'_>, id: &str, name: &str, owner: &str, at: Millis) -> Result<()> {
    tx.execute(
        "INSERT INTO workspaces (id, name, owner_id, created_at) VALUES ($1, $2, $3, $4)",
        &[id.into(), name.into(), owner.into(), at.into()],
    )?;
    add(tx, id, owner, Role::Owner, at).map(drop)
}

/// Adds a user, or changes the role; false when the user belongs to another workspace.
pub fn add(tx: &mut Tx<'_>, workspace: &str, user: &str, role: Role, at: Millis) -> Result<bool> {
    let changed = tx.execute(
        "INSERT INTO workspace_memberships (user_id, workspace_id, role, created_at)
         VALUES ($1, $2, $3, $4)
         ON CONFLICT (user_id) DO UPDATE SET role = excluded.role
           WHERE workspace_memberships.workspace_id = excluded.workspace_id",
        &[user.into(), workspace.into(), role.as_str().into(), at.into()],
    )?;
    Ok(changed == 1)
}

/// All workspaces by name.
pub fn list(tx: &mut Tx<'_>) -> Result<Vec<Workspace>> {
    tx.query(&format!("{WORKSPACE} ORDER BY name"), &[])?.iter().map(workspace).collect()
}

/// A workspace by id or name.
pub fn find(tx: &mut Tx<'_>, id_or_name: &str) -> Result<Option<Workspace>> {
    let found = tx.first(
        &format!("{WORKSPACE} WHERE id = $1 OR name = $1 ORDER BY id = $1 DESC"),
        &[id_or_name.into()],
    )?;
    found.as_ref().map(workspace).transpose()
}

/// The users of a workspace.
pub fn members(tx: &mut Tx<'_>, workspace: &str) -> Result<Vec<Member>> {
    tx.query(
        "SELECT user_id, role FROM workspace_memberships WHERE workspace_id = $1 ORDER BY user_id",
        &[workspace.into()],
    )?
    .iter()
    .map(|row| Ok(Member { user_id: row.get("user_id")?, role: role(row)? }))
    .collect()
}

/// A user's workspace and role.
pub fn of_user(tx: &mut Tx<'_>, user: &str) -> Result<Option<(Workspace, Role)>> {
    let found = tx.first(
        "SELECT id, number, name, role FROM workspaces
         JOIN workspace_memberships ON workspace_id = id WHERE user_id = $1",
        &[user.into()],
    )?;
    found.map(|row| Ok((workspace(&row)?, role(&row)?))).transpose()
}

fn role(row: &Row) -> Result<Role> {
    Role::parse(row.get("role")?).ok_or_else(|| super::unknown_word("role"))
}
