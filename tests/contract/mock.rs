//! A mock of every surface passes the contract tests of the real one, and answers by its rules.

mod behaviour;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use toolwright_runtime::contract::{ExampleInfo, Expect, SurfaceInfo, ToolInfo};
use toolwright_runtime::decode;
use toolwright_runtime::mock::{MOCK_KEY, Mock};

use toolwright_testing::contract::{self as kit, State, States as _};

/// The states of a mock: there are none.
pub(crate) struct Mocked(&'static SurfaceInfo);

impl kit::States for Mocked {
    fn surface(&self) -> &'static SurfaceInfo {
        self.0
    }

    fn make(&self, _given: Option<&str>) -> State {
        self.with_meta(Map::new())
    }

    /// An example whose answer depends on what it is given is chosen by its name: one with the
    /// arguments of another, or one that is refused before they are read.
    fn make_for(&self, tool: &'static ToolInfo, example: &'static ExampleInfo) -> State {
        let input = kit::json(example.input);
        let whole = filled(tool, &input);
        let same = |other: &&ExampleInfo| filled(tool, &kit::json(other.input)) == whole;
        let alone = tool.examples.iter().filter(same).count() == 1;
        let invalid = self.0.builtin.invalid_arguments.kind;
        let read = matches!(example.expect, Expect::Error(kind) if kind == invalid)
            || decode::check(tool, &input).expect("schemas").is_empty();
        let mut state = match alone && read {
            true => self.make(None),
            false => self.choosing(json!({"example": example.name})),
        };
        state.values = self.tokens(tool, example);
        state
    }
}

impl Mocked {
    fn with_meta(&self, meta: Map<String, Value>) -> State {
        State::storeless(Arc::new(Mock::new(self.0)), meta)
    }

    fn choosing(&self, choice: Value) -> State {
        self.with_meta(Map::from_iter([(MOCK_KEY.to_owned(), choice)]))
    }

    /// What the placeholders of a token stand for: the one that the issuer really answers with.
    fn tokens(&self, tool: &ToolInfo, example: &ExampleInfo) -> BTreeMap<&'static str, String> {
        let input = kit::json(example.input);
        let guards = tool.guards.iter().filter(|guard| guard.name == "two_stage");
        guards
            .filter_map(|guard| {
                let params = kit::json(guard.params);
                let field = params["field"].as_str()?;
                let name = input[field].as_str()?.strip_prefix('<')?.strip_suffix('>')?.to_owned();
                let issuer = params["issuer"].as_str()?;
                Some((&*String::leak(name), issued(self.0, issuer, field)))
            })
            .collect()
    }
}

/// Arguments with the defaults of those that are left out.
fn filled(tool: &ToolInfo, input: &Value) -> Value {
    let mut whole = input.clone();
    for (name, property) in kit::json(tool.accepted)["properties"].as_object().into_iter().flatten()
    {
        if whole.get(name).is_none()
            && let Some(default) = property.get("default")
        {
            whole[name] = default.clone();
        }
    }
    whole
}

/// The token in the issuer's answer to its first success example.
fn issued(surface: &'static SurfaceInfo, issuer: &str, field: &str) -> String {
    let index = surface.tools.iter().position(|tool| tool.name == issuer).expect("an issuer");
    let example = surface.tools[index]
        .examples
        .iter()
        .find(|example| matches!(example.expect, Expect::Output(_)))
        .expect("a success");
    let reply = Mocked(surface).make(None).call(index, &kit::json(example.input));
    let data = kit::examples::data(surface, &reply.body);
    data[field].as_str().expect("a token").to_owned()
}

/// Every declared error of every tool can be chosen, by kind and by code, and fits the schema.
fn every_declared_error_can_be_chosen(surface: &'static SurfaceInfo) {
    let mut complaints = Vec::new();
    for (index, tool) in surface.tools.iter().enumerate() {
        for kind in tool.errors {
            let code = surface.error(kind).expect("a registry entry").code;
            for name in [kind, code] {
                let mut state = Mocked(surface).choosing(json!({"error": name}));
                let reply = state.call(index, &kit::json(tool.minimal_call));
                if !reply.is_error || !kit::examples::mentions(&reply.body, code) {
                    complaints.push(format!("{} {name}: {}", tool.canonical, reply.body));
                }
                if let Err(problem) = kit::examples::fits_schema(tool, &reply.body) {
                    complaints.push(format!("{} {name}: {problem}", tool.canonical));
                }
            }
        }
    }
    kit::report(&complaints);
}

/// One mock that is asked everything twice, in two orders, says the same.
fn answers_do_not_depend_on_what_came_before(surface: &'static SurfaceInfo) {
    let mut state = Mocked(surface).make(None);
    let examples: Vec<_> = kit::all_examples(surface).collect();
    let mut ask = |(index, _, example): &(usize, &'static ToolInfo, &'static ExampleInfo)| {
        state.call(*index, &kit::json(example.input)).body
    };
    let forwards: Vec<Value> = examples.iter().map(&mut ask).collect();
    let mut backwards: Vec<Value> = examples.iter().rev().map(&mut ask).collect();
    backwards.reverse();
    assert_eq!(forwards, backwards);
}

/// The tests of the kit, for a mock of one surface.
macro_rules! mock_tests {
    ($name:ident, $surface:expr) => {
        mod $name {
            use std::sync::OnceLock;

            use toolwright_runtime::contract::SurfaceInfo;

            use super::Mocked;
            use toolwright_testing::contract as kit;

            fn surface() -> &'static SurfaceInfo {
                static SURFACE: OnceLock<&'static SurfaceInfo> = OnceLock::new();
                SURFACE.get_or_init(|| $surface)
            }

            #[test]
            fn examples_answer_as_written_and_within_their_budget() {
                let runs = kit::run_all(&Mocked(surface()));
                kit::examples::answer_as_written(surface(), &runs);
                kit::examples::stay_within_their_budget(&runs);
            }

            #[test]
            fn mutated_examples_are_invalid_arguments() {
                kit::mutations::are_invalid_arguments(&Mocked(surface()));
            }

            #[test]
            fn every_declared_error_can_be_chosen() {
                super::every_declared_error_can_be_chosen(surface());
            }

            #[test]
            fn answers_do_not_depend_on_what_came_before() {
                super::answers_do_not_depend_on_what_came_before(surface());
            }
        }
    };
}
mock_tests!(agentpack, &agentpack::generated::SURFACE);
mock_tests!(wa, &wa::generated::SURFACE);
mock_tests!(wink, &wink::generated::SURFACE);
mock_tests!(worldforge, &worldforge::generated::SURFACE);
mock_tests!(yarnnn, &yarnnn::generated::SURFACE);
// Contracts without any code in this crate.
mock_tests!(echo, crate::from_specs::surface("examples/echo/specs", "echo"));
mock_tests!(
    kitchen_sink,
    crate::from_specs::surface("tests/specs/valid/kitchen_sink", "kitchen_sink")
);
