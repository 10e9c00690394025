//! A state that an example starts from, and what a call on it answered.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use serde_json::{Map, Value};
use toolwright_runtime::clock::{CountingIds, FixedClock};
use toolwright_runtime::contract::{ExampleInfo, SurfaceInfo, ToolInfo};
use toolwright_runtime::{Call, Dispatch, Outcome, Services};

use super::{Beyond, raw};
use crate::session::StdioSession;

/// When a state in this process is called, in epoch milliseconds.
const NOW: u64 = 1_700_000_000_000;

/// Calls tool number n with arguments.
pub type Caller = Box<dyn FnMut(usize, &Value) -> Reply>;

/// The content of a store: path → state.
pub type Picture = BTreeMap<PathBuf, String>;

/// Reads a store.
pub type View = Box<dyn Fn() -> Picture>;

/// The states of a surface. `given` is the word in the spec's example.
pub trait States {
    /// The contract.
    fn surface(&self) -> &'static SurfaceInfo;
    /// Creates the state of that name.
    fn make(&self, given: Option<&str>) -> State;

    /// The state that an example starts from.
    fn make_for(&self, _tool: &'static ToolInfo, example: &'static ExampleInfo) -> State {
        self.make(example.given)
    }

    /// The state in which random arguments are harmless and do not wait, where the one of the
    /// tool's examples is not like that.
    fn for_random(&self, _tool: &'static ToolInfo) -> Option<&'static str> {
        None
    }

    /// What makes arguments that fit their schema invalid all the same. Each is met by random ones.
    fn beyond(&self) -> &'static [Beyond] {
        &[]
    }
}

/// A prepared store and a way to call tools on it.
pub struct State {
    /// Folder whose content is the store.
    pub folder: PathBuf,
    /// Calls tool number n.
    pub call: Caller,
    /// What `<name>` stands for in the arguments of an example, such as a token of this state.
    pub values: BTreeMap<&'static str, String>,
    /// What in the folder is no part of the store: locks and the like.
    pub scratch: Vec<PathBuf>,
    /// Modification times count. They do not where a write fails half-way and is undone: the same
    /// contents come back with new times.
    pub times: bool,
    /// How to read the store when its files are not what counts.
    pub view: Option<View>,
    /// What must live as long as the state.
    #[allow(dead_code)]
    pub keep: Vec<Box<dyn std::any::Any>>,
}

/// The result of a call: the envelope, and whether it is a failure.
#[derive(Debug)]
pub struct Reply {
    /// The envelope.
    pub body: Value,
    /// It is a failure.
    pub is_error: bool,
}

impl State {
    /// A state whose tools are called in this process, at one moment.
    pub fn in_process(
        dispatch: Arc<dyn Dispatch>,
        folder: PathBuf,
        keep: Vec<Box<dyn std::any::Any>>,
    ) -> Self {
        Self::with_clock(dispatch, folder, keep, Arc::new(FixedClock::at(NOW)))
    }

    /// The same with a clock that the state moves.
    pub fn with_clock(
        dispatch: Arc<dyn Dispatch>,
        folder: PathBuf,
        keep: Vec<Box<dyn std::any::Any>>,
        clock: Arc<FixedClock>,
    ) -> Self {
        Self::new(folder, caller(dispatch, clock, Map::new()), keep)
    }

    /// A state without a store, where every call carries this `_meta`.
    pub fn storeless(dispatch: Arc<dyn Dispatch>, meta: Map<String, Value>) -> Self {
        let clock = Arc::new(FixedClock::at(NOW));
        Self::new(PathBuf::new(), caller(dispatch, clock, meta), Vec::new())
    }

    /// A state whose tools are called in a server of its own, over stdio.
    pub fn over_stdio(
        surface: &'static SurfaceInfo,
        command: Command,
        folder: PathBuf,
        keep: Vec<Box<dyn std::any::Any>>,
    ) -> Self {
        let mut session = StdioSession::start(command, "contract-test");
        let call = move |tool: usize, arguments: &Value| {
            let reply = session.call(surface.tools[tool].canonical, arguments.clone());
            Reply { body: reply.body, is_error: reply.is_error }
        };
        Self::new(folder, Box::new(call), keep)
    }

    /// A state whose tools are called in some other way.
    pub fn new(folder: PathBuf, call: Caller, keep: Vec<Box<dyn std::any::Any>>) -> Self {
        let (values, scratch) = (BTreeMap::new(), Vec::new());
        Self { folder, call, values, scratch, times: true, view: None, keep }
    }

    /// The same, with something that `<name>` stands for.
    pub fn with(mut self, name: &'static str, value: String) -> Self {
        self.values.insert(name, value);
        self
    }

    /// Calls a tool with the arguments of an example.
    pub fn call(&mut self, tool: usize, arguments: &Value) -> Reply {
        let arguments = self.filled(arguments);
        (self.call)(tool, &arguments)
    }

    fn filled(&self, arguments: &Value) -> Value {
        let mut arguments = arguments.clone();
        for member in arguments.as_object_mut().into_iter().flat_map(|members| members.values_mut())
        {
            let name = member.as_str().and_then(|text| text.strip_prefix('<')?.strip_suffix('>'));
            if let Some(value) = name.and_then(|name| self.values.get(name)) {
                *member = Value::String(value.clone());
            }
        }
        arguments
    }

    /// Everything in the folder: path → content, or what else it is. Or what the view shows.
    pub fn picture(&self) -> Picture {
        if let Some(view) = &self.view {
            return view();
        }
        let mut picture = Picture::new();
        self.draw(&self.folder, &mut picture);
        picture
    }

    fn draw(&self, folder: &Path, picture: &mut Picture) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for path in entries.flatten().map(|entry| entry.path()) {
            if self.scratch.contains(&path) {
                continue;
            }
            let Ok(metadata) = std::fs::symlink_metadata(&path) else { continue };
            let modified = metadata.modified().expect("a modification time");
            let modified = self.times.then_some(modified);
            if metadata.is_dir() {
                picture.insert(path.clone(), format!("folder {modified:?}"));
                self.draw(&path, picture);
            } else if metadata.is_symlink() {
                picture.insert(path, "link".to_owned());
            } else {
                let bytes = std::fs::read(&path).unwrap_or_default();
                picture.insert(path, format!("{modified:?} {}", String::from_utf8_lossy(&bytes)));
            }
        }
    }
}

/// Calls the tools of a surface in this process.
fn caller(dispatch: Arc<dyn Dispatch>, clock: Arc<FixedClock>, meta: Map<String, Value>) -> Caller {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let services = Services { clock, ids: Arc::new(CountingIds::default()), version: "0.0.0" };
    let call = move |tool: usize, arguments: &Value| {
        let call = Call::new(dispatch.info().tools[tool], "test", services.clone())
            .with_request_meta(meta.clone());
        let outcome = runtime.block_on(dispatch.dispatch(tool, &call, &raw(arguments)));
        match outcome {
            Outcome::Answer(answer) => Reply {
                body: serde_json::from_str(&answer.body).expect("an answer is JSON"),
                is_error: answer.is_error,
            },
            Outcome::Protocol(error) => {
                Reply { body: error.data.unwrap_or_default(), is_error: true }
            }
            Outcome::NeedsInput(input) => panic!("nobody can be asked here: {input:?}"),
        }
    };
    Box::new(call)
}
