//! Real MongoDB servers for tests, each in a temporary folder on a free local port. They end with the
//! test process, even when that is killed.
//!
//! `WORLDFORGE_TEST_MONGOD` names the program; the default is the one that `tests/mongod` fetched into
//! the target folder. Without one, tests report that and pass, except when `CI` is `true`.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use mongodb::bson::{Document, doc};
use mongodb::sync::Client;
use toolwright_testing::keeper::{Keeper, free_port};
use toolwright_testing::provided::skipped;

/// Ports that the system gives to nobody by itself. Other tests have those below.
const PORTS: std::ops::Range<u16> = 25_000..32_000;

/// Obeys orders, each answered by a line; the end of the input ends the server and removes the
/// folder, so that nothing stays when the test process is killed. What is to be frozen may still
/// answer for a moment: it is waited for.
const KEEPER: &str = r#"
trap '' INT
D=$(mktemp -d) || exit 1
while read -r order; do
  case $order in
    start) "$@" --dbpath "$D" --logpath "$D/log" --logappend >>"$D/out" 2>&1 </dev/null & P=$! ;;
    crash) kill -9 "$P" 2>/dev/null; wait "$P" 2>/dev/null ;;
    freeze)
      kill -STOP "$P"
      while [ -e "/proc/$P/status" ] && ! grep -q '^State:.T' "/proc/$P/status"; do sleep 0.01; done ;;
    thaw) kill -CONT "$P" ;;
  esac
  echo "$order"
done
[ -n "$P" ] && kill -9 "$P" 2>/dev/null && wait "$P" 2>/dev/null
rm -rf "$D"
"#;

/// A server of our own.
pub(crate) struct Server {
    keeper: Keeper,
    port: u16,
    replica: bool,
}

impl Server {
    /// Starts one, with transactions if it is a replica set; None where there is no program.
    pub(crate) fn start(replica: bool) -> Option<Self> {
        Self::start_with(replica, &[])
    }

    /// Starts one with more options.
    pub(crate) fn start_with(replica: bool, options: &[&str]) -> Option<Self> {
        Self::start_under(&[], replica, options)
    }

    /// Starts one under a program and its arguments, such as `env` or `nsenter`.
    pub(crate) fn start_under(wrapper: &[String], replica: bool, options: &[&str]) -> Option<Self> {
        let program = program()?;
        let port = free_port(PORTS);
        let prefix: Vec<&str> = wrapper.iter().map(String::as_str).collect();
        let keeper = Keeper::start(&prefix, KEEPER, |command| {
            let port = port.to_string();
            command.arg(program).args(["--bind_ip", "127.0.0.1", "--port", &port]);
            command.args(["--nounixsocket", "--wiredTigerCacheSizeGB", "0.25"]);
            command.args(["--journalCommitInterval", "1"]).args(options);
            command.args(replica.then_some(["--replSet", "rs0"]).into_iter().flatten());
        });
        let mut server = Self { keeper, port, replica };
        server.order("start");
        if replica {
            let host = format!("127.0.0.1:{port}");
            let members = doc! {"_id": "rs0", "members": [{"_id": 0, "host": host}]};
            server.admin(doc! {"replSetInitiate": members});
        }
        server.wait_for_primary();
        Some(server)
    }

    /// Where it is to be found.
    pub(crate) fn url(&self) -> String {
        let port = self.port;
        match self.replica {
            true => format!("mongodb://127.0.0.1:{port}/?replicaSet=rs0"),
            false => format!("mongodb://127.0.0.1:{port}/"),
        }
    }

    /// `start`, `crash` (it ends at once), `freeze` or `thaw`.
    pub(crate) fn order(&mut self, order: &str) {
        assert_eq!(self.keeper.order(order), order);
    }

    /// Starts it once more, after a crash.
    pub(crate) fn restart(&mut self) {
        self.order("start");
        self.wait_for_primary();
    }

    fn admin(&self, command: Document) -> Document {
        let url = format!(
            "mongodb://127.0.0.1:{}/?directConnection=true&serverSelectionTimeoutMS=180000",
            self.port
        );
        let client = Client::with_uri_str(url).expect("a client");
        client.database("admin").run_command(command).run().expect("the server obeys")
    }

    fn wait_for_primary(&self) {
        while !self.admin(doc! {"hello": 1}).get_bool("isWritablePrimary").unwrap_or(false) {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// The URL of a server that all tests of this process share.
pub(crate) fn shared(replica: bool) -> Option<String> {
    static SHARED: [OnceLock<Option<String>>; 2] = [OnceLock::new(), OnceLock::new()];
    // Their inputs close with this process.
    static KEPT: Mutex<Vec<Server>> = Mutex::new(Vec::new());
    let url = SHARED[usize::from(replica)].get_or_init(|| {
        let server = Server::start(replica)?;
        let url = server.url();
        KEPT.lock().expect("a list").push(server);
        Some(url)
    });
    url.clone()
}

fn program() -> Option<PathBuf> {
    let named = std::env::var_os("WORLDFORGE_TEST_MONGOD").map(PathBuf::from);
    let cached = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/mongod/mongod");
    let found = [named, Some(cached)].into_iter().flatten().find(|program| program.is_file());
    found.or_else(|| skipped("MongoDB is not there: fetch it by `tests/mongod`"))
}
