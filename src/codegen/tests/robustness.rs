//! No input makes the compiler panic: broken copies of the valid fixtures, and hostile files.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed helper is a failed test")]

use std::path::{Path, PathBuf};

use toolwright_codegen::diagnostics::Colour;
use toolwright_codegen::{Files, Loaded, load_files};

fn valid(name: &str) -> Files {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/specs/valid").join(name);
    let mut files = Files::new();
    let mut folders: Vec<PathBuf> = vec![folder.clone()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(&folder).unwrap().to_str().unwrap().to_owned();
                files.insert(name, Ok(std::fs::read(path).unwrap()));
            }
        }
    }
    files
}

/// Loads and renders; a panic inside would be reported as TW000.
fn load_without_panic(files: &Files, what: &str) -> Loaded {
    let loaded = load_files(Path::new("specs"), files);
    for colour in [Colour::Never, Colour::Always] {
        let text = loaded.report.render(colour);
        assert!(!text.contains("TW000"), "{what}:\n{text}");
    }
    loaded.report.to_json();
    assert!(loaded.report.has_errors() || !loaded.contracts.is_empty(), "{what}: silence");
    loaded
}

fn load_text_without_panic(path: &str, text: &[u8]) -> Loaded {
    let mut files = valid("echo");
    files.insert(path.to_owned(), Ok(text.to_vec()));
    load_without_panic(&files, path)
}

fn check_mutants(name: &str, mutants: impl Fn(&[u8]) -> Vec<Vec<u8>>) {
    let files = valid(name);
    for (path, content) in &files {
        let original = content.as_ref().unwrap();
        for (index, mutant) in mutants(original).into_iter().enumerate() {
            let mut broken = files.clone();
            broken.insert(path.clone(), Ok(mutant));
            load_without_panic(&broken, &format!("{path}, mutant {index}"));
        }
    }
}

#[test]
fn files_cut_off_anywhere() {
    let cut = |pieces: usize| {
        move |text: &[u8]| {
            let points = (0..pieces).map(|step| text.len() * step / pieces);
            points.map(|point| text[..point].to_vec()).collect::<Vec<_>>()
        }
    };
    check_mutants("echo", cut(20));
    check_mutants("kitchen_sink", cut(6));
}

#[test]
fn files_without_one_line() {
    check_mutants("echo", |text| {
        let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
        (0..lines.len())
            .map(|skip| {
                let kept = lines.iter().enumerate().filter(|(index, _)| *index != skip);
                kept.flat_map(|(_, line)| line.iter().copied()).collect()
            })
            .collect()
    });
}

#[test]
fn values_of_other_types() {
    let swaps = [
        ("type: object", "type: array"),
        ("type: string", "type: 7"),
        ("properties:", "properties: 3 #"),
        ("[", "{"),
        ("]", ""),
        ("}", ""),
        (": ", ": ~ #"),
        ("{", "[{"),
        ("true", "[]"),
        ("$", "$$"),
        ("errors:", "errors: x #"),
        ("guards:", "guards: {} #"),
        ("input:", "input: []\nx:"),
        ("\n", "\r\n"),
        ("a", "\u{1f600}"),
        ("e", "\u{0}"),
        ("  ", "\t"),
        ("1", "99999999999999999999"),
        ("default", "const"),
        ("$ref", "oneOf"),
        ("description", "enum"),
        ("examples:", "examples: {a: 1} #"),
    ];
    check_mutants("kitchen_sink", |text| {
        let text = String::from_utf8(text.to_vec()).unwrap();
        swaps
            .iter()
            .filter(|(from, _)| text.contains(from))
            .map(|(from, to)| text.replace(from, to).into_bytes())
            .collect()
    });
}

