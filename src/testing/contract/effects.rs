//! The hints are promises: reads read; refusals, errors and dry runs change nothing; idempotent
//! means it.

use toolwright_runtime::contract::{Effects, Expect};

use super::{Run, States, all_examples, json, report};

/// Compares the store before and after, modification times included.
pub fn nothing_changes_on_reads_refusals_and_errors(runs: &[Run]) {
    let mut complaints = Vec::new();
    for Run { tool, example, before, after, .. } in runs {
        let rehearsal = json(example.input)["dry_run"] == true;
        let must_not_change = tool.effects == Effects::Read
            || rehearsal
            || matches!(example.expect, Expect::Error(_));
        if !must_not_change {
            continue;
        }
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
pub fn idempotent_tools_change_nothing_the_second_time(states: &dyn States) {
    let mut complaints = Vec::new();
    for (index, tool, example) in all_examples(states.surface()) {
        if !tool.idempotent || matches!(example.expect, Expect::Error(_)) {
            continue;
        }
        let mut state = states.make_for(tool, example);
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
