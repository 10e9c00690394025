//! Rules about words. They break no program; a model may read them differently.

use super::rules;

rules! {
    TITLE_CHANGED "title-changed" Prose Says
    "People read another title in lists."
    "nothing to do"

    DESCRIPTION_CHANGED "description-changed" Prose Says
    "Models read another description, and may call otherwise."
    "read it as a model would"

    INSTRUCTIONS_CHANGED "instructions-changed" Prose Says
    "Models read other instructions, and may start elsewhere."
    "read them as a model would"

    EXAMPLES_CHANGED "examples-changed" Prose Says
    "Readers and tests see other examples."
    "nothing to do"

    SINCE_CHANGED "since-changed" Prose Says
    "The version that introduced the tool is told otherwise."
    "nothing to do"

    DOC_CHANGED "doc-changed" Prose Says
    "People read another explanation."
    "nothing to do"

    ERROR_WHEN_CHANGED "error-when-changed" Prose Says
    "The explanation of the code is another one; its meaning must not be."
    "if the code means something else now, give it a new kind"

    ERROR_NEXT_CHANGED "error-next-changed" Prose Says
    "Callers are told to do something else next."
    "nothing to do"

    GUARD_MESSAGE_CHANGED "guard-message-changed" Prose Says
    "People are asked in other words."
    "read them as somebody who has to decide"

    REASON_CHANGED "reason-changed" Prose Says
    "An exception of the contract has another reason."
    "nothing to do"

    RESOURCE_TEXT_CHANGED "resource-text-changed" Prose Says
    "Clients are served another text under the same URI."
    "nothing to do"

    HANDLING_CHANGED "handling-changed" Prose Says
    "The server runs the handler in another way; callers see no difference."
    "nothing to do"
}
