//! wa's own figures: capture, search, rules, idle panes.

mod capture;
mod idle;
mod rules;
mod search;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use wa::embedded::Embedded;
use wa::history::{self, History};
use wa::store::{self, Store};

use crate::folder::Folder;
use crate::table::Table;
use crate::{Plan, Programs, Result};

pub(crate) fn measure(plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    table.section("wa");
    rules::measure(plan, table)?;
    search::measure(plan, programs, table)?;
    capture::measure(plan, programs, table)?;
    idle::measure(plan, programs, table)
}

/// A workspace with panes of our own.
pub(crate) struct Workspace {
    pub(crate) folder: Folder,
    pub(crate) panes: Embedded,
    host: Vec<String>,
}

impl Workspace {
    pub(crate) fn new(name: &str, wa: &Path) -> Result<Self> {
        let folder = Folder::new(name)?;
        let state = folder.path.join(".wa");
        store::private_folder(&state)?;
        let host = vec![text(wa), "pane-host".to_owned(), text(&state)];
        Ok(Self { panes: Embedded::new(&state, host.clone()), host, folder })
    }

    /// One more client of the same panes.
    fn backend(&self) -> Embedded {
        Embedded::new(&self.state(), self.host.clone())
    }

    fn state(&self) -> PathBuf {
        self.folder.path.join(".wa")
    }

    fn history(&self) -> Result<Arc<History>> {
        let store = Store::open(&self.state(), &[history::SCHEMA])?;
        Ok(Arc::new(History::new(Arc::new(store))))
    }
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// A line that looks like a build's or a server's: words and numbers that differ.
fn log_line(number: usize) -> String {
    const WORDS: [&str; 12] = [
        "compiling",
        "request",
        "served",
        "cache",
        "module",
        "linking",
        "warning",
        "queue",
        "worker",
        "finished",
        "retry",
        "upload",
    ];
    let (one, two) = (WORDS[number % 12], WORDS[number / 12 % 12]);
    let three = WORDS[number / 144 % 12];
    format!(
        "2026-11-16T05:{:02}:{:02}Z {one} {two} of {three} id={number:08x} in {} ms\n",
        number / 60 % 60,
        number % 60,
        number * 7 % 997
    )
}
