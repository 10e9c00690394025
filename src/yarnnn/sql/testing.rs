//! A PostgreSQL for tests: the one that `YARNNN_TEST_POSTGRES` names, else a private one in a
//! temporary folder, started on first use and stopped with the test process. Also one
//! with TLS.
//!
//! If neither is available, tests print a notice and pass, except when `CI` is `true`.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use toolwright_testing::keeper::{self, Keeper};
use toolwright_testing::process::is_root;
use toolwright_testing::provided::{is_installed, skipped};

use super::{Database, Options};

/// Runs its argument once the folder `$D` exists; the data directory is there, or at `$DATA`. Then
/// obeys `start`, `crash` and `kill`, each answered by a line; the end of the input stops the
/// server and removes the folder, so that nothing stays when the test process is killed. A slow
/// machine has minutes, and a start after `kill` waits for the processes that are left over.
const SUPERVISOR: &str = r#"
trap '' INT
export PGCTLTIMEOUT=300
cd / && D=$(mktemp -d) || exit 1
: "${DATA:=$D/data}"
initdb -D "$DATA" -U tester --auth=trust --no-sync -E UTF8 --locale=C.UTF-8 >"$D/initdb.log" 2>&1 || { cat "$D/initdb.log" >&2; exit 1; }
printf '%s\n' "listen_addresses=''" "unix_socket_directories='$D'" "fsync=off" "full_page_writes=off" "max_connections=200" >>"$DATA/postgresql.conf"
D="$D" sh -ec "$1" 2>"$D/setup.log" || { cat "$D/setup.log" >&2; exit 1; }
echo "$D"
while read -r order; do
  case $order in
    start) tries=0; until pg_ctl -D "$DATA" -w -l "$D/log" start >/dev/null 2>&1 || [ $tries -ge 60 ]; do tries=$((tries + 1)); sleep 1; done; pg_ctl -D "$DATA" status >/dev/null 2>&1; echo "$order $?" ;;
    crash) pg_ctl -D "$DATA" -m immediate stop >/dev/null 2>&1; echo "$order $?" ;;
    kill) kill -9 "$(head -n 1 "$DATA/postmaster.pid")"; echo "$order $?" ;;
  esac
done
pg_ctl -D "$DATA" -m immediate stop >/dev/null 2>&1
rm -rf "$D"
"#;

/// An authority (`ca.crt`), a certificate of it for `localhost`, a stranger (`other.crt`) and a
/// certificate for `localhost` that is signed by itself. The user `sealed` needs a password.
const TLS: &str = r#"
cd "$D"
key="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
echo subjectAltName=DNS:localhost >names
openssl req -x509 $key -subj /CN=ca -keyout ca.key -out ca.crt
openssl req -x509 $key -subj /CN=other -keyout other.key -out other.crt
openssl req -x509 $key -subj /CN=self -addext subjectAltName=DNS:localhost -keyout self.key -out self.crt
openssl req $key -subj /CN=server -keyout data/server.key -out server.csr
openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile names -out data/server.crt
chmod 600 data/server.key
echo "hostssl all sealed 127.0.0.1/32 scram-sha-256" | cat - data/pg_hba.conf >pg_hba.conf
cp pg_hba.conf data/pg_hba.conf
printf '%s\n' "ssl=on" "listen_addresses='127.0.0.1'" "port=$PORT" >>data/postgresql.conf
"#;

/// A private server.
pub(crate) struct Server {
    keeper: Keeper,
    folder: String,
    url: String,
}

impl Server {
    /// Starts one; None, with a notice, if PostgreSQL is not installed.
    pub(crate) fn start() -> Option<Self> {
        Self::start_after("", None, &[])
    }

    /// Starts one under a program and its arguments, such as `env` or `nsenter`.
    #[allow(dead_code, reason = "only tests of faults, which share this file, need it")]
    pub(crate) fn start_under(wrapper: &[String]) -> Option<Self> {
        Self::start_after("", None, wrapper)
    }

    /// Starts one with the programs of this folder, which must be world-readable.
    #[allow(dead_code, reason = "only the live tests, which share this file, have several")]
    pub(crate) fn start_from(programs: &str) -> Option<Self> {
        Self::start_after("", Some(programs), &[])
    }

    /// Starts one that speaks TLS on this port of 127.0.0.1; see [`TLS`].
    pub(crate) fn start_encrypted(port: u16) -> Option<Self> {
        if !is_installed("openssl") {
            return skipped("`openssl` is not on the PATH");
        }
        Self::start_after(&format!("PORT={port}{TLS}"), None, &[])
    }

    fn start_after(setup: &str, programs: Option<&str>, wrapper: &[String]) -> Option<Self> {
        if programs.is_none() && (!is_installed("initdb") || !is_installed("pg_ctl")) {
            return skipped("`initdb` and `pg_ctl` are not on the PATH");
        }
        let path = std::env::var("PATH").unwrap_or_default();
        let path = programs.map_or(path.clone(), |programs| format!("{programs}:{path}"));
        // PostgreSQL does not run as root.
        let postgres = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"];
        let mut words: Vec<&str> = wrapper.iter().map(String::as_str).collect();
        words.extend(postgres.iter().filter(|_| is_root()));
        let mut keeper = Keeper::start(&words, SUPERVISOR, |command| {
            command.arg(setup).env("PATH", path);
        });
        let folder = keeper.answer();
        assert!(!folder.is_empty(), "initdb failed");
        let host: String = folder.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let url = format!("postgres://tester@{host}/postgres");
        let mut server = Self { keeper, folder, url };
        server.send("start");
        Some(server)
    }

    /// Its URL.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// A file of its folder.
    pub(crate) fn file(&self, name: &str) -> String {
        format!("{}/{name}", self.folder)
    }

    /// Sends `start`; `crash`: all its processes end at once, as in a power failure; or `kill`: its
    /// first process is killed, and the others notice.
    pub(crate) fn send(&mut self, order: &str) {
        assert_eq!(self.keeper.order(order), format!("{order} 0"));
    }
}

/// A free port of this machine, outside the ephemeral range.
pub(crate) fn free_port() -> u16 {
    keeper::free_port(15_000..25_000)
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
    let url = url.clone().or_else(|| skipped("no PostgreSQL"))?;
    let schema = format!("test_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    Database::open(&url, Options::default())
        .and_then(|database| {
            database.write(|transaction| transaction.batch(&format!("CREATE SCHEMA {schema}")))
        })
        .expect("the server answers");
    let and = if url.contains('?') { '&' } else { '?' };
    Some(format!("{url}{and}options=-csearch_path%3D{schema}"))
}
