//! Rules about texts. They break no program, but a model may interpret them differently.

use super::rules;

rules! {
    TITLE_CHANGED "title-changed" Prose Says
    "Users see another title in lists."
    "nothing to do"

    DESCRIPTION_CHANGED "description-changed" Prose Says
    "Models read another description and may call the tool differently."
    "read it from the perspective of a model"

    INSTRUCTIONS_CHANGED "instructions-changed" Prose Says
    "Models read other instructions and may start differently."
    "read them from the perspective of a model"

    EXAMPLES_CHANGED "examples-changed" Prose Says
    "Documentation and tests use other examples."
    "nothing to do"

    SINCE_CHANGED "since-changed" Prose Says
    "Another version is documented as the one that introduced the tool."
    "nothing to do"

    DOC_CHANGED "doc-changed" Prose Says
    "Users read another description."
    "nothing to do"

    ERROR_WHEN_CHANGED "error-when-changed" Prose Says
    "The code is described differently; its meaning must stay."
    "if the meaning changed, add a new kind instead"

    ERROR_NEXT_CHANGED "error-next-changed" Prose Says
    "Callers get another hint."
    "nothing to do"

    GUARD_MESSAGE_CHANGED "guard-message-changed" Prose Says
    "Users read another question."
    "read it from the perspective of a user who has to decide"

    REASON_CHANGED "reason-changed" Prose Says
    "An exception in the contract has another reason."
    "nothing to do"

    RESOURCE_TEXT_CHANGED "resource-text-changed" Prose Says
    "Clients get another text under the same URI."
    "nothing to do"

    HANDLING_CHANGED "handling-changed" Prose Says
    "The server runs the handler differently; callers see no difference."
    "nothing to do"
}
