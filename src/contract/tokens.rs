//! Token estimates for budgets: one token is four bytes, independent of the model.

const BYTES: usize = 4;

/// Estimated tokens of a text of this size.
pub const fn estimate_tokens(bytes: usize) -> usize {
    bytes.div_ceil(BYTES)
}

/// The size in bytes that fits into a budget.
pub const fn budget_bytes(tokens: u32) -> usize {
    tokens as usize * BYTES
}
