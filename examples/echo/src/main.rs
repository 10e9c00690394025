//! Echo.
fn main() {}
