//! Classifies the argument `text`: text to submit, or a single key.
//!
//! Refuses everything that could end a bracketed paste early or press keys from inside a text, so
//! that the program in the pane receives exactly what the policy checked.

use crate::error::{Error, Kind, Result};
use crate::model::Action;

/// More than anybody types; in characters, as the contract counts.
pub(super) const MAX_TEXT: usize = 1 << 20;
/// How often the same key may stand in one text.
const MAX_REPEATS: usize = 16;

/// What is to be typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Input {
    /// Text that Enter follows. Lines end with `\n`; one newline at the end has been taken off.
    Text(String),
    /// A key, as the bytes that a terminal sends for it.
    Key {
        /// What it is to the policy.
        action: Action,
        /// The bytes.
        bytes: Vec<u8>,
    },
}

impl Input {
    /// What the policy is asked about.
    pub(crate) fn action(&self) -> Action {
        match self {
            Self::Text(_) => Action::SendText,
            Self::Key { action, .. } => *action,
        }
    }

    /// The text, where it is one.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Key { .. } => None,
        }
    }
}

/// Reads the argument `text`.
///
/// One control character (`\x03`), one key sequence (`ESC [ A`), or the same one repeated is a key.
/// Anything else is text and may hold no control characters but newlines and tabs.
pub(crate) fn classify(text: &str) -> Result<Input> {
    if text.is_empty() {
        return Err(refuse("`text` is empty.").hint("To press Enter only, send \"\\n\"."));
    }
    let length = text.chars().count();
    if length > MAX_TEXT {
        return Err(refuse(format!("`text` has {length} characters; the maximum is {MAX_TEXT}."))
            .hint("Write it to a file and send a command that reads the file."));
    }
    if let Some(key) = key(text) {
        return Ok(key);
    }
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text = text.strip_suffix('\n').unwrap_or(&text);
    if let Some((at, bad)) = text.char_indices().find(|(_, c)| is_refused(*c)) {
        return Err(refused(text, at, bad));
    }
    Ok(Input::Text(text.to_owned()))
}

fn is_refused(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
}

fn refuse(message: impl Into<String>) -> Error {
    Kind::InvalidArguments.because(message)
}

fn refused(text: &str, at: usize, bad: char) -> Error {
    if text[at..].starts_with("\x1b[201~") || text[at..].starts_with("\u{9b}201~") {
        return refuse(format!(
            "`text` contains the end marker of a bracketed paste at byte {at}."
        ))
        .hint("Remove it: the text after it would be typed as keys.");
    }
    let name = match bad {
        '\0' => "NUL".to_owned(),
        '\x1b' => "ESC".to_owned(),
        _ => format!("U+{:04X}", u32::from(bad)),
    };
    refuse(format!("`text` contains the control character {name} at byte {at}."))
        .hint("Send a key on its own, such as \"\\u0003\" for Ctrl-C, and text without control characters.")
}

/// The whole text as one key, maybe repeated.
fn key(text: &str) -> Option<Input> {
    let first = &text[..key_length(text.as_bytes())?];
    let repeats = text.len() / first.len();
    if repeats > MAX_REPEATS || first.repeat(repeats) != text {
        return None;
    }
    let action = match first.as_bytes() {
        [0x03] => Action::SendCtrlC,
        [0x04] => Action::SendCtrlD,
        [0x1a] => Action::SendCtrlZ,
        _ => Action::SendControl,
    };
    Some(Input::Key { action, bytes: text.as_bytes().to_vec() })
}

