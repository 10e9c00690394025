//! Recovers the id of a message that cannot be parsed, so that the error can be answered.
//!
//! Only the top level counts: an `"id"` among the arguments is not the request's.

/// The id as JSON text, if it is in the beginning or the end of the message.
pub(super) fn recover_id(head: &[u8], tail: Option<&[u8]>) -> Option<String> {
    in_head(head).or_else(|| in_tail(tail?))
}

/// Walks the top-level members as far as `head` goes.
fn in_head(head: &[u8]) -> Option<String> {
    let mut rest = skip_space(head).strip_prefix(b"{")?;
    loop {
        let (key, after) = string(skip_space(rest))?;
        let value = skip_space(skip_space(after).strip_prefix(b":")?);
        if key == br#""id""# {
            let (id, after) = scalar(value)?;
            // A number cut off by the end of `head` would be another number.
            let complete = matches!(skip_space(after).first(), Some(b',' | b'}'));
            return complete.then_some(id);
        }
        rest = skip_space(skip_value(value)?).strip_prefix(b",")?;
    }
}

/// The last member of an object whose end is the end of the message is a top-level one.
fn in_tail(tail: &[u8]) -> Option<String> {
    let body = tail.trim_ascii_end().strip_suffix(b"}")?;
    let at = body.windows(4).rposition(|window| window == br#""id""#)?;
    let before = body[..at].trim_ascii_end();
    if before.last() != Some(&b',') {
        return None;
    }
    let value = skip_space(skip_space(&body[at + 4..]).strip_prefix(b":")?).trim_ascii_end();
    let (id, after) = scalar(value)?;
    after.is_empty().then_some(id)
}

fn skip_space(text: &[u8]) -> &[u8] {
    text.trim_ascii_start()
}

/// A string with its quotes, and what follows.
fn string(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut at = 1;
    text.strip_prefix(b"\"")?;
    loop {
        match text.get(at)? {
            b'\\' => at += 2,
            b'"' => return Some((&text[..=at], &text[at + 1..])),
            _ => at += 1,
        }
    }
}

/// What follows a value.
fn skip_value(text: &[u8]) -> Option<&[u8]> {
    let mut rest = text;
    let mut depth = 0_u32;
    loop {
        match rest.first()? {
            b'"' => rest = string(rest)?.1,
            b'{' | b'[' => {
                depth += 1;
                rest = &rest[1..];
            }
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                rest = &rest[1..];
            }
            b',' if depth == 0 => return Some(rest),
            _ => rest = &rest[1..],
        }
        if depth == 0 && matches!(rest.first(), Some(b',' | b'}')) {
            return Some(rest);
        }
    }
}

/// A string or a whole number at the start of `text`, as JSON text, and what follows.
fn scalar(text: &[u8]) -> Option<(String, &[u8])> {
    if text.first() == Some(&b'"') {
        let (quoted, after) = string(text)?;
        let quoted = std::str::from_utf8(quoted).ok()?;
        serde_json::from_str::<String>(quoted).ok()?;
        return Some((quoted.to_owned(), after));
    }
    let length = text
        .iter()
        .position(|byte| !(byte.is_ascii_digit() || *byte == b'-'))
        .unwrap_or(text.len());
    let digits = std::str::from_utf8(&text[..length]).ok()?;
    digits.parse::<i64>().ok()?;
    Some((digits.to_owned(), &text[length..]))
}

#[cfg(test)]
mod tests {
    use super::recover_id;

    #[test]
    fn finds_the_id_at_the_beginning() {
        let head =
            br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"arguments":{"x":"aaa"#;
        assert_eq!(recover_id(head, None).as_deref(), Some("7"));
        let head = br#" { "meta" : {"id": 1, "s": "}\""} , "id" : "a-b" , "#;
        assert_eq!(recover_id(head, None).as_deref(), Some(r#""a-b""#));
    }

    #[test]
    fn finds_the_id_at_the_end() {
        let head = br#"{"method":"tools/call","params":{"arguments":{"id":1,"x":"aaa"#;
        assert_eq!(
            recover_id(head, Some(br#"aaa"}},"jsonrpc":"2.0","id":42}"#)).as_deref(),
            Some("42")
        );
        assert_eq!(recover_id(head, Some(br#"aa"}},"id": "x" } "#)).as_deref(), Some(r#""x""#));
    }

    #[test]
    fn takes_no_id_from_among_the_arguments() {
        let head = br#"{"method":"tools/call","params":{"arguments":{"id":1,"x":"aaa"#;
        assert_eq!(recover_id(head, Some(br#"aaa","id":5}},"jsonrpc":"2.0"}"#)), None);
        assert_eq!(recover_id(head, None), None);
        assert_eq!(recover_id(br#"{"id":null}"#, None), None);
        assert_eq!(recover_id(br#"{"id":1.5}"#, None), None);
        assert_eq!(recover_id(br#"{"id":12"#, None), None);
        assert_eq!(recover_id(b"no json", None), None);
        assert_eq!(recover_id(b"", Some(b"")), None);
    }
}
