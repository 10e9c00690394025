//! Why credentials are refused.
//!
//! Every refusal ends with the same call to action, so that users always learn where to get a
//! token. The variants carry no data: what the caller sent cannot leak through them.

/// The call to action of the contract; part of every refusal.
pub(super) const CONNECT: &str = "Visit https://yarnnn.com/connect";

/// Why credentials were not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, thiserror::Error)]
#[error("{} {CONNECT}", self.what())]
pub enum AuthError {
    /// No token was sent.
    Missing,
    /// It is not shaped like a token, or lacks a required part.
    Malformed,
    /// The signature does not match, or uses another algorithm than HS256.
    BadSignature,
    /// It has expired.
    Expired,
    /// It is not valid yet.
    NotYet,
    /// It was issued for another audience.
    WrongAudience,
    /// It names no user.
    NoSubject,
    /// It was revoked.
    Revoked,
    /// There is no such token here.
    Unknown,
    /// The user is known to the account service, but has no workspace here.
    NoWorkspace,
}

impl AuthError {
    /// All of them, for tables and tests.
    pub const ALL: [Self; 10] = [
        Self::Missing,
        Self::Malformed,
        Self::BadSignature,
        Self::Expired,
        Self::NotYet,
        Self::WrongAudience,
        Self::NoSubject,
        Self::Revoked,
        Self::Unknown,
        Self::NoWorkspace,
    ];

    /// A stable code for clients and the activity log.
    pub fn code(self) -> &'static str {
        match self {
            Self::Missing => "AUTH_MISSING",
            Self::Malformed => "AUTH_MALFORMED",
            Self::BadSignature => "AUTH_BAD_SIGNATURE",
            Self::Expired => "AUTH_EXPIRED",
            Self::NotYet => "AUTH_NOT_YET",
            Self::WrongAudience => "AUTH_WRONG_AUDIENCE",
            Self::NoSubject => "AUTH_NO_SUBJECT",
            Self::Revoked => "AUTH_REVOKED",
            Self::Unknown => "AUTH_UNKNOWN",
            Self::NoWorkspace => "AUTH_NO_WORKSPACE",
        }
    }

    /// What happened, without the call to action.
    pub fn what(self) -> &'static str {
        match self {
            Self::Missing => "No token came with the request.",
            Self::Malformed => "The token is not a whole integration token or JWT.",
            Self::BadSignature => "The token is not signed by YARNNN with HS256.",
            Self::Expired => "The token has expired.",
            Self::NotYet => "The token is not valid yet; check the clock of its maker.",
            Self::WrongAudience => "The token was made for another audience.",
            Self::NoSubject => "The token does not name a user.",
            Self::Revoked => "The token was revoked.",
            Self::Unknown => "The token is not known here.",
            Self::NoWorkspace => "The user of the token has no workspace here.",
        }
    }
}
