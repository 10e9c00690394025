//! The servers that are compared, where they are, and what they are made of.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::Program;
use crate::table::{
    FASTMCP, FLOOR, MACROS, MACROS_STATELESS, OURS, PY_LOW, PY_MCP, TS_SDK, TS_SERVER, UPSTREAM,
};

/// What another SDK is written in; bars go by it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    TypeScript,
    Python,
}

/// A server of ours on somebody else's SDK.
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    pub(crate) language: Language,
    /// None when its packages could not be installed.
    pub(crate) program: Option<Program>,
}

/// All of them.
pub(crate) struct Programs {
    pub(crate) ours: Program,
    pub(crate) floor: Program,
    pub(crate) macros: Program,
    /// The macro server over HTTP as we use the SDK: without sessions, with plain JSON.
    pub(crate) macros_stateless: Program,
    pub(crate) peers: Vec<Peer>,
    /// agentpack from its registry.
    pub(crate) upstream: Option<PathBuf>,
    pub(crate) agentpack: PathBuf,
    pub(crate) wa: PathBuf,
    pub(crate) wink: PathBuf,
    pub(crate) worldforge: PathBuf,
    pub(crate) yarnnn: PathBuf,
}

impl Programs {
    /// `built` has the release builds, `peers` what `benches/peers/install` has made.
    pub(crate) fn find(built: &Path, peers: &Path) -> Self {
        let macros = Program::new(MACROS, built.join("bench-rmcp-macros")).pace(8);
        let upstream = peers.join("bin/agentpack");
        Self {
            ours: Program::new(OURS, built.join("echo-server"))
                .arguments(&["mcp"])
                .http(&["mcp", "--http", "127.0.0.1:{port}", "--http-max-calls", "1024"])
                .with("ECHO_LOG", "warning"),
            floor: Program::new(FLOOR, built.join("bench-floor")),
            macros_stateless: macros.clone().named(MACROS_STATELESS).http(&[
                "--http",
                "{port}",
                "--stateless",
            ]),
            macros: macros.http(&["--http", "{port}"]),
            peers: vec![
                typescript(peers, TS_SDK, "sdk.mjs"),
                typescript(peers, TS_SERVER, "server.mjs"),
                python(peers, PY_LOW, "python-mcp", "lowlevel.py"),
                python(peers, PY_MCP, "python-mcp", "mcpserver.py"),
                python(peers, FASTMCP, "python-fastmcp", "fast.py"),
            ],
            upstream: is_installed(peers, "agentpack").then_some(upstream),
            agentpack: built.join("agentpack"),
            wa: built.join("wa"),
            wink: built.join("wink"),
            worldforge: built.join("worldforge"),
            yarnnn: built.join("yarnnn"),
        }
    }

    /// What could not be installed.
    pub(crate) fn missing(&self) -> Vec<String> {
        let absent = self.peers.iter().filter(|peer| peer.program.is_none()).map(|peer| peer.name);
        let upstream = self.upstream.is_none().then_some(UPSTREAM);
        absent.chain(upstream).map(|name| format!("{name} is not installed")).collect()
    }
}

fn typescript(peers: &Path, name: &'static str, file: &str) -> Peer {
    let script = peers.join("typescript").join(file).display().to_string();
    let program = Program::new(name, "node").arguments(&[&script]).http(&[&script, "{port}"]);
    let program = is_installed(peers, "typescript").then(|| program.pace(16));
    Peer { name, language: Language::TypeScript, program }
}

fn python(peers: &Path, name: &'static str, environment: &str, file: &str) -> Peer {
    let script = peers.join("python").join(file).display().to_string();
    let program = Program::new(name, peers.join(environment).join("bin/python"))
        .arguments(&[&script])
        .http(&[&script, "{port}"])
        // Whatever the caller's habits are: as Python comes.
        .with("PYTHONDONTWRITEBYTECODE", "")
        .with("PYTHONUNBUFFERED", "");
    let program = is_installed(peers, environment).then(|| program.pace(64));
    Peer { name, language: Language::Python, program }
}

fn is_installed(peers: &Path, what: &str) -> bool {
    peers.join(format!("{what}.installed")).is_file()
}

/// Versions of what is compared, as installed.
pub(crate) fn versions(peers: &Path) -> BTreeMap<String, String> {
    let said = |program: &Path, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        Some(text.split_whitespace().last()?.trim_start_matches('v').to_owned())
    };
    let python = |environment: &str, package: &str| {
        let ask = format!("import importlib.metadata as m; print(m.version('{package}'))");
        said(&peers.join(environment).join("bin/python"), &["-c", &ask])
    };
    let node = |package: &str| {
        let file = peers.join("typescript/node_modules").join(package).join("package.json");
        let about: serde_json::Value = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
        Some(about["version"].as_str()?.to_owned())
    };
    let found = [
        ("rmcp", locked("rmcp")),
        ("@modelcontextprotocol/sdk", node("@modelcontextprotocol/sdk")),
        ("@modelcontextprotocol/server", node("@modelcontextprotocol/server")),
        ("mcp", python("python-mcp", "mcp")),
        ("fastmcp", python("python-fastmcp", "fastmcp")),
        ("agentpack", said(&peers.join("bin/agentpack"), &["--version"])),
        ("node", said(Path::new("node"), &["--version"])),
        ("python", said(&peers.join("python-mcp/bin/python"), &["--version"])),
    ];
    let known = found.into_iter().filter_map(|(name, version)| Some((name.to_owned(), version?)));
    known.collect()
}

/// The version that the benchmarks' own lock file has.
fn locked(package: &str) -> Option<String> {
    let lock = include_str!("../../Cargo.lock");
    let (_, rest) = lock.split_once(&format!("name = \"{package}\"\nversion = \""))?;
    Some(rest.split_once('"')?.0.to_owned())
}
