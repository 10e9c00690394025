//! `toolwright check --watch`: checks again whenever a file changes.
//!
//! Events of the operating system only trigger a check; changes are found by reading the folder again
//! and comparing. So it does not matter how an editor saves: in place, by renaming, or by deleting
//! and creating. A touched file without a new content is no change.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use notify::{RecursiveMode, Watcher};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use toolwright_codegen::diagnostics::Severity;
use toolwright_codegen::{Files, Loaded};
use toolwright_commands::terminal;

use super::check;

/// A save causes several events; it is complete after this long without one.
const DEBOUNCE: Duration = Duration::from_millis(50);
/// Longest wait while events keep coming.
const MAX_DEBOUNCE: Duration = Duration::from_millis(400);
/// Interval of checks without events, in case some were lost.
const RESCAN: Duration = Duration::from_secs(2);
/// The same where the system reports no events at all.
const POLL: Duration = Duration::from_millis(250);

/// Checks until it is interrupted or standard output is closed.
pub(super) fn run(specs: &Path, as_json: bool) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let result = runtime.and_then(|runtime| {
        runtime.block_on(async {
            // Registered before anything is printed, because a reader may interrupt at once.
            let mut interrupt = signal(SignalKind::interrupt())?;
            tokio::select! {
                _ = interrupt.recv() => Ok(()),
                () = stdout_closed() => Ok(()),
                end = follow(specs, as_json) => end,
            }
        })
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            terminal::message(&format!("error: `{}` cannot be watched: {error}", specs.display()));
            ExitCode::FAILURE
        }
    }
}

async fn follow(specs: &Path, as_json: bool) -> io::Result<()> {
    let mut events = ChangeEvents::of(specs);
    // Watch first, then read, so that no change is missed.
    let mut files = read(specs);
    show(specs, &files, None, as_json)?;
    loop {
        events.wait().await;
        events.rewatch();
        let now = read(specs);
        let changed = differences(specs, &files, &now);
        if !changed.is_empty() {
            files = now;
            show(specs, &files, Some(&changed), as_json)?;
        }
    }
}

/// The folder's files, or why it cannot be read.
type ReadFiles = Result<Files, String>;

fn read(specs: &Path) -> ReadFiles {
    toolwright_codegen::read_folder(specs).map_err(|error| error.to_string())
}

/// Files that are new, different or gone; the folder itself where that is.
fn differences(specs: &Path, before: &ReadFiles, now: &ReadFiles) -> Vec<String> {
    let shown = |path: &String| specs.join(path).display().to_string();
    match (before, now) {
        (Ok(before), Ok(now)) => {
            let there = now.iter().filter(|(path, text)| before.get(*path) != Some(*text));
            let gone = before.keys().filter(|path| !now.contains_key(*path));
            let mut changed: Vec<String> =
                there.map(|(path, _)| path).chain(gone).map(shown).collect();
            changed.sort();
            changed
        }
        (Err(before), Err(now)) if before == now => Vec::new(),
        _ => vec![specs.display().to_string()],
    }
}

/// Checks and prints: all findings, then one line.
fn show(
    specs: &Path,
    files: &ReadFiles,
    changed: Option<&[String]>,
    as_json: bool,
) -> io::Result<()> {
    let start = Instant::now();
    let loaded = match files {
        Ok(files) => toolwright_codegen::load_files(specs, files),
        Err(_) => toolwright_codegen::load(specs),
    };
    let elapsed = start.elapsed().as_millis();
    let mut out = io::stdout().lock();
    if as_json {
        let mut line = check::json(&loaded);
        line["changed"] = changed.unwrap_or_default().into();
        line["elapsedMs"] = u64::try_from(elapsed).unwrap_or(u64::MAX).into();
        writeln!(out, "{line}")?;
    } else {
        if changed.is_some() && out.is_terminal() {
            // Clear the screen and the scrollback.
            write!(out, "\x1b[2J\x1b[3J\x1b[H")?;
        }
        let what = match changed {
            None => format!("watching {}", specs.display()),
            Some([one]) => format!("{one} changed"),
            Some(several) => format!("{} changed", several.join(", ")),
        };
        write!(out, "{}", check::findings(&loaded))?;
        writeln!(out, "{what}; checked in {elapsed} ms: {}", summary(&loaded))?;
    }
    out.flush()
}

fn summary(loaded: &Loaded) -> String {
    match loaded.report.count(Severity::Error) {
        0 => check::summary(loaded),
        1 => "1 error".to_owned(),
        errors => format!("{errors} errors"),
    }
}

/// Signals when the folder may have changed.
struct ChangeEvents {
    specs: PathBuf,
    events: mpsc::UnboundedReceiver<()>,
    sender: mpsc::UnboundedSender<()>,
    /// `None` while there is no folder, and where the system reports no events; the folder is then
    /// polled.
    watcher: Option<notify::RecommendedWatcher>,
    can_watch: bool,
    /// Identity of the watched folder, which may have been replaced.
    watched: Option<u64>,
}

impl ChangeEvents {
    fn of(specs: &Path) -> Self {
        let (sender, events) = mpsc::unbounded_channel();
        let mut events = Self {
            specs: specs.to_owned(),
            events,
            sender,
            watcher: None,
            can_watch: true,
            watched: None,
        };
        if let Err(error) = events.watch() {
            events.can_watch = false;
            terminal::message(&format!(
                "note: the system does not report changes ({error}); checking four times a second"
            ));
        }
        events
    }

    fn watch(&mut self) -> notify::Result<()> {
        let sender = self.sender.clone();
        let mut watcher =
            notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
                // Every check reads, so reading is not a change.
                if !event.is_ok_and(|event| event.kind.is_access()) {
                    let _ = sender.send(());
                }
            })?;
        watcher.watch(&self.specs, RecursiveMode::Recursive)?;
        self.watched = identity(&self.specs);
        self.watcher = Some(watcher);
        Ok(())
    }

    /// Watches again after the folder was removed or replaced.
    fn rewatch(&mut self) {
        let now = identity(&self.specs);
        if !self.can_watch || (self.watcher.is_some() && now == self.watched) {
            return;
        }
        self.watcher = None;
        if now.is_some() {
            // Retried at the next interval.
            let _ = self.watch();
        }
    }

    /// Waits for the first event and then for a pause, at most one interval.
    async fn wait(&mut self) {
        let longest = if self.watcher.is_some() { RESCAN } else { POLL };
        if tokio::time::timeout(longest, self.events.recv()).await.is_err() {
            return;
        }
        let quiet =
            async { while tokio::time::timeout(DEBOUNCE, self.events.recv()).await.is_ok() {} };
        let _ = tokio::time::timeout(MAX_DEBOUNCE, quiet).await;
    }
}

/// The inode, which differs after a folder was replaced.
fn identity(folder: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(folder).ok().filter(std::fs::Metadata::is_dir).map(|it| it.ino())
}

/// Returns when standard output is a pipe or a terminal whose other end has gone.
async fn stdout_closed() {
    use std::os::fd::AsFd as _;
    use tokio::io::Interest;
    use tokio::net::unix::pipe::Sender;
    // Unchecked, because that does not make the descriptor non-blocking.
    let output = io::stdout().as_fd().try_clone_to_owned();
    match output.and_then(Sender::from_owned_fd_unchecked) {
        Ok(output) => {
            let _ = output.ready(Interest::ERROR).await;
        }
        // A file never closes.
        Err(_) => std::future::pending().await,
    }
}
