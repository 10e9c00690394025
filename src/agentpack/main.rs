//! The binary `agentpack`.

fn main() -> std::process::ExitCode {
    toolwright_runtime::cli::run(&toolwright::agentpack::entry())
}
