//! What a program reports to its terminal besides text (title, folder, shell marks), and the
//! terminal's answers to its queries.

use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use vt100::Screen;

/// A title is cut there.
const MAX_TITLE: usize = 512;
/// Answers that wait to be sent are not more bytes than that.
const MAX_ANSWERS: usize = 16 << 10;

/// Where the shell says it is (OSC 133).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mark {
    /// It prints its prompt or waits behind it.
    Prompt,
    /// A command runs.
    Running,
    /// A command has ended and the next prompt has not begun.
    Ended,
}

/// What a program has reported.
#[derive(Debug, Default)]
pub(super) struct ProgramReports {
    pub(super) title: Option<String>,
    pub(super) folder: Option<PathBuf>,
    pub(super) mark: Option<Mark>,
    /// Bytes to type into the program.
    pub(super) answers: Vec<u8>,
}

impl ProgramReports {
    pub(super) fn title(&mut self, title: &[u8]) {
        let title = String::from_utf8_lossy(title);
        let title = title.chars().filter(|c| !c.is_control()).take(MAX_TITLE).collect::<String>();
        self.title = Some(title).filter(|title| !title.is_empty());
    }

    pub(super) fn string(&mut self, parameters: &[&[u8]]) {
        match parameters {
            [b"0" | b"2", title @ ..] => self.title(&title.join(&b';')),
            [b"7", address @ ..] => {
                if let Some(folder) = folder(&address.join(&b';')) {
                    self.folder = Some(folder);
                }
            }
            [b"133", mark, ..] => {
                self.mark = match mark.first() {
                    Some(b'A' | b'B' | b'P' | b'N') => Some(Mark::Prompt),
                    Some(b'C') => Some(Mark::Running),
                    Some(b'D') => Some(Mark::Ended),
                    _ => self.mark,
                }
            }
            // Colours are asked for to tell dark from light.
            [b"10", b"?"] => self.answer("\x1b]10;rgb:d0d0/d0d0/d0d0\x1b\\"),
            [b"11", b"?"] => self.answer("\x1b]11;rgb:0000/0000/0000\x1b\\"),
            _ => {}
        }
    }

    /// Answers questions, so that programs that ask do not wait for ever.
    pub(super) fn control(
        &mut self,
        screen: &Screen,
        before: [Option<u8>; 2],
        parameters: &[&[u16]],
        last: char,
    ) {
        let number = |at: usize| parameters.get(at).and_then(|part| part.first()).copied();
        let first = number(0).unwrap_or(0);
        let place = || {
            let (row, column) = screen.cursor_position();
            let columns = screen.size().1.get();
            (row + 1, column.min(columns - 1) + 1)
        };
        match (before, last, first) {
            ([None, None], 'c', 0) => self.answer("\x1b[?62;22c"),
            ([Some(b'>'), None], 'c', 0) => self.answer("\x1b[>1;10;0c"),
            ([Some(b'>'), None], 'q', 0) => self.answer("\x1bP>|wa\x1b\\"),
            ([None, None], 'n', 5) => self.answer("\x1b[0n"),
            ([None, None], 'n', 6) => {
                let (row, column) = place();
                self.answer(&format!("\x1b[{row};{column}R"));
            }
            ([Some(b'?'), None], 'n', 6) => {
                let (row, column) = place();
                self.answer(&format!("\x1b[?{row};{column}R"));
            }
            ([None, None], 't', 18) => {
                let (rows, columns) = screen.size();
                self.answer(&format!("\x1b[8;{rows};{columns}t"));
            }
            // Modes: only those that the emulator keeps are known.
            ([Some(b'?'), Some(b'$')], 'p', mode) => {
                let set = match mode {
                    2004 => Some(screen.bracketed_paste()),
                    1049 | 47 => Some(screen.alternate_screen()),
                    25 => Some(!screen.hide_cursor()),
                    1 => Some(screen.application_cursor()),
                    _ => None,
                };
                let value = set.map_or(0, |set| if set { 1 } else { 2 });
                self.answer(&format!("\x1b[?{mode};{value}$y"));
            }
            _ => {}
        }
    }

    fn answer(&mut self, answer: &str) {
        if self.answers.len() + answer.len() <= MAX_ANSWERS {
            self.answers.extend_from_slice(answer.as_bytes());
        }
    }
}

/// The path of a `file://` address of this machine.
fn folder(address: &[u8]) -> Option<PathBuf> {
    let rest = address.strip_prefix(b"file://")?;
    let slash = rest.iter().position(|byte| *byte == b'/')?;
    let (host, path) = rest.split_at(slash);
    let host = String::from_utf8_lossy(host);
    // A shell behind ssh reports a folder of the other machine.
    if !(host.is_empty() || host == "localhost" || host == this_machine()) {
        return None;
    }
    let mut decoded = Vec::with_capacity(path.len());
    let mut bytes = path.iter();
    while let Some(byte) = bytes.next() {
        let digits = match bytes.as_slice() {
            [high, low, ..] if *byte == b'%' => {
                char::from(*high).to_digit(16).zip(char::from(*low).to_digit(16))
            }
            _ => None,
        };
        match digits.and_then(|(high, low)| u8::try_from(high * 16 + low).ok()) {
            Some(value) => {
                decoded.push(value);
                bytes.nth(1);
            }
            None => decoded.push(*byte),
        }
    }
    Some(PathBuf::from(std::ffi::OsString::from_vec(decoded)))
}

fn this_machine() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_this_machine_only() {
        let path = |address: &str| folder(address.as_bytes());
        assert_eq!(path("file:///tmp/a%20b%"), Some(PathBuf::from("/tmp/a b%")));
        assert_eq!(path(&format!("file://{}/x", this_machine())), Some(PathBuf::from("/x")));
        assert_eq!(path("file://elsewhere.invalid/x"), None);
        assert_eq!(path("/x"), None);
    }
}
