//! Files with expected output, beside insta's snapshots and updated by the same switch:
//! `INSTA_UPDATE=always cargo test`.

use std::path::Path;

/// What to do when expected output has changed, for the messages of tests.
pub const BLESS: &str = "review the change, then run with INSTA_UPDATE=always";

/// Expected output is to be written instead of compared.
pub fn is_blessing() -> bool {
    std::env::var("INSTA_UPDATE").is_ok_and(|asked| asked == "always")
}

/// Compares a text with a file, or writes it there. The error shows both.
pub fn compare(file: &Path, actual: &str) -> Result<(), String> {
    if is_blessing() {
        std::fs::write(file, actual).expect("the expectation can be written");
        return Ok(());
    }
    // A checkout may have other line ends.
    let expected = std::fs::read_to_string(file).unwrap_or_default().replace("\r\n", "\n");
    if expected == actual {
        return Ok(());
    }
    let first = expected.lines().zip(actual.lines()).position(|(old, new)| old != new);
    let line = first.unwrap_or_else(|| expected.lines().count().min(actual.lines().count())) + 1;
    let file = file.display();
    Err(format!(
        "`{file}` differs, first in line {line}; {BLESS}\n--- expected\n{expected}\n--- actual\n{actual}"
    ))
}