#[test]
fn bytes_flipped_at_random_places() {
    let mut state: u64 = 7;
    let mut next = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap()
    };
    let files = valid("kitchen_sink");
    let paths: Vec<&String> = files.keys().collect();
    for round in 0..60 {
        let path = paths[next() % paths.len()];
        let mut bytes = files[path].clone().unwrap();
        for _ in 0..1 + next() % 4 {
            let at = next() % bytes.len();
            bytes[at] = u8::try_from(next() % 256).unwrap();
        }
        let mut broken = files.clone();
        broken.insert(path.clone(), Ok(bytes));
        load_without_panic(&broken, &format!("round {round} of {path}"));
    }
}

#[test]
fn hostile_files() {
    let deep = format!("tool: {}{}", "[".repeat(5000), "]".repeat(5000));
    let deep_block: String = (0..400).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    let laughs: String = (0..40)
        .map(|step| match step {
            0 => "a0: &a0 [x, x, x, x, x, x, x, x]\n".to_owned(),
            _ => {
                let before = step - 1;
                format!("a{step}: &a{step} [*a{before}, *a{before}, *a{before}, *a{before}]\n")
            }
        })
        .collect();
    let cases: [(&str, &[u8]); 14] = [
        ("empty", b""),
        ("only a comment", b"# nothing\n"),
        ("blank lines", b"\n\n   \n"),
        ("scalar", b"tool"),
        ("list", b"- tool\n- echo\n"),
        ("null", b"~"),
        ("byte order mark", b"\xef\xbb\xbftool: echo\n"),
        ("not UTF-8", b"tool: \xff\xfe\n"),
        ("zero bytes", b"tool: a\0b\n"),
        ("two documents", b"tool: echo\n---\ntool: echo\n"),
        ("keys that are no texts", b"1: a\n~: b\n[x]: c\n{y: z}: d\n"),
        ("deep", deep.as_bytes()),
        ("deep block", deep_block.as_bytes()),
        ("laughs", laughs.as_bytes()),
    ];
    for path in ["echo/surface.yaml", "echo/types.yaml", "echo/tools/echo.yaml"] {
        for (what, text) in cases {
            let loaded = load_text_without_panic(path, text);
            assert!(loaded.report.has_errors(), "{path} with {what} is no error");
        }
    }
}

#[test]
fn types_that_refer_to_types_do_not_explode() {
    let mut types = String::from("$defs:\n");
    for step in 0..60 {
        let inner = match step {
            0 => "{type: string, description: An end.}".to_owned(),
            _ => format!("{{$ref: \"#/$defs/T{}\"}}", step - 1),
        };
        types.push_str(&format!(
            "  T{step}:\n    type: object\n    description: A step.\n    properties:\n      \
             a: {inner}\n      b: {inner}\n"
        ));
    }
    let mut files = valid("echo");
    files.insert("echo/types.yaml".to_owned(), Ok(types.into_bytes()));
    let tool = String::from_utf8(files["echo/tools/echo.yaml"].clone().unwrap()).unwrap();
    let tool = tool.replace(
        "text: {type: string, description: What was said.}",
        "text: {$ref: \"../types.yaml#/$defs/T59\"}",
    );
    files.insert("echo/tools/echo.yaml".to_owned(), Ok(tool.into_bytes()));
    let report = load_without_panic(&files, "sixty doublings").report;
    assert!(report.diagnostics.iter().any(|finding| finding.code == "TW090"), "{report}");
}

#[test]
fn unreadable_files_are_findings_and_the_others_are_still_checked() {
    let mut files = valid("echo");
    files.insert("echo/tools/add.yaml".to_owned(), Err("permission denied".to_owned()));
    files.insert("echo/tools/fail.yaml".to_owned(), Ok(b"tool: fail\ntitel: Fail\n".to_vec()));
    let loaded = load_without_panic(&files, "one unreadable, one broken");
    let codes: Vec<&str> = loaded.report.diagnostics.iter().map(|finding| finding.code).collect();
    assert!(codes.contains(&"TW002") && codes.contains(&"TW003"), "{codes:?}");
    assert!(loaded.contracts.is_empty());
}
