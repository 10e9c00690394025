//! Compiles `specs/yarnnn/` into `generated/`.

fn main() {
    toolwright_codegen::build_surface("../../specs", "yarnnn", "../../generated");
}
