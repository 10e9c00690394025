//! The binary `wa`.

fn main() -> std::process::ExitCode {
    toolwright_commands::run(&wa::entry())
}
