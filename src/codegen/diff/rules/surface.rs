//! Rules about a surface as a whole: names, envelope, error registry, toolsets, resources.

use super::rules;

rules! {
    SURFACE_ADDED "surface-added" Wire Adds
    "Nobody used it before."
    "nothing to do for callers"

    SURFACE_REMOVED "surface-removed" Wire Breaks
    "The server and all its tools are gone."
    "keep it, with its tools `deprecated`"

    CONTRACT_VERSION_CHANGED "contract-version-changed" Wire Breaks
    "The surface itself says that it is another contract; clients that pin the version stop here."
    "keep the version while changes are additive; else accept the change and say what is new"

    PREFIX_CHANGED "prefix-changed" Wire Breaks
    "Every tool has another name."
    "keep `names.prefix`"

    TOOLSET_ADDED "toolset-added" Wire Adds
    "Nobody asked for it before."
    "nothing to do for callers"

    TOOLSET_REMOVED "toolset-removed" Wire Breaks
    "Clients that ask for the toolset get nothing."
    "keep the toolset"

    TOOLSET_WIDENED "toolset-widened" Wire Adds
    "Clients of the toolset see one tool more."
    "mind the tokens that its definition costs"

    TOOLSET_NARROWED "toolset-narrowed" Wire Breaks
    "Clients of the toolset no longer see the tool."
    "keep the tool in the toolset"

    RESOURCE_ADDED "resource-added" Wire Adds
    "Nobody read it before."
    "nothing to do for clients"

    RESOURCE_REMOVED "resource-removed" Wire Breaks
    "Reading the URI fails."
    "keep the resource"

    RESOURCE_SUBSCRIPTION_ADDED "resource-subscription-added" Wire Adds
    "Clients may subscribe; none has to."
    "nothing to do for clients"

    RESOURCE_SUBSCRIPTION_REMOVED "resource-subscription-removed" Wire Breaks
    "Subscriptions are refused."
    "keep `subscribe: true`"

    RESOURCE_SOURCE_CHANGED "resource-source-changed" Result Breaks
    "The URI answers something of another shape."
    "give the new thing a URI of its own"

    RESOURCE_TYPE_CHANGED "resource-type-changed" Result Breaks
    "Clients read the text as something else."
    "keep `mime_type`, or give the new thing a URI of its own"

    ENVELOPE_CHANGED "envelope-changed" Result Breaks
    "Every answer of every tool has another shape."
    "keep the member as it was, and add another one"

    ENVELOPE_MEMBER_ADDED "envelope-member-added" Result Adds
    "Readers pass over members that they do not know."
    "nothing to do for readers"

    ERROR_ADDED "error-added" Result Adds
    "Every caller needs a branch for failures that it does not know."
    "nothing to do for callers"

    ERROR_REMOVED "error-removed" Result Breaks
    "What failed with this code now fails with another one, or not at all."
    "keep the kind and its code"

    ERROR_RENAMED "error-renamed" Result Adds
    "Callers see the code, which stays."
    "nothing to do for callers"

    ERROR_CODE_CHANGED "error-code-changed" Result Breaks
    "Callers that look for the old code do not find it."
    "keep the code"

    ERROR_CODE_REUSED "error-code-reused" Result Breaks
    "Callers take the failure for another one: a code means one thing forever."
    "give the new kind a code that was never used"

    ERROR_ALIAS_ADDED "error-alias-added" Result Adds
    "One more name leads to the same explanation."
    "nothing to do for callers"

    ERROR_ALIAS_REMOVED "error-alias-removed" Result Breaks
    "The name no longer leads to an explanation."
    "keep the alias"

    ERROR_RETRYABLE_CHANGED "error-retryable-changed" Result Breaks
    "Callers retry what will not succeed, or give up on what would."
    "keep `retryable`, or add another kind"

    ERROR_EXIT_CHANGED "error-exit-changed" Result Breaks
    "Scripts that look at the exit status of the twin take another branch."
    "keep `exit`"

    ERROR_JSONRPC_CHANGED "error-jsonrpc-changed" Result Breaks
    "The failure arrives as another kind of message, or under another number."
    "keep `jsonrpc`"

    ERROR_DETAILS_ADDED "error-details-added" Result Adds
    "Readers pass over members that they do not know."
    "nothing to do for callers"

    ERROR_DETAILS_CHANGED "error-details-changed" Result Breaks
    "Readers of the detail find another value or none."
    "keep the detail"

    BUILTIN_ERROR_CHANGED "builtin-error-changed" Result Breaks
    "What the runtime itself refuses arrives under another code."
    "keep the kind under `builtin_errors`"
}
