//! Compiles `specs/wink/` into `generated/`.

fn main() {
    toolwright_codegen::build_surface("../../specs", "wink", "../../generated");
}
