//! A state that an example starts from, and what a call on it answered.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use serde_json::{Map, Value};
use toolwright_runtime::clock::{CountingIds, FixedClock};
use toolwright_runtime::contract::{ExampleInfo, SurfaceInfo, ToolInfo};
use toolwright_runtime::{Call, Dispatch, Outcome, Services, ValidateOutput};

use super::picture::{self, Picture};
use super::{Beyond, raw};
use crate::ServerHome;
use crate::session::StdioSession;

/// When a state in this process is called, in epoch milliseconds.
const NOW: u64 = 1_700_000_000_000;

/// Calls tool number n with arguments.
pub type Caller = Box<dyn FnMut(usize, &Value) -> Reply>;

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
    /// More files and folders that belong to the store.
    pub others: Vec<PathBuf>,
    /// What is no part of the store, though it is in a folder of it: locks and the like.
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

    /// A state whose store is the home of a server. Its tools are called over stdio, in a process that has
    /// only this home: files that it writes to its current folder, to its user's home or as temporary ones
    /// are all in it.
    pub fn served(surface: &'static SurfaceInfo, home: &ServerHome) -> Self {
        let server = Self::server_in(surface, home);
        Self::over_stdio(surface, server, home.folder().to_owned(), vec![Box::new(home.clone())])
    }

    /// The server of such a state.
    pub(crate) fn server_in(surface: &'static SurfaceInfo, home: &ServerHome) -> Command {
        let mut server = home.server();
        let given = |name: &str| home.environment().contains_key(name);
        for name in ["HOME", "TMPDIR"].into_iter().filter(|name| !given(name)) {
            server.env(name, home.folder());
        }
        let strict =
            surface.server_settings.iter().find(|setting| setting.key == "validate_output");
        if let Some(name) = strict.and_then(|setting| setting.env).filter(|name| !given(name)) {
            server.env(name, "strict");
        }
        server
    }

    /// A state whose tools are called in some other way.
    pub fn new(folder: PathBuf, call: Caller, keep: Vec<Box<dyn std::any::Any>>) -> Self {
        Self {
            folder,
            call,
            values: BTreeMap::new(),
            others: Vec::new(),
            scratch: Vec::new(),
            times: true,
            view: None,
            keep,
        }
    }

    /// The same, with one more file or folder that belongs to the store.
    pub fn comparing(mut self, path: impl Into<PathBuf>) -> Self {
        self.others.push(path.into());
        self
    }

    /// The same, where this path is no part of the store.
    pub fn ignoring(mut self, path: impl Into<PathBuf>) -> Self {
        self.scratch.push(path.into());
        self
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

    /// The store: path → content and time of the last change, or what else it is. Or what the view shows.
    pub fn picture(&self) -> Picture {
        self.drawn(self.times)
    }

    /// The same without times.
    pub fn contents(&self) -> Picture {
        self.drawn(false)
    }

    fn drawn(&self, times: bool) -> Picture {
        if let Some(view) = &self.view {
            return view();
        }
        let folders = std::iter::once(&self.folder).chain(&self.others);
        picture::of(folders, &self.scratch, times)
    }
}

/// Calls the tools of a surface in this process.
fn caller(dispatch: Arc<dyn Dispatch>, clock: Arc<FixedClock>, meta: Map<String, Value>) -> Caller {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let services = Services { clock, ids: Arc::new(CountingIds::default()), version: "0.0.0" };
    let call = move |tool: usize, arguments: &Value| {
        let call = Call::new(dispatch.info().tools[tool], "test", services.clone())
            .with_request_meta(meta.clone())
            .validating_output(ValidateOutput::Strict);
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
