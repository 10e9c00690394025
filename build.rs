//! Checks all contracts below `specs/` together; each surface's own `build.rs` compiles one of them.

fn main() {
    toolwright_codegen::check_script("specs", "generated");
}
