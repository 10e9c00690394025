//! A PostgreSQL for tests: the one that `YARNNN_TEST_POSTGRES` names, else one of our own in a
//! temporary folder, started when first asked for and gone with the test process.
//!
//! Where neither is to be had, tests say so and pass, but not when `CI` is `true`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use super::{Database, Options};

/// Obeys `start` and `crash`, each answered by a line; the end of the input stops the server and
/// removes the folder, so that nothing stays when the test process is killed.
const KEEPER: &str = r#"
trap '' INT
cd / && D=$(mktemp -d) || exit 1
initdb -D "$D/data" -U tester --auth=trust --no-sync -E UTF8 --locale=C.UTF-8 >"$D/initdb.log" 2>&1 || { cat "$D/initdb.log" >&2; exit 1; }
printf '%s\n' "listen_addresses=''" "unix_socket_directories='$D'" "fsync=off" "full_page_writes=off" "max_connections=60" >>"$D/data/postgresql.conf"
echo "$D"
while read -r order; do
  case $order in
    start) pg_ctl -D "$D/data" -w -l "$D/log" start >/dev/null 2>&1; echo "$order $?" ;;
    crash) pg_ctl -D "$D/data" -m immediate stop >/dev/null 2>&1; echo "$order $?" ;;
  esac
done
pg_ctl -D "$D/data" -m immediate stop >/dev/null 2>&1
rm -rf "$D"
"#;

/// A server of our own.
pub(crate) struct Server {
    keeper: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    url: String,
}

impl Server {
    /// Starts one; None, with loud words, where PostgreSQL is not installed.
    pub(crate) fn start() -> Option<Self> {
        if !installed("initdb") || !installed("pg_ctl") {
            return skipped("`initdb` and `pg_ctl` are not on the PATH");
        }
        // PostgreSQL does not run as root.
        let mut command = if is_root() {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "sh"]);
            command
        } else {
            Command::new("sh")
        };
        let mut keeper = command
            .args(["-c", KEEPER])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell starts");
        let orders = keeper.stdin.take();
        let answers = BufReader::new(keeper.stdout.take().expect("an output"));
        let mut server = Self { keeper, orders, answers, url: String::new() };
        let folder = server.answer();
        assert!(!folder.is_empty(), "initdb failed");
        let host: String = folder.bytes().map(|byte| format!("%{byte:02X}")).collect();
        server.url = format!("postgres://tester@{host}/postgres");
        server.order("start");
        Some(server)
    }

    /// Where it is to be found.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// `start`, or `crash`: all its processes end at once, as when the machine goes down.
    pub(crate) fn order(&mut self, order: &str) {
        writeln!(self.orders.as_mut().expect("an input"), "{order}").expect("the keeper listens");
        assert_eq!(self.answer(), format!("{order} 0"));
    }

    fn answer(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the keeper answers");
        line.trim_end().to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.orders = None;
        let _ = self.keeper.wait();
    }
}

/// An empty schema of a server that all tests of this process share, and its URL.
pub(crate) fn postgres() -> Option<String> {
    static SHARED: OnceLock<Option<String>> = OnceLock::new();
    static NUMBER: AtomicU32 = AtomicU32::new(1);
    let url = SHARED.get_or_init(|| {
        if let Ok(url) = std::env::var("YARNNN_TEST_POSTGRES") {
            return Some(url);
        }
        let server = Server::start()?;
        let url = server.url().to_owned();
        // Its input closes with this process.
        std::mem::forget(server);
        Some(url)
    });
    let url = url.clone().or_else(|| skipped("no server"))?;
    let schema = format!("test_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    Database::open(&url, Options::default())
        .and_then(|database| {
            database.write(|transaction| transaction.batch(&format!("CREATE SCHEMA {schema}")))
        })
        .expect("the server answers");
    let and = if url.contains('?') { '&' } else { '?' };
    Some(format!("{url}{and}options=-csearch_path%3D{schema}"))
}

fn skipped<T>(why: &str) -> Option<T> {
    eprintln!("SKIPPED: the PostgreSQL half of this test did not run: {why}.");
    assert!(std::env::var("CI").as_deref() != Ok("true"), "PostgreSQL must be there in CI: {why}");
    None
}

fn installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n")
}
