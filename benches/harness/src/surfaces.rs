//! The five surfaces with nothing in their stores.

use crate::Result;
use crate::folder::Folder;
use crate::program::Program;
use crate::programs::Programs;

/// Tools of examples/echo.
pub(crate) const ECHO_TOOLS: usize = 3;

/// Homes of servers that have never run.
pub(crate) struct Homes {
    folder: Folder,
}

impl Homes {
    pub(crate) fn new(name: &str) -> Result<Self> {
        Ok(Self { folder: Folder::new(name)? })
    }

    /// One server of each surface, fewest tools first.
    pub(crate) fn programs(&self, programs: &Programs) -> Vec<Program> {
        let home = &self.folder.path;
        vec![
            Program::surface("yarnnn", &programs.yarnnn, home),
            Program::wink(&programs.wink, home),
            Program::agentpack(&programs.agentpack, home),
            Program::surface("worldforge", &programs.worldforge, home),
            Program::wa(&programs.wa, home).with("WA_WATCH", "false"),
        ]
    }
}
