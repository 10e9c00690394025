//! One-time tokens: one tool mints them for a reviewed plan, another redeems them.
//!
//! Only digests are stored: neither a log nor a memory dump contains a token, and a lookup by digest
//! reveals nothing through timing. A token is bound to the surface and to the tool that issued it.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use sha2::{Digest as _, Sha256};

use crate::call::Call;
use crate::clock::Clock;
use crate::contract::SurfaceInfo;

/// Maximum number of outstanding tokens; minting one more drops the oldest.
const MAX_OUTSTANDING: usize = 1024;
/// Lifetime of a token whose issuer is not in the table.
const DEFAULT_SECONDS: u32 = 600;

/// A newly minted token.
pub struct MintedToken {
    /// What the client sends back.
    pub token: String,
    /// When it stops working.
    pub expires_at: Timestamp,
}

/// The state of a token.
#[derive(Debug, PartialEq, Eq)]
pub enum TokenStatus {
    /// It can be redeemed.
    Live {
        /// The hash it was minted for.
        reviewed: String,
    },
    /// It was minted here and has expired.
    Expired,
    /// It was never minted here, was already redeemed, or was dropped.
    Unknown,
}

impl std::fmt::Debug for MintedToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Minted").field("expires_at", &self.expires_at).finish_non_exhaustive()
    }
}

/// The outstanding tokens of a surface, in memory.
pub struct Confirmations {
    surface: &'static str,
    lifetimes: &'static [(&'static str, u32)],
    table: Mutex<Table>,
}

type Key = [u8; 32];

#[derive(Default)]
struct Table {
    tokens: HashMap<Key, Token>,
    /// Keys by age.
    order: BTreeMap<u64, Key>,
    next: u64,
}

struct Token {
    number: u64,
    hash: String,
    expires_at: Timestamp,
    /// Monotonic, so that setting the clock back does not prolong a token's life.
    expires_tick: u64,
    /// Until then an expired token is distinguished from an unknown one.
    forgotten_tick: u64,
}

impl Token {
    fn expired(&self, clock: &dyn Clock) -> bool {
        clock.now() >= self.expires_at || clock.ticks() >= self.expires_tick
    }
}

impl Confirmations {
    /// An empty table. `lifetimes` holds the lifetime in seconds of each issuing tool's tokens.
    pub fn new(surface: &SurfaceInfo, lifetimes: &'static [(&'static str, u32)]) -> Self {
        Self { surface: surface.name, lifetimes, table: Mutex::default() }
    }

    /// Mints a token for `hash`, the digest of the reviewed plan. `issuer` is the name in the spec of
    /// the tool that returns it.
    pub fn mint(&self, call: &Call, issuer: &str, hash: impl Into<String>) -> MintedToken {
        let token = call.ids().hex(32);
        let seconds = self
            .lifetimes
            .iter()
            .find(|(name, _)| *name == issuer)
            .map_or(DEFAULT_SECONDS, |(_, seconds)| *seconds);
        let clock = call.clock();
        let life = SignedDuration::from_secs(i64::from(seconds));
        let expires_at = clock.now().checked_add(life).unwrap_or(Timestamp::MAX);
        let life_ticks = u64::from(seconds) * 1_000_000_000;
        let expires_tick = clock.ticks().saturating_add(life_ticks);
        let forgotten_tick = expires_tick.saturating_add(life_ticks);

        let key = self.key(issuer, &token);
        let mut table = self.table();
        table.forget_old(clock.ticks());
        while table.order.len() >= MAX_OUTSTANDING {
            let Some((_, oldest)) = table.order.pop_first() else { break };
            table.tokens.remove(&oldest);
        }
        let number = table.next;
        table.next += 1;
        table.order.insert(number, key);
        let hash = hash.into();
        table.tokens.insert(key, Token { number, hash, expires_at, expires_tick, forgotten_tick });
        MintedToken { token, expires_at }
    }

    /// The state of a token.
    pub fn look_up(&self, call: &Call, issuer: &str, token: &str) -> TokenStatus {
        match self.table().tokens.get(&self.key(issuer, token)) {
            None => TokenStatus::Unknown,
            Some(found) if found.expired(call.clock()) => TokenStatus::Expired,
            Some(found) => TokenStatus::Live { reviewed: found.hash.clone() },
        }
    }

    /// Redeems a token. Of several callers with the same token exactly one gets `true`.
    pub fn redeem(&self, call: &Call, issuer: &str, token: &str) -> bool {
        let mut table = self.table();
        let Some(found) = table.tokens.remove(&self.key(issuer, token)) else { return false };
        table.order.remove(&found.number);
        !found.expired(call.clock())
    }

    fn key(&self, issuer: &str, token: &str) -> Key {
        let mut digest = Sha256::new();
        for part in [self.surface, issuer, token] {
            digest.update(part.as_bytes());
            digest.update([0]);
        }
        digest.finalize().into()
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn forget_old(&mut self, now: u64) {
        let Self { tokens, order, .. } = self;
        tokens.retain(|_, token| {
            let kept = now < token.forgotten_tick;
            if !kept {
                order.remove(&token.number);
            }
            kept
        });
    }
}
