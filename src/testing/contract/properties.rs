//! Random arguments: those that fit are never answered as invalid ones, those with one violation
//! always are, with its place, and change nothing. A failure prints the seed and the arguments.

use std::collections::BTreeSet;

use serde_json::Value;
use toolwright_runtime::contract::{ExampleInfo, Expect, SurfaceInfo, ToolInfo};

use super::generate::{Generator, ReferenceValidator, Spoilt, Verdict};
use super::{Reply, State, States, all_examples, examples, mutations, report};

/// Random arguments of each kind for each tool.
const VALID: usize = 60;
const SPOILT: usize = 150;

/// Something that is wrong with arguments which fit their schema, because no schema can say it. An
/// entry must be needed: by an example of the contract, or by what was met at random.
pub struct Beyond {
    /// The tool, as in the spec.
    pub tool: &'static str,
    /// What the answer says.
    pub says: &'static str,
    /// Why the schema does not.
    pub why: &'static str,
}

/// Arguments that fit get an answer of the tool: a result, or a declared error that is neither
/// "invalid arguments" nor a defect.
pub fn arguments_that_fit_are_never_invalid(states: &dyn States) {
    let surface = states.surface();
    let mut generator = Generator::new(surface);
    let mut seen = BTreeSet::new();
    let mut complaints = Vec::new();
    for (index, tool) in surface.tools.iter().enumerate() {
        let validator = ReferenceValidator::new(tool);
        let mut state = state(states, tool);
        for _ in 0..VALID {
            let arguments = generator.valid(tool, &validator);
            let reply = state.call(index, &arguments);
            let complaint = match validator.verdict(&arguments) {
                Verdict::Guarded if acted(&arguments, &reply) => Some("got past its guard"),
                _ => wrong(surface, tool, &reply, states.beyond(), &mut seen),
            };
            if let Some(what) = complaint {
                complaints.push(complain(tool, what, &arguments, &reply));
            }
        }
    }
    report(&complaints);
    if !states.beyond().is_empty() {
        seen.extend(shown_by_examples(states));
    }
    for (number, Beyond { tool, says, why }) in states.beyond().iter().enumerate() {
        assert!(seen.contains(&number), "{tool} never said {says} ({why}): take it off the list");
    }
}

/// Something was done, not only rehearsed.
fn acted(arguments: &Value, reply: &Reply) -> bool {
    !reply.is_error && arguments["dry_run"] != true
}

/// What is wrong with the answer to arguments that fit.
fn wrong(
    surface: &SurfaceInfo,
    tool: &ToolInfo,
    reply: &Reply,
    beyond: &[Beyond],
    seen: &mut BTreeSet<usize>,
) -> Option<&'static str> {
    if !reply.is_error {
        return None;
    }
    let said = |kind: &str| {
        surface.error(kind).is_some_and(|error| examples::mentions(&reply.body, error.code))
    };
    if !tool.errors.iter().any(|kind| said(kind)) {
        return Some("failed with an undeclared code");
    }
    if said(surface.builtin.internal.kind) {
        return Some("failed because of a defect");
    }
    if !said(surface.builtin.invalid_arguments.kind) {
        return None;
    }
    let text = reply.body.to_string();
    let mut listed = beyond.iter().enumerate().filter(|(_, entry)| {
        entry.tool == tool.canonical && text.contains(entry.says) && !text.contains("minimal_call")
    });
    match listed.next() {
        Some((number, _)) => {
            seen.insert(number);
            None
        }
        None => Some("refused although they fit"),
    }
}

/// Which entries of the list an example of the contract is refused by.
fn shown_by_examples(states: &dyn States) -> BTreeSet<usize> {
    let surface = states.surface();
    let invalid = surface.builtin.invalid_arguments.kind;
    let mut seen = BTreeSet::new();
    for (index, tool, example) in all_examples(surface) {
        if matches!(example.expect, Expect::Error(kind) if kind == invalid) {
            let reply = states.make_for(tool, example).call(index, &super::json(example.input));
            wrong(surface, tool, &reply, states.beyond(), &mut seen);
        }
    }
    seen
}

/// Arguments with one violation are invalid, the answer says where, and nothing changes.
pub fn arguments_with_one_violation_are_invalid(states: &dyn States) {
    let surface = states.surface();
    let code = surface.builtin.invalid_arguments.code;
    let mut generator = Generator::new(surface);
    let mut complaints = Vec::new();
    for (index, tool) in surface.tools.iter().enumerate() {
        let validator = ReferenceValidator::new(tool);
        let mut state = state(states, tool);
        let before = state.picture();
        for _ in 0..SPOILT {
            let Spoilt { arguments, what, pointer, verdict } = generator.spoilt(tool, &validator);
            let reply = state.call(index, &arguments);
            let invalid = reply.is_error && examples::mentions(&reply.body, code);
            let complaint = match verdict {
                Verdict::Guarded if acted(&arguments, &reply) => "got past its guard".to_owned(),
                Verdict::Guarded => continue,
                _ if !invalid => "accepted, or another code".to_owned(),
                _ if !names_or_holds(&reply.body, &pointer) => format!("nothing about {pointer}"),
                _ => continue,
            };
            let complaint = format!("{what} at {pointer:?}: {complaint}");
            complaints.push(complain(tool, &complaint, &arguments, &reply));
        }
        if before != state.picture() {
            complaints.push(format!("{}: changed the store", tool.canonical));
        }
    }
    report(&complaints);
}

/// The answer names the place or one above it. The arguments as a whole are no place, unless they
/// are what is wrong.
fn names_or_holds(body: &Value, pointer: &str) -> bool {
    let mut place = pointer;
    loop {
        if mutations::names(body, place) {
            return true;
        }
        match place.rsplit_once('/') {
            Some((above, _)) if !above.is_empty() => place = above,
            _ => return false,
        }
    }
}

/// The state that a tool is called in: that of its first example that succeeds.
fn state(states: &dyn States, tool: &'static ToolInfo) -> State {
    let succeeds = |example: &&ExampleInfo| matches!(example.expect, Expect::Output(_));
    let example = tool.examples.iter().find(succeeds).expect("every tool shows how it succeeds");
    match states.for_random(tool) {
        Some(given) => states.make(Some(given)),
        None => states.make_for(tool, example),
    }
}

fn complain(tool: &ToolInfo, what: &str, arguments: &Value, reply: &Reply) -> String {
    let cut = |value: &Value| value.to_string().chars().take(600).collect::<String>();
    format!("{}: {what}\n  sent {}\n  got {}", tool.canonical, cut(arguments), cut(&reply.body))
}
