//! Tokens as budgets count them: a token is four bytes, whatever the client's model makes of it.

const BYTES: usize = 4;

/// Tokens of a text of this many bytes.
pub const fn estimate_tokens(bytes: usize) -> usize {
    bytes.div_ceil(BYTES)
}

/// Bytes that a budget of this many tokens leaves.
pub const fn budget_bytes(tokens: u32) -> usize {
    tokens as usize * BYTES
}
