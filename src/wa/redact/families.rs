//! The fifteen families: how each begins, and what of it is the secret.

use super::shapes::{Text, name};

/// A kind of secret.
pub(super) struct Family {
    pub(super) name: &'static str,
    /// Letter case aside.
    pub(super) beginnings: &'static [&'static str],
    /// From a beginning's place to the secret's.
    pub(super) read: Read,
}

type Read = fn(&mut Text<'_>, usize, usize) -> Option<(usize, usize)>;

pub(super) const FAMILIES: [Family; 15] = [
    Family { name: "anthropic_key", beginnings: &["sk-ant-"], read: dashed_key },
    Family { name: "openai_key", beginnings: &["sk-"], read: dashed_key },
    Family {
        name: "github_token",
        beginnings: &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
        read: |text, start, end| prefixed(text, start, end, 22),
    },
    Family { name: "aws_access_key", beginnings: &["AKIA", "ASIA"], read: aws_access_key },
    Family {
        name: "aws_secret_key",
        beginnings: &["secret_access_key", "secretaccesskey", "aws_secret_key"],
        read: |text, start, end| assigned_key(text, start, end, 16),
    },
    Family {
        name: "slack_token",
        beginnings: &[
            "xoxa-",
            "xoxb-",
            "xoxc-",
            "xoxd-",
            "xoxe-",
            "xoxe.",
            "xoxo-",
            "xoxp-",
            "xoxr-",
            "xoxs-",
            "xapp-",
            "hooks.slack.com/services/",
        ],
        read: slack,
    },
    Family {
        name: "stripe_key",
        beginnings: &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "pk_live_", "whsec_"],
        read: |text, start, end| prefixed(text, start, end, 10),
    },
    Family {
        name: "bearer_token",
        beginnings: &["bearer ", "authorization: basic ", "authorization: token "],
        read: |text, _, end| text.key_with_digit(end, 16),
    },
    Family {
        name: "database_url",
        beginnings: &[
            "postgres://",
            "postgresql://",
            "mysql://",
            "mariadb://",
            "mongodb://",
            "mongodb+srv://",
            "redis://",
            "rediss://",
            "amqp://",
            "amqps://",
            "mssql://",
            "sqlserver://",
            "clickhouse://",
        ],
        read: |text, _, end| user_info(text, end),
    },
    Family {
        name: "device_code",
        beginnings: &[
            "one-time code",
            "device code",
            "user code",
            "verification code",
            "device_code",
            "user_code",
        ],
        read: device_code,
    },
    Family {
        name: "oauth_url",
        beginnings: &[
            "?code=",
            "&code=",
            "?state=",
            "&state=",
            "?token=",
            "&token=",
            "?key=",
            "&key=",
            "?sig=",
            "&sig=",
            "access_token=",
            "refresh_token=",
            "id_token=",
            "oauth_token=",
            "client_secret=",
            "code_verifier=",
            "http://",
            "https://",
        ],
        read: oauth_url,
    },
    Family {
        name: "generic_key",
        beginnings: &[
            "api_key",
            "api-key",
            "apikey",
            "access_key",
            "access-key",
            "private_key",
            "secret_key",
            "secret-key",
            "secretkey",
            "encryption_key",
            "auth_key",
            "AIza",
        ],
        read: generic_key,
    },
    Family { name: "generic_token", beginnings: &["token", "eyJ"], read: generic_token },
    Family {
        name: "generic_password",
        beginnings: &["password", "passwd", "passphrase", "pwd"],
        read: password,
    },
    Family {
        name: "generic_secret",
        beginnings: &["secret", "private key-----"],
        read: generic_secret,
    },
];

/// `sk-…`: the dashes make prose possible, the digit makes it unlikely.
fn dashed_key(text: &mut Text<'_>, start: usize, end: usize) -> Option<(usize, usize)> {
    if !text.fresh(start) || !text.exactly(start, start + 3, &["sk-"]) {
        return None;
    }
    let (_, end) = text.key_with_digit(end, 16)?;
    Some((start, end))
}

