//! Generates ids. Knows nothing about their use.

use toolwright_runtime::clock::Ids;
use toolwright_runtime::digest::hex;

use crate::model::{Id, Millis};

/// A fresh id: the second, so that ids sort by age, then random bytes.
pub(crate) fn fresh_id(now: Millis, ids: &dyn Ids) -> Id {
    let second = u32::try_from(now / 1000).unwrap_or_default();
    format!("{}{}", hex(&second.to_be_bytes()), ids.hex(8))
}
