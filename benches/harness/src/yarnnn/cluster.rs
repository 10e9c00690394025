//! A PostgreSQL of its own in a temporary folder, as durable as it is by default.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Result;

/// How long pgbench inserts, in seconds.
const SECONDS: &str = "10";
/// The user that PostgreSQL runs as where this runs as root.
const USER: &str = "postgres";

/// A server that stops with its owner.
pub(super) struct Cluster {
    folder: PathBuf,
    pub(super) url: String,
}

impl Cluster {
    /// Starts one; none where PostgreSQL is not installed.
    pub(super) fn start() -> Result<Option<Self>> {
        if !["initdb", "pg_ctl", "pgbench"].iter().all(|name| installed(name)) {
            return Ok(None);
        }
        let folder = std::env::temp_dir().join(format!("bench-postgres-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        if rustix::process::getuid().is_root() {
            run(Command::new("chown").arg(USER).arg(&folder))?;
        }
        let data = folder.join("data");
        run(server("initdb").arg("-D").arg(&data).args([
            "-U",
            "bench",
            "--auth=trust",
            "-E",
            "UTF8",
        ]))?;
        let place = format!(
            "-c listen_addresses= -c max_connections=200 -c unix_socket_directories={}",
            folder.display()
        );
        let log = folder.join("log");
        let start = server("pg_ctl")
            .arg("-D")
            .arg(&data)
            .args(["-w", "-o", &place, "-l"])
            .arg(log)
            .arg("start")
            .status()?;
        if !start.success() {
            return Err("PostgreSQL did not start".into());
        }
        let host: String =
            folder.display().to_string().bytes().map(|byte| format!("%{byte:02X}")).collect();
        Ok(Some(Self { folder, url: format!("postgres://bench@{host}/postgres") }))
    }

    /// Transactions in a second of so many connections that run a script.
    pub(super) fn pgbench(&self, script: &str, connections: usize) -> Result<f64> {
        let file = self.folder.join("script.sql");
        std::fs::write(&file, script)?;
        let output = Command::new("pgbench")
            .env("PATH", path())
            .args(["-n", "-j", "2", "-T", SECONDS, "-U", "bench", "-c", &connections.to_string()])
            .arg("-f")
            .arg(&file)
            .arg("-h")
            .arg(&self.folder)
            .arg("postgres")
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let line = text.lines().find_map(|line| line.strip_prefix("tps = "));
        let rate =
            line.and_then(|rest| rest.split_whitespace().next()).and_then(|rate| rate.parse().ok());
        rate.ok_or_else(|| {
            format!("pgbench: {text}{}", String::from_utf8_lossy(&output.stderr)).into()
        })
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = server("pg_ctl")
            .arg("-D")
            .arg(self.folder.join("data"))
            .args(["-m", "immediate", "stop"])
            .status();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A program that does not run as root.
fn server(name: &str) -> Command {
    let mut command = if rustix::process::getuid().is_root() {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", USER, "--regid", USER, "--clear-groups", name]);
        command
    } else {
        Command::new(name)
    };
    command.env("PATH", path()).current_dir("/").stdout(Stdio::null());
    command
}

fn run(command: &mut Command) -> Result<()> {
    match command.status()?.success() {
        true => Ok(()),
        false => Err(format!("{command:?} failed").into()),
    }
}

fn installed(name: &str) -> bool {
    std::env::split_paths(&path()).any(|folder| folder.join(name).is_file())
}

/// The PATH, and where Debian keeps the programs of servers.
fn path() -> OsString {
    let own = std::env::var_os("PATH").unwrap_or_default();
    let debian =
        std::fs::read_dir(Path::new("/usr/lib/postgresql")).into_iter().flatten().flatten();
    let folders = debian.map(|version| version.path().join("bin"));
    std::env::join_paths(folders.chain(std::env::split_paths(&own))).unwrap_or(own)
}
