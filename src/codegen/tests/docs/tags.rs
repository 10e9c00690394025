//! A reader of HTML, as far as the writer goes: every tag closed where it should be, every id once,
//! every link leading somewhere, nothing loaded from anywhere.

use std::collections::BTreeSet;

/// Elements that have no end.
const VOID: [&str; 3] = ["meta", "input", "br"];
/// Attributes that would load or run something.
const LOADING: [&str; 6] = ["src", "srcset", "style", "action", "data", "poster"];

/// Panics about the first thing that is wrong with a page.
pub(crate) fn check(name: &str, page: &str) {
    let page = page.strip_prefix("<!doctype html>\n").unwrap();
    let (comment, page) = page.split_once("-->").unwrap();
    assert!(comment.starts_with("<!--") && !page.contains("<!--"), "{name}: a comment");
    let mut open: Vec<&str> = Vec::new();
    let mut ids = BTreeSet::new();
    let mut links = Vec::new();
    let mut rest = page;
    while let Some((_, tagged)) = rest.split_once('<') {
        let (tag, after) = tagged.split_once('>').unwrap_or_else(|| panic!("{name}: {tagged:.60}"));
        rest = after;
        if let Some(closing) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closing), "{name}: </{closing}> before {after:.80}");
            continue;
        }
        let (element, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        assert!(element.chars().all(|c| c.is_ascii_alphanumeric()), "{name}: <{tag}>");
        for (key, value) in attributes_of(attributes) {
            assert!(!LOADING.contains(&key) && !key.starts_with("on"), "{name}: <{tag}>");
            match key {
                "id" => assert!(ids.insert(value), "{name}: id {value} twice"),
                "href" => links.push(value),
                _ => {}
            }
        }
        if matches!(element, "style" | "script") {
            // Raw text up to the first end tag.
            let end = format!("</{element}>");
            let (raw, after) = rest.split_once(end.as_str()).unwrap();
            let loads = ["http:", "https:", "url(", "@import", "fetch(", "import("];
            assert!(loads.iter().all(|load| !raw.contains(load)), "{name}: {element} loads");
            rest = after;
            continue;
        }
        assert!(!matches!(element, "link" | "img" | "iframe" | "object"), "{name}: <{tag}>");
        if !VOID.contains(&element) {
            open.push(element);
        }
    }
    assert!(open.is_empty(), "{name}: not closed: {open:?}");
    assert_eq!(page.matches("<h1>").count(), 1, "{name}");
    for link in links {
        match link.strip_prefix('#') {
            Some(anchor) => assert!(ids.contains(anchor), "{name}: nothing at {link}"),
            None => assert!(!link.contains(':') && link.contains(".html"), "{name}: {link}"),
        }
    }
}

fn attributes_of(text: &str) -> Vec<(&str, &str)> {
    let mut all = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = rest.find(['=', ' ']).unwrap_or(rest.len());
        let (key, after) = rest.split_at(end);
        match after.strip_prefix("=\"") {
            Some(after) => {
                let (value, after) = after.split_once('"').unwrap();
                all.push((key, value));
                rest = after.trim_start();
            }
            None => {
                assert!(!after.starts_with('='), "an attribute without quotes: {text}");
                all.push((key, ""));
                rest = after.trim_start();
            }
        }
    }
    all
}
