//! `wa.search` over a million lines, against the bare FTS5 query on the same database.

use serde_json::json;
use toolwright_runtime::clock::SystemIds;
use wa::history::CaptureMark;
use wa::model::{BackendKind, PaneRow};

use super::{Workspace, log_line};
use crate::plan::sizes;
use crate::program::Program;
use crate::server::{Server, Streams};
use crate::stats::{least, timed};
use crate::table::{Bar, Row, Table};
use crate::{Plan, Programs, Result};

const QUERIES: [&str; 3] = ["linking", "worker AND retry", "\"cache of upload\""];
/// The page and the number of all matches: what the tool answers.
const BARE: &str = "SELECT rowid, bm25(segments_fts) FROM segments_fts
                    WHERE segments_fts MATCH ?1 ORDER BY 2 LIMIT 20";
const BARE_COUNT: &str = "SELECT count(*) FROM segments_fts WHERE segments_fts MATCH ?1";

pub(super) fn measure(plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    for lines in sizes(plan.lines) {
        search(lines, plan, programs, table)?;
    }
    Ok(())
}

fn search(lines: usize, plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    let workspace = Workspace::new("wa-search", &programs.wa)?;
    let history = workspace.history()?;
    let row = pane();
    let keys = history.observe(&[row], &[BackendKind::Embedded], &SystemIds, 1)?;
    let key = keys.get(&1).copied().ok_or("the pane has no key")?;
    let mut chunk = String::new();
    for number in 0..lines {
        chunk.push_str(&log_line(number));
        // A few lines at a time, as a watcher stores them.
        if number % 40 == 39 {
            history.append(key, &chunk, None, &CaptureMark::default(), number as i64)?;
            chunk.clear();
        }
    }
    history.checkpoint()?;

    let program = Program::wa(&programs.wa, &workspace.folder.path);
    let mut server = Server::open(&program.with("WA_WATCH", "false"), Streams::Pipes)?;
    let store = wa::store::Store::open(&workspace.state(), &[])?;
    let (mut ours, mut bare) = (0.0, 0.0);
    for query in QUERIES {
        let (mut tool, mut raw) = (Vec::new(), Vec::new());
        for _ in 0..plan.rounds {
            let (time, answer) = timed(|| server.call("wa.search", json!({"query": query})))?;
            tool.push(time / 1_000.0);
            let (time, count) = timed(|| {
                store.read(|reader| {
                    let mut page = reader.prepare_cached(BARE)?;
                    let mut rows = page.query([query])?;
                    while let Some(row) = rows.next()? {
                        let _: i64 = row.get(0)?;
                    }
                    Ok(reader.query_row(BARE_COUNT, [query], |row| row.get::<_, i64>(0))?)
                })
            })?;
            raw.push(time / 1_000.0);
            if answer["data"]["total_matches"] != count || (count == 0 && lines == plan.lines) {
                return Err(format!("`{query}`: {count} matches, but {answer}").into());
            }
        }
        ours += least(tool);
        bare += least(raw);
    }
    let bar = (lines == plan.lines).then_some(Bar::AtMost(2.0));
    let row = Row::new("wa.search, three queries", "ms", ours).floor(bare, bar);
    table.add(row.at(lines, "lines"));
    Ok(())
}

fn pane() -> PaneRow {
    PaneRow {
        pane_id: 1,
        native_id: 1,
        backend: BackendKind::Embedded,
        identity: "bench".to_owned(),
        tab_id: 1,
        window_id: 0,
        domain: "embedded".to_owned(),
        title: None,
        cwd: None,
        cursor: None,
        size: None,
        is_active: true,
        tty: None,
        root_pid: None,
        alt_screen: None,
        bracketed_paste: None,
        activity: None,
        dead: None,
    }
}
