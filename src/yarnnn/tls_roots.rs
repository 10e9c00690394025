//! Whom TLS trusts when nobody is named: the authorities of this machine.
//!
//! `SSL_CERT_FILE` and `SSL_CERT_DIR` take their place, as everywhere on Unix. A machine without
//! any, such as a bare container, trusts those that Mozilla does.

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;

/// The machine's authorities; empty when it has none.
pub(crate) fn machine() -> Vec<CertificateDer<'static>> {
    let found = rustls_native_certs::load_native_certs();
    for error in found.errors {
        tracing::debug!(%error, "an authority of this machine cannot be read");
    }
    found.certs
}

/// The machine's authorities, else Mozilla's.
pub(crate) fn public() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(machine());
    if roots.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    roots
}
