//! The binary `wa`.

fn main() -> std::process::ExitCode {
    toolwright_runtime::cli::run(&toolwright::wa::entry())
}
