//! The reader of each family: from the position of a beginning to the position of the secret.

use super::families::FAMILIES;
use super::shapes::{Text, name};

/// How far from the words that announce a code it may be.
const ANNOUNCED: usize = 80;
/// Maximum bytes of a key file's headers after its first line.
const HEADERS: usize = 240;
/// An unbroken run of a key's body; no word of prose is so long.
const BODY: usize = 24;

/// How far before an option its command is looked for, and before a value the header's name.
const COMMAND: usize = 160;
const HEADER_NAME: usize = 24;

/// `sk-…`: the dashes make prose possible, the digit makes it unlikely.
pub(super) fn dashed_key(text: &mut Text<'_>, start: usize, end: usize) -> Option<(usize, usize)> {
    if !text.fresh(start) || !text.exactly(start, start + 3, &["sk-"]) {
        return None;
    }
    let (_, end) = text.key_with_digit(end, 16)?;
    Some((start, end))
}

/// A prefix that nothing else has, and letters and digits after it.
pub(super) fn prefixed(
    text: &mut Text<'_>,
    start: usize,
    end: usize,
    min: usize,
) -> Option<(usize, usize)> {
    if !text.fresh(start) {
        return None;
    }
    let stop = text.run(end, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (stop - end >= min).then_some((start, stop))
}

pub(super) fn aws_access_key(
    text: &mut Text<'_>,
    start: usize,
    end: usize,
) -> Option<(usize, usize)> {
    if !text.fresh(start) || !text.exactly(start, end, &["AKIA", "ASIA"]) {
        return None;
    }
    let stop = text.run(end, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    let ends = text.at(stop).is_none_or(|byte| !name(byte));
    (stop - end == 16 && ends).then_some((start, stop))
}

/// Assigned, or behind a space as `aws configure set` takes it.
pub(super) fn aws_secret_key(
    text: &mut Text<'_>,
    start: usize,
    end: usize,
) -> Option<(usize, usize)> {
    let assigned = assigned_key(text, start, end, 16);
    if assigned.is_some() || text.at(end) != Some(b' ') {
        return assigned;
    }
    text.begins_at(end + 1);
    text.key_with_digit(end + 1, 30)
}

/// `123456789:AA…`: the number of a bot and its key.
pub(super) fn bot_token(text: &mut Text<'_>, start: usize, end: usize) -> Option<(usize, usize)> {
    let digits = text.bytes[..start].iter().rev().take(12).take_while(|byte| byte.is_ascii_digit());
    let from = start - digits.count();
    text.begins_at(from);
    if !text.exactly(start, end, &[":AA"]) || !(8..=10).contains(&(start - from)) {
        return None;
    }
    let stop = text.run(end, name);
    (text.fresh(from) && stop - end >= 30).then_some((from, stop))
}

/// `key-` and 32 hexadecimal digits.
pub(super) fn hex_key(text: &mut Text<'_>, start: usize, end: usize) -> Option<(usize, usize)> {
    if !text.fresh(start) {
        return None;
    }
    let stop = text.run(end, name);
    let digits = text.run(end, |byte| byte.is_ascii_hexdigit());
    (digits == stop && stop - end == 32).then_some((start, stop))
}

/// `PASSWORD 'secret'`, `IDENTIFIED BY 'secret'`, `ConvertTo-SecureString "secret"`.
pub(super) fn quoted(text: &mut Text<'_>, _: usize, end: usize) -> Option<(usize, usize)> {
    // The quote itself may belong to the beginning.
    let from = if text.bytes[end - 1] == b'\'' { end - 1 } else { end };
    text.begins_at(from);
    let (from, quote) = text.opened(from);
    quote?;
    let (_, stop, _) = text.value((from, quote));
    (stop - from >= 4 && !text.is_placeholder((from, stop))).then_some((from, stop))
}

pub(super) fn slack(text: &mut Text<'_>, start: usize, end: usize) -> Option<(usize, usize)> {
    if text.at(end - 1) == Some(b'/') {
        text.begins_at(end);
        return text.key_with_digit(end, 16);
    }
    if !text.fresh(start) {
        return None;
    }
    let (_, stop) = text.key_with_digit(end, 10)?;
    Some((start, stop))
}

/// `scheme://user:password@`: the password.
pub(super) fn user_info(text: &Text<'_>, from: usize) -> Option<(usize, usize)> {
    text.begins_at(text.bytes.len());
    let plain = |byte: u8| {
        !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'@' | b'"' | b'\'' | b'<' | b'>')
    };
    let colon = text.run(from, |byte| plain(byte) && byte != b':');
    if text.at(colon) != Some(b':') {
        return None;
    }
    text.begins_at(colon + 1);
    let end = text.run(colon + 1, plain);
    let is_secret = text.at(end) == Some(b'@') && end > colon + 1;
    (is_secret && !text.is_placeholder((colon + 1, end))).then_some((colon + 1, end))
}

/// `ABCD-12345`, soon after words that announce it.
pub(super) fn device_code(text: &mut Text<'_>, _: usize, end: usize) -> Option<(usize, usize)> {
    let upper = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    text.begins_at(text.bytes.len());
    // The rest of this line and the beginning of the next that is not empty.
    let near = &text.bytes[end..text.bytes.len().min(end + ANNOUNCED)];
    let most = match near.iter().position(|byte| *byte == b'\n') {
        Some(index) => {
            let blank = end + index;
            text.run(blank, |byte| byte.is_ascii_whitespace()).min(blank + ANNOUNCED) + 1
        }
        None => end + ANNOUNCED,
    };
    let mut at = end;
    while at < most {
        match text.at(at)? {
            // The code was here and is removed already.
            b'[' => return None,
            byte if !upper(byte) => at += 1,
            _ => {
                let stop = text.run(at, upper);
                if text.bytes.len() == stop {
                    text.begins_at(at);
                    return None;
                }
                if stop - at == 4 && text.fresh(at) && text.at(stop) == Some(b'-') {
                    let last = text.run(stop + 1, upper);
                    if text.bytes.len() == last {
                        text.begins_at(at);
                    }
                    let ends = text.at(last).is_none_or(|byte| !name(byte));
                    if ends && matches!(last - stop - 1, 4 | 5) {
                        return Some((at, last));
                    }
                    if text.bytes.len() == last {
                        return None;
                    }
                }
                at = stop;
            }
        }
    }
    None
}

/// The value of a parameter that grants access.
pub(super) fn oauth_url(text: &mut Text<'_>, start: usize, end: usize) -> Option<(usize, usize)> {
    let before = start.checked_sub(1).and_then(|index| text.at(index));
    let in_query = |byte| matches!(byte, Some(b'?' | b'&' | b'#'));
    if !in_query(text.at(start)) && !in_query(before) {
        return None;
    }
    text.begins_at(end);
    let stop = text.run(end, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'~' | b'%' | b'+' | b'-')
    });
    (stop - end >= 8).then_some((end, stop))
}

