use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::*;
use crate::descriptor;
use crate::override_file::EntryStatus;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/wink");

fn root(dir: &Path) -> OverridesRoot {
    OverridesRoot { dir: dir.to_owned(), source: RootSource::OverridesDir, project: None }
}

fn exported() -> Descriptors {
    let files = vec![PathBuf::from(format!("{GOLDEN}/descriptors.json"))];
    Descriptors::new(descriptor::Config { files, ..Default::default() })
}

fn put(dir: &Path, relative: &str, text: &str) {
    let path = dir.join(relative);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn empty(ns: &str, key: &str, tag: &str) -> String {
    format!(r#"{{"version": 2, "ns": "{ns}", "prompt_key": "{key}", "tag": "{tag}"}}"#)
}

fn paths(page: &Page) -> Vec<&str> {
    page.items.iter().map(|item| item.relative_path.as_str()).collect()
}

fn all(dir: &Path, namespace: Option<&str>) -> Page {
    let request = ListRequest { namespace: namespace.map(str::to_owned), ..ListRequest::default() };
    list(&root(dir), &exported(), &request).unwrap()
}

#[test]
fn handles_have_hashes_and_states() {
    let page = all(&Path::new(GOLDEN).join("foreign-v2"), None);
    let item = &page.items[0];
    assert_eq!(item.ns.as_deref(), Some("demo.app"));
    let states: Vec<_> =
        item.sections.iter().map(|handle| (handle.name.as_str(), handle.status)).collect();
    assert_eq!(
        states,
        [
            ("gone/child", EntryStatus::Unknown),
            ("system", EntryStatus::Current),
            ("system/style", EntryStatus::Stale),
        ]
    );
    assert_eq!(item.tools[0].status, EntryStatus::Stale);
    assert_eq!((item.section_count, item.tool_count), (3, 2));
    assert!(item.error.is_none() && item.updated_at.is_some());
    let seeded = all(&Path::new(GOLDEN).join("seed-v2"), None);
    let seeded = &seeded.items[0];
    assert!(seeded.sections.iter().chain(&seeded.tools).all(|h| h.matches_default == Some(true)));
}

#[test]
fn hashes_equal_the_librarys() {
    let page = all(&Path::new(GOLDEN).join("v2"), None);
    assert_eq!(
        page.items[0].content_hash.as_deref(),
        Some("2ae84657b691f44840a880b54f4d02efadc343b125d0d3af493acd13937a8711")
    );
}

#[test]
fn a_bad_file_is_an_item_with_an_error() {
    let dir = tempfile::tempdir().unwrap();
    put(dir.path(), "a/p/bad.json", "{");
    put(dir.path(), "a/p/moved.json", &empty("b", "p", "moved"));
    put(dir.path(), "a/p/old.json", r#"{"version": 9, "ns": "a"}"#);
    put(dir.path(), "a/p/good.json", &empty("a", "p", "good"));
    put(dir.path(), "stray.json", "{}");
    put(dir.path(), "a/p/.wink-x.tmp", "half");
    symlink("/etc/hostname", dir.path().join("a/p/link.json")).unwrap();
    symlink("/etc", dir.path().join("etc")).unwrap();
    let page = all(dir.path(), None);
    assert_eq!(page.total_files, 6);
    let code = |name: &str| {
        let item = page.items.iter().find(|item| item.relative_path.ends_with(name)).unwrap();
        item.error.as_ref().map(|error| error.code)
    };
    assert_eq!(code("bad.json"), Some("override_file_malformed"));
    assert_eq!(code("moved.json"), Some("override_file_mismatch"));
    assert_eq!(code("old.json"), Some("format_unsupported"));
    assert_eq!(code("link.json"), Some("path_outside_root"));
    assert!(code("stray.json").is_some());
    assert_eq!(code("good.json"), None);
    assert_eq!(page.warnings[0].code, WarningCode::LinkSkipped);
}

#[test]
fn order_and_filters() {
    let dir = tempfile::tempdir().unwrap();
    for (ns, key) in [("a", "p"), ("a/b", "p"), ("a-b", "p"), ("ab", "p"), ("a.b", "p")] {
        put(dir.path(), &format!("{ns}/{key}/latest.json"), &empty(ns, key, "latest"));
    }
    let names = |filter: Option<&str>| -> Vec<String> {
        all(dir.path(), filter).items.into_iter().filter_map(|item| item.ns).collect()
    };
    assert_eq!(names(None), ["a/b", "a", "a-b", "a.b", "ab"]);
    assert_eq!(names(Some("a")), ["a"]);
    assert_eq!(names(Some("a/*")), ["a/b"]);
    assert_eq!(names(Some("a.*")), ["a.b"]);
    assert_eq!(names(Some(" ")).len(), 5);
    assert!(names(Some("zzz")).is_empty());
    let bad = ListRequest { namespace: Some("A*".into()), ..ListRequest::default() };
    assert!(list(&root(dir.path()), &exported(), &bad).is_err());
    let bad = ListRequest { cursor: Some("x".into()), ..ListRequest::default() };
    assert!(list(&root(dir.path()), &exported(), &bad).is_err());
}

#[test]
fn pages_hold_through_changes() {
    let dir = tempfile::tempdir().unwrap();
    for number in 0..10 {
        let tag = format!("t{number}");
        put(dir.path(), &format!("a/p/{tag}.json"), &empty("a", "p", &tag));
    }
    let mut request = ListRequest { limit: 4, ..ListRequest::default() };
    let first = list(&root(dir.path()), &exported(), &request).unwrap();
    assert_eq!((first.items.len(), first.total), (4, 10));
    fs::remove_file(dir.path().join("a/p/t3.json")).unwrap();
    fs::remove_file(dir.path().join("a/p/t5.json")).unwrap();
    put(dir.path(), "a/p/t0a.json", &empty("a", "p", "t0a"));
    request.cursor = first.next_cursor;
    let second = list(&root(dir.path()), &exported(), &request).unwrap();
    assert_eq!(paths(&second), ["a/p/t4.json", "a/p/t6.json", "a/p/t7.json", "a/p/t8.json"]);
    request.cursor = second.next_cursor;
    let third = list(&root(dir.path()), &exported(), &request).unwrap();
    assert_eq!(paths(&third), ["a/p/t9.json"]);
    assert_eq!(third.next_cursor, None);
}

#[test]
fn pages_keep_to_their_bytes() {
    let mut request = ListRequest { byte_budget: 700, ..ListRequest::default() };
    let dir = Path::new(GOLDEN).join("seed-v2");
    let page = list(&root(&dir), &exported(), &request).unwrap();
    assert_eq!(page.items.len(), 1, "the first item is always returned");
    assert!(page.items[0].handles_omitted > 0);
    assert_eq!(page.items[0].section_count, 2, "counts stay");

    let dir = tempfile::tempdir().unwrap();
    for tag in ["a", "b", "c"] {
        put(dir.path(), &format!("n/p/{tag}.json"), &empty("n", "p", tag));
    }
    request.byte_budget = 1100;
    let page = list(&root(dir.path()), &exported(), &request).unwrap();
    assert_eq!(page.items.len(), 2);
    assert!(page.next_cursor.is_some());
}

#[test]
fn nothing_there_is_an_empty_list() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("missing");
    let page = all(&missing, None);
    assert!(page.items.is_empty() && !page.root_exists && !missing.exists());
}
