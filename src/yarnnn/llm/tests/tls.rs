//! TLS, with a certificate created for the test.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::*;

/// An authority, and a server's certificate of it for `localhost`.
const MAKE: &str = r#"
key="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
echo subjectAltName=DNS:localhost >names
openssl req -x509 $key -days 2 -subj /CN=ca -keyout ca.key -out ca.crt
openssl req $key -subj /CN=server -keyout server.key -out server.csr
openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.crt
"#;

fn certificates(folder: &Path) -> Option<()> {
    let made = Command::new("sh").args(["-ec", MAKE]).current_dir(folder).output().unwrap();
    if made.status.code() == Some(127) {
        eprintln!("SKIPPED: `openssl` is not on the PATH.");
        assert!(std::env::var("CI").as_deref() != Ok("true"), "openssl must be there in CI");
        return None;
    }
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    Some(())
}

#[test]
fn a_certificate_must_be_of_a_trusted_authority_and_name_the_host() {
    let folder = tempfile::tempdir().unwrap();
    let Some(()) = certificates(folder.path()) else { return };
    let read = |name: &str| CertificateDer::from_pem_file(folder.path().join(name)).unwrap();
    let ca = || Some(vec![read("ca.crt")]);
    let ask = |host: &str, trusted: Option<Vec<CertificateDer<'static>>>| {
        let key = PrivateKeyDer::from_pem_file(folder.path().join("server.key")).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![read("server.crt")], key)
            .unwrap();
        let server = Server::tls(vec![Reply::answer(&statements(&[]))], config);
        let base_url = format!("https://{host}:{}/v1", server.port());
        let options = LlmOptions { base_url, retries: 0, ..options(&server) };
        let llm = match trusted {
            Some(trusted) => LlmClient::trusting(options, || trusted),
            None => LlmClient::new(options),
        };
        let result = llm.unwrap().extract(DUMP, &[], &extract::Options::default());
        (result.map(drop).map_err(|error| error.kind), server.requests().len())
    };
    assert_eq!(ask("localhost", ca()), (Ok(()), 1));
    // Another host, Mozilla's authorities, this machine's: nothing is sent, least of all the key.
    assert_eq!(ask("127.0.0.1", ca()), (Err(ErrorKind::Unreachable), 0));
    assert_eq!(ask("localhost", Some(Vec::new())), (Err(ErrorKind::Unreachable), 0));
    assert_eq!(ask("localhost", None), (Err(ErrorKind::Unreachable), 0));
}
