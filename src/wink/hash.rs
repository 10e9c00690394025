//! The four digests of the file format: text, JSON, tool contract and file.
//!
//! All are lower-case hex SHA-256, equal to what the Python library computes. Knows no files.

use toolwright_runtime::digest;

use super::python_json::{Json, compact};

/// SHA-256 of raw bytes: the `content_hash` of a file.
pub fn of_bytes(bytes: &[u8]) -> String {
    digest::sha256_hex(bytes)
}

/// Whether `hash` is the one of this text.
pub fn is_of_text(text: &str, hash: &str) -> bool {
    digest::is_sha256_hex(text.as_bytes(), hash)
}

/// Hash of a text: a section's `content_hash` is this over its template, verbatim.
pub fn of_text(text: &str) -> String {
    of_bytes(text.as_bytes())
}

/// Hash of a JSON value in Python's compact, sorted, ASCII form.
pub fn of_json(value: &Json) -> String {
    of_text(&compact(value))
}

/// A tool's `contract_hash` from its description and its two schemas.
pub fn of_contract(description: &str, params: &Json, result: &Json) -> String {
    let parts = [of_text(description), of_json(params), of_json(result)];
    of_text(&parts.join("::"))
}

/// Whether `text` is what the library accepts as a digest: 64 lower-case hex digits.
pub fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::python_json::parse;

    #[test]
    fn equals_the_library() {
        assert_eq!(
            of_text("You review code for $name.\nBe brief — naïve praise is noise.\n"),
            "bffbd7e764172b3209b455e003c7a2d83036e864a9a1a40a1bdbf4c7c5fd74a9"
        );
        let params = r#"{"type":"object","title":"SearchParams","required":["query"],
            "properties":{"query":{"type":"string"},"limit":{"type":"integer"}},
            "additionalProperties":false}"#;
        let result = r#"{"additionalProperties":true,"properties":{"path":{"type":"string"},
            "score":{"type":"number"}},"required":["path","score"],"title":"Hit","type":"object"}"#;
        let (params, result) = (parse(params).unwrap(), parse(result).unwrap());
        assert_eq!(
            of_json(&params),
            "91706d9187790e49a148bff57e8963b85c9aa81095e05d25105bb3efa4f977b0"
        );
        assert_eq!(
            of_contract("Search the docs index.", &params, &result),
            "df239b334729018944e30a3060755340fa2d4a3d3a873b1eb0740134cb5094e7"
        );
    }

    #[test]
    fn knows_a_digest() {
        assert!(is_digest(&of_text("")));
        assert!(!is_digest(&of_text("").to_uppercase()));
        assert!(!is_digest("abc"));
    }
}