/// A prefix that nothing else has, and letters and digits after it.
fn prefixed(text: &mut Text<'_>, start: usize, end: usize, min: usize) -> Option<(usize, usize)> {
    if !text.fresh(start) {
        return None;
    }
    let stop = text.run(end, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (stop - end >= min).then_some((start, stop))
}

fn aws_access_key(text: &mut Text<'_>, start: usize, end: usize) -> Option<(usize, usize)> {
    if !text.fresh(start) || !text.exactly(start, end, &["AKIA", "ASIA"]) {
        return None;
    }
    let stop = text.run(end, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    let ends = text.at(stop).is_none_or(|byte| !name(byte));
    (stop - end == 16 && ends).then_some((start, stop))
}

fn slack(text: &mut Text<'_>, start: usize, end: usize) -> Option<(usize, usize)> {
    if text.at(end - 1) == Some(b'/') {
        return text.key_with_digit(end, 16);
    }
    if !text.fresh(start) {
        return None;
    }
    let (_, stop) = text.key_with_digit(end, 10)?;
    Some((start, stop))
}

/// `scheme://user:password@`: the password.
fn user_info(text: &Text<'_>, from: usize) -> Option<(usize, usize)> {
    let plain = |byte: u8| {
        !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'@' | b'"' | b'\'' | b'<' | b'>')
    };
    let colon = text.run(from, |byte| plain(byte) && byte != b':');
    if text.at(colon) != Some(b':') {
        return None;
    }
    let end = text.run(colon + 1, plain);
    let is_secret = text.at(end) == Some(b'@') && end > colon + 1;
    (is_secret && !text.is_placeholder((colon + 1, end))).then_some((colon + 1, end))
}

/// `ABCD-12345`, soon after words that announce it.
fn device_code(text: &mut Text<'_>, _: usize, end: usize) -> Option<(usize, usize)> {
    let upper = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    // The rest of this line and the beginning of the next that is not empty.
    let near = &text.bytes[end..text.bytes.len().min(end + 80)];
    let most = match near.iter().position(|byte| *byte == b'\n') {
        Some(index) => text.run(end + index, |byte| byte.is_ascii_whitespace()) + 1,
        None => end + near.len(),
    };
    let mut at = end;
    while at < most.min(text.bytes.len()) {
        let stop = text.run(at, upper);
        if stop - at == 4 && text.at(stop) == Some(b'-') && text.fresh(at) {
            let last = text.run(stop + 1, upper);
            let ends = text.at(last).is_none_or(|byte| !name(byte));
            if ends && matches!(last - stop - 1, 4 | 5) {
                return Some((at, last));
            }
        }
        at = stop.max(at) + 1;
    }
    None
}

/// The value of a parameter that grants access; or a password in an address.
fn oauth_url(text: &mut Text<'_>, start: usize, end: usize) -> Option<(usize, usize)> {
    if text.at(end - 1) == Some(b'/') {
        return user_info(text, end);
    }
    let before = start.checked_sub(1).and_then(|index| text.at(index));
    let in_query = |byte| matches!(byte, Some(b'?' | b'&' | b'#'));
    if !in_query(text.at(start)) && !in_query(before) {
        return None;
    }
    let stop = text.run(end, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'~' | b'%' | b'+' | b'-')
    });
    (stop - end >= 8).then_some((end, stop))
}

/// `NAME=value` or `--name value`.
fn given(text: &Text<'_>, start: usize, end: usize) -> Option<(usize, Option<u8>)> {
    text.assigned(end).or_else(|| text.argument(start, end))
}

fn assigned_key(
    text: &mut Text<'_>,
    start: usize,
    end: usize,
    min: usize,
) -> Option<(usize, usize)> {
    let (from, _) = given(text, start, end)?;
    text.key_with_digit(from, min)
}

fn generic_key(text: &mut Text<'_>, start: usize, end: usize) -> Option<(usize, usize)> {
    if text.exactly(start, end, &["AIza"]) {
        return prefixed_google(text, start, end);
    }
    assigned_key(text, start, end, 12)
}

fn prefixed_google(text: &Text<'_>, start: usize, end: usize) -> Option<(usize, usize)> {
    if !text.fresh(start) {
        return None;
    }
    let stop = text.run(end, name);
    (stop - end == 35).then_some((start, stop))
}

fn generic_token(text: &mut Text<'_>, start: usize, end: usize) -> Option<(usize, usize)> {
    if !text.exactly(start, end, &["eyJ"]) {
        return assigned_key(text, start, end, 12);
    }
    // A signed token: three parts, the first two of which are objects.
    if !text.fresh(start) {
        return None;
    }
    let dot = text.run(end, name);
    if !text.bytes[dot..].starts_with(b".eyJ") {
        return None;
    }
    let (_, stop) = text.key_with_digit(end, 30)?;
    Some((start, stop))
}

fn password(text: &mut Text<'_>, start: usize, end: usize) -> Option<(usize, usize)> {
    let given = given(text, start, end)?;
    let (from, stop, _) = text.value(given);
    (stop - from >= 4 && !text.is_placeholder((from, stop))).then_some((from, stop))
}

fn generic_secret(text: &mut Text<'_>, start: usize, end: usize) -> Option<(usize, usize)> {
    if text.at(end - 1) == Some(b'-') {
        // The body of a key file, as lines of letters and digits.
        let stop = text.run(end, |byte| {
            byte.is_ascii_alphanumeric()
                || byte.is_ascii_whitespace()
                || matches!(byte, b'+' | b'/' | b'=')
        });
        return (stop - end >= 64).then_some((end, stop));
    }
    let (from, quote) = given(text, start, end)?;
    let (from, stop, digit) = text.value((from, quote));
    let is_secret = stop - from >= 8 && (digit || quote.is_some());
    (is_secret && !text.is_placeholder((from, stop))).then_some((from, stop))
}
