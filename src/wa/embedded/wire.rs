//! The protocol between the host and its clients.
//!
//! A message is two big-endian lengths of four bytes, a JSON head and a body of raw bytes. Clients
//! send requests and the host responds in turn; after [`Request::Show`] only the host sends.

use std::io::{self, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::term::Mark;
use crate::error::{Error, Kind};
use crate::model::PaneRow;

/// What both sides must agree on. A host outlives the release that started it.
pub(super) const VERSION: u32 = 1;
/// The longest head.
const MAX_HEAD: usize = 4 << 20;
/// The longest body.
pub(super) const MAX_BODY: usize = 64 << 20;

/// A request with the sender's protocol version.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RequestHeader {
    pub(super) version: u32,
    pub(super) ask: Request,
}

/// A client's request. Bytes to type are in the body.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Request {
    List,
    Text { pane: u64, lines: WireLines, colours: bool },
    Type { pane: u64 },
    Paste { pane: u64 },
    State { pane: u64 },
    Output { pane: u64, mark: u64, max_bytes: usize },
    Wait { change: u64, milliseconds: u64 },
    Spawn(WireSpawn),
    Close { pane: u64 },
    Resize { pane: u64, columns: u16, rows: u16 },
    Show { pane: u64 },
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum WireLines {
    Screen,
    Tail(usize),
    All,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct WireSpawn {
    pub(super) command: Vec<String>,
    pub(super) cwd: Option<String>,
    pub(super) size: Option<(u16, u16)>,
    pub(super) title: Option<String>,
    pub(super) env: Vec<(String, String)>,
}

/// The host's response. Texts are in the body.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Response {
    Panes(Vec<PaneRow>),
    Text {
        more_above: bool,
    },
    State {
        mark: Option<Mark>,
        alt_screen: bool,
        bracketed_paste: bool,
        ended: bool,
    },
    Output {
        next: u64,
        lost: bool,
        more: bool,
    },
    Change(u64),
    Spawned(u64),
    /// Bytes for the terminal that shows a pane.
    Frame,
    /// The shown pane has ended.
    Ended(Option<i32>),
    Done,
    Refused(Refusal),
}

/// A refused request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Refusal {
    #[serde(rename = "why")]
    pub(super) kind: RefusalKind,
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RefusalKind {
    /// The request is invalid.
    Arguments,
    /// No such pane, or it has ended.
    Pane,
    /// The host is shutting down; use another one.
    Ending,
    /// Anything else. Older hosts and clients spell it `trouble`.
    #[serde(rename = "trouble")]
    Other,
}

impl Refusal {
    pub(super) fn new(kind: RefusalKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(super) fn into_error(self) -> Error {
        let kind = match self.kind {
            RefusalKind::Arguments => Kind::InvalidArguments,
            RefusalKind::Pane => Kind::PaneNotFound,
            RefusalKind::Ending | RefusalKind::Other => Kind::Backend,
        };
        let error = kind.because(self.message);
        match self.hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }
}

/// Sends a message.
pub(super) fn send(to: &mut impl Write, head: &impl Serialize, body: &[u8]) -> io::Result<()> {
    let head = serde_json::to_vec(head)?;
    let length = |part: &[u8]| {
        u32::try_from(part.len()).map_err(|_| io::Error::other("the message is too long"))
    };
    let mut message = Vec::with_capacity(8 + head.len() + body.len());
    message.extend_from_slice(&length(&head)?.to_be_bytes());
    message.extend_from_slice(&length(body)?.to_be_bytes());
    message.extend_from_slice(&head);
    message.extend_from_slice(body);
    to.write_all(&message)
}

/// Reads a message; none at the end.
pub(super) fn receive<T: DeserializeOwned>(
    from: &mut impl Read,
) -> io::Result<Option<(T, Vec<u8>)>> {
    let mut lengths = [0; 8];
    // The end is only an end where a message would begin.
    let begun = loop {
        match from.read(&mut lengths) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => break other?,
        }
    };
    if begun == 0 {
        return Ok(None);
    }
    from.read_exact(&mut lengths[begun..])?;
    let [a, b, c, d, e, f, g, h] = lengths;
    let part = |bytes, limit| match usize::try_from(u32::from_be_bytes(bytes)) {
        Ok(length) if length <= limit => Ok(length),
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, "a message is too long")),
    };
    let head_length = part([a, b, c, d], MAX_HEAD)?;
    let body_length = part([e, f, g, h], MAX_BODY)?;
    let mut head = vec![0; head_length];
    from.read_exact(&mut head)?;
    // Memory grows as bytes arrive, not as announced.
    let mut body = Vec::new();
    from.take(body_length as u64).read_to_end(&mut body)?;
    if body.len() < body_length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some((serde_json::from_slice(&head)?, body)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_back_as_they_were_sent() {
        let mut bytes = vec![];
        let header = RequestHeader { version: VERSION, ask: Request::Type { pane: 7 } };
        send(&mut bytes, &header, b"\0\xffraw").unwrap();
        send(&mut bytes, &Response::Change(3), b"").unwrap();
        let mut from = bytes.as_slice();
        let (header, body) = receive::<RequestHeader>(&mut from).unwrap().unwrap();
        assert!(matches!(header.ask, Request::Type { pane: 7 }));
        assert_eq!(body, b"\0\xffraw");
        let (answer, _) = receive::<Response>(&mut from).unwrap().unwrap();
        assert!(matches!(answer, Response::Change(3)));
        assert!(receive::<Response>(&mut from).unwrap().is_none());
    }

    #[test]
    fn cut_and_absurd_messages_are_errors() {
        let mut bytes = vec![];
        send(&mut bytes, &Response::Done, b"body").unwrap();
        for length in 1..bytes.len() {
            assert!(receive::<Response>(&mut &bytes[..length]).is_err(), "{length}");
        }
        assert!(receive::<Response>(&mut [0xff; 64].as_slice()).is_err());
        assert!(receive::<Response>(&mut [0, 0, 0, 2, 0, 0, 0, 0, b'{', b'}'].as_slice()).is_err());
    }
}
