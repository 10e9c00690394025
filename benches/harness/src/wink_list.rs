//! Listing a large store, against one pass that reads and hashes the same files.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use wink::descriptor::{Config, Descriptors};
use wink::listing::{ListRequest, list};
use wink::root::{OverridesRoot, RootSource};

use crate::folder::Folder;
use crate::plan::sizes;
use crate::program::Program;
use crate::server::{Server, Streams};
use crate::stats::{least, timed};
use crate::table::{Bar, Row, Table};
use crate::{Plan, Programs, Result};

pub(crate) fn measure(plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    table.section("wink, listing");
    for files in sizes(plan.files) {
        let bar = (files == plan.files).then_some(Bar::AtMost(2.0));
        measure_store(files, bar, plan, programs, table)?;
    }
    Ok(())
}

fn measure_store(
    count: usize,
    bar: Option<Bar>,
    plan: &Plan,
    programs: &Programs,
    table: &mut Table,
) -> Result<()> {
    let store = filled(count)?;
    let mut server = Server::open(&Program::wink(&programs.wink, &store.path), Streams::Pipes)?;
    let mut passes = Vec::new();
    let mut engine = Vec::new();
    let mut first = Vec::new();
    let mut all = Vec::new();
    for _ in 0..plan.rounds {
        let (time, files) = timed(|| pass(&store.path))?;
        expect("files in the pass", files, count)?;
        passes.push(time / 1_000.0);
        let (time, files) = timed(|| in_engine(&store.path))?;
        expect("files in the engine's list", files, count)?;
        engine.push(time / 1_000.0);
        let (time, page) = timed(|| page(&mut server, None))?;
        expect("files in all", page["total"].as_u64().unwrap_or(0) as usize, count)?;
        first.push(time / 1_000.0);
    }
    for _ in 0..plan.rounds.min(2) {
        let (time, files) = timed(|| every_page(&mut server))?;
        expect("files on all pages", files, count)?;
        all.push(time / 1_000.0);
    }
    let passes = least(passes);
    for (what, times) in [("in the engine", engine), ("first page", first), ("all pages", all)] {
        table.add(Row::new(what, "ms", least(times)).floor(passes, bar).at(count, "files"));
    }
    Ok(())
}

fn expect(what: &str, found: usize, expected: usize) -> Result<()> {
    if found == expected { Ok(()) } else { Err(format!("{what}: {found}, not {expected}").into()) }
}

/// What must be done at the very least: reads and hashes every file.
fn pass(folder: &Path) -> Result<usize> {
    let mut files = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            files += pass(&entry.path())?;
        } else {
            std::hint::black_box(Sha256::digest(fs::read(entry.path())?));
            files += 1;
        }
    }
    Ok(files)
}

/// All files on one page, without the protocol.
fn in_engine(store: &Path) -> Result<usize> {
    let root =
        OverridesRoot { dir: store.to_owned(), source: RootSource::OverridesDir, project: None };
    let request = ListRequest { limit: usize::MAX, ..ListRequest::default() };
    let page = list(&root, &Descriptors::new(Config::default()), &request)
        .map_err(|failure| failure.to_string())?;
    Ok(page.items.len())
}

fn page(server: &mut Server, cursor: Option<&str>) -> Result<Value> {
    let mut arguments = json!({"limit": 500});
    if let Some(cursor) = cursor {
        arguments["cursor"] = cursor.into();
    }
    server.call("wink.list_overrides", arguments)
}

fn every_page(server: &mut Server) -> Result<usize> {
    let mut files = 0;
    let mut cursor: Option<String> = None;
    loop {
        let page = page(server, cursor.as_deref())?;
        files += page["overrides"].as_array().map_or(0, Vec::len);
        match page["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => return Ok(files),
        }
    }
}

/// Ten tags for each prompt, fifty prompts in each namespace, about 1 KiB a file.
pub(crate) fn filled(count: usize) -> Result<Folder> {
    let store = Folder::new("list")?;
    for index in 0..count {
        let (ns, prompt, tag) = (index / 500, index / 10 % 50, index % 10);
        let (ns, prompt) = (format!("bench.n{ns:02}"), format!("prompt-{prompt:02}"));
        let folder = store.path.join(&ns).join(&prompt);
        if tag == 0 {
            fs::create_dir_all(&folder)?;
        }
        let tag = format!("tag-{tag}");
        let file = override_file(&ns, &prompt, &tag, 3, 3);
        fs::write(folder.join(format!("{tag}.json")), file)?;
    }
    Ok(store)
}

/// A line of a prompt.
const LINE: &str = "Use plain words, cite the file and the line, and say what to do next.\n";

/// A file as the library writes it, in format 2.
pub(crate) fn override_file(
    ns: &str,
    prompt: &str,
    tag: &str,
    sections: usize,
    lines: usize,
) -> String {
    let sections: serde_json::Map<String, Value> = (0..sections)
        .map(|index| {
            let key = format!("section-{index:04}");
            let hash = format!("{index:064x}");
            (key.clone(), json!({"body": LINE.repeat(lines), "expected_hash": hash, "path": [key]}))
        })
        .collect();
    let hash = "0123456789abcdef".repeat(4);
    let file = json!({
        "ns": ns,
        "prompt_key": prompt,
        "sections": sections,
        "tag": tag,
        "task_example_overrides": [],
        "tools": {"search": {
            "description": "Search the docs.",
            "expected_contract_hash": hash,
            "param_descriptions": {"query": "Words to look for."},
        }},
        "version": 2,
    });
    format!("{file:#}\n")
}
