//! Files of clients, JSON with comments and TOML: `install` and then `uninstall` gives back the
//! very bytes.

use toolwright_commands::install::fuzzing::{Kind, install, uninstall};

const NAME: &str = "fuzzed-entry";

/// Puts an entry into `data` and takes it out again. The first byte says what the rest is.
pub fn run(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else { return };
    let kind = match kind {
        b'j' => Kind::Json,
        b't' => Kind::Toml,
        _ => return,
    };
    let Ok(original) = std::str::from_utf8(rest) else { return };
    // A file that has the entry is another matter: it would be replaced.
    if original.contains(NAME) {
        return;
    }
    let Some(installed) = install(kind, original, NAME) else { return };
    assert!(installed.text.contains(NAME));
    let back = uninstall(kind, &installed, NAME).expect("what was put in can be taken out");
    assert_eq!(back, original, "after {:?}", installed.text);
}
