//! The writer: the bytes of `json.dump(indent=2, sort_keys=True)` and of the compact form.

use super::Json;

/// Two-space indent, sorted keys, ASCII only, one newline at the end: an override file.
pub fn pretty(value: &Json) -> String {
    let mut out = String::new();
    write_value(value, Some(0), &mut out);
    out.push('\n');
    out
}

/// No whitespace, sorted keys, ASCII only: what JSON hashes are taken over.
pub fn compact(value: &Json) -> String {
    let mut out = String::new();
    write_value(value, None, &mut out);
    out
}

fn write_value(value: &Json, indent: Option<usize>, out: &mut String) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(true) => out.push_str("true"),
        Json::Bool(false) => out.push_str("false"),
        Json::Number(text) => out.push_str(text),
        Json::String(text) => write_string(text, out),
        Json::Broken(escaped) => {
            out.push('"');
            out.push_str(escaped);
            out.push('"');
        }
        Json::Array(items) => {
            write_items(items.iter(), ['[', ']'], indent, out, |item, inner, out| {
                write_value(item, inner, out);
            });
        }
        Json::Object(members) => {
            write_items(members.iter(), ['{', '}'], indent, out, |(name, item), inner, out| {
                write_string(name, out);
                out.push_str(if inner.is_some() { ": " } else { ":" });
                write_value(item, inner, out);
            });
        }
    }
}

fn write_items<T>(
    items: impl ExactSizeIterator<Item = T>,
    [open, close]: [char; 2],
    indent: Option<usize>,
    out: &mut String,
    mut write_item: impl FnMut(T, Option<usize>, &mut String),
) {
    let inner = indent.map(|level| level + 1);
    let empty = items.len() == 0;
    out.push(open);
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push(',');
        }
        new_line(inner, out);
        write_item(item, inner, out);
    }
    if !empty {
        new_line(indent, out);
    }
    out.push(close);
}

fn new_line(indent: Option<usize>, out: &mut String) {
    if let Some(level) = indent {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", level));
    }
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    escape(text, out);
    out.push('"');
}

/// Escapes everything outside U+0020..U+007E, as `ensure_ascii` does; DEL included.
pub(super) fn escape(text: &str, out: &mut String) {
    let mut rest = text;
    // Texts are long runs of plain ASCII, copied whole.
    while let Some(plain) = rest.bytes().position(|byte| !is_plain(byte)) {
        out.push_str(&rest[..plain]);
        let mut characters = rest[plain..].chars();
        if let Some(character) = characters.next() {
            escape_character(character, out);
        }
        rest = characters.as_str();
    }
    out.push_str(rest);
}

fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\'
}

fn escape_character(character: char, out: &mut String) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        _ => {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                escape_unit(*unit, out);
            }
        }
    }
}

/// One UTF-16 unit as `\uXXXX`.
pub(super) fn escape_unit(unit: u16, out: &mut String) {
    out.push_str("\\u");
    for shift in [12, 8, 4, 0] {
        out.push(char::from_digit(u32::from(unit >> shift) & 15, 16).unwrap_or('0'));
    }
}

/// The fewest digits that read back as `value`, and of those the nearest: where two are equally
/// near, Python takes the even one.
fn shortest(value: f64) -> String {
    let shortest = format!("{value:e}");
    let digits = shortest.bytes().take_while(|b| *b != b'e').filter(u8::is_ascii_digit).count();
    let nearest = format!("{value:.*e}", digits.saturating_sub(1));
    if nearest.parse() == Ok(value) { nearest } else { shortest }
}

/// A finite float as Python's `repr` prints it: shortest digits, exponent below 1e-4 and from 1e16.
pub(super) fn float(value: f64) -> String {
    let shortest = shortest(value.abs());
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits = mantissa.replace('.', "");
    let mut out = String::from(if value.is_sign_negative() { "-" } else { "" });
    if !(-4..16).contains(&exponent) {
        out.push_str(&digits[..1]);
        if digits.len() > 1 {
            out.push('.');
            out.push_str(&digits[1..]);
        }
        let sign = if exponent < 0 { '-' } else { '+' };
        out.push_str(&format!("e{sign}{:02}", exponent.abs()));
        return out;
    }
    let Ok(point) = usize::try_from(exponent + 1) else {
        out.push_str("0.");
        out.extend((exponent + 1..0).map(|_| '0'));
        out.push_str(&digits);
        return out;
    };
    if point == 0 {
        out.push_str("0.");
        out.push_str(&digits);
    } else if digits.len() <= point {
        out.push_str(&digits);
        out.extend(std::iter::repeat_n('0', point - digits.len()));
        out.push_str(".0");
    } else {
        out.push_str(&digits[..point]);
        out.push('.');
        out.push_str(&digits[point..]);
    }
    out
}
