//! Each family, its near misses, and hostile texts.

use std::borrow::Cow;

mod labelled;
mod stream;

use super::{MARK, families, redact, redact_captured};

/// Family, text, and what must be gone from it.
fn secrets() -> Vec<(&'static str, String, &'static str)> {
    let text = |text: &str| text.to_owned();
    vec![
        ("anthropic_key", text("key sk-ant-api03-AbCdEf0123456789_-xyzAA now"), "AbCdEf0123"),
        ("openai_key", text("OPENAI: sk-proj-AbCd1234efGH5678ijKL"), "AbCd1234"),
        ("openai_key", text("sk-AbCd1234efGH5678ijKLmnop9012"), "AbCd1234"),
        ("github_token", format!("remote ghp_{} ok", "a1B2".repeat(9)), "a1B2"),
        ("github_token", text("github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuv"), "11ABCDEFG0"),
        ("aws_access_key", text("id AKIAIOSFODNN7EXAMPLE."), "IOSFODNN7"),
        (
            "aws_secret_key",
            text("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
            "wJalrXUtn",
        ),
        ("slack_token", text("xoxb-123456789012-abcdefGHIJKL"), "123456789012"),
        (
            "slack_token",
            text("https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXX"),
            "T00000000",
        ),
        ("stripe_key", text("sk_live_4eC39HqLyjWDarjtT1zdp7dc"), "4eC39Hq"),
        ("bearer_token", text("Authorization: Bearer abc123.def456-ghi789_x"), "abc123"),
        ("bearer_token", text("authorization: basic dXNlcjpwYXNzd29yZDE="), "dXNlcjp"),
        ("database_url", text("postgres://app:s3cr3t-p4ss@db.internal:5432/app"), "s3cr3t"),
        ("database_url", text("mongodb+srv://u:hunter2@cluster0/x"), "hunter2"),
        (
            "device_code",
            text("2. Enter this one-time code (expires soon)\n   SZZY-QEPOG\n"),
            "SZZY",
        ),
        ("device_code", text("! First copy your one-time code: ABCD-1234"), "ABCD-1234"),
        ("oauth_url", text("GET /cb?code=4%2F0AbCdEfGh&scope=x"), "0AbCdEfGh"),
        ("oauth_url", text("https://x/#access_token=abcdefgh12345&x=1"), "abcdefgh"),
        ("oauth_url", text("git clone https://me:gl-abcdef@git.example/r.git"), "gl-abcdef"),
        ("generic_key", text("X-API-Key: 0123456789abcdef0123"), "0123456789"),
        ("google_key", format!("AIza{}", "Sy1-".repeat(9).get(..35).unwrap()), "Sy1-Sy1"),
        ("generic_token", text(r#"{"refreshToken": "v1.abcdef0123456789"}"#), "abcdef0123"),
        ("signed_token", text("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP"), "dBjftJ"),
        ("vendor_token", text("glpat-a1B2c3D4e5F6g7H8i9J0"), "a1B2c3D4"),
        ("cookie", text("Cookie: sessionid=0f1e2d3c4b5a69788796; theme=dark\n"), "0f1e2d3c"),
        ("command_password", text("mysql -u root -phunter2 app"), "hunter2"),
        ("command_password", text("curl -u me:hunter2go https://x"), "hunter2go"),
        ("netrc_password", text("machine x login me password hunter2go\n"), "hunter2go"),
        ("quoted_password", text("CREATE USER app IDENTIFIED BY 'hunter2go';"), "hunter2go"),
        ("bot_token", text("5839201746:AAFk2_Wx7mV4tZ9bN1cH6rL3jF5gP0sAeU8"), "Wx7mV4t"),
        ("hex_key", text("key-8f3a1c9e7b5d2046a8c1e3f5b7d90246"), "8f3a1c9e"),
        ("generic_password", text("DB_PASSWORD='correct horse battery'"), "horse"),
        ("generic_password", text("<password>hunter2go</password>"), "hunter2go"),
        ("generic_password", text("mot de passe : hunter2go"), "hunter2go"),
        ("generic_password", text("mysql --password hunter2 -u root"), "hunter2"),
        ("generic_password", text("Server=db;Pwd=Tr0ub4dor&3;"), "Tr0ub4dor"),
        ("generic_password", text(r#"{\"password\":\"pässwört\"}"#), "wört"),
        ("generic_secret", text("client_secret: 8f7a6b5c4d3e2f1a"), "8f7a6b5c"),
        (
            "generic_secret",
            format!(
                "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----",
                "Qm9i".repeat(20)
            ),
            "Qm9iQm9i",
        ),
    ]
}

#[test]
fn every_family_is_taken_out_and_the_rest_stays() {
    let mut seen = std::collections::BTreeSet::new();
    for (family, text, gone) in secrets() {
        assert!(families().contains(&family), "{family}");
        seen.insert(family);
        let around = format!("vorher ä {text} nachher");
        let clean = redact(&around);
        assert!(clean.contains(MARK) && !clean.contains(gone), "{family}: {clean}");
        assert!(clean.starts_with("vorher ä ") && clean.ends_with("nachher"), "{clean}");
        assert_eq!(redact(&clean), clean, "a second time changes nothing");
    }
    assert_eq!(seen.len(), families().len(), "a family without a case");
    assert!(families().is_sorted());
}

#[test]
fn names_and_hosts_around_a_secret_stay() {
    let cases = [
        ("postgres://app:s3cr3t@db:5432/x", "postgres://app:[REDACTED]@db:5432/x"),
        ("password=hunter2, user=bob", "password=[REDACTED], user=bob"),
        (r#"{"api_key": "abcdef123456", "n": 1}"#, r#"{"api_key": "[REDACTED]", "n": 1}"#),
        ("/cb?code=abcdefgh1&state=ijklmnop2&x=1", "/cb?code=[REDACTED]&state=[REDACTED]&x=1"),
        ("sk-ant-api03-abcdefghij0123456789", "[REDACTED]"),
        ("secret: \"no digits here\"", "secret: \"[REDACTED]\""),
    ];
    for (text, clean) in cases {
        assert_eq!(redact(text), clean);
    }
}

#[test]
fn what_only_looks_like_a_secret_is_left_alone() {
    let harmless = [
        "task-0123456789012345678901234 disk-usage risk-1234567890123456789012",
        "sk-some-kebab-case-component-name",
        "the AKIA prefix, ASIA and Asia1234567890123456789",
        "AKIAIOSFODNN7EXAMPLEXXXX is too long",
        "ghp_short github_pat_ xoxb- sk_live_ whsec_x",
        "bearer of good news, Bearer authentication-mechanism-and-more",
        "postgres://localhost:5432/app redis://cache:6379",
        "postgres://app:$PASSWORD@db/app https://example.com:8080/a@b",
        "Enter the verification code we sent you",
        "device code flow: RFC-8628 and ABCDE-12345",
        "?code=true&state=ok",
        "api_key: str = Field(...)",
        "Token usage: total=1,373,783 input=1,216,954 output=156,829",
        "max_tokens=128000 token_count: 123456789012345",
        "token == other_token_number_12345678 and Token::Ident123456789012",
        "token: src/parser/lexer/identifiers",
        "password: string, password = None, password: ********",
        "password = getpass.getpass() or password = config.db.password",
        "export PASSWORD=$DB_PASSWORD PASSWORD=${X} password=<your password>",
        "Password: \nSorry, try again.",
        "secret: my-tls-cert, secretName: web-tls-2024",
        "-----BEGIN PUBLIC KEY-----",
        "eyJustAWord eyJ.eyJ",
        "pwd: /a is short; ls; pwd; cd",
    ];
    for text in harmless {
        let clean = redact(text);
        assert_eq!(clean, text);
        assert!(matches!(clean, std::borrow::Cow::Borrowed(_)));
    }
}

/// Each text makes one of the readers fail late, again and again. Quadratic time would be hours.
#[test]
fn ten_megabytes_of_hostile_text_take_no_longer_than_any() {
    let parts = [
        "token=",
        "secret=",
        "secret=$1",
        "secret=a(1",
        "password=a(",
        "password=$",
        "password:",
        "--password ",
        "secret=\"",
        "secret='$",
        "xghp_",
        "ghp_ ",
        "AKIA",
        "sk-",
        "sk-ant-",
        "eyJ1=",
        "eyJ.",
        "user code",
        "user code\n",
        "USER CODE A",
        "https://",
        "https://a:",
        "postgres://a:b",
        "?code=",
        "&token=a",
        "bearer ",
        "private key-----",
        "xoxb-",
        "AIza",
        "api_key=-",
        "password\\",
        "cookie: ",
        "cookie: a=",
        "mysql -p",
        "curl -u a",
        "login password ",
        "basic ",
        "BEGIN PRIVATE KEY-----a ",
        "hf_",
    ];
    for part in parts {
        let lots = part.repeat(10_000_000 / parts.len() / part.len());
        let tail = format!("{lots} password=hunter2");
        assert!(!redact(&tail).contains("hunter2"), "{part}");
    }
    let one_line = format!("secret={}", "a".repeat(10_000_000));
    assert_eq!(redact(&one_line).len(), one_line.len());
}

#[test]
fn a_secret_that_the_terminal_broke_is_replaced_with_its_rest() {
    let secret = "sk-ant-api03-Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA";
    let line = format!("please try again at {secret} o'clock");
    // Wherever the edge of the screen is: before the secret, in its first letters, late, twice.
    for width in 20..line.len() {
        let mut shown = String::from("a line\n");
        for piece in line.as_bytes().chunks(width) {
            shown.push_str(std::str::from_utf8(piece).unwrap());
            shown.push('\n');
        }
        shown.push_str("$ ls\n");
        let clean = redact_captured(&shown);
        let told = clean.replace('\n', "");
        assert!(told.contains(MARK), "{width}: {clean:?}");
        for part in secret.as_bytes().windows(8) {
            let part = std::str::from_utf8(part).unwrap();
            assert!(part == "sk-ant-a" || !told.contains(part), "{width}: {clean:?}");
        }
        assert!(clean.starts_with("a line\n") && clean.ends_with("$ ls\n"), "{clean:?}");
    }
}

#[test]
fn lines_that_end_by_themselves_stay_lines() {
    let text =
        format!("{}\nexport KEY=sk-ant-api03-Zm9vYmFyYmF6cXV4MTIz\nnext line\n", "=".repeat(80));
    let clean = redact_captured(&text);
    assert!(clean.ends_with("\nexport KEY=[REDACTED]\nnext line\n"), "{clean:?}");
    let plain = "nothing here\nnor here, which is a little longer\n";
    assert!(matches!(redact_captured(plain), Cow::Borrowed(_)));
}
