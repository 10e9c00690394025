//! The binary `yarnnn`.

fn main() -> std::process::ExitCode {
    toolwright::cli::surface(&toolwright::yarnnn::entry())
}
