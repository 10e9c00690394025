//! The hints are promises: reads read, refusals and errors change nothing, idempotent means it.

use toolwright_runtime::contract::{Effects, Expect};

use super::{States, all_examples, json, report};

/// Compares the store before and after, modification times included.
pub(crate) fn nothing_changes_on_reads_refusals_and_errors(states: &dyn States) {
    let mut complaints = Vec::new();
    for (index, tool, example) in all_examples(states.surface()) {
        let must_not_change =
            tool.effects == Effects::Read || matches!(example.expect, Expect::Error(_));
        if !must_not_change {
            continue;
        }
        let mut state = states.make(example.given);
        let before = state.picture();
        state.call(index, &json(example.input));
        let after = state.picture();
        if before != after {
            let changed: Vec<_> = after
                .iter()
                .filter(|(path, content)| before.get(*path) != Some(content))
                .map(|(path, _)| path)
                .chain(before.keys().filter(|path| !after.contains_key(*path)))
                .collect();
            complaints.push(format!("{} / {}: {changed:?}", tool.canonical, example.name));
        }
    }
    report(&complaints);
}

/// The second identical call succeeds and leaves every byte as it was.
pub(crate) fn idempotent_tools_change_nothing_the_second_time(states: &dyn States) {
    let mut complaints = Vec::new();
    for (index, tool, example) in all_examples(states.surface()) {
        if !tool.idempotent || matches!(example.expect, Expect::Error(_)) {
            continue;
        }
        let mut state = states.make(example.given);
        let arguments = json(example.input);
        state.call(index, &arguments);
        let between = state.picture();
        let reply = state.call(index, &arguments);
        // A guard over the state before the first call rightly refuses the second one.
        let guarded = arguments.get("if_content_hash").is_some();
        if reply.is_error && !guarded {
            complaints.push(format!("{} / {}: {}", tool.canonical, example.name, reply.body));
        }
        if between != state.picture() {
            complaints.push(format!("{} / {}: changed again", tool.canonical, example.name));
        }
    }
    report(&complaints);
}
