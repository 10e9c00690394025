//! The binary `yarnnn`.

fn main() -> std::process::ExitCode {
    toolwright_commands::run(&yarnnn::entry())
}
