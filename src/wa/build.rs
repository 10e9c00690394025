//! Compiles `specs/wa/` into `generated/`.

fn main() {
    toolwright_codegen::build_surface("../../specs", "wa", "../../generated");
}
