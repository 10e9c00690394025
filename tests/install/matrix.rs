//! Every client with every odd file: what `install` adds or changes, `uninstall` takes back byte for byte;
//! what cannot be changed is refused and left alone.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;

use serde_json::json;

use crate::harness::{Machine, servers};

const CLIENTS: &[(&str, &str)] = &[
    ("claude-code", "home/.claude.json"),
    ("claude-desktop", "home/.config/Claude/claude_desktop_config.json"),
    ("codex", "home/.codex/config.toml"),
    ("cursor", "home/.cursor/mcp.json"),
    ("vscode", "home/.config/Code/User/mcp.json"),
];

/// What `install` does without `--force`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// Adds the entry.
    Added,
    /// Refuses, because there is another's entry; `--force` changes it.
    Taken,
    /// Refuses, also with `--force`, and says this.
    Refused(&'static str),
}
use Expected::{Added, Refused, Taken};

/// What the file is besides its text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Missing,
    Link,
    DanglingLink,
    SecondName,
    ReadOnly,
    Folder,
}
use Kind::{DanglingLink, Folder, Link, Missing, Plain, ReadOnly, SecondName};

/// A name, the text as JSON (`LIST` is the key of the servers) and as TOML, and what is expected.
type OddFile = (&'static str, Kind, &'static [u8], &'static [u8], Expected);

const ODD: &[OddFile] = &[
    ("no file", Missing, b"", b"", Added),
    ("an empty file", Plain, b"", b"", Added),
    ("blanks only", Plain, b" \n\n\t\n", b" \n\n\t\n", Added),
    ("comments only", Plain, b"// none\n/* so\n far */", b"# none\n# so far", Added),
    (
        "comments and trailing commas, or dotted keys",
        Plain,
        b"{\n  // mine\n  \"LIST\": {\n    \"x\": {\"command\": \"x\",}, // first\n  },\n}\n",
        b"mcp_servers.x.command = 'x' # first\nmcp_servers.x.args = [\n  'a', # mine\n]\n",
        Added,
    ),
    (
        "a byte order mark and carriage returns",
        Plain,
        b"\xef\xbb\xbf{\r\n\t\"LIST\": {\r\n\t}\r\n}\r\n",
        b"\xef\xbb\xbf[mcp_servers.x]\r\ncommand = 'x'\r\n",
        Added,
    ),
    (
        "one line, or an inline table",
        Plain,
        b"{\"LIST\":{\"x\":{\"command\":\"x\"}},\"theme\":\"dark\"}",
        b"mcp_servers = { x = { command = 'x', env.A = '1' } } # one",
        Added,
    ),
    (
        "unknown keys, odd numbers and nested lists",
        Plain,
        b"{\"$schema\": \"s\", \"n\": [1e400, -0, 12345678901234567890123], \"projects\": {\"/p\": {\"LIST\": {\"wink\": {}}}}}",
        b"n = [0x7f, 1_000, inf, 1979-05-27T07:32:00Z]\n[[projects]]\nmcp_servers = { wink = {} }\n",
        Added,
    ),
    (
        "secrets all around",
        Plain,
        b"{\"LIST\": {\"x\": {\"env\": {\"K\": \"hush\"}, \"args\": [\"--token\", \"hush\"], \"url\": \"http://u:hush@h/?key=hush\"}}, \"apiKey\": \"hush\"} // token=hush",
        b"api_key = 'hush' # token: hush\nmcp_servers = { x = { env = { K = 'hush' }, args = ['--token=hush'], http_headers = { A = 'hush' } } }",
        Added,
    ),
    ("a link", Link, b"{ }\n", b"a = 1\n", Added),
    ("a file with a second name", SecondName, b"{\"a\": 1}", b"a = 1", Added),
    (
        "another's entry with variables, switched off",
        Plain,
        b"{\"LIST\": {\"wink\": {\"disabled\": true, \"command\": \"npx\", \"args\": [\"-y\", \"wink\"], \"env\": {\"K\": \"hush\"}, // mine\n \"timeout\": 9}}}",
        b"[mcp_servers.wink]\nenabled = false\ncommand = 'npx' # mine\nargs = ['-y', 'wink']\ntimeout = 9\n[mcp_servers.wink.env]\nK = 'hush'\n",
        Taken,
    ),
    (
        "another's entry over the network",
        Plain,
        b"{\"LIST\": {\"a\": {}, \"wink\": {\"type\": \"http\", \"url\": \"http://h/hush?token=hush\", \"headers\": {\"A\": \"hush\"}}, \"z\": {}}}",
        b"[mcp_servers]\na = { command = 'a' }\nwink = { url = 'http://h?token=hush', http_headers = { A = 'hush' } }\nz.command = 'z'\n",
        Taken,
    ),
    (
        "an entry of the wrong form",
        Plain,
        b"{\"LIST\": {\"wink\": null, \"z\": 1}}",
        b"[mcp_servers]\nwink = 7\nz = { command = 'z' }\n",
        Taken,
    ),
    (
        "an entry twice",
        Plain,
        b"{\"LIST\": {\"wink\": {\"command\": \"a\"}, \"wink\": {\"command\": \"b\", \"env\": {}}}}",
        // TOML has no duplicates: a table of tables is as near as it gets.
        b"[mcp_servers.wink]\ncommand = 'b'\n[[mcp_servers.wink.x]]\na = 1\n[[mcp_servers.wink.x]]\na = 2\n",
        Taken,
    ),
    ("a list of the wrong form", Plain, b"{\"LIST\": []}", b"mcp_servers = 1", Refused("is not a")),
    ("a file that is invalid", Plain, b"{\"a\": }", b"a = = 1", Refused("line 1, column")),
    ("a file that is no text", Plain, b"{\"a\": \"\xff\"}", b"a = '\xff'", Refused("not UTF-8")),
    ("a read-only file", ReadOnly, b"{}", b"a = 1", Refused("read-only")),
    ("a link that leads nowhere", DanglingLink, b"", b"", Refused("cannot be read")),
    ("a folder", Folder, b"", b"", Refused("cannot be read")),
];

/// Puts the odd file there.
fn put(machine: &Machine, file: &str, kind: Kind, bytes: &[u8]) {
    let path = machine.path(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    match kind {
        Missing => {}
        Plain => machine.write(file, bytes),
        Link => {
            machine.write("dotfiles/file", bytes);
            symlink(machine.path("dotfiles/file"), path).unwrap();
        }
        DanglingLink => symlink("/nowhere/at/all", path).unwrap(),
        SecondName => {
            machine.write(file, bytes);
            fs::hard_link(path, machine.path("home/second")).unwrap();
        }
        ReadOnly => {
            machine.write(file, bytes);
            fs::set_permissions(path, fs::Permissions::from_mode(0o444)).unwrap();
        }
        Folder => fs::create_dir(path).unwrap(),
    }
}

/// What must be the same before and after, besides the bytes.
fn identity(path: &Path, kind: Kind) -> Option<(bool, u32, u64)> {
    let own = fs::symlink_metadata(path).ok()?;
    let real = fs::metadata(path).ok();
    let mode = real.as_ref().map_or(0, |real| real.mode());
    let node = real.filter(|_| kind == SecondName).map_or(0, |real| real.ino());
    Some((own.is_symlink(), mode, node))
}

fn run_all(client: &str) {
    let (_, file) = CLIENTS.iter().find(|(name, _)| *name == client).unwrap();
    let list = if client == "vscode" { "servers" } else { "mcpServers" };
    for (name, kind, json, toml, expected) in ODD {
        let machine = Machine::new();
        let as_text = |bytes: &[u8]| String::from_utf8(bytes.to_owned());
        let bytes = match (client, as_text(json)) {
            ("codex", _) => (*toml).to_owned(),
            (_, Ok(text)) => text.replace("LIST", list).into_bytes(),
            (_, Err(_)) => (*json).to_owned(),
        };
        put(&machine, file, *kind, &bytes);
        let path = machine.path(file);
        let before = identity(&path, *kind);
        let shown = format!("{client}, {name}");
        let install = |more: &[&str]| {
            let done = machine.install(client, "user", more);
            let all = format!("{}{}", done.stdout, done.stderr);
            assert!(!all.contains("hush"), "{shown}: a secret in {all}");
            done
        };
        if let Refused(words) = expected {
            let before = machine.tree();
            for more in [&[][..], &["--force"], &["--dry-run"]] {
                let done = install(more);
                assert_eq!(done.code, 1, "{shown}: {}", done.stderr);
                assert!(done.stderr.contains(words), "{shown}: {}", done.stderr);
            }
            assert_eq!(machine.uninstall(client, "user", &[]).code, 1, "{shown}");
            assert_eq!(machine.tree(), before, "{shown}");
            continue;
        }
        if *expected == Taken {
            let before = machine.tree();
            let done = install(&[]);
            assert_eq!(done.code, 1, "{shown}: {}", done.stderr);
            assert!(done.stderr.contains("another entry"), "{shown}: {}", done.stderr);
            // What `install` calls another's, `uninstall` does not touch.
            let done = machine.uninstall(client, "user", &[]);
            assert_eq!(done.code, 1, "{shown}: {}", done.stderr);
            assert_eq!(machine.tree(), before, "{shown}");
        }
        let was = fs::read_to_string(&path).unwrap_or_default();
        let force: &[&str] = if *expected == Taken { &["--force"] } else { &[] };
        let done = install(&[force, &["--env", "B=2"]].concat());
        assert_eq!(done.code, 0, "{shown}: {}", done.stderr);
        let entry = || servers(client, &fs::read_to_string(&path).unwrap())["wink"].clone();
        assert_eq!(entry()["args"][0], "mcp", "{shown}");
        assert_eq!(entry()["env"]["B"], "2", "{shown}");
        if was.contains("npx") {
            assert_eq!(entry()["env"], json!({"B": "2", "K": "hush"}), "{shown}");
            assert_eq!(entry()["timeout"], 9, "{shown}");
            let off = entry()["disabled"] == true || entry()["enabled"] == false;
            assert!(off && done.stderr.contains("switched off"), "{shown}: {}", done.stderr);
        }
        assert!(entry().get("url").is_none(), "{shown}");
        let again = install(&[]);
        assert!(again.code == 0 && again.stderr.contains("already"), "{shown}: {}", again.stderr);
        install(&["--force", "--read-only"]).ok();
        let args = entry()["args"].clone();
        assert!(args.as_array().unwrap().contains(&json!("--read-only=true")), "{shown}: {args}");
        assert_eq!(entry()["env"]["B"], "2", "{shown}");
        if *kind == SecondName {
            assert_eq!(fs::read(&path).unwrap(), fs::read(machine.path("home/second")).unwrap());
        }
        let done = machine.uninstall(client, "user", &[]);
        assert_eq!(done.code, 0, "{shown}: {}", done.stderr);
        assert!(!format!("{}{}", done.stdout, done.stderr).contains("hush"), "{shown}");
        match fs::read(&path) {
            Ok(now) => assert_eq!(now, bytes, "{shown}:\n{}", String::from_utf8_lossy(&now)),
            Err(_) => assert!(*kind == Missing, "{shown}: the file is gone"),
        }
        assert_eq!(identity(&path, *kind), before, "{shown}");
    }
}

#[test]
fn claude_code() {
    run_all("claude-code");
}

#[test]
fn claude_desktop() {
    run_all("claude-desktop");
}

#[test]
fn codex() {
    run_all("codex");
}

#[test]
fn cursor() {
    run_all("cursor");
}

#[test]
fn vscode() {
    run_all("vscode");
}
