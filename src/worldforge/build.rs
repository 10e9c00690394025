//! Compiles `specs/worldforge/` into `generated/`.

fn main() {
    toolwright_codegen::build_surface("../../specs", "worldforge", "../../generated");
}
