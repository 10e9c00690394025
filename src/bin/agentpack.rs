//! The binary `agentpack`.

fn main() -> std::process::ExitCode {
    toolwright::cli::surface(&toolwright::agentpack::entry())
}
