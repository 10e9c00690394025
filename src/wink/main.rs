//! The binary `wink`.

fn main() -> std::process::ExitCode {
    toolwright_commands::run(&wink::entry())
}
