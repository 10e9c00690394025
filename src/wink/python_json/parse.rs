//! The reader: Python's grammar, positions in errors, bounded depth.

use memchr::{memchr, memchr2};

use super::{Json, Members, write};

/// Deeper nesting than any sane file; keeps hostile input from exhausting the stack.
const MAX_DEPTH: usize = 200;

/// Where and why a text is not JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct SyntaxError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
}

/// Reads one JSON value.
pub fn parse(text: &str) -> Result<Json, SyntaxError> {
    let mut parser = Parser { text, bytes: text.as_bytes(), at: 0 };
    parser.skip_space();
    let value = parser.value(0)?;
    parser.skip_space();
    if parser.at < parser.bytes.len() {
        return Err(parser.error("unexpected text after the value"));
    }
    Ok(value)
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Parser<'a> {
    fn error(&self, message: impl Into<String>) -> SyntaxError {
        let before = self.text.get(..self.at).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        SyntaxError {
            line: before.bytes().filter(|b| *b == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: message.into(),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn eat(&mut self, word: &str) -> bool {
        let found = self.bytes[self.at..].starts_with(word.as_bytes());
        if found {
            self.at += word.len();
        }
        found
    }

    fn value(&mut self, depth: usize) -> Result<Json, SyntaxError> {
        if depth > MAX_DEPTH {
            return Err(self.error(format!("nested deeper than {MAX_DEPTH} levels")));
        }
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) if self.eat("null") => Ok(Json::Null),
            Some(_) if self.eat("true") => Ok(Json::Bool(true)),
            Some(_) if self.eat("false") => Ok(Json::Bool(false)),
            Some(b'N' | b'I') => Err(self.not_finite()),
            Some(_) => Err(self.error("expected a JSON value")),
            None => Err(self.error("the text ends where a JSON value should be")),
        }
    }

    fn not_finite(&self) -> SyntaxError {
        let rest = &self.text[self.at..];
        for word in ["NaN", "Infinity", "-Infinity"] {
            if rest.starts_with(word) {
                return self.error(format!("`{word}` is Python only, not JSON"));
            }
        }
        self.error("expected a JSON value")
    }

    fn object(&mut self, depth: usize) -> Result<Json, SyntaxError> {
        self.at += 1;
        let mut members = Vec::new();
        self.skip_space();
        if self.eat("}") {
            return Ok(Json::Object(Members::new()));
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err(self.error("expected a property name in double quotes"));
            }
            let start = self.at;
            let Json::String(name) = self.string()? else {
                self.at = start;
                return Err(self.error("property name with an unpaired surrogate"));
            };
            self.skip_space();
            if !self.eat(":") {
                return Err(self.error("expected `:`"));
            }
            self.skip_space();
            let value = self.value(depth + 1)?;
            members.push((name, value));
            self.skip_space();
            if self.eat("}") {
                return Ok(Json::Object(members.into_iter().collect()));
            }
            if !self.eat(",") {
                return Err(self.error("expected `,` or `}`"));
            }
            self.skip_space();
        }
    }

    fn array(&mut self, depth: usize) -> Result<Json, SyntaxError> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.eat("]") {
            return Ok(Json::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.skip_space();
            if self.eat("]") {
                return Ok(Json::Array(items));
            }
            if !self.eat(",") {
                return Err(self.error("expected `,` or `]`"));
            }
            self.skip_space();
        }
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }

    fn number(&mut self) -> Result<Json, SyntaxError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            if self.text[start..].starts_with("-Infinity") {
                return Err(self.not_finite());
            }
            self.at += 1;
        }
        let leading_zero = self.peek() == Some(b'0');
        let whole = self.digits();
        if whole == 0 || (leading_zero && whole > 1) {
            self.at = start;
            return Err(self.error("not a JSON number"));
        }
        let mut float = false;
        if self.eat(".") {
            float = true;
            if self.digits() == 0 {
                return Err(self.error("expected digits after the decimal point"));
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            float = true;
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return Err(self.error("expected digits in the exponent"));
            }
        }
        let source = &self.text[start..self.at];
        let text = match source.parse::<f64>() {
            Ok(value) if float && value.is_finite() => write::float(value),
            _ if source == "-0" => "0".to_owned(),
            _ => source.to_owned(),
        };
        Ok(Json::Number(text))
    }

    /// How many bytes of a string come before its next quote, backslash or control character.
    fn plain(&self) -> usize {
        let rest = &self.bytes[self.at..];
        let run = &rest[..memchr2(b'"', b'\\', rest).unwrap_or(rest.len())];
        // Scans all of it, many bytes at a time, where a search would stop at each.
        let clean = run.iter().fold(true, |clean, byte| clean & (*byte >= b' '));
        let control = if clean { None } else { run.iter().position(|byte| *byte < b' ') };
        control.unwrap_or(run.len())
    }

    fn string(&mut self) -> Result<Json, SyntaxError> {
        self.at += 1;
        let plain = self.plain();
        if self.bytes.get(self.at + plain) == Some(&b'"') {
            let text = self.text[self.at..self.at + plain].to_owned();
            self.at += plain + 1;
            return Ok(Json::String(text));
        }
        let mut out = String::with_capacity(memchr(b'"', &self.bytes[self.at..]).unwrap_or(0));
        let mut unpaired: Vec<(usize, u16)> = Vec::new();
        loop {
            let run = self.at;
            self.at += self.plain();
            out.push_str(&self.text[run..self.at]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    break;
                }
                Some(b'\\') => self.escape(&mut out, &mut unpaired)?,
                Some(_) => return Err(self.error("raw control character in a string")),
                None => return Err(self.error("the text ends inside a string")),
            }
        }
        if unpaired.is_empty() {
            return Ok(Json::String(out));
        }
        let mut escaped = String::new();
        let mut done = 0;
        for (offset, unit) in unpaired {
            write::escape(&out[done..offset], &mut escaped);
            write::escape_unit(unit, &mut escaped);
            done = offset;
        }
        write::escape(&out[done..], &mut escaped);
        Ok(Json::Broken(escaped))
    }

    fn escape(
        &mut self,
        out: &mut String,
        unpaired: &mut Vec<(usize, u16)>,
    ) -> Result<(), SyntaxError> {
        self.at += 1;
        let plain = match self.peek() {
            Some(b'u') => {
                self.at += 1;
                return self.unicode_escape(out, unpaired);
            }
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            _ => return Err(self.error("unknown escape in a string")),
        };
        out.push(plain);
        self.at += 1;
        Ok(())
    }

    fn hex_unit(&mut self) -> Result<u16, SyntaxError> {
        let digits = self.bytes.get(self.at..self.at + 4).unwrap_or_default();
        let mut unit = 0u16;
        for digit in digits {
            match char::from(*digit).to_digit(16) {
                Some(value) => unit = (unit << 4) | u16::try_from(value).unwrap_or(0),
                None => return Err(self.error("`\\u` needs four hex digits")),
            }
        }
        if digits.len() < 4 {
            return Err(self.error("`\\u` needs four hex digits"));
        }
        self.at += 4;
        Ok(unit)
    }

    fn unicode_escape(
        &mut self,
        out: &mut String,
        unpaired: &mut Vec<(usize, u16)>,
    ) -> Result<(), SyntaxError> {
        let unit = self.hex_unit()?;
        if let Some(plain) = char::from_u32(u32::from(unit)) {
            out.push(plain);
            return Ok(());
        }
        let resume = self.at;
        if unit < 0xdc00 && self.eat("\\u") {
            let low = self.hex_unit()?;
            if let Some(Ok(pair)) = char::decode_utf16([unit, low]).next() {
                out.push(pair);
                return Ok(());
            }
            self.at = resume;
        }
        unpaired.push((out.len(), unit));
        Ok(())
    }
}
