//! Rules about schemas: arguments on the wire, fields of results. Opposite variance, side by side.

use super::{ByUse, rules};

rules! {
    ARGUMENT_ADDED "argument-added" Wire Adds
    "Existing calls are unaffected."
    "nothing to do for callers; describe its purpose"

    REQUIRED_ARGUMENT_ADDED "required-argument-added" Wire Breaks
    "Existing calls lack it and are refused."
    "make it optional, with a default that keeps the old meaning"

    ARGUMENT_REMOVED "argument-removed" Wire Breaks
    "Calls that send it are refused or change their meaning."
    "keep it and mark it `deprecated: true`, or keep its name under `aliases` of the tool"

    ARGUMENT_RENAMED "argument-renamed" Wire Breaks
    "Calls under the old name are refused."
    "add the old name under `aliases` of the tool"

    ARGUMENT_RENAMED_WITH_ALIAS "argument-renamed-with-alias" Wire Adds
    "The old name is still accepted, with a warning."
    "nothing to do for callers; move to the new name"

    REQUIRED_ADDED "required-added" Wire Breaks
    "Calls without it are refused."
    "keep it optional, with a default that keeps the old meaning"

    REQUIRED_REMOVED "required-removed" Wire Adds
    "Calls that send it are unaffected."
    "nothing to do for callers"

    TYPE_CHANGED "type-changed" Wire Breaks
    "Values of the old type are refused."
    "add another argument of the new type and deprecate this one"

    TYPE_NARROWED "type-narrowed" Wire Breaks
    "Some previously accepted values are refused."
    "keep accepting the old values"

    TYPE_WIDENED "type-widened" Wire Adds
    "All previously accepted values are still accepted."
    "nothing to do for callers"

    ENUM_NARROWED "enum-narrowed" Wire Breaks
    "Calls with a removed value are refused."
    "keep the value and describe it as obsolete"

    ENUM_WIDENED "enum-widened" Wire Adds
    "All previously accepted values are still accepted."
    "nothing to do for callers"

    BOUND_TIGHTENED "bound-tightened" Wire Breaks
    "Values between the old and the new bound are refused."
    "keep the old bound, or clamp the value in the handler and warn"

    BOUND_LOOSENED "bound-loosened" Wire Adds
    "All previously accepted values are still accepted."
    "nothing to do for callers"

    PATTERN_CHANGED "pattern-changed" Wire Breaks
    "Strings of the old pattern may not match the new one."
    "keep the old pattern; if the new one matches more, accept the change with that reason"

    PATTERN_REMOVED "pattern-removed" Wire Adds
    "All previously accepted strings are still accepted."
    "nothing to do for callers"

    FORMAT_CHANGED "format-changed" Wire Breaks
    "Strings of another format are refused."
    "keep the old format, or accept both and move the format to the description"

    FORMAT_REMOVED "format-removed" Wire Adds
    "All previously accepted strings are still accepted."
    "nothing to do for callers"

    DEFAULT_ADDED "default-added" Wire Breaks
    "A call without the argument now has a defined meaning."
    "if this is the existing behaviour, accept the change with that reason; else remove the default"

    DEFAULT_CHANGED "default-changed" Wire Breaks
    "A call without the argument changes its meaning."
    "keep the default; callers who want the new value can send it"

    DEFAULT_REMOVED "default-removed" Wire Breaks
    "A call without the argument no longer has its documented meaning."
    "keep the default"

    ARGUMENTS_CLOSED "arguments-closed" Wire Breaks
    "Calls with members beyond the listed ones are refused."
    "keep the object open, or list the members that callers send"

    ARGUMENTS_OPENED "arguments-opened" Wire Adds
    "All previously accepted calls are still accepted."
    "nothing to do for callers"

    VARIANT_REMOVED "variant-removed" Wire Breaks
    "Calls with this variant are refused."
    "keep the variant and describe it as obsolete"

    VARIANT_ADDED "variant-added" Wire Adds
    "All previously accepted variants are still accepted."
    "nothing to do for callers"

    ARGUMENT_DEPRECATED "argument-deprecated" Wire Adds
    "It still works; callers learn that it will be removed."
    "stop using it"

    ARGUMENT_DEPRECATION_REMOVED "argument-deprecation-removed" Wire Adds
    "It will not be removed."
    "nothing to do for callers"

    OUTPUT_ADDED "output-added" Result Adds
    "Readers ignore unknown fields."
    "nothing to do for readers"

    OUTPUT_REMOVED "output-removed" Result Breaks
    "Readers of the field no longer find it."
    "keep returning it, and mark it `deprecated: true`"

    OUTPUT_RENAMED "output-renamed" Result Breaks
    "Readers of the old name no longer find it."
    "return both names for a while"

    OUTPUT_MADE_OPTIONAL "output-made-optional" Result Breaks
    "Readers that rely on the field may not find it."
    "keep it in `required`"

    OUTPUT_MADE_REQUIRED "output-made-required" Result Adds
    "Readers get at least what they got before."
    "nothing to do for readers"

    OUTPUT_TYPE_CHANGED "output-type-changed" Result Breaks
    "Readers cannot read the new type."
    "return the new type under another name, and keep this one"

    OUTPUT_TYPE_WIDENED "output-type-widened" Result Breaks
    "Readers get values of an unexpected type."
    "keep the narrower type, or return the wider one under another name"

    OUTPUT_TYPE_NARROWED "output-type-narrowed" Result Adds
    "Readers already had to expect all remaining values."
    "nothing to do for readers"

    OUTPUT_ENUM_WIDENED "output-enum-widened" Result Breaks
    "Readers that distinguish the values get an unknown one."
    "return the new value in another field, or accept the change and explain how readers handle it"

    OUTPUT_ENUM_NARROWED "output-enum-narrowed" Result Adds
    "Readers already had to expect all remaining values."
    "nothing to do for readers"

    OUTPUT_BOUND_LOOSENED "output-bound-loosened" Result Breaks
    "Readers that rely on the bound get values beyond it."
    "keep the bound"

    OUTPUT_BOUND_TIGHTENED "output-bound-tightened" Result Adds
    "Readers already had to expect all remaining values."
    "nothing to do for readers"

    OUTPUT_PATTERN_CHANGED "output-pattern-changed" Result Breaks
    "Readers that rely on the pattern get strings that do not match it."
    "keep the pattern"

    OUTPUT_PATTERN_ADDED "output-pattern-added" Result Adds
    "Readers already had to expect all remaining strings."
    "nothing to do for readers"

    OUTPUT_FORMAT_CHANGED "output-format-changed" Result Breaks
    "Readers that rely on the format get strings of another one."
    "keep the format"

    OUTPUT_FORMAT_ADDED "output-format-added" Result Adds
    "Readers already had to expect all remaining strings."
    "nothing to do for readers"

    OUTPUT_DEFAULT_CHANGED "output-default-changed" Result Breaks
    "Readers interpret an absent field differently."
    "keep the default, or always return the field"

    OUTPUT_CLOSED "output-closed" Result Breaks
    "Readers no longer find members beyond the listed ones."
    "keep the object open, or list the members"

    OUTPUT_OPENED "output-opened" Result Adds
    "Readers ignore unknown members."
    "nothing to do for readers"

    OUTPUT_VARIANT_ADDED "output-variant-added" Result Breaks
    "Readers that distinguish the variants get an unknown one."
    "return it from another tool, or accept the change and explain how readers handle it"

    OUTPUT_VARIANT_REMOVED "output-variant-removed" Result Adds
    "Readers already had to expect all remaining variants."
    "nothing to do for readers"

    OUTPUT_DEPRECATED "output-deprecated" Result Adds
    "It is still returned; readers learn that it will be removed."
    "stop using it"

    OUTPUT_DEPRECATION_REMOVED "output-deprecation-removed" Result Adds
    "It will not be removed."
    "nothing to do for readers"
}

