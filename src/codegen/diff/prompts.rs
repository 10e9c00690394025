//! Changes of prompts and icons.

use serde_json::Value;

use super::locate::{File, step};
use super::recorder::{Recorder, Thing};
use super::rules::{prompts as rules, prose};
use crate::model::{Prompt, PromptArgument, PromptValueKind};

/// Compares all prompts, by name, and the icons.
pub(super) fn compare(out: &mut Recorder<'_>) {
    let (old, new) = (out.old.contract, out.new.contract);
    if old.icons != new.icons {
        let thing = Thing::surface("icons");
        out.add(rules::ICONS_CHANGED, thing, "/icons", "icons change");
    }
    for prompt in &old.prompts {
        let subject = format!("prompt {}", prompt.name);
        let now = new.prompts.iter().find(|now| now.name == prompt.name);
        match now {
            Some(now) => both(out, thing(&subject, &prompt.name), prompt, now),
            None => {
                let message = format!("the prompt `{}` is removed", prompt.name);
                out.add(rules::PROMPT_REMOVED, thing(&subject, &prompt.name), "/prompt", message)
                    .values(prompt.name.clone(), None);
            }
        }
    }
    for prompt in &new.prompts {
        if old.prompts.iter().all(|was| was.name != prompt.name) {
            let subject = format!("prompt {}", prompt.name);
            let message = format!("the prompt `{}` is new", prompt.name);
            out.add(rules::PROMPT_ADDED, thing(&subject, &prompt.name), "/prompt", message)
                .values(None, prompt.name.clone());
        }
    }
}

fn thing<'n>(subject: &'n str, name: &'n str) -> Thing<'n> {
    Thing { subject, old: File::Prompt(name), new: File::Prompt(name) }
}

fn both(out: &mut Recorder<'_>, thing: Thing<'_>, old: &Prompt, new: &Prompt) {
    let name = &new.name;
    let words = [
        (prose::TITLE_CHANGED, "title", &old.title, &new.title),
        (prose::DESCRIPTION_CHANGED, "description", &old.description, &new.description),
    ];
    for (rule, key, before, after) in words {
        if before != after {
            let message = format!("`{key}` of the prompt `{name}` changes");
            out.add(rule, thing, &format!("/{key}"), message).values(before.clone(), after.clone());
        }
    }
    if old.offered_by != new.offered_by {
        let (rule, message) = match &new.offered_by {
            Some(setting) => {
                (rules::PROMPT_OFFER_CHANGED, format!("`{name}` is offered with `{setting}` only"))
            }
            None => (rules::PROMPT_OFFERED, format!("`{name}` is always offered")),
        };
        out.add(rule, thing, "/offered_by", message)
            .values(old.offered_by.clone(), new.offered_by.clone());
    }
    for argument in &old.arguments {
        let at = format!("/arguments{}", step(&argument.name));
        match new.arguments.iter().find(|now| now.name == argument.name) {
            Some(now) => arguments(out, thing, &at, argument, now),
            None => {
                let message = format!("the argument `{}` is removed", argument.name);
                out.add(rules::PROMPT_ARGUMENT_REMOVED, thing, &at, message)
                    .values(argument.name.clone(), None);
            }
        }
    }
    for argument in &new.arguments {
        if old.arguments.iter().any(|was| was.name == argument.name) {
            continue;
        }
        let at = format!("/arguments{}", step(&argument.name));
        let rule = match argument.required {
            true => rules::PROMPT_ARGUMENT_REQUIRED,
            false => rules::PROMPT_ARGUMENT_ADDED,
        };
        let word = if argument.required { "required" } else { "optional" };
        let message = format!("the {word} argument `{}` is new", argument.name);
        out.add(rule, thing, &at, message).values(None, argument.name.clone());
    }
    let said = |prompt: &Prompt| serde_json::to_value(&prompt.messages).unwrap_or(Value::Null);
    if said(old) != said(new) {
        let message = format!("the messages of the prompt `{name}` change");
        out.add(rules::PROMPT_TEXT_CHANGED, thing, "/messages", message);
    }
    if old.icons != new.icons {
        let message = format!("the icons of the prompt `{name}` change");
        out.add(rules::ICONS_CHANGED, thing, "/icons", message);
    }
    if old.example != new.example {
        let message = format!("the example of the prompt `{name}` changes");
        out.add(prose::EXAMPLES_CHANGED, thing, "/example", message);
    }
}

fn arguments(
    out: &mut Recorder<'_>,
    thing: Thing<'_>,
    at: &str,
    old: &PromptArgument,
    new: &PromptArgument,
) {
    let name = &new.name;
    if old.required != new.required {
        let (rule, word) = match new.required {
            true => (rules::PROMPT_ARGUMENT_REQUIRED, "required"),
            false => (rules::PROMPT_ARGUMENT_OPTIONAL, "optional"),
        };
        let message = format!("the argument `{name}` becomes {word}");
        out.add(rule, thing, &format!("{at}/required"), message)
            .values(old.required.to_string(), new.required.to_string());
    }
    if old.kind != new.kind {
        let rule = match accepts(&new.kind, &old.kind) {
            true => rules::PROMPT_ARGUMENT_WIDENED,
            false => rules::PROMPT_ARGUMENT_NARROWED,
        };
        let message = format!("what the argument `{name}` accepts changes");
        out.add(rule, thing, &format!("{at}/type"), message)
            .values(old.kind.describe(), new.kind.describe());
    }
    let words = |argument: &PromptArgument| {
        (argument.title.clone(), argument.description.clone(), argument.default.clone())
    };
    if words(old) != words(new) {
        let message = format!("the words of the argument `{name}` change");
        out.add(prose::DOC_CHANGED, thing, at, message)
            .values(old.description.clone(), new.description.clone());
    }
}

/// Whether `new` accepts all that `old` does.
fn accepts(new: &PromptValueKind, old: &PromptValueKind) -> bool {
    use PromptValueKind::{Boolean, Choice, Integer, Text};
    match (new, old) {
        (Text { max_length: None }, _) => true,
        (Text { max_length: Some(now) }, Text { max_length: Some(was) }) => now >= was,
        (Text { max_length: Some(now) }, Choice { words }) => {
            words.iter().all(|word| word.chars().count() <= *now as usize)
        }
        (Choice { words: now }, Choice { words: was }) => was.iter().all(|word| now.contains(word)),
        (
            Integer { minimum: low, maximum: high },
            Integer { minimum: old_low, maximum: old_high },
        ) => {
            low.is_none_or(|low| old_low.is_some_and(|old| low <= old))
                && high.is_none_or(|high| old_high.is_some_and(|old| high >= old))
        }
        (Boolean, Boolean) => true,
        _ => false,
    }
}
