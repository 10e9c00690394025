//! The default TLS root certificates: those of this machine.
//!
//! `SSL_CERT_FILE` and `SSL_CERT_DIR` replace them, as usual on Unix. A machine without
//! any, such as a bare container, uses Mozilla's.

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;

/// The machine's root certificates; may be empty.
pub(crate) fn machine() -> Vec<CertificateDer<'static>> {
    let found = rustls_native_certs::load_native_certs();
    for error in found.errors {
        tracing::debug!(%error, "a root certificate of this machine cannot be read");
    }
    found.certs
}

/// The machine's root certificates, else Mozilla's.
pub(crate) fn public() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(machine());
    if roots.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    roots
}
