//! The hints are promises: reads read; refusals, errors and dry runs change nothing; idempotent
//! means it.

use toolwright_runtime::contract::{Effects, Expect};

use super::{Run, States, all_examples, json, picture, report};

/// Compares the store before and after, modification times included.
pub fn nothing_changes_on_reads_refusals_and_errors(runs: &[Run]) {
    let mut complaints = Vec::new();
    for Run { tool, example, before, after, .. } in runs {
        let promise = if tool.effects == Effects::Read {
            "`effects: read`"
        } else if matches!(example.expect, Expect::Error(_)) {
            "a failure changes nothing"
        } else if json(example.input)["dry_run"] == true {
            "a dry run changes nothing"
        } else {
            continue;
        };
        let changes = picture::changes(before, after);
        if !changes.is_empty() {
            let (place, changes) =
                (format!("{} / {}", tool.canonical, example.name), changes.join(", "));
            complaints.push(format!("{place}: {promise}, but {changes}"));
        }
    }
    report(&complaints);
}

/// The second identical call succeeds and leaves what the store holds as it was.
pub fn idempotent_tools_change_nothing_the_second_time(states: &dyn States) {
    let mut complaints = Vec::new();
    for (index, tool, example) in all_examples(states.surface()) {
        if !tool.idempotent || matches!(example.expect, Expect::Error(_)) {
            continue;
        }
        let place = format!("{} / {}: `idempotent: true`", tool.canonical, example.name);
        let mut state = states.make_for(tool, example);
        let arguments = json(example.input);
        state.call(index, &arguments);
        let between = state.contents();
        let reply = state.call(index, &arguments);
        // A guard over the state before the first call rightly refuses the second one.
        let guarded = arguments.get("if_content_hash").is_some();
        if reply.is_error && !guarded {
            complaints.push(format!("{place}, but the second call failed: {}", reply.body));
        }
        let changes = picture::changes(&between, &state.contents());
        if !changes.is_empty() {
            complaints
                .push(format!("{place}, but the second call did more: {}", changes.join(", ")));
        }
    }
    report(&complaints);
}
