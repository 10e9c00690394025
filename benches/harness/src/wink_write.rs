//! One write into a large override file, against parsing, serialising and syncing the same file.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};

use crate::server::{Program, Server, Streams};
use crate::stats::{median, timed};
use crate::table::{Bar, Row, Table};
use crate::wink_list::{Store, override_file};
use crate::{Plan, Programs, Result};

pub(crate) fn measure(plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    let store = Store::empty("write")?;
    let bare = Store::empty("bare")?;
    let text = override_file("bench.large", "prompt", "latest", 500, 26);
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
            "ns": "bench.large", "prompt": "prompt", "section_path": "section-0250",
            "body": format!("Text number {round}."), "confirm": true,
        });
        let (time, answer) = timed(|| server.call("wink.write_section_override", arguments))?;
        if answer["changed"] != true {
            return Err(format!("nothing was written: {answer}").into());
        }
        ours.push(time / 1_000.0);
    }
    let size = text.len() as f64 / 1e6;
    table.add(
        Row::new(format!("one write into a file of {size:.1} MB"), "ms", median(ours))
            .floor(median(floor), Bar::AtMost(3.0)),
    );
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
