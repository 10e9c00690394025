//! Encrypted connections to a real server, with certificates created for the test.

use super::testing::Server;
use super::*;

/// A server, and URLs to it.
struct Encrypted {
    server: Server,
    port: u16,
}

impl Encrypted {
    fn start() -> Option<Self> {
        let port = testing::free_port();
        Some(Self { server: Server::start_encrypted(port)?, port })
    }

    fn open(&self, host: &str, parameters: &str) -> Result<Database> {
        let folder = self.server.file("");
        let parameters = parameters
            .replace("{folder}", &folder.replace('/', "%2F"))
            .replace("{port}", &self.port.to_string());
        let port = if host.is_empty() { String::new() } else { format!(":{}", self.port) };
        let url = format!("postgres://tester@{host}{port}/postgres?{parameters}");
        Database::open(&url, Options::default())
    }

    /// Whether the connection that these parameters make is encrypted.
    fn encrypted(&self, host: &str, parameters: &str) -> Result<bool> {
        encrypted(&self.open(host, parameters)?)
    }

    fn refused(&self, host: &str, parameters: &str) -> String {
        let error = self.encrypted(host, parameters).unwrap_err();
        assert_eq!(error.kind, Kind::Denied, "{error:?}");
        error.message
    }
}

fn encrypted(database: &Database) -> Result<bool> {
    let ssl = "SELECT ssl::int::bigint FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    scalar(database, ssl, &[]).map(|value| value == Value::Int(1))
}

const UNTRUSTED: &str = "The database's certificate is not trusted. Name the file of its \
                         root certificate: `sslrootcert=path`.";
const MISNAMED: &str = "The database's certificate is for another host. Use the host that it \
                        names, or `sslmode=verify-ca`.";

#[test]
fn every_mode_encrypts_and_trusts_as_it_says() {
    let Some(server) = Encrypted::start() else { return };
    let (host, other) = ("localhost", "127.0.0.1");
    for (host, parameters, expected) in [
        (host, "", true),
        (host, "sslmode=disable", false),
        (host, "sslmode=disable&sslrootcert=/nowhere", false),
        (host, "sslmode=prefer", true),
        (host, "sslmode=require", true),
        (other, "sslmode=require", true),
        (host, "sslmode=require&sslrootcert={folder}ca.crt", true),
        (host, "sslmode=verify-ca&sslrootcert={folder}ca.crt", true),
        (other, "sslmode=verify-ca&sslrootcert={folder}ca.crt", true),
        (host, "application_name=me&sslrootcert={folder}ca.crt&sslmode=verify-full", true),
        // Only an address, no name.
        ("", "hostaddr=127.0.0.1&port={port}&sslmode=prefer", true),
        ("", "hostaddr=127.0.0.1&port={port}&sslmode=verify-ca&sslrootcert={folder}ca.crt", true),
        ("localhost", "hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert={folder}ca.crt", true),
    ] {
        assert_eq!(server.encrypted(host, parameters), Ok(expected), "{parameters}");
    }
    for (host, parameters, message) in [
        (other, "sslmode=verify-full&sslrootcert={folder}ca.crt", MISNAMED),
        (host, "sslmode=verify-full&sslrootcert={folder}other.crt", UNTRUSTED),
        (host, "sslmode=verify-ca&sslrootcert={folder}other.crt", UNTRUSTED),
        // As with libpq, a named authority counts in every mode.
        (host, "sslmode=require&sslrootcert={folder}other.crt", UNTRUSTED),
        (host, "sslmode=prefer&sslrootcert={folder}other.crt", UNTRUSTED),
        // No public authority knows it.
        (host, "sslmode=verify-full", UNTRUSTED),
        (host, "sslmode=verify-full&sslrootcert=system", UNTRUSTED),
        (host, "sslrootcert=system", UNTRUSTED),
    ] {
        assert_eq!(server.refused(host, parameters), message, "{parameters}");
    }
}

#[test]
fn an_encrypted_connection_writes_reads_and_comes_back_after_a_crash() {
    let Some(mut server) = Encrypted::start() else { return };
    let parameters = "sslmode=verify-full&sslrootcert={folder}ca.crt";
    let database = server.open("localhost", parameters).unwrap();
    batch(&database, "CREATE TABLE t (id BIGINT, body TEXT)");
    let body = "ä".repeat(1_000_000);
    let insert = "INSERT INTO t VALUES ($1, $2)";
    assert_eq!(execute(&database, insert, &[1.into(), body.clone().into()]), Ok(1));
    assert_eq!(scalar(&database, "SELECT body FROM t", &[]), Ok(Value::Text(body)));
    server.server.send("crash");
    assert_eq!(kind(database.ping()), Kind::Unavailable);
    server.server.send("start");
    assert_eq!(execute(&database, insert, &[2.into(), "b".into()]), Ok(1));
    assert_eq!(encrypted(&database), Ok(true));
}

