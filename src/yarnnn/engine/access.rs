//! Authentication: tokens to users and their workspaces.

use std::sync::Arc;

use super::{Caller, Engine, Result};
use crate::auth::{self, AuthError, TokenKind};
use crate::governance::Role;
use crate::records::members::{self, Workspace};
use crate::records::{Source, Tx, tokens};

/// Longest host name that is stored, in characters.
const HOST: usize = 60;

/// A user whose token was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthenticatedUser {
    /// The user.
    pub user_id: String,
    /// Their workspace.
    pub workspace: Workspace,
    /// Their role in it.
    pub role: Role,
}

impl AuthenticatedUser {
    /// The caller of one of their calls.
    pub fn into_caller(
        self,
        tool: &str,
        host: String,
        session: Option<String>,
        started: u64,
    ) -> Caller {
        Caller {
            workspace: self.workspace,
            role: self.role,
            source: Source { user_id: self.user_id, host, session },
            tool: tool.to_owned(),
            started,
            logged: Arc::default(),
        }
    }
}

impl Engine {
    /// Authenticates a user by their token.
    pub fn authenticate(&self, token: Option<&str>) -> Result<AuthenticatedUser> {
        let token = token.ok_or(AuthError::Missing)?;
        match auth::kind_of(token)? {
            TokenKind::Jwt => {
                let rules = self.jwt.as_ref().ok_or(AuthError::BadSignature)?;
                let identity = auth::verify_jwt(token, rules, self.now())?;
                self.store.read(|tx| member(tx, &identity.user_id, None))
            }
            TokenKind::Integration => self.authenticate_integration(token),
        }
    }

    fn authenticate_integration(&self, token: &str) -> Result<AuthenticatedUser> {
        let hash = auth::hash(token);
        let now = self.now();
        let (user, worth_noting) = self.store.read(|tx| {
            let (stored, worth_noting) = tokens::find(tx, &hash, now)?.unzip();
            let identity = auth::check_stored(stored)?;
            let user = member(tx, &identity.user_id, identity.workspace_id.as_deref())?;
            Ok((user, worth_noting == Some(true)))
        })?;
        if worth_noting {
            // A read must not fail because the token's last use cannot be stored.
            if let Err(error) = self.store.write(|tx| Ok(tokens::mark_used(tx, &hash, now)?)) {
                tracing::debug!(event = "yarnnn.token_used", "{error}");
            }
        }
        Ok(user)
    }
}

/// The user's only workspace, which must be the token's.
fn member(tx: &mut Tx<'_>, user: &str, bound: Option<&str>) -> Result<AuthenticatedUser> {
    let found = members::of_user(tx, user)?;
    let (workspace, role) = found
        .filter(|(workspace, _)| bound.is_none_or(|bound| bound == workspace.id))
        .ok_or(AuthError::NoWorkspace)?;
    Ok(AuthenticatedUser { user_id: user.to_owned(), workspace, role })
}

/// The name of the client that a call comes from: `claude`, `chatgpt`, or `agent:<name>`.
pub fn host_of(client: Option<&str>) -> String {
    let name: String = client
        .unwrap_or_default()
        .chars()
        .filter(|c| c.is_alphanumeric() || "-_./ ".contains(*c))
        .take(HOST)
        .collect::<String>()
        .trim()
        .to_lowercase();
    match name.as_str() {
        "" => "agent:unknown".to_owned(),
        name if name.contains("claude") || name.contains("anthropic") => "claude".to_owned(),
        name if name.contains("chatgpt") || name.contains("openai") => "chatgpt".to_owned(),
        name => format!("agent:{}", name.replace(' ', "-")),
    }
}

#[cfg(test)]
mod tests {
    use super::host_of;

    #[test]
    fn hosts_have_the_words_of_the_contract() {
        for (client, host) in [
            (Some("claude-ai"), "claude"),
            (Some("Claude Code"), "claude"),
            (Some("openai-mcp"), "chatgpt"),
            (Some("Cursor"), "agent:cursor"),
            (Some("my agent\n\u{1b}[0m"), "agent:my-agent0m"),
            (Some("\u{0}"), "agent:unknown"),
            (None, "agent:unknown"),
        ] {
            assert_eq!(host_of(client), host);
        }
    }
}