pub(super) fn assigned_key(
    text: &mut Text<'_>,
    start: usize,
    end: usize,
    min: usize,
) -> Option<(usize, usize)> {
    let (from, quote) = text.given(start, end)?;
    let (_, stop) = text.key_with_digit(from, min)?;
    // What a quote holds belongs together.
    let quoted = quote.map_or(stop, |_| text.value((from, quote)).1);
    Some((from, stop.max(quoted)))
}

pub(super) fn google_key(text: &mut Text<'_>, start: usize, end: usize) -> Option<(usize, usize)> {
    if !text.fresh(start) || !text.exactly(start, end, &["AIza"]) {
        return None;
    }
    let stop = text.run(end, name);
    (stop - end == 35).then_some((start, stop))
}

/// A signed token: three parts, the first two of which are objects.
pub(super) fn signed_token(
    text: &mut Text<'_>,
    start: usize,
    end: usize,
) -> Option<(usize, usize)> {
    if !text.fresh(start) || !text.exactly(start, end, &["eyJ"]) {
        return None;
    }
    let dot = text.run(end, name);
    if !text.stands(dot, b".eyJ") {
        return None;
    }
    let (_, stop) = text.key_with_digit(end, 30)?;
    Some((start, stop))
}

/// A prefix that only one vendor uses, and a long run with a digit.
pub(super) fn vendor_token(
    text: &mut Text<'_>,
    start: usize,
    end: usize,
) -> Option<(usize, usize)> {
    let known = FAMILIES.iter().find(|family| family.name == "vendor_token")?;
    if !text.fresh(start) || !text.exactly(start, end, known.beginnings) {
        return None;
    }
    let (_, stop) = text.key_with_digit(end, 18)?;
    Some((start, stop))
}

