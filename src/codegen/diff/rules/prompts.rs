//! Rules about prompts and icons.

use super::rules;

rules! {
    PROMPT_ADDED "prompt-added" Wire Adds
    "No user has chosen it yet."
    "nothing to do for clients"

    PROMPT_REMOVED "prompt-removed" Wire Breaks
    "Users and programs that ask for the prompt get an error."
    "keep the prompt"

    PROMPT_ARGUMENT_ADDED "prompt-argument-added" Wire Adds
    "Users need not give it."
    "nothing to do for clients"

    PROMPT_ARGUMENT_REQUIRED "prompt-argument-required" Wire Breaks
    "Requests without the argument are refused."
    "keep it optional, with a `default` or a `when`"

    PROMPT_ARGUMENT_OPTIONAL "prompt-argument-optional" Wire Adds
    "Users may leave it out."
    "nothing to do for clients"

    PROMPT_ARGUMENT_REMOVED "prompt-argument-removed" Wire Breaks
    "Requests with the argument are refused."
    "keep the argument"

    PROMPT_ARGUMENT_NARROWED "prompt-argument-narrowed" Wire Breaks
    "Values that were accepted are refused."
    "keep accepting them"

    PROMPT_ARGUMENT_WIDENED "prompt-argument-widened" Wire Adds
    "More values are accepted."
    "nothing to do for clients"

    PROMPT_OFFER_CHANGED "prompt-offer-changed" Wire Breaks
    "Users no longer see the prompt where its setting is off."
    "keep offering it as before"

    PROMPT_OFFERED "prompt-offered" Wire Adds
    "The prompt no longer needs a setting to be seen."
    "nothing to do for clients"

    PROMPT_TEXT_CHANGED "prompt-text-changed" Prose Says
    "Models read other words, or other embedded data."
    "read them from the perspective of a model"

    ICONS_CHANGED "icons-changed" Prose Says
    "Users see another picture."
    "nothing to do"
}
