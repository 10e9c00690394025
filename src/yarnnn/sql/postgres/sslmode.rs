//! Encryption of connections, with the options of libpq.
//!
//! `sslmode` and `sslrootcert` of the URL have the meaning of libpq:
//!
//! | `sslmode` | encrypted | trusted servers |
//! |---|---|---|
//! | `disable` | never | – |
//! | `prefer` (default) | if the server offers it | any; with `sslrootcert` as `verify-ca` |
//! | `require` | always | any; with `sslrootcert` as `verify-ca` |
//! | `verify-ca` | always | those with a certificate signed by `sslrootcert` |
//! | `verify-full` | always | the same, and the certificate must name the host |
//!
//! `prefer` and `require` without `sslrootcert` protect against eavesdropping, not against an
//! impostor. Across a network use `verify-full`.
//!
//! Differences from libpq: `verify-full` without `sslrootcert` means `sslrootcert=system`, the root
//! certificates of this machine; `~/.postgresql` and `PGSSL…` are ignored; a certificate names
//! hosts in its `subjectAltName` only; a server certificate in the file of `sslrootcert` is trusted
//! even after it expires; `allow` and client certificates are not supported; a failed handshake
//! under `prefer` is not retried without encryption. Unix sockets are never encrypted, whatever the
//! mode.

use std::path::Path;

use ::postgres::Config;
use ::postgres::config::{Host, SslMode};
use percent_encoding::percent_decode_str;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::verify::{self, Trust};
use crate::sql::error::{Kind, Result};
use crate::tls_roots;

/// The value for the root certificates of this machine.
const PUBLIC: &str = "system";

/// The encryption options of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Encryption {
    mode: Mode,
    /// The file of root certificates, or [`PUBLIC`].
    roots: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Disable,
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

impl Encryption {
    /// Removes the options from a URL that the driver does not know.
    pub(super) fn take(url: &str) -> Result<(String, Self)> {
        // A password may contain a question mark.
        let host = url.find('@').unwrap_or(0);
        let (before, parameters) = match url[host..].find('?') {
            Some(at) => (&url[..host + at], &url[host + at + 1..]),
            None => (url, ""),
        };
        let (mut mode, mut roots, mut rest) = (None, None, Vec::new());
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            match name {
                "sslmode" => mode = Some(Mode::parse(value)?),
                "sslrootcert" if !value.is_empty() => {
                    roots = Some(percent_decode_str(value).decode_utf8_lossy().into_owned());
                }
                "sslrootcert" => {}
                _ => rest.push(parameter),
            }
        }
        let public = roots.as_deref() == Some(PUBLIC);
        let mode = mode.unwrap_or(if public { Mode::VerifyFull } else { Mode::Prefer });
        // Anybody can get a certificate from some public authority.
        if mode == Mode::VerifyCa && roots.is_none() || public && mode != Mode::VerifyFull {
            return Err(Kind::Broken.because(
                "The database URL trusts every public authority and no host's name. Use \
                 `sslmode=verify-full`, or name a file with your own authority: \
                 `sslrootcert=path`.",
            ));
        }
        let rest = rest.join("&");
        let and = if rest.is_empty() { "" } else { "?" };
        Ok((format!("{before}{and}{rest}"), Self { mode, roots }))
    }

    /// Configures the driver.
    pub(super) fn set(&self, config: &mut Config) {
        let unix = config.get_hosts().iter().all(|host| matches!(host, Host::Unix(_)));
        let addresses = config.get_hostaddrs().to_vec();
        if config.get_hosts().is_empty() {
            // The driver encrypts only for named hosts; an IP address counts as a name.
            for address in &addresses {
                config.host(&address.to_string());
            }
        }
        config.ssl_mode(match self.mode {
            _ if unix && addresses.is_empty() => SslMode::Disable,
            Mode::Disable => SslMode::Disable,
            Mode::Prefer => SslMode::Prefer,
            Mode::Require | Mode::VerifyCa | Mode::VerifyFull => SslMode::Require,
        });
    }

    /// The TLS connector. The file of root certificates is read here, once.
    pub(super) fn connector(&self) -> Result<MakeRustlsConnect> {
        let names = self.mode == Mode::VerifyFull;
        let trust = match &self.roots {
            _ if self.mode == Mode::Disable => Trust::Anybody,
            None if !names => Trust::Anybody,
            Some(path) if path != PUBLIC => {
                let certificates = read(path.as_ref())?;
                let mut roots = RootCertStore::empty();
                roots.add_parsable_certificates(certificates.iter().cloned());
                Trust::Signed { roots, certificates, names }
            }
            _ => Trust::Signed { roots: tls_roots::public(), certificates: Vec::new(), names },
        };
        let config = verify::client(trust).map_err(|error| {
            Kind::Broken.because("TLS cannot be set up in this program.").internal(error)
        })?;
        Ok(MakeRustlsConnect::new(config))
    }
}

impl Mode {
    fn parse(word: &str) -> Result<Self> {
        Ok(match word {
            "disable" => Self::Disable,
            "prefer" => Self::Prefer,
            "require" => Self::Require,
            "verify-ca" => Self::VerifyCa,
            "verify-full" => Self::VerifyFull,
            _ => {
                return Err(Kind::Broken.because(
                    "The database URL's `sslmode` is not supported. Use `disable`, `prefer`, \
                     `require`, `verify-ca` or `verify-full`.",
                ));
            }
        })
    }
}

fn read(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let unusable = |why: &str| {
        Kind::Broken.because(format!("`sslrootcert` names `{}`, {why}.", path.display()))
    };
    let file = CertificateDer::pem_file_iter(path)
        .map_err(|error| unusable("which cannot be read").internal(error))?;
    let certificates: Vec<_> = file
        .collect::<Result<_, _>>()
        .map_err(|error| unusable("which is damaged; give a PEM file").internal(error))?;
    if certificates.is_empty() {
        return Err(unusable("which holds no certificate; give a PEM file"));
    }
    Ok(certificates)
}
