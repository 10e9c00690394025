//! Builds in a copy of the sources: from nothing, and after a sentence of the contract was changed;
//! against an earlier commit; and what a contract of three, thirty and three hundred tools costs.

mod against;
mod base;
mod cargo;
mod tree;
mod wide;

use std::path::{Path, PathBuf};

use crate::folder::Folder;
use crate::program::Program;
use crate::programs::Programs;
use crate::table::{FLOOR, MACROS, OURS, Row, Table};
use crate::{Plan, Result};
use cargo::Profile;
use tree::{Edit, Tree};
pub(crate) use wide::Wide;

/// Tools of the contract that is built.
const TOOLS: [usize; 3] = [3, 30, 300];

const CONTRACT: Edit = Edit {
    file: "examples/echo/specs/echo/tools/echo.yaml",
    after: "\ndescription: ",
    more: "Really. ",
};
const MACRO_SERVER: Edit =
    Edit { file: "benches/rmcp_macros/src/main.rs", after: "description = \"", more: "Really: " };

/// Also gives the servers of the wide contracts, to be measured.
pub(crate) fn measure(
    plan: &Plan,
    programs: &Programs,
    base: Option<&str>,
    table: &mut Table,
) -> Result<Wide> {
    let folder = Folder::new("builds")?;
    let tree = Tree::copy(&folder.path)?;
    table.section("builds");
    sizes(programs, table)?;

    let echo = tree.build(Unit::Echo)?;
    let floor = tree.build(Unit::Floor)?;
    let macros = tree.build(Unit::Macros)?;
    let row = Row::new("clean, release", "s", echo).floor(floor, None);
    table.add(row.peer(MACROS, Some(macros), None));
    tree.edit(&MACRO_SERVER)?;
    let macros = tree.build(Unit::Macros)?;

    let mut servers = Vec::new();
    for tools in TOOLS {
        tree.widen(tools)?;
        tree.build(Unit::Echo)?;
        tree.edit(&CONTRACT)?;
        let time = tree.build(Unit::Echo)?;
        let row = Row::new("after an edit of the contract, release", "s", time);
        // The macro server has three tools.
        let row = if tools == TOOLS[0] { row.peer(MACROS, Some(macros), None) } else { row };
        table.add(row.at(tools, "tools"));
        servers.push((tools, tree.keep_server(tools)?));
    }

    against::measure(plan, &tree, base, table)?;
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

/// What is built by itself.
#[derive(Clone, Copy)]
enum Unit {
    Echo,
    Floor,
    Macros,
}

impl Tree {
    /// Seconds of a release build. Each unit has a target folder of its own: none profits from
    /// another.
    fn build(&self, unit: Unit) -> Result<f64> {
        let (manifest, package, target) = match unit {
            Unit::Echo => ("Cargo.toml", "echo-server", OURS),
            Unit::Floor => ("benches/Cargo.toml", "bench-floor", FLOOR),
            Unit::Macros => ("benches/Cargo.toml", "bench-rmcp-macros", MACROS),
        };
        let manifest = self.sources.join(manifest);
        cargo::build(&manifest, &self.target(target), Profile::Release, &["--package", package])
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
