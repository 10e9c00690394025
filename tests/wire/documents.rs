//! The documents of the repository: every link leads somewhere, every document can be found from the
//! README, the README stays short, each product's page has the tables of its contract, and every server setting is
//! documented.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A longer README is a manual.
const README_LINES: usize = 180;
const PRODUCTS: [&str; 5] = ["agentpack", "wa", "wink", "worldforge", "yarnnn"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every Markdown file, by its path below the repository. Templates and test data are none.
fn documents() -> BTreeMap<PathBuf, String> {
    let mut folders = vec![root().to_owned(), root().join("docs"), root().join("fuzz")];
    for parent in ["benches", "examples", "src", "tests"] {
        let entries = std::fs::read_dir(root().join(parent)).expect("a folder");
        folders.extend(entries.map(|entry| entry.expect("an entry").path()));
    }
    let files = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
    files
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a text");
            (path.strip_prefix(root()).expect("below the root").to_owned(), text)
        })
        .collect()
}

/// The lines outside of code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        !in_code && !is_fence
    })
}

/// Targets of links and pictures, without those to other sites.
fn links(text: &str) -> Vec<String> {
    let without_code = |line: &str| line.split('`').step_by(2).collect::<String>();
    let lines: Vec<String> = prose(text).map(without_code).collect();
    let text = lines.join("\n");
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://")).map(str::to_owned).collect()
}

/// What a link can name after `#`: headings as code hosts spell them, and explicit ids.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|line| line.starts_with('#')).map(|line| {
        let kept = line.trim_start_matches('#').trim().to_lowercase();
        let kept = kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    });
    let ids = text.split("<a id=\"").skip(1).filter_map(|rest| rest.split('"').next());
    headings.chain(ids.map(str::to_owned)).collect()
}

/// The path below the repository that a link of `document` names, without `.` and `..`.
fn target(document: &Path, link: &str) -> PathBuf {
    let file = link.split('#').next().unwrap_or_default();
    if file.is_empty() {
        return document.to_owned();
    }
    let mut path = document.parent().map(Path::to_owned).unwrap_or_default();
    for part in file.split('/').filter(|part| *part != ".") {
        if part == ".." {
            path.pop();
        } else {
            path.push(part);
        };
    }
    path
}

#[test]
fn every_link_leads_somewhere() {
    let documents = documents();
    let mut dead = Vec::new();
    for (document, text) in &documents {
        for link in links(text) {
            let file = target(document, &link);
            let anchor = link.split_once('#').map(|(_, anchor)| anchor);
            let found = match (anchor, documents.get(&file)) {
                (Some(anchor), Some(text)) => anchors(text).contains(anchor),
                _ => root().join(&file).exists(),
            };
            if !found {
                dead.push(format!("{}: {link}", document.display()));
            }
        }
    }
    assert!(dead.is_empty(), "dead links:\n{}", dead.join("\n"));
}

#[test]
fn every_document_can_be_found_from_the_readme() {
    let documents = documents();
    let mut found = BTreeSet::new();
    let mut next = vec![PathBuf::from("README.md")];
    while let Some(document) = next.pop() {
        let Some(text) = documents.get(&document) else { continue };
        if found.insert(document.clone()) {
            next.extend(links(text).iter().map(|link| target(&document, link)));
        }
    }
    let lost: Vec<_> = documents.keys().filter(|document| !found.contains(*document)).collect();
    assert!(lost.is_empty(), "no link leads to {lost:?}; add one to docs/README.md");
}

#[test]
fn the_readme_stays_short() {
    let lines = documents()[Path::new("README.md")].lines().count();
    assert!(lines <= README_LINES, "{lines} lines; move details to docs/");
}

#[test]
fn each_product_has_its_tables_on_its_own_page() {
    let documents = documents();
    let readme = &documents[Path::new("README.md")];
    for product in PRODUCTS {
        let page = &documents[&Path::new("src").join(product).join("README.md")];
        for kind in ["tools", "prompts", "errors", "settings"] {
            let marker = format!("<!-- {kind}:{product} -->");
            assert_eq!(page.matches(&marker).count(), 1, "src/{product}/README.md: {marker}");
            assert!(!readme.contains(&marker), "README.md: {marker}");
        }
        let surface = toolwright::surfaces::find(product).expect("this build contains it").info;
        let tools = surface.listed_tools().count();
        let row = readme.lines().find(|line| line.starts_with(&format!("| [{product}](")));
        let row = row.unwrap_or_else(|| panic!("README.md has no row of {product}"));
        assert!(row.contains(&format!("| {tools} |")), "{product} has {tools} tools: {row}");
    }
}

#[test]
fn every_server_setting_is_in_the_document_about_serving() {
    let text = std::fs::read_to_string(root().join("docs/serving.md")).expect("a text");
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| ")).collect();
    let named = |name: &str| rows.iter().any(|row| row.contains(&format!("`{name}`")));
    let flag =
        |flag: &str| text.contains(&format!("{flag} ")) || text.contains(&format!("{flag}`"));
    let missing: Vec<&str> = toolwright_contract::server_settings!("ANY")
        .iter()
        .filter(|setting| !setting.key.strip_prefix("http.").is_some_and(named))
        .filter(|setting| !named(setting.key) && !setting.flag.is_some_and(flag))
        .map(|setting| setting.key)
        .collect();
    assert!(missing.is_empty(), "docs/serving.md does not have {missing:?}");
}
