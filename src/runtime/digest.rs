//! SHA-256 and hex.

use sha2::{Digest as _, Sha256};

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Lower-case hex of `bytes`.
pub fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}

/// Lower-case hex of the SHA-256 of `bytes`.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Whether `expected` is the lower-case hex of the SHA-256 of `bytes`.
pub fn is_sha256_hex(bytes: &[u8], expected: &str) -> bool {
    let digest = Sha256::digest(bytes);
    let digits = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    expected.len() == 2 * digest.len()
        && digits.map(|digit| DIGITS[usize::from(digit)]).eq(expected.bytes())
}

/// Whether two secrets are equal. Compares every byte, so that timing reveals only their lengths.
pub fn constant_time_eq(one: &[u8], other: &[u8]) -> bool {
    let differs = one.iter().zip(other).fold(0, |sum, (a, b)| sum | (a ^ b));
    one.len() == other.len() && std::hint::black_box(differs) == 0
}

#[cfg(test)]
mod tests {
    use super::{constant_time_eq, hex, is_sha256_hex, sha256_hex};

    #[test]
    fn secrets_are_equal_byte_by_byte_and_in_length() {
        assert!(constant_time_eq(b"", b"") && constant_time_eq(b"abc", b"abc"));
        for other in ["abd", "bbc", "ab", "abcd", ""] {
            assert!(!constant_time_eq(b"abc", other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn hex_is_lower_case_and_two_digits_a_byte() {
        assert_eq!(hex(&[0, 10, 255]), "000aff");
    }

    #[test]
    fn a_digest_is_recognised_and_nothing_else() {
        let digest = sha256_hex(b"text");
        assert!(is_sha256_hex(b"text", &digest));
        assert!(!is_sha256_hex(b"texts", &digest));
        assert!(!is_sha256_hex(b"text", &digest.to_uppercase()));
        assert!(!is_sha256_hex(b"text", &digest[..63]));
    }
}
