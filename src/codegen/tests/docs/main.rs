//! The catalogue of contracts: whole, well formed, deterministic, in both formats.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed helper is a failed test")]

mod contrast;
mod hostile;
mod reference;
mod tags;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use toolwright_codegen::docs::{self, Format};
use toolwright_codegen::model::Contract;

const FORMATS: [Format; 2] = [Format::Markdown, Format::Html];

fn contracts(folder: &str) -> Vec<Contract> {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let loaded = toolwright_codegen::load(&folder);
    assert!(!loaded.contracts.is_empty(), "{}", loaded.report);
    loaded.contracts
}

/// The surfaces of this repository.
static SURFACES: LazyLock<Vec<Contract>> = LazyLock::new(|| contracts("specs"));

/// And the fixture that uses everything.
fn everything() -> Vec<Contract> {
    assert_eq!(SURFACES.len(), 5);
    let mut all = SURFACES.clone();
    all.extend(contracts("tests/specs/valid/kitchen_sink"));
    all
}

fn snapshot(name: &str, text: &str) {
    insta::with_settings!({snapshot_path => "../../../../snapshots", prepend_module_to_snapshot => false}, {
        insta::assert_snapshot!(name, text);
    });
}

/// The page without what is the same on every page.
fn without_style_and_script(page: &str) -> String {
    let cut = |text: String, start: &str, end: &str| {
        let (before, rest) = text.split_once(start).unwrap();
        let (_, after) = rest.split_once(end).unwrap();
        format!("{before}{start}…{end}{after}")
    };
    let page = cut(page.to_owned(), "style-src 'sha256-", "'");
    let page = cut(page, "script-src 'sha256-", "'");
    cut(cut(page, "<style>", "</style>"), "<script>", "</script>")
}

#[test]
fn pages_are_snapshots() {
    let echo = contracts("examples/echo/specs").remove(0);
    snapshot("docs.echo.md", &docs::page(&echo, Format::Markdown));
    let page = docs::page(&echo, Format::Html);
    snapshot("docs.echo.html", &without_style_and_script(&page));
    let sink = contracts("tests/specs/valid/kitchen_sink").remove(0);
    snapshot("docs.kitchen_sink.md", &docs::page(&sink, Format::Markdown));
}

#[test]
fn the_same_contracts_give_the_same_bytes() {
    let again = contracts("specs");
    for format in FORMATS {
        let first = docs::catalogue(&SURFACES, format);
        assert_eq!(first, docs::catalogue(&again, format));
        assert!(first.iter().all(|file| docs::is_ours(&file.text)));
    }
}

#[test]
fn a_catalogue_has_an_index_and_a_page_for_each_surface() {
    let contracts = &*SURFACES;
    for (format, index, ending) in
        [(Format::Markdown, "README.md", "md"), (Format::Html, "index.html", "html")]
    {
        let files = docs::catalogue(contracts, format);
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        let mut expected = vec![index.to_owned()];
        expected.extend(contracts.iter().map(|contract| format!("{}.{ending}", contract.name)));
        assert_eq!(names, expected);
        for contract in contracts {
            assert!(files[0].text.contains(&contract.title), "{}", contract.name);
            assert!(files[0].text.contains(&contract.digest[..12]), "{}", contract.name);
            for tool in &contract.tools {
                let link =
                    format!("{}.{ending}#tool-{}{}", contract.name, contract.prefix, tool.name);
                assert!(files[0].text.contains(&link), "{link}");
            }
        }
    }
}

#[test]
fn a_surface_that_is_called_like_the_index_gets_another_file() {
    let mut contracts = contracts("examples/echo/specs");
    for (name, format) in [("index", Format::Html), ("readme", Format::Markdown)] {
        name.clone_into(&mut contracts[0].name);
        let files = docs::catalogue(&contracts, format);
        assert_ne!(files[0].name.to_lowercase(), files[1].name.to_lowercase());
        assert!(files[0].text.contains(&files[1].name));
    }
}

#[test]
fn every_tool_error_and_setting_is_on_its_page() {
    for contract in everything() {
        for format in FORMATS {
            let page = docs::page(&contract, format);
            let has = |kind: &str, name: &str| {
                let anchor = format!("id=\"{kind}-{name}\"");
                assert!(page.contains(&anchor), "{} {format:?}: {anchor}", contract.name);
            };
            for tool in &contract.tools {
                has("tool", &format!("{}{}", contract.prefix, tool.name));
                for example in &tool.examples {
                    assert!(page.contains(&example.name), "{} {}", tool.name, example.name);
                }
            }
            contract.errors.values().for_each(|error| has("error", &error.code));
            contract.settings.keys().for_each(|key| has("setting", key));
            for word in contract.guards.keys().chain(contract.roles.keys()) {
                assert!(page.contains(word.as_str()), "{} {word}", contract.name);
            }
            for resource in &contract.resources {
                assert!(page.contains(&resource.uri), "{}", resource.uri);
            }
            assert!(page.contains(&contract.digest));
        }
    }
}

#[test]
fn pages_of_a_site_are_well_formed_and_load_nothing() {
    for file in docs::catalogue(&everything(), Format::Html) {
        tags::check(&file.name, &file.text);
    }
}

#[test]
fn links_within_markdown_resolve() {
    for file in docs::catalogue(&everything(), Format::Markdown) {
        for link in file.text.split("](#").skip(1) {
            let anchor = link.split(')').next().unwrap();
            assert!(file.text.contains(&format!("<a id=\"{anchor}\"></a>")), "{anchor}");
        }
    }
}

#[test]
fn markers_take_guards_and_toolsets_as_well() {
    let contracts = contracts("tests/specs/valid/kitchen_sink");
    let refresh = |text: &str| docs::refresh(text, &contracts);
    let fresh = refresh("<!-- guards:kitchen_sink -->x<!-- /guards:kitchen_sink -->").unwrap();
    assert!(fresh.contains("| `policy` | decided out of band | The policy of this machine"));
    let fresh = refresh("a\n<!-- toolsets:kitchen_sink -->\n<!-- /toolsets:kitchen_sink -->\nb");
    assert!(fresh.unwrap().contains("| `admin` | `ks.wipe` |"));
    assert_eq!(refresh("<!-- plain -->"), Ok("<!-- plain -->".to_owned()));
    assert!(refresh("<!-- tools:nobody --><!-- /tools:nobody -->").is_err());
    assert!(refresh("<!-- tools:kitchen_sink -->").unwrap_err().contains("not closed"));
}
