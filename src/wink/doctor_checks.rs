//! Doctor rows: the overrides directory, its lock, the descriptors.

use std::path::Path;

use toolwright_platform::health::{self, Row, Verdict};
use toolwright_runtime::settings::Loaded;

use super::{descriptors, root, store};
use crate::generated::Settings;

/// Changes nothing.
pub(super) fn run(loaded: &Loaded) -> Vec<Row> {
    let Ok(settings) = loaded.typed::<Settings>() else { return Vec::new() };
    let cwd = std::env::current_dir().ok();
    let configured = (settings.overrides_dir.as_deref(), settings.workspace_root.as_deref());
    let root = match root::resolve(configured.0, configured.1, cwd.as_deref()) {
        Ok(root) => root,
        Err(failure) => {
            let row = Row::doubtful("store", "the overrides directory is not known")
                .expected("a directory, or a git repository around the current directory")
                .remedy("Set WINK_OVERRIDES_DIR, or start the server inside the project.");
            return vec![row.cause(failure.message().to_owned())];
        }
    };
    let place = health::folder("store", &root.dir);
    let mut rows = vec![Row {
        measured: format!("{} (by {})", place.measured, root.source.as_str()),
        ..place
    }];
    rows.push(match store::holder_of(&root.dir) {
        Some(process) => Row::doubtful("lock", format!("process {process} is writing"))
            .remedy("Try again; if it lasts, check what that process is doing."),
        None => Row::good("lock", "free"),
    });
    let base = root.project.or(cwd);
    let files = descriptors(&settings, base).files;
    rows.extend(files.iter().map(|file| descriptor(file)));
    rows
}

fn descriptor(file: &Path) -> Row {
    let shown = file.display();
    let verdict = if file.exists() { Verdict::Good } else { Verdict::Doubtful };
    let row = Row { verdict, ..Row::good("descriptors", format!("`{shown}`")) };
    match verdict {
        Verdict::Good => row,
        _ => row
            .expected("a file or folder of descriptors")
            .cause("there is no such file")
            .remedy("Export the descriptors, or correct the setting `descriptors`."),
    }
}
