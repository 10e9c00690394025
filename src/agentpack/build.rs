//! Compiles `specs/agentpack/` into `generated/`.

fn main() {
    toolwright_codegen::build_surface("../../specs", "agentpack", "../../generated");
}
