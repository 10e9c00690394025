//! The binary `yarnnn`.

fn main() -> std::process::ExitCode {
    toolwright_runtime::cli::run(&toolwright::yarnnn::entry())
}
