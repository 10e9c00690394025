//! Rules about tools, except for schemas, guards and texts.

use super::rules;

rules! {
    TOOL_ADDED "tool-added" Wire Adds
    "No client calls it yet."
    "nothing to do for callers"

    TOOL_LISTED "tool-listed" Wire Adds
    "Clients now see the tool."
    "consider the tokens of its definition"

    TOOL_UNLISTED "tool-unlisted" Wire Breaks
    "Clients no longer see the tool."
    "keep it in the list, `deprecated` if it is to go"

    TOOL_REMOVED "tool-removed" Wire Breaks
    "Calls fail with \"unknown tool\", without prior warning."
    "restore it with `deprecated: {since, replaced_by, sunset}` and remove it after the sunset"

    TOOL_REMOVED_EARLY "tool-removed-early" Wire Breaks
    "The tool was announced to exist until its sunset."
    "keep it until its sunset"

    TOOL_REMOVED_AFTER_SUNSET "tool-removed-after-sunset" Wire Adds
    "The removal was announced, and the date has passed."
    "nothing to do: it was announced"

    TOOL_RENAMED "tool-renamed" Wire Breaks
    "Calls under the old name fail with \"unknown tool\"."
    "keep the old tool with `deprecated: {since, replaced_by}`"

    COMMAND_CHANGED "command-changed" Wire Breaks
    "Scripts that use the tool command fail."
    "keep the words of `command`"

    ALIAS_ADDED "alias-added" Wire Adds
    "One more name is accepted."
    "nothing to do for callers"

    ALIAS_REMOVED "alias-removed" Wire Breaks
    "Calls under the alias are refused."
    "keep the alias"

    ALIAS_CHANGED "alias-changed" Wire Breaks
    "Calls under the alias set another argument than before."
    "keep the meaning of the alias and choose another name"

    CONSTRAINT_ADDED "constraint-added" Wire Breaks
    "Calls that violate the new constraint are refused."
    "remove the constraint, or warn in the handler"

    CONSTRAINT_LOOSENED "constraint-loosened" Wire Adds
    "All previously accepted calls are still accepted."
    "nothing to do for callers"

    CONSTRAINT_REMOVED "constraint-removed" Wire Adds
    "All previously accepted calls are still accepted."
    "nothing to do for callers"

    DEPRECATED_ADDED "deprecated-added" Wire Adds
    "The tool still works; callers learn that it will be removed."
    "use its replacement"

    DEPRECATED_REMOVED "deprecated-removed" Wire Adds
    "The tool will not be removed."
    "nothing to do for callers"

    DEPRECATION_CHANGED "deprecation-changed" Wire Adds
    "The tool is not removed earlier than announced."
    "nothing to do for callers"

    SUNSET_EARLIER "sunset-earlier" Wire Breaks
    "Callers have less time than announced."
    "keep the announced sunset"

    TOOL_ERROR_ADDED "tool-error-added" Result Adds
    "Callers must handle unknown codes anyway."
    "nothing to do for callers"

    TOOL_ERROR_REMOVED "tool-error-removed" Result Breaks
    "Failures with this code now have another code or no longer occur."
    "keep the kind, or accept the change and explain what happens instead"

    META_ADDED "meta-added" Result Adds
    "Clients ignore unknown members of `_meta`."
    "nothing to do for clients"

    META_CHANGED "meta-changed" Result Breaks
    "Clients that read the member of `_meta` get another value or none."
    "keep the member"
}