/// Pairs a rule of inputs with its counterpart of outputs.
macro_rules! by_use {
    ($($name:ident $input:ident $output:ident)*) => {
        $(pub(crate) const $name: ByUse = ByUse { input: $input, output: $output };)*
    };
}

by_use! {
    MEMBER_ADDED ARGUMENT_ADDED OUTPUT_ADDED
    REQUIRED_MEMBER_ADDED REQUIRED_ARGUMENT_ADDED OUTPUT_ADDED
    MEMBER_REMOVED ARGUMENT_REMOVED OUTPUT_REMOVED
    MEMBER_RENAMED ARGUMENT_RENAMED OUTPUT_RENAMED
    MEMBER_RENAMED_WITH_ALIAS ARGUMENT_RENAMED_WITH_ALIAS OUTPUT_RENAMED
    NOW_REQUIRED REQUIRED_ADDED OUTPUT_MADE_REQUIRED
    NOW_OPTIONAL REQUIRED_REMOVED OUTPUT_MADE_OPTIONAL
    OTHER_TYPE TYPE_CHANGED OUTPUT_TYPE_CHANGED
    NARROWER_TYPE TYPE_NARROWED OUTPUT_TYPE_NARROWED
    WIDER_TYPE TYPE_WIDENED OUTPUT_TYPE_WIDENED
    FEWER_VALUES ENUM_NARROWED OUTPUT_ENUM_NARROWED
    MORE_VALUES ENUM_WIDENED OUTPUT_ENUM_WIDENED
    TIGHTER_BOUND BOUND_TIGHTENED OUTPUT_BOUND_TIGHTENED
    LOOSER_BOUND BOUND_LOOSENED OUTPUT_BOUND_LOOSENED
    NEW_PATTERN PATTERN_CHANGED OUTPUT_PATTERN_ADDED
    OTHER_PATTERN PATTERN_CHANGED OUTPUT_PATTERN_CHANGED
    NO_PATTERN PATTERN_REMOVED OUTPUT_PATTERN_CHANGED
    NEW_FORMAT FORMAT_CHANGED OUTPUT_FORMAT_ADDED
    OTHER_FORMAT FORMAT_CHANGED OUTPUT_FORMAT_CHANGED
    NO_FORMAT FORMAT_REMOVED OUTPUT_FORMAT_CHANGED
    NEW_DEFAULT DEFAULT_ADDED OUTPUT_DEFAULT_CHANGED
    OTHER_DEFAULT DEFAULT_CHANGED OUTPUT_DEFAULT_CHANGED
    NO_DEFAULT DEFAULT_REMOVED OUTPUT_DEFAULT_CHANGED
    CLOSED ARGUMENTS_CLOSED OUTPUT_CLOSED
    OPENED ARGUMENTS_OPENED OUTPUT_OPENED
    FEWER_VARIANTS VARIANT_REMOVED OUTPUT_VARIANT_REMOVED
    MORE_VARIANTS VARIANT_ADDED OUTPUT_VARIANT_ADDED
    NOW_DEPRECATED ARGUMENT_DEPRECATED OUTPUT_DEPRECATED
    NO_LONGER_DEPRECATED ARGUMENT_DEPRECATION_REMOVED OUTPUT_DEPRECATION_REMOVED
}
