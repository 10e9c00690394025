//! A machine whose clock jumps and whose disk is slow, for processes that are started under it: the
//! library `faults.c`, preloaded. Knows no surface.

use std::fs::File;
use std::os::unix::fs::{FileExt as _, PermissionsExt as _};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use tempfile::TempDir;

/// What the machine does now.
pub(crate) struct FaultLibrary {
    folder: TempDir,
    control: File,
}

impl FaultLibrary {
    /// A machine that is all right so far.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let place = |name: &str| folder.path().join(name);
        std::fs::write(place("fault_library.so"), library()).expect("writable");
        let control = File::create_new(place("control")).expect("writable");
        control.set_len(24).expect("writable");
        // A database runs as somebody else.
        for (path, mode) in
            [(place(""), 0o755), (place("fault_library.so"), 0o755), (place("control"), 0o666)]
        {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("a mode");
        }
        Self { folder, control }
    }

    /// What to start a process under.
    pub(crate) fn prefix(&self) -> Vec<String> {
        let place = |name: &str| self.folder.path().join(name).display().to_string();
        vec![
            "env".to_owned(),
            format!("LD_PRELOAD={}", place("fault_library.so")),
            format!("TOOLWRIGHT_FAULTS={}", place("control")),
        ]
    }

    /// The same for a database, which keeps its own time: as if on another machine.
    pub(crate) fn prefix_of_database(&self) -> Vec<String> {
        let mut words = self.prefix();
        words.push("TOOLWRIGHT_STEADY_CLOCK=1".to_owned());
        words
    }

    /// Puts the clock so many days off the real one.
    pub(crate) fn clock_is_off_by(&self, days: i64) {
        self.set(0, days * 86_400);
    }

    /// Every write and every sync of a file takes so much longer.
    pub(crate) fn disk_takes(&self, longer: Duration) {
        self.set(8, i64::try_from(longer.as_micros()).expect("short"));
    }

    /// Nothing is written to a file until it is called off.
    pub(crate) fn disk_stands_still(&self, still: bool) {
        self.set(16, still.into());
    }

    /// A member of the C file's `struct control`.
    fn set(&self, at: u64, value: i64) {
        self.control.write_all_at(&value.to_ne_bytes(), at).expect("writable");
    }
}

/// The library, built when first asked for.
fn library() -> &'static [u8] {
    static LIBRARY: OnceLock<Vec<u8>> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (source, built) =
            (folder.path().join("fault_library.c"), folder.path().join("fault_library.so"));
        std::fs::write(&source, include_str!("fault_library.c")).expect("writable");
        let mut compiler = Command::new("cc");
        compiler.args(["-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-o"]);
        let output = compiler.arg(&built).arg(source).output();
        let output = output.expect("a C compiler, which the build needs as well");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        std::fs::read(built).expect("it was built")
    })
}
