//! Seals the state that a client returns with the answer to a question.
//!
//! The client can read a seal but cannot forge one: it is an HMAC-SHA256 over the question, the
//! digest of tool and arguments, and the expiry. The key never leaves the process, unless it is
//! configured for several replicas.

use hmac::digest::Key;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::clock::Ids;
use crate::digest::{constant_time_eq, hex};

/// Creates and verifies seals.
pub(super) struct Seal {
    keyed: Hmac<Sha256>,
}

impl Seal {
    /// With the given key, or a random one.
    pub(super) fn new(key: Option<[u8; 32]>, ids: &dyn Ids) -> Self {
        let key = key.unwrap_or_else(|| {
            let mut key = [0; 32];
            ids.fill(&mut key);
            key
        });
        // Padded to the block size of the hash, as HMAC does with shorter keys.
        let mut padded = Key::<Hmac<Sha256>>::default();
        padded[..key.len()].copy_from_slice(&key);
        Self { keyed: Hmac::new(&padded) }
    }

    /// A seal over `parts` that is valid until `expires`, in epoch milliseconds.
    pub(super) fn seal(&self, parts: &[&str], expires: u64) -> String {
        format!("{expires:x}.{}", hex(&self.mac(parts, expires)))
    }

    /// Whether the seal is authentic, covers exactly `parts`, and has not expired at `now`.
    pub(super) fn holds(&self, seal: &str, parts: &[&str], now: u64) -> bool {
        let Some((expires, mac)) = seal.split_once('.') else { return false };
        let Ok(expires) = u64::from_str_radix(expires, 16) else { return false };
        let expected = hex(&self.mac(parts, expires));
        constant_time_eq(mac.as_bytes(), expected.as_bytes()) && now < expires
    }

    fn mac(&self, parts: &[&str], expires: u64) -> [u8; 32] {
        let mut mac = self.keyed.clone();
        mac.update(&expires.to_be_bytes());
        for part in parts {
            // Lengths keep ("ab", "c") and ("a", "bc") apart.
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part.as_bytes());
        }
        mac.finalize().into_bytes().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::CountingIds;

    fn seal() -> Seal {
        Seal::new(Some([7; 32]), &CountingIds::default())
    }

    #[test]
    fn holds_for_what_it_was_made_for_until_it_expires() {
        let made = seal().seal(&["ask", "abc"], 1_000);
        assert!(seal().holds(&made, &["ask", "abc"], 999));
        assert!(!seal().holds(&made, &["ask", "abc"], 1_000));
        assert!(!seal().holds(&made, &["ask", "abd"], 999));
        assert!(!seal().holds(&made, &["aska", "bc"], 999));
    }

    #[test]
    fn refuses_what_was_tampered_with() {
        let made = seal().seal(&["x"], 1_000);
        let later = made.replacen("3e8.", "fffff.", 1);
        assert_ne!(made, later);
        for wrong in [later.as_str(), "", ".", "3e8.", "3e8.00", "zz.11", &made[..made.len() - 1]] {
            assert!(!seal().holds(wrong, &["x"], 10), "{wrong}");
        }
    }

    #[test]
    fn another_process_has_another_key() {
        let made = seal().seal(&["x"], 1_000);
        assert!(!Seal::new(Some([8; 32]), &CountingIds::default()).holds(&made, &["x"], 10));
    }
}
