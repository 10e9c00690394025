//! A call as text, with a hole for its id, and what its answer must contain.

use std::io::Write;

use memchr::memmem;
use serde_json::{Value, json};

use crate::Result;

/// What a number of an id takes: ids begin at a million.
const DIGITS: usize = 7;
/// Some servers put the id first, others last.
const FIRST: &[u8] = br#"{"jsonrpc":"2.0","id":"#;
const LAST: &[u8] = br#","id":"#;

/// A request that is sent many times.
pub(crate) struct CallText {
    before: Vec<u8>,
    after: Vec<u8>,
    expected: Vec<u8>,
    /// Bytes that an answer has at least.
    least: usize,
}

impl CallText {
    /// The call that most figures are taken with: six arguments, about 200 bytes.
    pub(crate) fn usual() -> Self {
        Self::new("tools/call", &usual(), EXPECTED, 0)
    }

    /// The same with the `_meta` of revision 2026-07-28.
    pub(crate) fn stateless() -> Self {
        let mut params = usual();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "harness", "version": "1"},
        });
        Self::new("tools/call", &params, EXPECTED, 0)
    }

    /// A text of so many bytes, there and back; it comes back twice, as text and structured.
    pub(crate) fn sized(bytes: usize) -> Self {
        const LINE: &str = "The quick brown fox jumps over the \"lazy\" dog.\n";
        let mut text = LINE.repeat(bytes / LINE.len() + 1);
        text.truncate(bytes - END.len());
        text.push_str(END);
        let params = json!({"name": "echo", "arguments": {
            "text": text, "style": "plain", "times": 1, "tags": [], "reverse": false,
        }});
        Self::new("tools/call", &params, END, 2 * bytes)
    }

    /// A call of any tool; `expected` is a part of its answer.
    pub(crate) fn tool(name: &str, arguments: &Value, expected: &str) -> Self {
        Self::new("tools/call", &json!({"name": name, "arguments": arguments}), expected, 0)
    }

    pub(crate) fn list() -> Self {
        Self::new("tools/list", &json!({}), r#""name":"wait""#, 0)
    }

    fn new(method: &str, params: &Value, expected: &str, least: usize) -> Self {
        let after = format!(",\"method\":\"{method}\",\"params\":{params}}}\n");
        Self {
            before: FIRST.to_vec(),
            after: after.into_bytes(),
            expected: expected.as_bytes().to_vec(),
            least,
        }
    }

    pub(crate) fn write(&self, id: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.before);
        // Into memory: cannot fail.
        let _ = write!(out, "{id}");
        out.extend_from_slice(&self.after);
    }

    /// The answer's id, if it is the answer that is wanted.
    pub(crate) fn id_of(&self, answer: &[u8]) -> Result<u64> {
        // The body is last but for a few words: searched from the end, it is found at once.
        let right = answer.len() >= self.least && memmem::rfind(answer, &self.expected).is_some();
        match id(answer) {
            Some(id) if right => Ok(id),
            _ => {
                let start = &answer[..answer.len().min(1_000)];
                Err(format!("unexpected answer: {}", String::from_utf8_lossy(start)).into())
            }
        }
    }
}

fn id(answer: &[u8]) -> Option<u64> {
    let rest = match answer.strip_prefix(FIRST) {
        Some(rest) => rest,
        None => {
            let tail = &answer[answer.len().saturating_sub(64)..];
            &tail[memmem::rfind(tail, LAST)? + LAST.len()..]
        }
    };
    std::str::from_utf8(rest.get(..DIGITS)?).ok()?.parse().ok()
}

fn usual() -> Value {
    json!({
        "name": "echo",
        "arguments": {
            "text": "The quick brown fox jumps over the lazy dog. ",
            "style": "upper",
            "times": 2,
            "tags": ["animals", "pangram", "short"],
            "reverse": false,
            "note": "as seen in a typing lesson, \u{201c}quoted\u{201d}",
        },
    })
}

/// A part of the structured content that shows that the work was done.
const EXPECTED: &str = r#""text":"THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG. THE QUICK"#;
/// Where a sized text ends.
const END: &str = "the end of it";
