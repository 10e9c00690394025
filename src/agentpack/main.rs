//! The binary `agentpack`.

fn main() -> std::process::ExitCode {
    toolwright_commands::run(&agentpack::entry())
}