/// How many bytes the key at the beginning has.
fn key_length(bytes: &[u8]) -> Option<usize> {
    match bytes {
        // Enter is a submission, not a key; NUL is never sent.
        [b'\r' | b'\n' | 0, ..] => None,
        [0x1b, b'[', rest @ ..] => {
            let parameters = rest.iter().take_while(|b| matches!(b, b'0'..=b'?')).count();
            let last = rest.get(parameters)?;
            // 200~ and 201~ are no keys but the marks of a paste.
            let paste = matches!(&rest[..=parameters], b"200~" | b"201~");
            let is_final = last.is_ascii_alphabetic() || *last == b'~';
            (parameters <= 8 && is_final && !paste).then_some(parameters + 3)
        }
        [0x1b, b'O', last, ..] if last.is_ascii_alphabetic() => Some(3),
        [0x1b, 0x1b, ..] | [0x1b] => Some(1),
        // Alt and a character. `ESC [` alone is the beginning of something else.
        [0x1b, b'!'..=b'Z' | b'\\'..=b'~', ..] => Some(2),
        [0x01..=0x1a | 0x1c..=0x1f | 0x7f, ..] => Some(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Input {
        Input::Text(text.to_owned())
    }

    #[test]
    fn one_newline_at_the_end_is_the_enter() {
        for (given, expected) in [
            ("echo hi", "echo hi"),
            ("echo hi\n", "echo hi"),
            ("echo hi\r\n", "echo hi"),
            ("a\n\n", "a\n"),
            ("a\r\nb\rc", "a\nb\nc"),
            ("a\tb", "a\tb"),
            ("\n", ""),
            ("\r", ""),
            ("\r\n", ""),
            (" ", " "),
            ("grüße", "grüße"),
        ] {
            assert_eq!(classify(given).unwrap(), text(expected), "{given:?}");
        }
    }

    #[test]
    fn keys_are_actions_of_their_own() {
        for (given, action) in [
            ("\x03", Action::SendCtrlC),
            ("\x03\x03", Action::SendCtrlC),
            ("\x04", Action::SendCtrlD),
            ("\x1a", Action::SendCtrlZ),
            ("\x0c", Action::SendControl),
            ("\t", Action::SendControl),
            ("\x7f", Action::SendControl),
            ("\x1b", Action::SendControl),
            ("\x1b[A", Action::SendControl),
            ("\x1b[A\x1b[A", Action::SendControl),
            ("\x1bOP", Action::SendControl),
            ("\x1b[1;5C", Action::SendControl),
            ("\x1b[3~", Action::SendControl),
            ("\x1bb", Action::SendControl),
        ] {
            let input = classify(given).unwrap();
            assert_eq!(input, Input::Key { action, bytes: given.as_bytes().to_vec() });
            assert_eq!(input.action(), action);
            assert_eq!(input.text(), None);
        }
    }

    #[test]
    fn what_could_press_keys_from_inside_a_text_is_refused() {
        for (given, word) in [
            ("", "empty"),
            ("\0", "NUL"),
            ("a\0b", "NUL at byte 1"),
            ("echo hi\x03", "U+0003"),
            ("a\x1b[201~rm", "end marker of a bracketed paste at byte 1"),
            ("\x1b[201~", "end marker"),
            ("\x1b[200~", "ESC"),
            ("\u{9b}201~x", "end marker"),
            ("x\u{9b}A", "U+009B"),
            ("\x1b[Als", "ESC"),
            ("\x1b[", "ESC"),
            ("\x03\x04", "U+0003"),
            ("\x7fx", "U+007F"),
        ] {
            let error = classify(given).unwrap_err();
            assert_eq!(error.kind, Kind::InvalidArguments, "{given:?}");
            assert!(error.message.contains("`text`"), "{error}");
            assert!(error.message.contains(word), "{given:?}: {error}");
            assert!(error.hint.is_some());
        }
        let same_key_too_often = "\x03".repeat(MAX_REPEATS + 1);
        assert!(classify(&same_key_too_often).is_err());
    }

    #[test]
    fn long_text_has_a_limit() {
        assert!(classify(&"x".repeat(MAX_TEXT)).is_ok());
        let error = classify(&"x".repeat(MAX_TEXT + 1)).unwrap_err();
        assert!(error.message.contains("1048577"), "{error}");
    }
}
