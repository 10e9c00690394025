//! Real hosts, real pseudo-terminals, real programs.

mod attach;
mod hosts;
mod log;
mod panes;

use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use toolwright_testing::eventually;

use super::Embedded;
use super::host::{Options, serve};
use crate::error::Result;
use crate::model::PaneRow;
use crate::mux::{Lines, Mux as _, Spawn};

/// Longer than anything here takes on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

/// A workspace with a host in a thread of this process.
struct Workspace {
    folder: TempDir,
    mux: Embedded,
    host: JoinHandle<Result<()>>,
}

impl Workspace {
    fn new() -> Self {
        Self::with(Options::default())
    }

    fn with(options: Options) -> Self {
        let folder = TempDir::new().unwrap();
        let place = state_folder(&folder);
        let host_place = place.clone();
        let host = std::thread::spawn(move || serve(&host_place, options));
        let mux = Embedded::new(&place, vec![]);
        eventually("the host listens", || super::socket::connect(&place).unwrap());
        Self { folder, mux, host }
    }

    fn place(&self) -> PathBuf {
        state_folder(&self.folder)
    }

    /// A shell whose prompt is `$ `.
    fn bash(&self) -> u64 {
        let pane = self.mux.spawn(&bash()).unwrap();
        self.shows(pane, |text| text.ends_with('$'));
        pane
    }

    fn run(&self, script: &str) -> u64 {
        self.mux.spawn(&shell(script)).unwrap()
    }

    fn row(&self, pane: u64) -> PaneRow {
        let rows = self.mux.list().unwrap();
        rows.into_iter().find(|row| row.pane_id == pane).unwrap()
    }

    /// Waits until the screen is as wanted.
    fn shows(&self, pane: u64, wanted: impl Fn(&str) -> bool) -> String {
        let mut last = String::new();
        let found = wait_for(|| {
            last = self.mux.text(pane, Lines::Screen, false).unwrap().text;
            wanted(&last).then(|| last.clone())
        });
        found.unwrap_or_else(|| panic!("the screen shows\n{last}"))
    }

    fn ends(&self, pane: u64) -> Option<i32> {
        eventually("the program ends", || self.row(pane).dead)
    }

    /// Everything that was logged.
    fn logged(&self, pane: u64) -> String {
        let (mut mark, mut text) = (0, String::new());
        loop {
            let output = self.mux.output_since(pane, mark, 1 << 20).unwrap().unwrap();
            assert!(!output.lost);
            text.push_str(&output.text);
            mark = output.next;
            if !output.more {
                return text;
            }
        }
    }
}

fn state_folder(folder: &TempDir) -> PathBuf {
    folder.path().join(".wa")
}

fn shell(script: &str) -> Spawn {
    Spawn { command: ["sh", "-c", script].map(str::to_owned).to_vec(), ..Spawn::default() }
}

fn bash() -> Spawn {
    Spawn {
        command: ["bash", "--norc", "--noprofile"].map(str::to_owned).to_vec(),
        env: [("PS1", "$ "), ("HISTFILE", ""), ("PROMPT_COMMAND", "")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec(),
        ..Spawn::default()
    }
}

fn wait_for<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let started = Instant::now();
    while started.elapsed() < LIMIT {
        if let Some(found) = look() {
            return Some(found);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    None
}

/// Tells a process that runs one of the tests below as a helper which folder it is for.
const HELPER: &str = "WA_TEST_FOLDER";

/// The command that runs the test `name` of this module in a process of its own.
fn helper(name: &str, place: &Path) -> Vec<String> {
    let path = module_path!().split_once("::").unwrap().1;
    let program = std::env::current_exe().unwrap();
    let variable = format!("{HELPER}={}", place.display());
    let test = format!("{path}::{name}");
    ["env", &variable, program.to_str().unwrap(), &test, "--exact", "--ignored", "--nocapture"]
        .map(str::to_owned)
        .to_vec()
}

fn helper_folder() -> Option<PathBuf> {
    std::env::var_os(HELPER).map(PathBuf::from)
}

#[test]
#[ignore = "is the host process of other tests"]
fn host_process() {
    if let Some(place) = helper_folder() {
        super::host(&place).unwrap();
    }
}

#[test]
#[ignore = "is a client process of another test"]
fn reading_process() {
    let Some(place) = helper_folder() else { return };
    let mux = Embedded::new(&place, vec![]);
    loop {
        for row in mux.list().unwrap() {
            mux.output_since(row.pane_id, 0, 1 << 20).unwrap().unwrap();
            mux.text(row.pane_id, Lines::All, true).unwrap();
        }
    }
}

#[test]
#[ignore = "is the terminal of another test"]
fn attached_process() {
    let Some(place) = helper_folder() else { return };
    let pane = super::Embedded::new(&place, vec![]).list().unwrap()[0].pane_id;
    let end = super::attach(&place, pane).unwrap();
    println!("ended: {end:?}");
}
