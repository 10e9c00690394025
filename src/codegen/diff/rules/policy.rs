//! Rules about guards, roles, hints and budgets. Less protection is a break for people, more of it
//! for callers; both are decided by somebody, never by accident.

use super::rules;

rules! {
    GUARD_ADDED "guard-added" Policy Breaks
    "Calls that went through are refused until they satisfy it."
    "accept the change and say what callers have to do"

    GUARD_REMOVED "guard-removed" Policy Breaks
    "Nothing stands where people relied on a check."
    "bring the guard back, or accept the change and say what protects instead"

    GUARD_REPLACED "guard-replaced" Policy Breaks
    "Something else is asked, of the same strength."
    "accept the change and say what callers have to do"

    GUARD_WEAKENED "guard-weakened" Policy Breaks
    "Calls go through that were refused."
    "keep the guard as strict as it was, or accept the change and say what protects instead"

    GUARD_STRENGTHENED "guard-strengthened" Policy Breaks
    "Calls are refused that went through."
    "accept the change and say what callers have to do"

    GUARD_ORDER_CHANGED "guard-order-changed" Policy Breaks
    "Another guard decides first, with another code; an early one may leak what a later one hides."
    "keep the order"

    GUARD_BINDING_CHANGED "guard-binding-changed" Policy Breaks
    "The guard decides on something else."
    "keep what is bound, or accept the change and say what is decided now"

    GUARD_FIELD_CHANGED "guard-field-changed" Wire Breaks
    "Calls that send the old argument are refused."
    "keep the argument that the guard looks at"

    GUARD_ISSUER_CHANGED "guard-issuer-changed" Wire Breaks
    "Tokens of the tool that callers ask today are refused."
    "keep the tool that issues the token"

    GUARD_REFUSAL_CHANGED "guard-refusal-changed" Result Breaks
    "Callers that look for the old code of the refusal do not find it."
    "keep the kind that the guard refuses with"

    GUARD_REHEARSAL_CHANGED "guard-rehearsal-changed" Result Breaks
    "The refusal tells more, or less, about what the call would do."
    "keep `rehearse`"

    GUARD_DECLARED "guard-declared" Policy Adds
    "A guard that nothing used before."
    "nothing to do: tools that use it are reported for themselves"

    GUARD_UNDECLARED "guard-undeclared" Policy Adds
    "A guard that nothing uses any more."
    "nothing to do: tools that used it are reported for themselves"

    GUARD_STRENGTH_LOWERED "guard-strength-lowered" Policy Breaks
    "The guard is worth less than people were told."
    "keep the strength, or accept the change and say what protects instead"

    GUARD_STRENGTH_RAISED "guard-strength-raised" Policy Adds
    "The guard is worth more than people were told."
    "nothing to do for callers"

    GUARD_ADMISSION_CHANGED "guard-admission-changed" Policy Breaks
    "The guard decides before instead of after the arguments are read, or the other way round."
    "keep `admission`"

    GUARD_PARAMETERS_CHANGED "guard-parameters-changed" Policy Breaks
    "The guard decides on something else."
    "keep the parameters, or accept the change and say what is decided now"

    WEAK_GUARD_ACCEPTED "weak-guard-accepted" Policy Breaks
    "A model alone can now do what cannot be undone."
    "add `ask`, `role` or an own guard, or accept the change and say what protects instead"

    WEAK_GUARD_ACCEPTANCE_REMOVED "weak-guard-acceptance-removed" Policy Adds
    "The tool no longer needs the excuse."
    "nothing to do for callers"

    PROMISE_ADDED "promise-added" Policy Adds
    "All tools keep one more promise."
    "nothing to do for callers"

    PROMISE_REMOVED "promise-removed" Policy Breaks
    "New tools need not have the guard that people were promised."
    "keep the rule under `rules`"

    EFFECTS_RAISED "effects-raised" Policy Breaks
    "Clients and people let calls through that now do more harm."
    "give the new effect a tool of its own"

    EFFECTS_LOWERED "effects-lowered" Policy Breaks
    "Clients stop asking people before the call."
    "accept the change and say why the tool can no longer do harm"

    IDEMPOTENCE_LOST "idempotence-lost" Policy Breaks
    "Clients repeat calls that now count twice."
    "keep the tool idempotent"

    IDEMPOTENCE_GAINED "idempotence-gained" Policy Adds
    "Clients may repeat calls."
    "nothing to do for callers"

    OPEN_WORLD_GAINED "open-world-gained" Policy Breaks
    "Calls that stayed inside now reach out."
    "give what reaches out a tool of its own"

    OPEN_WORLD_LOST "open-world-lost" Policy Adds
    "Calls reach less far."
    "nothing to do for callers"

    BUDGET_RAISED "budget-raised" Policy Adds
    "Definitions or answers may cost every session more tokens."
    "shorten descriptions first"

    BUDGET_LOWERED "budget-lowered" Policy Adds
    "Definitions or answers cost no more than before."
    "nothing to do for callers"

    ROLE_ADDED "role-added" Policy Adds
    "Nobody has the role yet."
    "nothing to do for callers"

    ROLE_REMOVED "role-removed" Policy Breaks
    "Whoever has the role may do nothing any more."
    "keep the role"

    ROLE_WIDENED "role-widened" Policy Breaks
    "Whoever has the role may do more than was agreed."
    "take the tool out of the role, or accept the change and say why it belongs there"

    ROLE_NARROWED "role-narrowed" Policy Breaks
    "Calls of whoever has the role are refused."
    "keep the tool in the role"
}