/// `Bearer …` anywhere; `Basic …` where a header is spoken of.
pub(super) fn bearer(text: &mut Text<'_>, start: usize, end: usize) -> Option<(usize, usize)> {
    text.begins_at(end);
    let is_header = |word: &[u8]| word.eq_ignore_ascii_case(b"authorization");
    let basic = text.at(start).is_some_and(|byte| byte.eq_ignore_ascii_case(&b'b'))
        && end - start == "basic ".len();
    if basic && !text.line_before(start, HEADER_NAME).any(is_header) {
        return None;
    }
    let min = if basic { 8 } else { 16 };
    let (from, stop) = text.key_with_digit(end, min)?;
    Some((from, stop))
}

/// What a browser sends or is sent: `name=value` and what follows in the line.
pub(super) fn cookie(text: &mut Text<'_>, _: usize, end: usize) -> Option<(usize, usize)> {
    text.begins_at(end);
    let sign = text.run(end, |byte| name(byte) || byte == b'.');
    if sign == end || text.at(sign) != Some(b'=') {
        return None;
    }
    text.begins_at(sign + 1);
    let (_, stop, _) = text.value((sign + 1, Some(b'"')));
    (stop - sign > 8).then_some((sign + 1, stop))
}

/// `mysql -psecret`, `docker login -p secret`, `sshpass -p secret`, `curl -u user:secret`,
/// `redis-cli -a secret`, `ldapsearch -w secret`, `smbclient -U user%secret`.
pub(super) fn command_password(
    text: &mut Text<'_>,
    start: usize,
    end: usize,
) -> Option<(usize, usize)> {
    text.begins_at(end);
    let command = |text: &Text<'_>, commands: &[&[u8]]| {
        text.line_before(start, COMMAND).any(|word| commands.contains(&word))
    };
    let option = &text.bytes[start..end];
    if option == b" -p" {
        if command(text, &[b"mysql", b"mysqldump", b"mysqladmin", b"mariadb"]) {
            let (from, stop, _) = text.value(text.opened(end));
            return (stop - from >= 3).then_some((from, stop));
        }
        if text.at(end) != Some(b' ')
            || !command(text, &[b"docker", b"podman", b"sshpass", b"helm"])
        {
            return None;
        }
        let (from, stop, digit) = text.value(text.opened(end + 1));
        // `docker run -p 8080:80` maps a port.
        let port = text.bytes[from..stop].iter().all(|byte| byte.is_ascii_digit() || *byte == b':');
        let login = command(text, &[b"login", b"sshpass"]);
        return (login && !port && (digit || stop - from >= 6)).then_some((from, stop));
    }
    if option == b" -a " {
        let (from, stop, _) = text.value(text.opened(end));
        let is_secret = command(text, &[b"redis-cli"]) && stop - from >= 4;
        return (is_secret && !text.is_placeholder((from, stop))).then_some((from, stop));
    }
    if option == b" -w " {
        let (from, stop, _) = text.value(text.opened(end));
        let ldap = text.line_before(start, COMMAND).any(|word| word.starts_with(b"ldap"));
        return (ldap && stop - from >= 4 && !text.is_placeholder((from, stop)))
            .then_some((from, stop));
    }
    let sign = if command(text, &[b"curl", b"wget", b"http", b"https"]) {
        b':'
    } else if command(text, &[b"smbclient", b"rpcclient"]) {
        b'%'
    } else {
        return None;
    };
    let (from, quote) = text.opened(end);
    let (_, stop, _) = text.value((from, quote));
    let colon = from + text.bytes[from..stop].iter().take(128).position(|byte| *byte == sign)?;
    text.begins_at(colon + 1);
    let secret = (colon + 1, stop);
    (stop > colon + 3 && !text.is_placeholder(secret)).then_some(secret)
}

