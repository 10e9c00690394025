//! `get_substrate` in a small memory. Who calls is found out once here, and at every call there.

use serde_json::{Value, json};
use yarnnn::engine::{Caller, Engine, RecallQuery};

use super::Subject;
use crate::Result;
use crate::program::Program;
use crate::programs::Programs;
use crate::yarnnn::workspace::Workspace;

const BLOCKS: usize = 1_000;
const LIMIT: i64 = 10;
const WORD: &str = "garden";

/// A memory, somebody who may ask, and what they ask.
pub(super) struct Recall {
    workspace: Workspace,
    engine: Engine,
    caller: Caller,
    question: RecallQuery,
}

impl Recall {
    pub(super) fn new() -> Result<Self> {
        let workspace = Workspace::with_blocks("overhead-recall", BLOCKS)?;
        let engine = workspace.engine()?;
        let user = engine.authenticate(Some(&workspace.token))?;
        let caller = user.into_caller("get_substrate", "bench".to_owned(), None, engine.ticks());
        let keywords = vec![WORD.to_owned()];
        let question = RecallQuery { keywords, limit: LIMIT, ..RecallQuery::default() };
        Ok(Self { workspace, engine, caller, question })
    }
}

impl Subject for Recall {
    fn tool(&self) -> &'static str {
        "get_substrate"
    }

    fn program(&self, programs: &Programs) -> Program {
        self.workspace.program(&programs.yarnnn)
    }

    fn arguments(&self) -> Value {
        json!({"keywords": [WORD], "limit": LIMIT})
    }

    fn expected(&self) -> &str {
        r#""next_offset":10"#
    }

    fn in_engine(&self) -> Result<()> {
        let found = self.engine.recall(&self.caller, &self.question)?;
        let full = i64::try_from(found.entries.len()) == Ok(LIMIT);
        if full { Ok(()) } else { Err(format!("{} entries", found.entries.len()).into()) }
    }
}
