//! Workspaces, members and tokens, which only operators at the command line change.

use std::sync::Arc;

use super::{Caller, Engine, Error, Result};
use crate::auth;
use crate::governance::Role;
use crate::records::members::{self, Member, Workspace};
use crate::records::tokens::{self, TokenRow};
use crate::records::{Source, activity, basket_vectors, timeline};

/// A newly created token.
pub struct NewToken {
    /// Its id.
    pub id: String,
    /// The token itself; shown once.
    pub token: String,
}

impl Engine {
    /// Creates a workspace; the owner must not have one yet.
    pub fn create_workspace(&self, name: &str, owner: &str) -> Result<Workspace> {
        let id = self.store.id();
        let at = self.now();
        self.store.write(|tx| {
            if members::find(tx, name)?.is_some() {
                return Err(Error::NameTaken(name.to_owned()));
            }
            if members::of_user(tx, owner)?.is_some() {
                return Err(Error::UserHasWorkspace(owner.to_owned()));
            }
            members::create(tx, &id, name, owner, at)?;
            members::find(tx, &id)?.ok_or_else(|| Error::NoWorkspace(name.to_owned()))
        })
    }

    /// All workspaces.
    pub fn workspaces(&self) -> Result<Vec<Workspace>> {
        self.store.read(|tx| Ok(members::list(tx)?))
    }

    /// A workspace by id or name; without one, the only workspace.
    pub fn workspace(&self, id_or_name: Option<&str>) -> Result<Workspace> {
        self.store.read(|tx| match id_or_name {
            Some(name) => {
                members::find(tx, name)?.ok_or_else(|| Error::NoWorkspace(name.to_owned()))
            }
            None => match <[Workspace; 1]>::try_from(members::list(tx)?) {
                Ok([only]) => Ok(only),
                Err(others) if others.is_empty() => Err(Error::NoWorkspaces),
                Err(_) => Err(Error::SeveralWorkspaces),
            },
        })
    }

    /// The models that the vectors of a workspace are of.
    pub fn models(&self, workspace: &Workspace) -> Result<Vec<String>> {
        self.store.read(|tx| Ok(basket_vectors::models(tx, &workspace.id)?))
    }

    /// Adds a user to a workspace, or changes the role.
    pub fn add_member(&self, workspace: &Workspace, user: &str, role: Role) -> Result<()> {
        let at = self.now();
        self.store.write(|tx| match members::add(tx, &workspace.id, user, role, at)? {
            true => Ok(()),
            false => Err(Error::UserHasWorkspace(user.to_owned())),
        })
    }

    /// The users of a workspace.
    pub fn members(&self, workspace: &Workspace) -> Result<Vec<Member>> {
        self.store.read(|tx| Ok(members::members(tx, &workspace.id)?))
    }

    /// Creates a token for a member.
    pub fn mint_token(
        &self,
        workspace: &Workspace,
        user: &str,
        description: &str,
    ) -> Result<NewToken> {
        let minted = auth::mint(&*self.store.ids);
        let id = self.store.id();
        let at = self.now();
        self.store.write(|tx| {
            let home = members::of_user(tx, user)?;
            if home.is_none_or(|(home, _)| home.id != workspace.id) {
                return Err(Error::UserHasWorkspace(user.to_owned()));
            }
            let (id, hash) = (&id, &minted.hash);
            Ok(tokens::add(tx, id, hash, user, &workspace.id, description, at)?)
        })?;
        Ok(NewToken { id, token: minted.token })
    }

    /// The tokens of a workspace.
    pub fn tokens(&self, workspace: &Workspace) -> Result<Vec<TokenRow>> {
        self.store.read(|tx| Ok(tokens::list(tx, &workspace.id)?))
    }

    /// Revokes a token.
    pub fn revoke_token(&self, workspace: &Workspace, id: &str) -> Result<()> {
        let at = self.now();
        self.store.write(|tx| match tokens::revoke(tx, &workspace.id, id, at)? {
            true => Ok(()),
            false => Err(Error::NoToken(id.to_owned())),
        })
    }

    /// A member of a workspace at the command line.
    pub fn operator(&self, workspace: Workspace, user: &str) -> Result<Caller> {
        let home = self.store.read(|tx| Ok(members::of_user(tx, user)?))?;
        match home.filter(|(home, _)| home.id == workspace.id) {
            Some((_, role)) => Ok(self.local(workspace, role, user, "cli")),
            None => Err(Error::NotAMember { user: user.to_owned(), workspace: workspace.name }),
        }
    }

    /// One who only looks, for completions.
    pub fn reader(&self, workspace: Workspace) -> Caller {
        self.local(workspace, Role::Member, "operator", "cli")
    }

    /// A user who works here, through no client.
    pub(super) fn local(&self, workspace: Workspace, role: Role, user: &str, host: &str) -> Caller {
        let source = Source { user_id: user.to_owned(), host: host.to_owned(), session: None };
        let (tool, started, logged) = ("admin".to_owned(), self.ticks(), Arc::default());
        Caller { workspace, role, source, tool, started, logged }
    }

    /// The hosts of the last seven days.
    pub fn recent_hosts(&self, workspace: &Workspace) -> Result<Vec<activity::HostRecent>> {
        self.activity_writer.flush();
        self.store.read(|tx| Ok(activity::recent_hosts(tx, &workspace.id)?))
    }

    /// The newest calls.
    pub fn calls(&self, workspace: &Workspace, most: i64) -> Result<Vec<activity::Entry>> {
        self.activity_writer.flush();
        self.store.read(|tx| Ok(activity::latest(tx, &workspace.id, most)?))
    }

    /// The newest events.
    pub fn events(&self, workspace: &Workspace, most: i64) -> Result<Vec<timeline::Line>> {
        self.store.read(|tx| Ok(timeline::latest(tx, &workspace.id, most)?))
    }
}
