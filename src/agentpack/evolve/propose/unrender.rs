//! From the text of a deployed file back to the text of a module.

use std::collections::BTreeMap;

use crate::targets::rule;

const START: &str = "<!-- agentpack:module=";
const START_END: &str = " -->";
const END: &str = "<!-- /agentpack -->";

/// A Cursor rule without its front matter.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Body<'a> {
    pub(super) bytes: &'a [u8],
    /// The front matter is the one that we wrote.
    pub(super) front_intact: bool,
}

/// The text of the module in a Cursor rule.
pub(super) fn body<'a>(module_id: &str, bytes: &'a [u8]) -> Body<'a> {
    let front = rule(module_id, b"");
    if let Some(bytes) = bytes.strip_prefix(front.as_slice()) {
        return Body { bytes, front_intact: true };
    }
    Body { bytes: without_front_matter(bytes).unwrap_or(bytes), front_intact: false }
}

fn without_front_matter(bytes: &[u8]) -> Option<&[u8]> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut rest = text.strip_prefix("---\n")?;
    loop {
        let (line, after) = rest.split_once('\n')?;
        rest = after;
        if line.trim_end() == "---" {
            return Some(rest.strip_prefix('\n').unwrap_or(rest).as_bytes());
        }
    }
}

/// The sections of a file that several modules share, by module; none when the markers are not
/// as we write them: every one closed, none inside another, none twice.
pub(super) fn sections(bytes: &[u8]) -> Option<BTreeMap<&str, &str>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut found = BTreeMap::new();
    let mut open: Option<(&str, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (start, bare) = (at, line.trim_end());
        at += line.len();
        if let Some(id) = bare.strip_prefix(START).and_then(|rest| rest.strip_suffix(START_END)) {
            if open.replace((id, at)).is_some() {
                return None;
            }
        } else if bare == END {
            let (id, from) = open.take()?;
            if found.insert(id, &text[from..start]).is_some() {
                return None;
            }
        }
    }
    (open.is_none() && !found.is_empty()).then_some(found)
}

/// Whether two texts are the same module: a newline at the very end is added by rendering.
pub(super) fn same(one: &[u8], other: &[u8]) -> bool {
    let trim = |bytes: &[u8]| bytes.strip_suffix(b"\n").map(<[u8]>::to_vec);
    one == other || trim(one).as_deref() == Some(other) || trim(other).as_deref() == Some(one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::aggregate;

    #[test]
    fn a_rule_unrenders_to_its_module() {
        let made = rule("instructions:a", b"# Text\n");
        let expected = Body { bytes: b"# Text\n", front_intact: true };
        assert_eq!(body("instructions:a", &made), expected);
        let own = b"---\nglobs: [x]\n---\n\n# Text\n";
        let expected = Body { bytes: b"# Text\n", front_intact: false };
        assert_eq!(body("instructions:a", own), expected);
        assert_eq!(body("instructions:a", b"# Text\n"), expected, "front matter removed");
        let own_rule = rule("a", b"---\ntitle: x\n---\nbody\n");
        assert_eq!(body("a", &own_rule).bytes, b"---\ntitle: x\n---\nbody\n", "only ours goes");
    }

    #[test]
    fn sections_are_the_inverse_of_aggregation() {
        let made = aggregate(&[("a", b"one\n---\n".to_vec()), ("b:c", b"two".to_vec())]);
        let found = sections(&made).unwrap();
        assert_eq!(found, BTreeMap::from([("a", "one\n---\n"), ("b:c", "two\n")]));
    }

    #[test]
    fn broken_markers_are_no_sections() {
        for text in [
            "plain",
            "<!-- agentpack:module=a -->\nx",
            "<!-- agentpack:module=a -->\n<!-- agentpack:module=b -->\n<!-- /agentpack -->\n",
            "<!-- /agentpack -->\n",
            "<!-- agentpack:module=a -->\n<!-- /agentpack -->\n\
             <!-- agentpack:module=a -->\n<!-- /agentpack -->\n",
        ] {
            assert_eq!(sections(text.as_bytes()), None, "{text}");
        }
        assert_eq!(sections(b"\xff"), None);
    }

    #[test]
    fn one_newline_at_the_end_is_ignored() {
        assert!(same(b"a\n", b"a") && same(b"a", b"a\n") && same(b"a", b"a"));
        assert!(!same(b"a\n\n", b"a") && !same(b"a", b"b"));
    }
}
