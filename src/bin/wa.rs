//! The binary `wa`.

fn main() -> std::process::ExitCode {
    toolwright::cli::surface(&toolwright::wa::entry())
}
