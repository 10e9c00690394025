//! The result never depends on where a text is cut into pieces.

use super::super::{Cut, MARK, Painted, lines, settle};

/// Numbers from a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33).unwrap() % end
    }
}

const PIECES: &[&str] = &[
    "plain words ",
    "\n",
    "\n\n",
    " ",
    "=",
    ": ",
    "\"",
    "'",
    "a",
    "ä",
    "ghp_",
    "AKIA",
    "sk-",
    "sk-ant-api03-",
    "password",
    "PASSWORD=",
    "--password ",
    "token=",
    "secret: ",
    "1234",
    "ABCD-1234",
    "one-time code",
    "user code\n",
    "Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA",
    "IOSFODNN7EXAMPLE",
    "https://",
    "postgres://app:",
    "@db/x",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "MIIEvwIBADANBgkqhkiG9w0BAQ",
    "?code=",
    "&",
    "Bearer ",
    "eyJhbGciOi",
    ".eyJzdWIi",
    "curl -u me:",
    "mysql -p",
    "login x password ",
    "Cookie: a=",
    "[REDACTED]",
];

/// Hands a text over in pieces, as a pane's watcher does.
fn in_pieces(text: &str, width: Option<usize>, cut: Cut, numbers: &mut Numbers) -> String {
    let (mut stored, mut done, mut read) = (String::new(), 0, 0);
    while read < text.len() {
        read = text.ceil_char_boundary((read + 1 + numbers.below(40)).min(text.len()));
        let settled = settle(&text[..done], &text[done..read], width, cut);
        assert!(settled.taken <= read - done);
        stored.push_str(&settled.text);
        done += settled.taken;
    }
    stored.push_str(&settle(&text[..done], &text[done..], width, Cut::End).text);
    stored
}

#[test]
fn text_in_pieces_is_redacted_like_the_whole() {
    for seed in 1..2500 {
        let mut numbers = Numbers(seed);
        let count = 2 + numbers.below(24);
        let text: String = (0..count).map(|_| PIECES[numbers.below(PIECES.len())]).collect();
        for width in [None, Some(30)] {
            let whole = settle("", &text, width, Cut::End).text;
            for cut in [Cut::Anywhere, Cut::Lines] {
                let pieces = in_pieces(&text, width, cut, &mut numbers);
                assert_eq!(pieces, whole, "seed {seed}, {width:?}, {cut:?}: {text:?}");
            }
        }
    }
}

#[test]
fn lines_stay_lines_and_positions_are_mapped() {
    let text = "a token=abcdefgh1234567 b\n-----BEGIN PRIVATE KEY-----\n\
        MIIEvwIBADANBgkqhkiG9w0BAQ\nMIIEvwIBADANBgkqhkiG9w0BAQ\n-----END PRIVATE KEY-----\nafter ä\n";
    let clean = settle("", text, None, Cut::Anywhere);
    assert_eq!(clean.taken, text.len());
    assert_eq!(
        clean.text,
        "a token=[REDACTED] b\n-----BEGIN PRIVATE KEY-----\n[REDACTED]\n[REDACTED]\n\
         -----END PRIVATE KEY-----\nafter ä\n"
    );
    assert_eq!(lines(text, None).text, clean.text);
    for word in [" b\n", "-----END", "after ä"] {
        let (raw, stored) = (text.find(word).unwrap(), clean.text.find(word).unwrap());
        assert_eq!((clean.clean(raw), clean.original(stored)), (stored, raw), "{word}");
    }
    assert_eq!(clean.clean(text.find("efgh").unwrap()), clean.text.find(MARK).unwrap());
}

#[test]
fn what_may_become_a_secret_is_held_back_and_nothing_else_is() {
    for (text, held) in [
        ("all is well", ""),
        ("Proceed? (y/n)", ""),
        ("user@host:~$", ""),
        ("Password: ", ""),
        ("export TOKEN=", ""),
        ("export TOKEN=abc", "abc"),
        ("key AKIAIOSF", "AKIAIOSF"),
        ("key AK", "AK"),
        ("Listening on http://localhost:8080", "8080"),
        ("Listening on http://localhost:8080/", ""),
        ("-----BEGIN PRIVATE KEY-----\nMIIE", "\nMIIE"),
        ("Enter this one-time code\n", ""),
        ("Enter this one-time code\n  SZZY-QE", "SZZY-QE"),
        ("password=hunter2", "hunter2"),
        ("password=hunter2\n", ""),
    ] {
        let settled = settle("", text, None, Cut::Anywhere);
        assert_eq!(&text[settled.taken..], held, "{text:?}");
    }
    // A line that ends at the edge of the screen may go on in the next.
    let line = "0123456789 token ghp_a1B2c3D4e5F6g7H8";
    let settled = settle("", &format!("{line}\n"), Some(line.len()), Cut::Anywhere);
    assert_eq!(settled.text, "0123456789 token ");
    let rest = format!("{}\ni9J0k1L2m3 next\n", &line[settled.taken..]);
    let settled = settle(&settled.text, &rest, Some(line.len()), Cut::Anywhere);
    assert_eq!(settled.text, "[REDACTED]\n[REDACTED] next\n");
}

#[test]
fn what_is_too_long_to_wait_for_is_replaced_to_its_end() {
    let body = "MIIEvwIBADANBgkqhkiG9w0BAQEFAASCBKkwggSlAgEAAoIBAQC7VJTUt9Us8cKj\n".repeat(40);
    for (before, secret, after) in [
        ("-----BEGIN PRIVATE KEY-----\n", body.as_str(), "-----END PRIVATE KEY-----\n"),
        ("x token=", "a1b2c3d4e5f6g7h8", " y\n"),
    ] {
        let text = format!("{before}{secret}{after}");
        for cut in (before.len() + 30..before.len() + secret.len()).step_by(7) {
            if !text.is_char_boundary(cut) || cut >= text.len() {
                continue;
            }
            let first = settle("", &text[..cut], None, Cut::End).text;
            let rest = settle(&first, &text[cut..], None, Cut::End).text;
            let stored = format!("{first}{rest}");
            assert!(
                !stored.contains("MIIE") && !stored.contains("9Us8c") && !stored.contains("g7h8"),
                "{cut}: {stored}"
            );
            assert!(stored.ends_with(after), "{cut}: {stored}");
        }
    }
}

#[test]
fn a_painted_line_may_not_be_finished() {
    let screen = "> export TOKEN=ghp_16C7\n| key AKIAIOSF    |\n  password: hun\nsee http://localhost:8080\n\
        token: String\na key sk-ant-api03-Zm9vYmFyYmF6cXV4MTIz";
    let painted = Painted::new(screen, None);
    let line = |text: &str| painted.line(text);
    assert_eq!(line("> export TOKEN=ghp_16C7"), "> export TOKEN=[REDACTED]");
    assert_eq!(line("| key AKIAIOSF    |"), "| key [REDACTED]    |");
    assert_eq!(line("  password: hun"), "  password: [REDACTED]");
    assert_eq!(line("see http://localhost:8080"), "see http://localhost:8080");
    assert_eq!(line("token: String"), "token: String");
    assert_eq!(line("a key sk-ant-api03-Zm9vYmFyYmF6cXV4MTIz"), "a key [REDACTED]");
    // The second half of a secret that the edge cut.
    let painted = Painted::new("token: ghp_16C7e42F29\n2c6912E7710c838347Ae178B4a\n", Some(21));
    assert_eq!(painted.line("2c6912E7710c838347Ae178B4a"), MARK);
}
