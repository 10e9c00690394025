//! The binary `toolwright`.

fn main() -> std::process::ExitCode {
    toolwright::cli::toolwright()
}
