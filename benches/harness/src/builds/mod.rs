//! Builds in a copy of the sources: from nothing, and after a sentence of the contract was changed;
//! and what a contract of three, thirty and three hundred tools costs.

mod tree;
mod wide;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Result;
use crate::folder::Folder;
use crate::program::Program;
use crate::programs::Programs;
use crate::stats::timed;
use crate::table::{FLOOR, MACROS, OURS, Row, Table};
use tree::Tree;
pub(crate) use wide::Wide;

/// Tools of the contract that is built.
const TOOLS: [usize; 3] = [3, 30, 300];

const ECHO: &str = "examples/echo/specs/echo/tools/echo.yaml";
const MACRO_SERVER: &str = "benches/rmcp_macros/src/main.rs";
const WINK: &str = "specs/wink/tools/list_overrides.yaml";

/// Also gives the servers of the wide contracts, to be measured.
pub(crate) fn measure(programs: &Programs, table: &mut Table) -> Result<Wide> {
    let folder = Folder::new("builds")?;
    let tree = Tree::copy(&folder.path)?;
    table.section("builds");
    sizes(programs, table)?;

    let echo = tree.build(Profile::Release, Unit::Echo)?;
    let floor = tree.build(Profile::Release, Unit::Floor)?;
    let macros = tree.build(Profile::Release, Unit::Macros)?;
    let row = Row::new("clean, release", "s", echo).floor(floor, None);
    table.add(row.peer(MACROS, Some(macros), None));
    tree.edit(MACRO_SERVER)?;
    let macros = tree.build(Profile::Release, Unit::Macros)?;

    let mut servers = Vec::new();
    for tools in TOOLS {
        tree.widen(tools)?;
        tree.build(Profile::Release, Unit::Echo)?;
        tree.edit(ECHO)?;
        let time = tree.build(Profile::Release, Unit::Echo)?;
        let row = Row::new("after an edit of the contract, release", "s", time);
        // The macro server has three tools.
        let row = if tools == TOOLS[0] { row.peer(MACROS, Some(macros), None) } else { row };
        table.add(row.at(tools, "tools"));
        servers.push((tools, tree.keep_server(tools)?));
    }

    let time = tree.build(Profile::Debug, Unit::Surfaces)?;
    table.add(Row::new("clean, debug, five surfaces", "s", time));
    tree.edit(WINK)?;
    let time = tree.build(Profile::Debug, Unit::Surfaces)?;
    table.add(Row::new("after an edit of a contract, debug, five surfaces", "s", time));
    Ok(Wide { _folder: folder, servers })
}

fn sizes(programs: &Programs, table: &mut Table) -> Result<()> {
    let [ours, floor, macros] = [&programs.ours, &programs.floor, &programs.macros].map(megabytes);
    let row = Row::new("binary, echo", "MB", ours?).floor(floor?, None);
    table.add(row.peer(MACROS, Some(macros?), None));
    for (name, path) in [
        ("agentpack", &programs.agentpack),
        ("wa", &programs.wa),
        ("wink", &programs.wink),
        ("worldforge", &programs.worldforge),
        ("yarnnn", &programs.yarnnn),
    ] {
        let size = megabytes(&Program::new(OURS, path))?;
        table.add(Row::new(format!("binary, {name}"), "MB", size));
    }
    Ok(())
}

fn megabytes(program: &Program) -> Result<f64> {
    Ok(std::fs::metadata(program.path())?.len() as f64 / 1e6)
}

#[derive(Clone, Copy)]
enum Profile {
    Debug,
    Release,
}

/// What is built.
#[derive(Clone, Copy)]
enum Unit {
    Echo,
    Floor,
    Macros,
    Surfaces,
}

impl Tree {
    /// Seconds that cargo takes. Each unit has a target folder of its own: none profits from another.
    fn build(&self, profile: Profile, unit: Unit) -> Result<f64> {
        let (manifest, package, target) = match unit {
            Unit::Echo => ("Cargo.toml", "echo-server", OURS),
            Unit::Floor => ("benches/Cargo.toml", "bench-floor", FLOOR),
            Unit::Macros => ("benches/Cargo.toml", "bench-rmcp-macros", MACROS),
            Unit::Surfaces => ("Cargo.toml", "toolwright", "surfaces"),
        };
        let mut command = Command::new("cargo");
        command.args(["build", "--quiet", "--package", package]);
        command.arg("--manifest-path").arg(self.sources.join(manifest));
        command.env("CARGO_TARGET_DIR", self.target(target)).stdin(Stdio::null());
        if let Profile::Release = profile {
            command.arg("--release");
        }
        let (time, status) = timed(|| command.status())?;
        if status.success() { Ok(time / 1e6) } else { Err(format!("{package}: {status}").into()) }
    }

    fn target(&self, name: &str) -> PathBuf {
        self.folder.join("target").join(name)
    }

    /// Puts the echo server aside, for the next one takes its place.
    fn keep_server(&self, tools: usize) -> Result<Program> {
        let kept = self.folder.join(format!("echo-{tools}"));
        std::fs::copy(self.target(OURS).join("release/echo-server"), &kept)?;
        Ok(echo(&kept))
    }
}

fn echo(path: &Path) -> Program {
    Program::new(OURS, path).arguments(&["mcp"]).with("ECHO_LOG", "warning")
}
