//! `toolwright docs` as a user runs it: what it writes, what it leaves alone, what it refuses.

use std::collections::BTreeMap;
use std::path::Path;

use toolwright_testing::files::contents;
use toolwright_testing::{Finished, ServerHome};

/// `toolwright docs` in the repository.
fn docs(arguments: &[&str]) -> Finished {
    let root = env!("CARGO_MANIFEST_DIR").as_ref();
    let home = ServerHome::at(env!("CARGO_BIN_EXE_toolwright"), root);
    home.run(&[&["docs"], arguments].concat())
}

fn files(folder: &Path) -> BTreeMap<String, String> {
    let text = |bytes| String::from_utf8(bytes).expect("text");
    let files = contents(folder).into_iter();
    files.map(|(path, bytes)| (path.display().to_string(), text(bytes))).collect()
}

/// A folder that is not there yet, with a parent that is not there either.
fn out(folder: &Path) -> String {
    folder.join("site/docs").to_string_lossy().into_owned()
}

#[test]
fn a_foreign_folder_of_contracts_becomes_a_catalogue() {
    for (format, names) in [("md", ["README.md", "echo.md"]), ("html", ["echo.html", "index.html"])]
    {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let out = out(folder.path());
        let done = docs(&["examples/echo/specs", "--format", format, "--out", &out]);
        assert!(done.succeeded(), "{}", done.stderr);
        let first = files(out.as_ref());
        assert_eq!(first.keys().collect::<Vec<_>>(), names);
        let page = &first[&format!("echo.{format}")];
        assert!(page.contains("tool-add") && page.contains("error-sum_too_large"), "{page}");

        let again = docs(&["examples/echo/specs", "--format", format, "--out", &out]);
        assert!(again.stderr.contains("2 pages, 0 written"), "{}", again.stderr);
        assert_eq!(files(out.as_ref()), first);
    }
}

#[test]
fn only_what_differs_is_written_and_strangers_are_left_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = out(folder.path());
    let write = ["examples/echo/specs", "--format", "md", "--out", &out];
    let check = [&write[..], &["--check"]].concat();
    assert_eq!(docs(&check).code, 1);
    assert!(!Path::new(&out).exists(), "a check writes nothing");
    assert!(docs(&write).succeeded());
    assert!(docs(&check).succeeded());

    let page = Path::new(&out).join("echo.md");
    let fresh = std::fs::read_to_string(&page).expect("the page");
    std::fs::write(&page, format!("{fresh}\nmore")).expect("a change");
    std::fs::write(Path::new(&out).join("notes.md"), "mine").expect("a file of somebody else");
    let stale = docs(&check);
    assert_eq!(stale.code, 1);
    assert!(stale.stderr.contains("echo.md") && !stale.stderr.contains("README"));
    let done = docs(&write);
    assert!(done.stderr.contains("2 pages, 1 written"), "{}", done.stderr);
    let now = files(out.as_ref());
    assert_eq!((now["echo.md"].as_str(), now["notes.md"].as_str()), (fresh.as_str(), "mine"));
}

#[test]
fn a_file_of_somebody_else_in_the_way_stops_everything() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let readme = folder.path().join("README.md");
    std::fs::write(&readme, "# Mine\n").expect("a file");
    let out = folder.path().to_string_lossy().into_owned();
    let refused = docs(&["examples/echo/specs", "--format", "md", "--out", &out]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("README.md") && refused.stderr.contains("--out"));
    assert_eq!(files(folder.path()), BTreeMap::from([("README.md".into(), "# Mine\n".into())]));
}

#[test]
fn a_folder_that_cannot_be_made_is_told_with_what_to_do() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("a file");
    let out = file.join("docs").to_string_lossy().into_owned();
    let refused = docs(&["examples/echo/specs", "--format", "html", "--out", &out]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains(&out) && refused.stderr.contains("name another"));
}

#[test]
fn standard_output_takes_the_page_of_one_surface() {
    let alone = docs(&["examples/echo/specs", "--format", "md"]);
    assert!(alone.succeeded(), "{}", alone.stderr);
    assert!(alone.stdout.contains("\n# echo\n"));

    let several = docs(&["--format", "html"]);
    assert_eq!(several.code, 2);
    assert!(several.stderr.contains("--surface") && several.stderr.contains("wink"));
    let chosen = docs(&["--format", "html", "--surface", "wink"]);
    let page = chosen.stdout;
    assert!(page.starts_with("<!doctype html>") && page.contains("tool-wink.list_overrides"));
    assert!(!page.contains("href=\"index.html\""), "there is no index beside it");

    let unknown = docs(&["--format", "md", "--surface", "wnik"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("wnik") && unknown.stderr.contains("wink"));
}

#[test]
fn a_folder_without_contracts_is_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().to_string_lossy().into_owned();
    let refused = docs(&[&path, "--format", "md"]);
    assert_ne!(refused.code, 0);
    assert!(refused.stderr.contains(&path), "{}", refused.stderr);
}
