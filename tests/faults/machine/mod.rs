//! What a server and its store stand on: an ordinary machine, a small disk, a clock that jumps and a
//! disk that is slow, a user with few rights. Knows no surface.

mod fault_library;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) use fault_library::FaultLibrary;
pub(crate) use toolwright_testing::disk::Disk;
use toolwright_testing::process::behind;
pub(crate) use toolwright_testing::process::is_root;
pub(crate) use toolwright_testing::provided::skipped;

/// Which faults a test wants to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MachineKind {
    /// None of the machine's.
    Ordinary,
    /// A disk that can be filled up and made read-only.
    SmallDisk,
    /// A clock that jumps and a disk that is slow.
    Unsteady,
    /// Permissions that can be taken away.
    FewRights,
}

/// What processes of one test are started under.
pub(crate) struct Machine {
    prefix: Vec<String>,
    disk: Option<Disk>,
    faults: Option<FaultLibrary>,
}

impl Machine {
    /// A disk, where there is to be one, is over `folder` and of this size. None where the machine
    /// cannot do it.
    pub(crate) fn new(kind: MachineKind, folder: &Path, size: &str) -> Option<Self> {
        let (mut prefix, mut disk, mut faults) = (Vec::new(), None, None);
        match kind {
            MachineKind::Ordinary => {}
            MachineKind::SmallDisk => prefix = disk.insert(Disk::over(folder, size)?).prefix(),
            MachineKind::Unsteady => prefix = faults.insert(FaultLibrary::new()).prefix(),
            // root without the right to go past permissions; anybody else has no such right.
            MachineKind::FewRights if is_root() => {
                let rights = "--bounding-set=-dac_override,-dac_read_search";
                prefix = ["setpriv", rights].map(str::to_owned).into();
            }
            MachineKind::FewRights => {}
        }
        Some(Self { prefix, disk, faults })
    }

    /// What processes are started under.
    pub(crate) fn prefix(&self) -> &[String] {
        &self.prefix
    }

    pub(crate) fn disk(&self) -> &Disk {
        self.disk.as_ref().expect("the test asked for a disk")
    }

    pub(crate) fn faults(&self) -> &FaultLibrary {
        self.faults.as_ref().expect("the test asked for an unsteady machine")
    }

    /// The command under this ground: the same program, arguments, folder and variables.
    pub(crate) fn command(&self, inner: &Command) -> Command {
        let mut command = behind(&self.prefix, inner);
        command.stderr(Stdio::null());
        command
    }

    /// Where the test finds what servers call `path`.
    pub(crate) fn seen(&self, path: &Path) -> PathBuf {
        self.disk.as_ref().map_or_else(|| path.to_owned(), |disk| disk.seen(path))
    }
}
