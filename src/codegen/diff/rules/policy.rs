//! Rules about guards, roles, hints and budgets. Less protection is a break for users, more protection
//! for callers; both need a decision.

use super::rules;

rules! {
    GUARD_ADDED "guard-added" Policy Breaks
    "Calls that used to pass are refused until they satisfy the guard."
    "accept the change and explain what callers have to do"

    GUARD_REMOVED "guard-removed" Policy Breaks
    "A check that users relied on is missing."
    "restore the guard, or accept the change and explain what protects instead"

    GUARD_REPLACED "guard-replaced" Policy Breaks
    "Another guard of the same strength must be satisfied."
    "accept the change and explain what callers have to do"

    GUARD_WEAKENED "guard-weakened" Policy Breaks
    "Calls pass that used to be refused."
    "keep the guard as strict as before, or accept the change and explain what protects instead"

    GUARD_STRENGTHENED "guard-strengthened" Policy Breaks
    "Calls are refused that used to pass."
    "accept the change and explain what callers have to do"

    GUARD_ORDER_CHANGED "guard-order-changed" Policy Breaks
    "Another guard decides first and refuses with another code. An early guard can reveal what a later one hides."
    "keep the order"

    GUARD_BINDING_CHANGED "guard-binding-changed" Policy Breaks
    "The guard decides on other values."
    "keep the binding, or accept the change and explain what the guard decides on now"

    GUARD_FIELD_CHANGED "guard-field-changed" Wire Breaks
    "Calls that send the old argument are refused."
    "keep the argument that the guard reads"

    GUARD_ISSUER_CHANGED "guard-issuer-changed" Wire Breaks
    "Tokens from the current issuer are refused."
    "keep the tool that issues the token"

    GUARD_REFUSAL_CHANGED "guard-refusal-changed" Result Breaks
    "Callers that check for the old refusal code no longer see it."
    "keep the kind that the guard refuses with"

    GUARD_REHEARSAL_CHANGED "guard-rehearsal-changed" Result Breaks
    "The refusal shows more or less of what the call would do."
    "keep `rehearse`"

    GUARD_DECLARED "guard-declared" Policy Adds
    "No tool used the guard before."
    "nothing to do: tools that use it are reported separately"

    GUARD_UNDECLARED "guard-undeclared" Policy Adds
    "No tool uses the guard any more."
    "nothing to do: tools that used it are reported separately"

    GUARD_STRENGTH_LOWERED "guard-strength-lowered" Policy Breaks
    "The guard protects less than documented before."
    "keep the strength, or accept the change and explain what protects instead"

    GUARD_STRENGTH_RAISED "guard-strength-raised" Policy Adds
    "The guard protects more than documented before."
    "nothing to do for callers"

    GUARD_ADMISSION_CHANGED "guard-admission-changed" Policy Breaks
    "The guard decides at another time: before or after the arguments are read."
    "keep `admission`"

    GUARD_PARAMETERS_CHANGED "guard-parameters-changed" Policy Breaks
    "The guard decides on other values."
    "keep the parameters, or accept the change and explain what the guard decides on now"

    WEAK_GUARD_ACCEPTED "weak-guard-accepted" Policy Breaks
    "The model alone can now do something irreversible."
    "add `ask`, `role` or a guard of the surface, or accept the change and explain what protects instead"

    WEAK_GUARD_ACCEPTANCE_REMOVED "weak-guard-acceptance-removed" Policy Adds
    "The tool no longer needs the exception."
    "nothing to do for callers"

    PROMISE_ADDED "promise-added" Policy Adds
    "One more rule holds for all tools."
    "nothing to do for callers"

    PROMISE_REMOVED "promise-removed" Policy Breaks
    "New tools need not have the guard that the rule required."
    "keep the rule under `rules`"

    EFFECTS_RAISED "effects-raised" Policy Breaks
    "Clients and users approve calls that can now do more harm."
    "move the new effect to a tool of its own"

    EFFECTS_LOWERED "effects-lowered" Policy Breaks
    "Clients stop asking users before the call."
    "accept the change and explain why the tool can no longer do harm"

    IDEMPOTENCE_LOST "idempotence-lost" Policy Breaks
    "Clients repeat calls that now take effect twice."
    "keep the tool idempotent"

    IDEMPOTENCE_GAINED "idempotence-gained" Policy Adds
    "Clients can repeat calls."
    "nothing to do for callers"

    OPEN_WORLD_GAINED "open-world-gained" Policy Breaks
    "Calls that were local now reach beyond the surface."
    "move what reaches out to a tool of its own"

    OPEN_WORLD_LOST "open-world-lost" Policy Adds
    "Calls no longer reach beyond the surface."
    "nothing to do for callers"

    BUDGET_RAISED "budget-raised" Policy Adds
    "Definitions or answers can cost every session more tokens."
    "shorten descriptions first"

    BUDGET_LOWERED "budget-lowered" Policy Adds
    "Definitions or answers cost no more than before."
    "nothing to do for callers"

    IDENTITY_ADDED "identity-added" Policy Breaks
    "Calls are refused until the settings say for whom the server acts, or a token does."
    "accept the change and explain what operators have to set"

    IDENTITY_REMOVED "identity-removed" Policy Breaks
    "Whoever calls can name any user: the arguments are no longer compared with the caller."
    "keep `identity`"

    IDENTITY_CHANGED "identity-changed" Policy Breaks
    "Other settings say for whom the server acts."
    "keep the settings under `identity`, or accept the change and explain what operators have to set"

    ROLE_ADDED "role-added" Policy Adds
    "No user has the role yet."
    "nothing to do for callers"

    ROLE_FOR_EVERY_TOOL "role-for-every-tool" Policy Breaks
    "Users who get the role can call every tool, also those to come."
    "list the tools that the role needs, or accept the change and explain who gets the role"

    ROLE_REMOVED "role-removed" Policy Breaks
    "Users with the role lose all their permissions."
    "keep the role"

    ROLE_WIDENED "role-widened" Policy Breaks
    "Users with the role can do more than was agreed."
    "remove the tool from the role, or accept the change and explain why it belongs there"

    ROLE_NARROWED "role-narrowed" Policy Breaks
    "Calls of users with the role are refused."
    "keep the tool in the role"
}
