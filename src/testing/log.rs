//! The log of servers: a file that is shown when the test fails.

use std::path::PathBuf;
use std::process::Stdio;

/// How many lines are shown.
const SHOWN: usize = 30;

/// Every process appends its standard error.
#[derive(Debug)]
pub(crate) struct Log {
    path: PathBuf,
}

impl Log {
    pub(crate) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    pub(crate) fn stream(&self) -> Stdio {
        let file = std::fs::File::options().create(true).append(true).open(&self.path);
        file.unwrap_or_else(|error| panic!("{}: {error}", self.path.display())).into()
    }

    /// Everything in it; nothing where nobody has logged.
    pub(crate) fn text(&self) -> String {
        let bytes = std::fs::read(&self.path).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        let text = self.text();
        let skipped = text.lines().count().saturating_sub(SHOWN);
        for line in text.lines().skip(skipped) {
            eprintln!("server: {line}");
        }
    }
}
