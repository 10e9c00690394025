//! `wink.get_section_override` and `wink.list_overrides` in a small store.

use serde_json::{Value, json};
use wink::engine::{Config, Engine, Target};
use wink::listing::ListRequest;
use wink::root;

use super::Subject;
use crate::Result;
use crate::folder::Folder;
use crate::program::Program;
use crate::programs::Programs;
use crate::wink_list::filled;

/// All of them fit on a page.
const FILES: usize = 10;
const SECTION: &str = "section-0001";

/// One of the two tools, over a store of its own.
pub(super) struct Overrides {
    store: Folder,
    engine: Engine,
    tool: &'static str,
    arguments: Value,
    expected: &'static str,
    work: fn(&Engine) -> Result<()>,
}

pub(super) fn section() -> Result<Overrides> {
    let Target { ns, prompt, tag } = target();
    let arguments = json!({
        "ns": ns, "prompt": prompt, "tag": tag, "section_path": SECTION,
    });
    let expected = r#""section_path":"section-0001""#;
    Overrides::new("wink.get_section_override", arguments, expected, |engine| {
        let report = engine.get_section(&target(), SECTION).map_err(|f| f.to_string())?;
        report.override_body.map(|_| ()).ok_or_else(|| "the section has no text".into())
    })
}

pub(super) fn listing() -> Result<Overrides> {
    Overrides::new("wink.list_overrides", json!({}), r#""total":10"#, |engine| {
        let request = ListRequest { limit: 50, ..ListRequest::default() };
        let page = engine.list(&request).map_err(|f| f.to_string())?;
        if page.items.len() == FILES { Ok(()) } else { Err("not all files are listed".into()) }
    })
}

fn target() -> Target {
    Target {
        ns: "bench.n00".to_owned(),
        prompt: "prompt-00".to_owned(),
        tag: Some("tag-3".to_owned()),
    }
}

impl Overrides {
    fn new(
        tool: &'static str,
        arguments: Value,
        expected: &'static str,
        work: fn(&Engine) -> Result<()>,
    ) -> Result<Self> {
        let store = filled(FILES)?;
        let engine = Engine::new(Config::new(root::resolve(Some(&store.path), None, None)));
        Ok(Self { store, engine, tool, arguments, expected, work })
    }
}

impl Subject for Overrides {
    fn tool(&self) -> &'static str {
        self.tool
    }

    fn program(&self, programs: &Programs) -> Program {
        Program::wink(&programs.wink, &self.store.path)
    }

    fn arguments(&self) -> Value {
        self.arguments.clone()
    }

    fn expected(&self) -> &str {
        self.expected
    }

    fn in_engine(&self) -> Result<()> {
        (self.work)(&self.engine)
    }
}
