//! The binary `worldforge`.

fn main() -> std::process::ExitCode {
    toolwright_runtime::cli::run(&toolwright::worldforge::entry())
}
