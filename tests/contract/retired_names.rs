//! Names that were replaced by the field's own words do not come back.
//!
//! `retired_names.tsv` lists folder, kind, old name and new name. A kind is `struct`, `enum`, `trait`,
//! `type`, `fn`, `mod` or `file`, or several of them with `|`; a `mod` is also a folder or file of that
//! name.

use std::path::Path;

use toolwright_testing::files::walk;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const TABLE: &str = include_str!("retired_names.tsv");
const KINDS: [&str; 7] = ["struct", "enum", "trait", "type", "fn", "mod", "file"];

/// A name that must not be defined below a folder.
struct Retired<'a> {
    folder: &'a str,
    kinds: Vec<&'a str>,
    old: &'a str,
    new: &'a str,
}

fn table() -> Vec<Retired<'static>> {
    let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let entries = lines.map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        let [folder, kinds, old, new] = cells[..] else { panic!("four columns: {line:?}") };
        let kinds: Vec<&str> = kinds.split('|').collect();
        assert!(kinds.iter().all(|kind| KINDS.contains(kind)), "an unknown kind: {line:?}");
        assert!(Path::new(ROOT).join(folder).is_dir(), "no such folder: {line:?}");
        Retired { folder, kinds, old, new }
    });
    entries.collect()
}

/// The definitions of a Rust file: kind, name and line number.
fn definitions(text: &str) -> Vec<(&str, &str, usize)> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let words = line.split_whitespace();
        let mut words = words.skip_while(|word| {
            word.starts_with("pub")
                || word.ends_with(')')
                || ["async", "const", "unsafe"].contains(word)
        });
        let (Some(kind), Some(name)) = (words.next(), words.next()) else { continue };
        if KINDS.contains(&kind) {
            let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
            let end = name.find(|letter| !is_part(letter)).unwrap_or(name.len());
            found.push((kind, &name[..end], number + 1));
        }
    }
    found
}

/// Whether a file or folder defines a retired name by its own name.
fn is_named(path: &Path, retired: &Retired<'_>) -> bool {
    let is_module = path.is_dir() || path.extension().is_some_and(|extension| extension == "rs");
    let full = path.file_name().is_some_and(|name| name == retired.old);
    let stem = path.file_stem().is_some_and(|name| name == retired.old);
    let file = retired.kinds.contains(&"file") && (full || stem && path.is_file());
    file || retired.kinds.contains(&"mod") && is_module && stem
}

#[test]
fn retired_names_are_not_defined_again() {
    let table = table();
    let mut folders: Vec<&str> = table.iter().map(|retired| retired.folder).collect();
    folders.sort_unstable();
    folders.dedup();
    let mut found = Vec::new();
    for folder in folders {
        let here: Vec<&Retired<'_>> =
            table.iter().filter(|retired| retired.folder == folder).collect();
        for path in walk(&Path::new(ROOT).join(folder)) {
            let shown = path.strip_prefix(ROOT).unwrap_or(&path).display().to_string();
            for retired in &here {
                if is_named(&path, retired) {
                    found.push(format!("{shown}: now called `{}`", retired.new));
                }
            }
            found.extend(in_text(&path, &shown, &here));
        }
    }
    assert!(found.is_empty(), "retired names are back:\n{}", found.join("\n"));
}

fn in_text(path: &Path, shown: &str, retired: &[&Retired<'_>]) -> Vec<String> {
    if path.extension().is_none_or(|extension| extension != "rs") || !path.is_file() {
        return Vec::new();
    }
    let text = std::fs::read_to_string(path).expect("readable");
    let mut found = Vec::new();
    for (kind, name, line) in definitions(&text) {
        for retired in retired {
            if retired.old == name && retired.kinds.contains(&kind) {
                found.push(format!(
                    "{shown}:{line}: `{kind} {name}` is now called `{}`",
                    retired.new
                ));
            }
        }
    }
    found
}

#[test]
fn definitions_are_found_whatever_stands_before_them() {
    let text = "pub(crate) async fn land() {}\nstruct Rooms<'a>;\n    pub mod oracle;\nlet road = 1;\n\
                // fn bury()\npub(in crate::a) enum Extra {}\n";
    let expected =
        [("fn", "land", 1), ("struct", "Rooms", 2), ("mod", "oracle", 3), ("enum", "Extra", 6)];
    assert_eq!(definitions(text), expected);
}
