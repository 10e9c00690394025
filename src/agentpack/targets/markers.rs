//! Several modules in one file, each between two comments, so that edits find their way back.

/// Between two sections.
const SEPARATOR: &[u8] = b"\n\n---\n\n";

/// Joins sections of (module id, text). No newline at the very end.
pub(crate) fn aggregate(sections: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut out = Vec::new();
    for (index, (id, text)) in sections.iter().enumerate() {
        if index > 0 {
            out.extend_from_slice(SEPARATOR);
        }
        out.extend_from_slice(format!("<!-- agentpack:module={id} -->\n").as_bytes());
        out.extend_from_slice(text);
        if !text.ends_with(b"\n") {
            out.push(b'\n');
        }
        out.extend_from_slice(b"<!-- /agentpack -->");
    }
    out
}
