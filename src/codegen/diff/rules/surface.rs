//! Rules about a surface as a whole: names, envelope, error registry, toolsets, resources.

use super::rules;

rules! {
    SURFACE_ADDED "surface-added" Wire Adds
    "No client uses it yet."
    "nothing to do for callers"

    SURFACE_REMOVED "surface-removed" Wire Breaks
    "The server and all its tools are removed."
    "keep it, with its tools `deprecated`"

    CONTRACT_VERSION_CHANGED "contract-version-changed" Wire Breaks
    "The surface declares another contract; clients that pin the version stop working."
    "keep the version while changes are additive; else accept the change and explain what is new"

    PREFIX_CHANGED "prefix-changed" Wire Breaks
    "Every tool has another name."
    "keep `names.prefix`"

    TOOLSET_ADDED "toolset-added" Wire Adds
    "No client requests it yet."
    "nothing to do for callers"

    TOOLSET_REMOVED "toolset-removed" Wire Breaks
    "Clients that request the toolset get no tools."
    "keep the toolset"

    TOOLSET_WIDENED "toolset-widened" Wire Adds
    "Clients of the toolset see one tool more."
    "consider the tokens of its definition"

    TOOLSET_NARROWED "toolset-narrowed" Wire Breaks
    "Clients of the toolset no longer see the tool."
    "keep the tool in the toolset"

    RESOURCE_ADDED "resource-added" Wire Adds
    "No client reads it yet."
    "nothing to do for clients"

    RESOURCE_REMOVED "resource-removed" Wire Breaks
    "Reading the URI fails."
    "keep the resource"

    RESOURCE_SUBSCRIPTION_ADDED "resource-subscription-added" Wire Adds
    "Clients can subscribe, but need not."
    "nothing to do for clients"

    RESOURCE_SUBSCRIPTION_REMOVED "resource-subscription-removed" Wire Breaks
    "Subscriptions are refused."
    "keep `subscribe: true`"

    RESOURCE_SOURCE_CHANGED "resource-source-changed" Result Breaks
    "The URI returns content of another shape."
    "use a new URI for the new content"

    RESOURCE_TYPE_CHANGED "resource-type-changed" Result Breaks
    "Clients interpret the text differently."
    "keep `mime_type`, or use a new URI for the new content"

    RESOURCE_VARIABLE_RENAMED "resource-variable-renamed" Wire Adds
    "The same URIs are read; clients fill in variables by the template they are served."
    "nothing to do for clients"

    RESOURCE_ARGUMENTS_CHANGED "resource-arguments-changed" Result Breaks
    "The same URI returns something else."
    "use a new URI for the new content"

    RESOURCE_MEMBER_CHANGED "resource-member-changed" Result Breaks
    "The URI returns content of another shape."
    "use a new URI for the new content"

    RESOURCE_NOT_FOUND_CHANGED "resource-not-found-changed" Result Breaks
    "Reading what is not there fails with another code of the protocol."
    "keep `not_found`"

    ENVELOPE_CHANGED "envelope-changed" Result Breaks
    "Every answer of every tool has another shape."
    "keep the member unchanged and add another one"

    ENVELOPE_MEMBER_ADDED "envelope-member-added" Result Adds
    "Readers ignore unknown members."
    "nothing to do for readers"

    ERROR_ADDED "error-added" Result Adds
    "Callers must handle unknown codes anyway."
    "nothing to do for callers"

    ERROR_REMOVED "error-removed" Result Breaks
    "Failures with this code now have another code or no longer occur."
    "keep the kind and its code"

    ERROR_RENAMED "error-renamed" Result Adds
    "Callers see only the code, which stays."
    "nothing to do for callers"

    ERROR_CODE_CHANGED "error-code-changed" Result Breaks
    "Callers that check for the old code no longer see it."
    "keep the code"

    ERROR_CODE_REUSED "error-code-reused" Result Breaks
    "Callers mistake the failure for another one. A code keeps its meaning forever."
    "use a new code for the new kind"

    ERROR_ALIAS_ADDED "error-alias-added" Result Adds
    "One more name has the same explanation."
    "nothing to do for callers"

    ERROR_ALIAS_REMOVED "error-alias-removed" Result Breaks
    "The name no longer has an explanation."
    "keep the alias"

    ERROR_RETRYABLE_CHANGED "error-retryable-changed" Result Breaks
    "Callers retry calls that cannot succeed, or give up on calls that could."
    "keep `retryable`, or add another kind"

    ERROR_EXIT_CHANGED "error-exit-changed" Result Breaks
    "Scripts that check the exit status of the tool command behave differently."
    "keep `exit`"

    ERROR_JSONRPC_CHANGED "error-jsonrpc-changed" Result Breaks
    "The failure is sent as another kind of message or with another number."
    "keep `jsonrpc`"

    ERROR_DETAILS_ADDED "error-details-added" Result Adds
    "Readers ignore unknown members."
    "nothing to do for callers"

    ERROR_DETAILS_CHANGED "error-details-changed" Result Breaks
    "Readers of the detail get another value or none."
    "keep the detail"

    BUILTIN_ERROR_CHANGED "builtin-error-changed" Result Breaks
    "Calls that the runtime refuses get another code."
    "keep the kind under `builtin_errors`"
}
