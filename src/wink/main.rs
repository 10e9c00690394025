//! The binary `wink`.

fn main() -> std::process::ExitCode {
    toolwright_runtime::cli::run(&toolwright::wink::entry())
}
