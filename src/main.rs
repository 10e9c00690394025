//! The `toolwright` binary.
fn main() {}
