//! The binary `agentpack`.

fn main() -> std::process::ExitCode {
    toolwright::cli::surface("agentpack")
}
