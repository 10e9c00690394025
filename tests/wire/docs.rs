//! `toolwright docs` as a person runs it: what it writes, what it leaves alone, what it refuses.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use crate::server::folder;

fn docs(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_toolwright"))
        .arg("docs")
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_clear()
        .output()
        .expect("the program runs")
}

fn talk(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    entries
        .map(|entry| entry.expect("an entry").path())
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).expect("a text"))
        })
        .collect()
}

/// A folder that is not there yet, with a parent that is not there either.
fn out(folder: &Path) -> String {
    folder.join("site/docs").to_string_lossy().into_owned()
}

#[test]
fn a_foreign_folder_of_contracts_becomes_a_catalogue() {
    for (format, names) in [("md", ["README.md", "echo.md"]), ("html", ["echo.html", "index.html"])]
    {
        let folder = folder();
        let out = out(folder.path());
        let done = docs(&["examples/echo/specs", "--format", format, "--out", &out]);
        assert!(done.status.success(), "{}", talk(&done));
        let first = files(out.as_ref());
        assert_eq!(first.keys().collect::<Vec<_>>(), names);
        let page = &first[&format!("echo.{format}")];
        assert!(page.contains("tool-add") && page.contains("error-sum_too_large"), "{page}");

        let again = docs(&["examples/echo/specs", "--format", format, "--out", &out]);
        assert!(talk(&again).contains("2 pages, 0 written"), "{}", talk(&again));
        assert_eq!(files(out.as_ref()), first);
    }
}

#[test]
fn only_what_differs_is_written_and_strangers_are_left_alone() {
    let folder = folder();
    let out = out(folder.path());
    let write = ["examples/echo/specs", "--format", "md", "--out", &out];
    let check = [&write[..], &["--check"]].concat();
    assert_eq!(docs(&check).status.code(), Some(1));
    assert!(!Path::new(&out).exists(), "a check writes nothing");
    assert!(docs(&write).status.success());
    assert!(docs(&check).status.success());

    let page = Path::new(&out).join("echo.md");
    let fresh = std::fs::read_to_string(&page).expect("the page");
    std::fs::write(&page, format!("{fresh}\nmore")).expect("a change");
    std::fs::write(Path::new(&out).join("notes.md"), "mine").expect("a file of somebody else");
    let stale = docs(&check);
    assert_eq!(stale.status.code(), Some(1));
    assert!(talk(&stale).contains("echo.md") && !talk(&stale).contains("README"));
    let done = docs(&write);
    assert!(talk(&done).contains("2 pages, 1 written"), "{}", talk(&done));
    let now = files(out.as_ref());
    assert_eq!((now["echo.md"].as_str(), now["notes.md"].as_str()), (fresh.as_str(), "mine"));
}

#[test]
fn a_file_of_somebody_else_in_the_way_stops_everything() {
    let folder = folder();
    let readme = folder.path().join("README.md");
    std::fs::write(&readme, "# Mine\n").expect("a file");
    let out = folder.path().to_string_lossy().into_owned();
    let refused = docs(&["examples/echo/specs", "--format", "md", "--out", &out]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(talk(&refused).contains("README.md") && talk(&refused).contains("--out"));
    assert_eq!(files(folder.path()), BTreeMap::from([("README.md".into(), "# Mine\n".into())]));
}

#[test]
fn a_folder_that_cannot_be_made_is_told_with_what_to_do() {
    let folder = folder();
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("a file");
    let out = file.join("docs").to_string_lossy().into_owned();
    let refused = docs(&["examples/echo/specs", "--format", "html", "--out", &out]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(talk(&refused).contains(&out) && talk(&refused).contains("name another"));
}

#[test]
fn standard_output_takes_the_page_of_one_surface() {
    let alone = docs(&["examples/echo/specs", "--format", "md"]);
    assert!(alone.status.success(), "{}", talk(&alone));
    assert!(String::from_utf8_lossy(&alone.stdout).contains("\n# echo\n"));

    let several = docs(&["--format", "html"]);
    assert_eq!(several.status.code(), Some(2));
    assert!(talk(&several).contains("--surface") && talk(&several).contains("wink"));
    let chosen = docs(&["--format", "html", "--surface", "wink"]);
    let page = String::from_utf8_lossy(&chosen.stdout).into_owned();
    assert!(page.starts_with("<!doctype html>") && page.contains("tool-wink.list_overrides"));
    assert!(!page.contains("href=\"index.html\""), "there is no index beside it");

    let unknown = docs(&["--format", "md", "--surface", "wnik"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(talk(&unknown).contains("wnik") && talk(&unknown).contains("wink"));
}

#[test]
fn a_folder_without_contracts_is_told() {
    let folder = folder();
    let path = folder.path().to_string_lossy().into_owned();
    let refused = docs(&[&path, "--format", "md"]);
    assert_ne!(refused.status.code(), Some(0));
    assert!(talk(&refused).contains(&path), "{}", talk(&refused));
}
