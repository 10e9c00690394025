//! What a refusal tells the model to do: a person decides, with something to look at, and only then
//! the call goes on. A hint such as "repeat the call with confirm set to true" teaches the model to
//! decide alone.

use std::path::Path;

use toolwright_codegen::model::{Contract, GuardUse};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Words by which a hint lets a call through.
const GO_ON: [&str; 5] = ["repeat", "send ", "set to true", "once they", "only after"];

/// What is wrong with a hint.
fn judge(hint: &str) -> Result<(), String> {
    let decides = hint.find("decides").filter(|place| {
        let who = &hint[..*place];
        ["user", "person", "owner", "admin"].iter().any(|word| who.contains(word))
    });
    let Some(decides) = decides else { return Err("it does not say who decides".to_owned()) };
    let Some(look) = hint.find("show") else {
        return Err("it does not say what to look at".to_owned());
    };
    // `repeat the action for a new code` leads to something to look at, not past it.
    let go_on = GO_ON.iter().filter_map(|words| Some(look + hint[look..].find(words)?)).min();
    let early = GO_ON.iter().filter_map(|words| hint.find(words)).any(|place| place < decides);
    match go_on {
        _ if early => Err("it says how to go on before it says who decides".to_owned()),
        None => Err("it does not say how to go on".to_owned()),
        Some(_) => Ok(()),
    }
}

/// The kinds that the model could answer by another argument: those of the guards that ask for
/// consent, and all whose hint says to set one.
fn kinds_of_consent(contract: &Contract) -> Vec<&str> {
    let mut kinds: Vec<&str> = Vec::new();
    for guard in contract.tools.iter().flat_map(|tool| &tool.guards) {
        match guard {
            GuardUse::Confirm { refuses, .. } | GuardUse::Ask { refuses, .. } => {
                kinds.push(refuses);
            }
            GuardUse::TwoStage { missing, expired, mismatch, .. } => {
                kinds.extend([missing.as_str(), expired, mismatch]);
            }
            GuardUse::Role { .. } | GuardUse::Own { .. } => {}
        }
    }
    let hinted = contract.errors.iter().filter(|(kind, error)| {
        let next = error.next.as_deref().unwrap_or_default();
        next.contains("set to true")
            || next.contains("confirm_token")
            || ["confirm", "approval"].iter().any(|word| kind.contains(word))
    });
    kinds.extend(hinted.map(|(kind, _)| kind.as_str()));
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

#[test]
fn hints_of_refusals_let_a_person_decide() {
    let mut judged = 0;
    let mut bad = Vec::new();
    for folder in ["specs", "examples/shelf/specs", "examples/echo/specs"] {
        let loaded = toolwright_codegen::load(&Path::new(ROOT).join(folder));
        assert!(!loaded.contracts.is_empty(), "{}", loaded.report);
        for contract in &loaded.contracts {
            for kind in kinds_of_consent(contract) {
                judged += 1;
                let error = &contract.errors[kind];
                // Without one the runtime gives its own, which its tests judge.
                let Some(next) = &error.next else { continue };
                let also = error.details.get("hint").and_then(|hint| hint.as_str());
                for hint in [Some(next.as_str()), also].into_iter().flatten() {
                    if let Err(why) = judge(hint) {
                        bad.push(format!("{} {kind}: {why}: {hint}", contract.name));
                    }
                }
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
    assert!(judged >= 8, "{judged} hints");
}

#[test]
fn hints_that_wave_the_model_through_are_found() {
    for hint in [
        "repeat the call with yes set to true",
        "ask the user, then repeat the call with yes set to true",
        "show `would` to the user and repeat the call with confirm set to true",
        "call deploy again and confirm the new plan",
        "the user decides",
        "the user decides: repeat the call with yes set to true",
        "repeat the call with yes set to true; the user decides: show them the plan",
    ] {
        assert!(judge(hint).is_err(), "{hint}");
    }
}
