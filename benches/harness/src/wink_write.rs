//! One write into a large override file, against parsing, serialising and syncing the same file.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::plan::sizes;
use crate::program::Program;
use crate::server::{Server, Streams};
use crate::stats::{median, timed};
use crate::table::{Bar, Row, Table};
use crate::wink_list::override_file;
use crate::{Plan, Programs, Result};

/// Sections of the large file.
const SECTIONS: usize = 500;

pub(crate) fn measure(plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    table.section("wink, one write into a file");
    for sections in sizes(SECTIONS) {
        let bar = (sections == SECTIONS).then_some(Bar::AtMost(3.0));
        write_into(sections, bar, plan, programs, table)?;
    }
    Ok(())
}

fn write_into(
    sections: usize,
    bar: Option<Bar>,
    plan: &Plan,
    programs: &Programs,
    table: &mut Table,
) -> Result<()> {
    let store = Folder::new("write")?;
    let bare = Folder::new("bare")?;
    let text = override_file("bench.large", "prompt", "latest", sections, 26);
    let section = format!("section-{:04}", sections / 2);
    let folder = store.path.join("bench.large/prompt");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("latest.json"), &text)?;
    let beside = bare.path.join("latest.json");
    fs::write(&beside, &text)?;

    let mut server = Server::open(&Program::wink(&programs.wink, &store.path), Streams::Pipes)?;
    let mut ours = Vec::new();
    let mut floor = Vec::new();
    for round in 0..plan.writes {
        let (time, ()) = timed(|| rewrite(&beside))?;
        floor.push(time / 1_000.0);
        let arguments = json!({
            "ns": "bench.large", "prompt": "prompt", "section_path": section,
            "body": format!("Text number {round}."), "confirm": true,
        });
        let (time, answer) = timed(|| server.call("wink.write_section_override", arguments))?;
        if answer["changed"] != true {
            return Err(format!("nothing was written: {answer}").into());
        }
        ours.push(time / 1_000.0);
    }
    let row = Row::new("one section", "ms", median(ours)).floor(median(floor), bar);
    table.add(row.at(text.len() / 1_000, "KB"));
    Ok(())
}

/// Reads, parses, serialises, writes and syncs.
fn rewrite(path: &Path) -> Result<()> {
    let value: Value = serde_json::from_slice(&fs::read(path)?)?;
    let temporary = path.with_extension("tmp");
    let mut file = File::create(&temporary)?;
    file.write_all(format!("{value:#}\n").as_bytes())?;
    file.sync_all()?;
    Ok(fs::rename(&temporary, path)?)
}
