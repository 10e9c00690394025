//! The binary `worldforge`.

fn main() -> std::process::ExitCode {
    toolwright_commands::run(&worldforge::entry())
}
