//! HMAC-SHA-256 for `jsonwebtoken`, and no other algorithm.
//!
//! The crate's own backends add RSA and several curves, or a C library. Here the MAC
//! is the one that the runtime already links; as there is no other, no header can select
//! another. Knows keys and bytes, not tokens.

use std::sync::Once;

use hmac::{Hmac, KeyInit as _, Mac as _};
use jsonwebtoken::crypto::{CryptoProvider, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::signature::{Error, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey};
use sha2::Sha256;

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |_, _| Err(ErrorKind::InvalidAlgorithm.into()),
    verifier_factory: verifier,
    key_utils: KeyUtils::new_unimplemented(),
};

/// Installs this provider for `jsonwebtoken`. An embedding program that has chosen another provider
/// keeps it.
pub(super) fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let _ = PROVIDER.install_default();
    });
}

struct Hs256(Hmac<Sha256>);

fn verifier(
    algorithm: &Algorithm,
    key: &DecodingKey,
) -> jsonwebtoken::errors::Result<Box<dyn JwtVerifier>> {
    if *algorithm != Algorithm::HS256 {
        return Err(ErrorKind::InvalidAlgorithm.into());
    }
    let mac =
        Hmac::new_from_slice(key.try_get_as_bytes()?).map_err(|_| ErrorKind::InvalidKeyFormat)?;
    Ok(Box::new(Hs256(mac)))
}

impl Verifier<Vec<u8>> for Hs256 {
    /// Runs in constant time.
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), Error> {
        self.0.clone().chain_update(message).verify_slice(signature).map_err(|_| Error::new())
    }
}

impl JwtVerifier for Hs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}
