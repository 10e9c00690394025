//! What the number of a contract's tools costs at run time.

use crate::call_text::CallText;
use crate::folder::Folder;
use crate::program::Program;
use crate::server::{Server, Streams};
use crate::stats::{median, timed};
use crate::table::{Row, Table};
use crate::{Plan, Result};

/// Echo servers by their number of tools.
pub(crate) struct Wide {
    pub(super) _folder: Folder,
    pub(super) servers: Vec<(usize, Program)>,
}

impl Wide {
    pub(crate) fn measure(&self, plan: &Plan, table: &mut Table) -> Result<()> {
        table.section("contracts of many tools");
        let each = |table: &mut Table, what: &str, unit: &str, take: Take| -> Result<()> {
            for (tools, program) in &self.servers {
                table.add(Row::new(what, unit, take(plan, program)?).at(*tools, "tools"));
            }
            Ok(())
        };
        each(table, "binary", "MB", |_, program| {
            Ok(std::fs::metadata(program.path())?.len() as f64 / 1e6)
        })?;
        each(table, "start to first answer", "ms", |plan, program| {
            let start = |_| Ok(timed(|| Server::open(program, Streams::Pipes))?.0 / 1_000.0);
            Ok(median((0..plan.starts).map(start).collect::<Result<Vec<f64>>>()?))
        })?;
        each(table, "tools/list", "µs", |plan, program| {
            let mut server = Server::open(program, Streams::Pipes)?;
            Ok(median(server.sequential(&CallText::list(), plan.sequential / 10)?))
        })?;
        each(table, "round trip", "µs", |plan, program| {
            let mut server = Server::open(program, Streams::Pipes)?;
            Ok(median(server.sequential(&CallText::usual(), plan.sequential)?))
        })?;
        each(table, "resident memory, idle", "MiB", |_, program| {
            let mut server = Server::open(program, Streams::Pipes)?;
            server.list()?;
            Ok(server.resident().unwrap_or(f64::NAN))
        })
    }
}

type Take = fn(&Plan, &Program) -> Result<f64>;
