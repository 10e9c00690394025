//! The binary `worldforge`.

fn main() -> std::process::ExitCode {
    toolwright::cli::surface(&toolwright::worldforge::entry())
}
