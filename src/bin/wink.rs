//! The binary `wink`.

fn main() -> std::process::ExitCode {
    toolwright::cli::surface(&toolwright::wink::entry())
}
