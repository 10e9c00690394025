//! Ids, digests and the keys that identify repeated writes.

use toolwright_runtime::digest::{hex, sha256_hex};

use super::Caller;
use crate::model::Millis;

/// A repeated write without a key of its own is recognised for this long.
pub(super) const DERIVED_FOR: Millis = 24 * 3_600_000;

/// Random bytes as a version 4 UUID.
pub(super) fn uuid(mut bytes: [u8; 16]) -> String {
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let hex = hex(&bytes);
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
}

/// SHA-256 over parts that cannot run into each other.
pub(super) fn digest(parts: &[&str]) -> String {
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend_from_slice(&part.len().to_be_bytes());
        bytes.extend_from_slice(part.as_bytes());
    }
    sha256_hex(&bytes)
}

/// The key that identifies a write: the caller's own, or one derived from tool, user, session and
/// content.
pub(super) fn request_key(caller: &Caller, given: Option<&str>, content_hash: &str) -> String {
    match given {
        Some(key) => format!("k:{}", digest(&[&caller.tool, key])),
        None => {
            let session = caller.source.session.as_deref().unwrap_or_default();
            let parts = [&caller.tool, &caller.source.user_id, session, content_hash];
            format!("d:{}", digest(&parts))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_version_4_uuids() {
        assert_eq!(uuid([0xff; 16]), "ffffffff-ffff-4fff-bfff-ffffffffffff");
        assert_eq!(uuid([0; 16]), "00000000-0000-4000-8000-000000000000");
    }

    #[test]
    fn parts_cannot_run_into_each_other() {
        assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
        assert_ne!(digest(&["a"]), digest(&["a", ""]));
    }
}