#[test]
fn a_password_is_bound_to_the_encrypted_channel() {
    let Some(server) = Encrypted::start() else { return };
    let database = server.open("localhost", "sslmode=require").unwrap();
    batch(&database, "CREATE ROLE sealed LOGIN PASSWORD 'hush?'");
    let sealed = |password: &str, parameters: &str| {
        let port = server.port;
        let url = format!("postgres://sealed:{password}@localhost:{port}/postgres?{parameters}");
        encrypted(&Database::open(&url, Options::default()).unwrap())
    };
    // The question mark of the password begins no parameters.
    assert_eq!(sealed("hush?", "sslmode=require&channel_binding=require"), Ok(true));
    let wrong = sealed("hush", "sslmode=require&channel_binding=require").unwrap_err();
    assert_eq!(wrong.kind, Kind::Denied);
    assert!(!format!("{wrong:?}").contains("hush"), "{wrong:?}");
}

#[test]
fn a_certificate_signed_by_itself_is_trusted_when_it_is_named_itself() {
    let Some(mut server) = Encrypted::start() else { return };
    for (from, to) in [("self.crt", "data/server.crt"), ("self.key", "data/server.key")] {
        std::fs::copy(server.server.file(from), server.server.file(to)).unwrap();
    }
    server.server.send("crash");
    server.server.send("start");
    let pinned = "sslmode=verify-full&sslrootcert={folder}self.crt";
    assert_eq!(server.encrypted("localhost", pinned), Ok(true));
    assert_eq!(server.refused("127.0.0.1", pinned), MISNAMED);
    let authority = "sslmode=verify-ca&sslrootcert={folder}ca.crt";
    assert_eq!(server.refused("localhost", authority), UNTRUSTED);
    assert_eq!(server.encrypted("localhost", "sslmode=require"), Ok(true));
}

#[test]
fn a_server_without_tls_is_used_only_where_the_mode_allows() {
    let Some(mut server) = Encrypted::start() else { return };
    let file = server.server.file("data/postgresql.conf");
    let settings = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, settings + "ssl=off\n").unwrap();
    server.server.send("crash");
    server.server.send("start");
    for plain in ["", "sslmode=prefer", "sslmode=prefer&sslrootcert={folder}ca.crt"] {
        assert_eq!(server.encrypted("localhost", plain), Ok(false), "{plain}");
    }
    for mode in ["require", "verify-ca", "verify-full"] {
        let parameters = format!("sslmode={mode}&sslrootcert={{folder}}ca.crt");
        assert_eq!(
            server.refused("localhost", &parameters),
            "The database offers no TLS, which the URL's `sslmode` requires."
        );
    }
    // A socket of this machine needs none, as with libpq.
    let (socket, name) = server.server.url().rsplit_once('/').unwrap();
    let url = format!("{socket}:{}/{name}?sslmode=verify-full", server.port);
    assert_eq!(encrypted(&Database::open(&url, Options::default()).unwrap()), Ok(false));
}

#[test]
fn what_cannot_be_trusted_or_read_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let empty = file("empty.crt", "no certificate\n");
    let damaged =
        file("damaged.crt", "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n");
    for (parameters, words) in [
        ("sslmode=verify-ca".to_owned(), "no host's name. Use `sslmode=verify-full`"),
        ("sslmode=require&sslrootcert=system".to_owned(), "no host's name"),
        ("sslmode=allow".to_owned(), "`sslmode` is not supported. Use `disable`"),
        (
            "sslmode=verify-full&sslrootcert=%2Fno%20where".to_owned(),
            "`/no where`, which cannot be read",
        ),
        (format!("sslmode=verify-full&sslrootcert={empty}"), "holds no certificate"),
        (format!("sslmode=require&sslrootcert={damaged}"), "is damaged"),
    ] {
        let url = format!("postgres://u:hush@localhost/x?{parameters}");
        let error = Database::open(&url, Options::default()).err().unwrap();
        assert_eq!(error.kind, Kind::Broken, "{error:?}");
        assert!(error.message.contains(words), "{error:?}");
        assert!(!format!("{error:?}").contains("hush"), "{error:?}");
    }
}
