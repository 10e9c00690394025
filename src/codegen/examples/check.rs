//! Prints what the compiler has to say about a specs folder:
//! `cargo run -p toolwright-codegen --example check -- specs`.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use toolwright_codegen::diagnostics::Colour;

fn main() -> ExitCode {
    let specs = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("specs"), PathBuf::from);
    let loaded = toolwright_codegen::load(&specs);
    let mut out = std::io::stdout();
    let _ = write!(out, "{}", loaded.report.render(Colour::Never));
    for contract in &loaded.contracts {
        let (tools, digest) = (contract.tools.len(), &contract.digest);
        let _ = writeln!(out, "{}: {tools} tools, digest {digest}", contract.name);
    }
    if loaded.report.has_errors() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
