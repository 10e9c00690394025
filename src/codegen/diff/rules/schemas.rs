//! Rules about schemas: arguments on the wire, fields of results. Opposite variance, side by side.

use super::{ByUse, rules};

rules! {
    ARGUMENT_ADDED "argument-added" Wire Adds
    "Calls without it stay as they are."
    "nothing to do for callers; say in its description what it is for"

    REQUIRED_ARGUMENT_ADDED "required-argument-added" Wire Breaks
    "Every call that was written before lacks it and is refused."
    "make it optional, with a default that keeps the old meaning"

    ARGUMENT_REMOVED "argument-removed" Wire Breaks
    "Calls that send it are refused, or no longer mean what they said."
    "keep it and mark it `deprecated: true`, or keep its name under `aliases` of the tool"

    ARGUMENT_RENAMED "argument-renamed" Wire Breaks
    "Calls under the old name are refused."
    "add the old name under `aliases` of the tool"

    ARGUMENT_RENAMED_WITH_ALIAS "argument-renamed-with-alias" Wire Adds
    "The old name is still taken, with a warning."
    "nothing to do for callers; move to the new name"

    REQUIRED_ADDED "required-added" Wire Breaks
    "Calls that left it out are refused."
    "keep it optional, with a default that keeps the old meaning"

    REQUIRED_REMOVED "required-removed" Wire Adds
    "Calls that send it stay as they are."
    "nothing to do for callers"

    TYPE_CHANGED "type-changed" Wire Breaks
    "Values of the old type are refused."
    "add another argument of the new type and deprecate this one"

    TYPE_NARROWED "type-narrowed" Wire Breaks
    "Some values that were taken are refused."
    "keep taking what was taken"

    TYPE_WIDENED "type-widened" Wire Adds
    "All values that were taken are still taken."
    "nothing to do for callers"

    ENUM_NARROWED "enum-narrowed" Wire Breaks
    "Calls with a value that is gone are refused."
    "keep the value, and say in the description that it is no longer of use"

    ENUM_WIDENED "enum-widened" Wire Adds
    "All values that were taken are still taken."
    "nothing to do for callers"

    BOUND_TIGHTENED "bound-tightened" Wire Breaks
    "Values between the old and the new bound are refused."
    "keep the old bound, or clamp the value in the handler and warn"

    BOUND_LOOSENED "bound-loosened" Wire Adds
    "All values that were taken are still taken."
    "nothing to do for callers"

    PATTERN_CHANGED "pattern-changed" Wire Breaks
    "Nobody can tell that every text of the old pattern fits the new one."
    "keep the old pattern; if the new one takes more, accept the change and say so"

    PATTERN_REMOVED "pattern-removed" Wire Adds
    "All texts that were taken are still taken."
    "nothing to do for callers"

    FORMAT_CHANGED "format-changed" Wire Breaks
    "Texts of another format are refused."
    "keep the old format, or take both and leave the format to the description"

    FORMAT_REMOVED "format-removed" Wire Adds
    "All texts that were taken are still taken."
    "nothing to do for callers"

    DEFAULT_ADDED "default-added" Wire Breaks
    "A call that leaves the argument out now says something definite."
    "if it is what always happened, accept the change and say so; else leave the default out"

    DEFAULT_CHANGED "default-changed" Wire Breaks
    "A call that leaves the argument out means something else than before."
    "keep the default; callers who want the new value can send it"

    DEFAULT_REMOVED "default-removed" Wire Breaks
    "A call that leaves the argument out no longer means what the contract said."
    "keep the default"

    ARGUMENTS_CLOSED "arguments-closed" Wire Breaks
    "Calls with members beyond the listed ones are refused."
    "keep the object open, or list the members that callers send"

    ARGUMENTS_OPENED "arguments-opened" Wire Adds
    "All calls that were taken are still taken."
    "nothing to do for callers"

    VARIANT_REMOVED "variant-removed" Wire Breaks
    "Calls with this variant are refused."
    "keep the variant and say in its description that it is no longer of use"

    VARIANT_ADDED "variant-added" Wire Adds
    "All variants that were taken are still taken."
    "nothing to do for callers"

    ARGUMENT_DEPRECATED "argument-deprecated" Wire Adds
    "It still works; callers learn that it will go."
    "move away from it"

    ARGUMENT_DEPRECATION_REMOVED "argument-deprecation-removed" Wire Adds
    "It stays."
    "nothing to do for callers"

    OUTPUT_ADDED "output-added" Result Adds
    "Readers pass over fields that they do not know."
    "nothing to do for readers"

    OUTPUT_REMOVED "output-removed" Result Breaks
    "Readers of the field find nothing."
    "keep answering it, and mark it `deprecated: true`"

    OUTPUT_RENAMED "output-renamed" Result Breaks
    "Readers of the old name find nothing."
    "answer both names for a while"

    OUTPUT_MADE_OPTIONAL "output-made-optional" Result Breaks
    "Readers that rely on the field may find nothing."
    "keep it in `required`"

    OUTPUT_MADE_REQUIRED "output-made-required" Result Adds
    "Readers get at least what they got."
    "nothing to do for readers"

    OUTPUT_TYPE_CHANGED "output-type-changed" Result Breaks
    "Readers cannot read the new type."
    "answer the new type under another name, and keep this one"

    OUTPUT_TYPE_WIDENED "output-type-widened" Result Breaks
    "Readers meet values of a type that they did not have to expect."
    "keep the narrower type, or answer the wider one under another name"

    OUTPUT_TYPE_NARROWED "output-type-narrowed" Result Adds
    "Every new value is one that readers had to expect."
    "nothing to do for readers"

    OUTPUT_ENUM_WIDENED "output-enum-widened" Result Breaks
    "Readers that tell the values apart meet one that they do not know."
    "answer the new value under another field, or accept the change and say what readers do with it"

    OUTPUT_ENUM_NARROWED "output-enum-narrowed" Result Adds
    "Every new value is one that readers had to expect."
    "nothing to do for readers"

    OUTPUT_BOUND_LOOSENED "output-bound-loosened" Result Breaks
    "Readers that rely on the bound meet values beyond it."
    "keep the bound"

    OUTPUT_BOUND_TIGHTENED "output-bound-tightened" Result Adds
    "Every new value is one that readers had to expect."
    "nothing to do for readers"

    OUTPUT_PATTERN_CHANGED "output-pattern-changed" Result Breaks
    "Readers that rely on the pattern meet texts that do not fit it."
    "keep the pattern"

    OUTPUT_PATTERN_ADDED "output-pattern-added" Result Adds
    "Every new text is one that readers had to expect."
    "nothing to do for readers"

    OUTPUT_FORMAT_CHANGED "output-format-changed" Result Breaks
    "Readers that rely on the format meet texts of another one."
    "keep the format"

    OUTPUT_FORMAT_ADDED "output-format-added" Result Adds
    "Every new text is one that readers had to expect."
    "nothing to do for readers"

    OUTPUT_DEFAULT_CHANGED "output-default-changed" Result Breaks
    "Readers take an absent field for something else."
    "keep the default, or answer the field always"

    OUTPUT_CLOSED "output-closed" Result Breaks
    "Members beyond the listed ones, which readers may read, are gone."
    "keep the object open, or list the members"

    OUTPUT_OPENED "output-opened" Result Adds
    "Readers pass over members that they do not know."
    "nothing to do for readers"

    OUTPUT_VARIANT_ADDED "output-variant-added" Result Breaks
    "Readers that tell the variants apart meet one that they do not know."
    "answer it from another tool, or accept the change and say what readers do with it"

    OUTPUT_VARIANT_REMOVED "output-variant-removed" Result Adds
    "Every new answer is one that readers had to expect."
    "nothing to do for readers"

    OUTPUT_DEPRECATED "output-deprecated" Result Adds
    "It is still answered; readers learn that it will go."
    "move away from it"

    OUTPUT_DEPRECATION_REMOVED "output-deprecation-removed" Result Adds
    "It stays."
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
