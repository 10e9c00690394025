//! Sessions of the review page: an owner or admin signs in with a token and gets a cookie.
//!
//! Sessions are stored, so that every server at the database knows them. Each request looks up the
//! role again; a session ends with its time, its token or its membership.

use toolwright_runtime::digest::{hex, sha256_hex};

use super::{Caller, Engine, Result};
use crate::auth::{self, TokenKind};
use crate::model::Millis;
use crate::records::review_sessions::{self, SignedIn as Session};
use crate::records::{members, tokens};

/// How long a session lasts.
const LASTS: Millis = 3_600_000;
/// Random bytes of a cookie.
const COOKIE_BYTES: usize = 32;

/// A new session.
pub struct Ticket {
    /// The value of its cookie; only its hash is stored.
    pub cookie: String,
    /// How long it lasts, in seconds.
    pub seconds: i64,
}

/// A reviewer who is signed in.
pub struct SignedIn {
    /// The reviewer.
    pub caller: Caller,
    /// What forms of this session carry, so that no other page can send them.
    pub form_key: String,
}

impl Engine {
    /// Signs a reviewer in.
    pub fn sign_in(&self, token: &str) -> Result<Ticket> {
        let user = self.authenticate(Some(token))?;
        let caller = self.local(user.workspace, user.role, &user.user_id, "web");
        caller.must_review()?;
        let now = self.now();
        let (token_hash, token_ends) = match auth::kind_of(token)? {
            TokenKind::Integration => (Some(auth::hash(token)), None),
            TokenKind::Jwt => (None, auth::jwt_end(token)),
        };
        let expires_at = token_ends.map_or(now + LASTS, |ends| ends.min(now + LASTS));
        let mut random = [0; COOKIE_BYTES];
        self.store.ids.fill(&mut random);
        let cookie = hex(&random);
        let session = Session {
            user_id: user.user_id,
            workspace_id: caller.workspace.id,
            token_hash,
            expires_at,
        };
        let hash = sha256_hex(cookie.as_bytes());
        self.store.write(|tx| Ok(review_sessions::add(tx, &hash, &session, now)?))?;
        Ok(Ticket { cookie, seconds: (expires_at - now).max(0) / 1000 })
    }

    /// Whose cookie it is; none if the session has ended.
    pub fn signed_in(&self, cookie: &str) -> Result<Option<SignedIn>> {
        let (hash, now) = (sha256_hex(cookie.as_bytes()), self.now());
        let found = self.store.read(|tx| {
            let Some(session) = review_sessions::find(tx, &hash, now)? else { return Ok(None) };
            if let Some(token) = &session.token_hash {
                let stored = tokens::find(tx, token, now)?.map(|(stored, _)| stored);
                if auth::check_stored(stored).is_err() {
                    return Ok(None);
                }
            }
            let home = members::of_user(tx, &session.user_id)?;
            let home = home.filter(|(home, _)| home.id == session.workspace_id);
            Ok(home.map(|(workspace, role)| (workspace, role, session.user_id)))
        })?;
        Ok(found.filter(|(_, role, _)| role.may_review()).map(|(workspace, role, user)| SignedIn {
            caller: self.local(workspace, role, &user, "web"),
            form_key: sha256_hex(format!("form {cookie}").as_bytes()),
        }))
    }

    /// Ends a session.
    pub fn sign_out(&self, cookie: &str) -> Result<()> {
        let hash = sha256_hex(cookie.as_bytes());
        self.store.write(|tx| Ok(review_sessions::remove(tx, &hash)?))
    }
}