/// `machine … login … password secret`, in one line or in several.
pub(super) fn netrc(text: &mut Text<'_>, start: usize, end: usize) -> Option<(usize, usize)> {
    text.begins_at(end);
    let before: Vec<&[u8]> = text.line_before(start, COMMAND).collect();
    let login = before.contains(&b"login".as_slice());
    if !login && !before.is_empty() {
        return None;
    }
    let (from, stop, digit) = text.value((end, None));
    let alone = text.at(stop).is_none_or(|byte| byte == b'\n');
    ((login || (digit && alone)) && stop - from >= 4 && !text.is_placeholder((from, stop)))
        .then_some((from, stop))
}

/// Assigned, an option's argument, `<password>secret</password>`, or `-pass pass:secret`.
pub(super) fn password(text: &mut Text<'_>, start: usize, end: usize) -> Option<(usize, usize)> {
    if text.at(end) == Some(b'>') {
        text.begins_at(end + 1);
        let stop = text.run(end + 1, |byte| !byte.is_ascii_whitespace() && byte != b'<');
        let is_secret = text.at(stop) == Some(b'<') && stop - end > 4;
        return (is_secret && !text.is_placeholder((end + 1, stop))).then_some((end + 1, stop));
    }
    let source = text.run(end, |byte| byte.is_ascii_alphabetic());
    if text.stands(source, b" pass:") {
        let from = source + b" pass:".len();
        text.begins_at(from);
        let (_, stop, _) = text.value((from, None));
        return (stop - from >= 4).then_some((from, stop));
    }
    let given = text.given(start, end)?;
    let (from, stop, _) = text.value(given);
    // `PWD=/home/me` is a folder.
    let folder = end - start == "pwd".len() && matches!(text.at(from), Some(b'/' | b'~'));
    (!folder && stop - from >= 4 && !text.is_placeholder((from, stop))).then_some((from, stop))
}

pub(super) fn generic_secret(
    text: &mut Text<'_>,
    start: usize,
    end: usize,
) -> Option<(usize, usize)> {
    if text.at(end - 1) == Some(b'-') {
        // The line that ends a key file reads the same but for one word.
        let begins = text.line_before(start, COMMAND).any(|word| word.ends_with(b"BEGIN"));
        return if begins { key_file(text, end) } else { None };
    }
    let (from, quote) = text.given(start, end)?;
    let (from, stop, digit) = text.value((from, quote));
    let is_secret = stop - from >= 8 && (digit || quote.is_some());
    (is_secret && !text.is_placeholder((from, stop))).then_some((from, stop))
}

/// The body of a key file: headers, then lines of letters and digits, to the line that ends it. In
/// JSON the line ends are written out.
fn key_file(text: &Text<'_>, end: usize) -> Option<(usize, usize)> {
    text.begins_at(end);
    let (mut at, mut run, mut longest) = (end, 0, 0);
    loop {
        match text.at(at) {
            Some(b'-') if text.stands(at, b"-----") => break,
            Some(byte) if byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=') => {
                run += 1;
                longest = longest.max(run);
            }
            Some(byte) if byte.is_ascii_whitespace() || byte == b'\\' => run = 0,
            Some(b'-' | b':' | b',' | b'.' | b'(' | b')') if at - end < HEADERS => run = 0,
            _ => break,
        }
        at += 1;
    }
    (longest >= BODY).then_some((end, at))
}
