//! Envelope templates as runs of text with holes.

use serde_json::Value;

/// A run of JSON text or a hole in it.
pub type Piece = toolwright_contract::Piece<String>;

/// Words of a template and the holes they are. `$spread` is a key, not a word.
pub const WORDS: [(&str, Piece); 17] = [
    ("$data", Piece::Data),
    ("$error.code", Piece::ErrorCode),
    ("$error.message", Piece::ErrorMessage),
    ("$error.hint", Piece::ErrorHint),
    ("$error.retryable", Piece::ErrorRetryable),
    ("$error.details", Piece::ErrorDetails),
    ("$warnings", Piece::Warnings),
    ("$elapsed_ms", Piece::ElapsedMs),
    ("$now_ms", Piece::NowMs),
    ("$now", Piece::Now),
    ("$version", Piece::Version),
    ("$contract", Piece::Contract),
    ("$tool", Piece::Tool),
    ("$command", Piece::Command),
    ("$command_id", Piece::CommandId),
    ("$command_path", Piece::CommandPath),
    ("$request_id", Piece::RequestId),
];

/// The hole that a word of a template is.
pub(super) fn word(text: &str) -> Option<Piece> {
    WORDS.iter().find(|(word, _)| *word == text).map(|(_, piece)| piece.clone())
}

/// Pieces of a template: keys sorted, compact JSON, `$spread` last in its object.
///
/// The spread's members are each led by a comma, so the object needs another member; the checks
/// see to that.
pub fn envelope_pieces(template: &Value) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    write(template, &mut text, &mut pieces);
    flush(&mut text, &mut pieces);
    pieces
}

fn flush(text: &mut String, pieces: &mut Vec<Piece>) {
    if !text.is_empty() {
        pieces.push(Piece::Text(std::mem::take(text)));
    }
}

fn write(template: &Value, text: &mut String, pieces: &mut Vec<Piece>) {
    match template {
        Value::String(value) => match word(value) {
            Some(hole) => {
                flush(text, pieces);
                pieces.push(hole);
            }
            None => text.push_str(&template.to_string()),
        },
        Value::Array(list) => {
            text.push('[');
            for (index, item) in list.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write(item, text, pieces);
            }
            text.push(']');
        }
        Value::Object(map) => {
            let mut members: Vec<_> = map.iter().filter(|(key, _)| *key != "$spread").collect();
            members.sort_by_key(|(key, _)| *key);
            text.push('{');
            for (index, (key, value)) in members.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                text.push_str(&Value::String(key.clone()).to_string());
                text.push(':');
                write(value, text, pieces);
            }
            if map.contains_key("$spread") {
                flush(text, pieces);
                pieces.push(Piece::ErrorSpread);
            }
            text.push('}');
        }
        other => text.push_str(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn templates_become_sorted_compact_runs() {
        let template =
            json!({"ok": false, "error": {"code": "$error.code", "$spread": "$error.details"}});
        assert_eq!(
            envelope_pieces(&template),
            [
                Piece::Text(r#"{"error":{"code":"#.to_owned()),
                Piece::ErrorCode,
                Piece::ErrorSpread,
                Piece::Text(r#"},"ok":false}"#.to_owned()),
            ]
        );
        assert_eq!(envelope_pieces(&json!("$data")), [Piece::Data]);
    }

    #[test]
    fn text_that_is_no_word_stays_text() {
        assert_eq!(
            envelope_pieces(&json!(["a\"b", "$unknown"])),
            [Piece::Text(r#"["a\"b","$unknown"]"#.to_owned())]
        );
    }
}
