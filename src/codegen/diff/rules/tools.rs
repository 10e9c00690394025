//! Rules about tools beside their schemas, guards and words.

use super::rules;

rules! {
    TOOL_ADDED "tool-added" Wire Adds
    "Nobody called it before."
    "nothing to do for callers"

    TOOL_REMOVED "tool-removed" Wire Breaks
    "Calls are answered with unknown tool, and nobody was warned."
    "bring it back with `deprecated: {since, replaced_by, sunset}`, and remove it after the sunset"

    TOOL_REMOVED_EARLY "tool-removed-early" Wire Breaks
    "Callers were promised the tool until its sunset."
    "keep it until its sunset"

    TOOL_REMOVED_AFTER_SUNSET "tool-removed-after-sunset" Wire Adds
    "Callers were warned, and the day that was announced has come."
    "nothing to do: it was announced"

    TOOL_RENAMED "tool-renamed" Wire Breaks
    "Calls under the old name are answered with unknown tool."
    "keep the old tool beside it with `deprecated: {since, replaced_by}`"

    COMMAND_CHANGED "command-changed" Wire Breaks
    "Scripts that use the command-line twin fail."
    "keep the words of `command`"

    ALIAS_ADDED "alias-added" Wire Adds
    "One more name is taken."
    "nothing to do for callers"

    ALIAS_REMOVED "alias-removed" Wire Breaks
    "Calls under the alias are refused."
    "keep the alias"

    ALIAS_CHANGED "alias-changed" Wire Breaks
    "Calls under the alias set another argument than before."
    "keep what the alias stands for, and choose another name"

    CONSTRAINT_ADDED "constraint-added" Wire Breaks
    "Calls that break the new rule are refused."
    "leave the rule out, or warn in the handler"

    CONSTRAINT_LOOSENED "constraint-loosened" Wire Adds
    "All calls that were taken are still taken."
    "nothing to do for callers"

    CONSTRAINT_REMOVED "constraint-removed" Wire Adds
    "All calls that were taken are still taken."
    "nothing to do for callers"

    DEPRECATED_ADDED "deprecated-added" Wire Adds
    "The tool still works; callers learn that it will go."
    "move to what replaces it"

    DEPRECATED_REMOVED "deprecated-removed" Wire Adds
    "The tool stays."
    "nothing to do for callers"

    DEPRECATION_CHANGED "deprecation-changed" Wire Adds
    "The tool goes no earlier than announced."
    "nothing to do for callers"

    SUNSET_EARLIER "sunset-earlier" Wire Breaks
    "Callers have less time than they were promised."
    "keep the sunset that was announced"

    TOOL_ERROR_ADDED "tool-error-added" Result Adds
    "Every caller needs a branch for failures that it does not know."
    "nothing to do for callers"

    TOOL_ERROR_REMOVED "tool-error-removed" Result Breaks
    "What failed with this code now fails with another one, or not at all."
    "keep the kind, or accept the change and say what happens instead"

    META_ADDED "meta-added" Result Adds
    "Clients pass over members of `_meta` that they do not know."
    "nothing to do for clients"

    META_CHANGED "meta-changed" Result Breaks
    "Clients that read the member of `_meta` find another value or none."
    "keep the member"
}
