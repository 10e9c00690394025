//! Codes about schemas: valid, portable, described, translatable.

use super::Severity;
use super::codes::{CodeInfo, codes};

codes! {
    BAD_SCHEMA "TW030" Error "invalid JSON Schema"
r"The schema is not valid JSON Schema 2020-12, so programs would interpret it differently.

Wrong:

    limit: {type: integer, minimum: zero}

Right:

    limit: {type: integer, minimum: 0}
"

    BAD_KEYWORD "TW031" Error "unsupported keyword"
r"Only keywords that clients understand and that become Rust without loss are supported. Validators would silently
ignore a misspelt keyword.

Supported: type, enum, const, properties, required, additionalProperties, minProperties, maxProperties, items,
minItems, maxItems, uniqueItems, minLength, maxLength, pattern, format, minimum, maximum, multipleOf,
exclusiveMinimum and exclusiveMaximum (numbers), oneOf (with a tag), anyOf (with null), $ref, title,
description, default, deprecated.

Wrong:

    name: {type: string, maxLenght: 20}

Right:

    name: {type: string, maxLength: 20}
"

    BAD_CONSTRUCT "TW032" Error "unsupported combination of keywords"
r"Each keyword is supported, but not this combination, because Rust cannot express it without loss. `oneOf` is for
objects that a required string tells apart, or for closed types of `types.yaml` that each have a required property
of their own. `anyOf` is for values that may be null. A schema has one type.

Wrong:

    shape:
      oneOf:
        - {type: object, properties: {radius: {…}}}
        - {type: object, properties: {side: {…}}}

Right:

    shape:
      oneOf:
        - {type: object, required: [kind], properties: {kind: {const: circle}, radius: {…}}}
        - {type: object, required: [kind], properties: {kind: {const: square}, side: {…}}}
"

    INPUT_ROOT "TW033" Error "input that is not a closed object"
r"Arguments are one object with known members. With combinators at the root, some clients reject all tools of the
server, and an open object hides misspelt arguments.

Wrong:

    input:
      anyOf: [{required: [id]}, {required: [name]}]

Right:

    input: {type: object, additionalProperties: false, properties: {…}}
    constraints:
      - {at_least_one_of: [id, name]}
"

    OUTPUT_ROOT "TW034" Error "output that is not an object"
r"Clients expect an object as structured content, and an object can gain members later. Only a surface whose
envelope puts `$data` into a member may return a list.

Wrong:

    output: {type: array, items: {type: string}}

Right:

    output:
      type: object
      properties: {names: {type: array, items: {type: string}, description: All names.}}
"

    BAD_FORMAT "TW035" Error "non-portable `format`"
r"Strict validators reject schemas with formats outside the standard. Use bounds for the size of integers.

Wrong:

    size: {type: integer, format: uint8}

Right:

    size: {type: integer, minimum: 0, maximum: 255}
"

    UNTYPED "TW036" Error "schema without a type"
r"Clients cannot fill in a value without a type reliably, and some APIs reject it.

Wrong:

    tags: {type: array}
    size: {properties: {x: {…}}}

Right:

    tags: {type: array, items: {type: string}}
    size: {type: object, properties: {x: {…}}}
"

    BAD_PROPERTY "TW037" Error "non-portable property name"
r#"The strictest client accepts up to 64 letters, digits, `_`, `.` and `-` as the name of an argument.

Wrong:

    "größe": {type: integer}

Right:

    size: {type: integer}
"#

    SAME_FIELD "TW038" Error "two properties become the same Rust field"
r"Two properties of one object become the same Rust field.

Wrong:

    maxSize: {…}
    max_size: {…}

Right:

    max_size: {…}
"

    SAME_TYPE "TW039" Error "two names become the same Rust type"
r"Two names of the contract become the same Rust type. Tools become `<Tool>`, `<Tool>Request` and
`<Tool>Response`, guards `<Guard>Guard`; `Error`, `Result`, `Settings`, `Surface`, `Handlers` and `Role` are
taken.

Wrong:

    $defs: {Settings: {…}}

Right:

    $defs: {PaneSettings: {…}}
"

    UNDESCRIBED "TW040" Error "missing description"
r"The model sees only names and descriptions. Every property of every input, output and shared type needs a
description; for a `$ref`, that of the type is enough. A tool whose arguments must stay as another product defined
them gives a reason in `accept_undescribed`.

Wrong:

    pane: {type: integer}

Right:

    pane: {type: integer, description: Id of the pane as listed by state.}
"

    LONG_TEXT "TW041" Error "text too long"
r"Every session pays for texts, and some APIs truncate them. Limits: 80 characters for titles, 1024 for descriptions
of tools, 500 for descriptions of properties.

Wrong:

    description: (a page of prose)

Right:

    description: Sends text to a pane. Returns the decision of the policy.
"

    BAD_DEFAULT "TW042" Error "invalid default"
r"A default replaces an absent argument, so it must be a valid value. An object with properties gets its defaults
from them, and an absent value is null already.

Wrong:

    size: {type: integer, maximum: 100, default: 500}

Right:

    size: {type: integer, maximum: 100, default: 50}
"

    BAD_ENUM "TW043" Error "invalid enum"
r"An enum becomes a Rust enum: all strings or all integers, with a `type`, and no two values that become the same
variant.

Wrong:

    size: {enum: [small, 2]}

Right:

    size: {type: string, enum: [small, large]}
"

    LONG_NAME "TW044" Error "tool name too long"
r"Hosts prepend `mcp__<server>__` to the name of a tool and accept 64 characters in total, which leaves 40.

Wrong:

    tool: get_the_thing_that_is_called_by_this_name

Right:

    tool: get_thing
"

    SAME_NAME "TW045" Error "tool names that clash for some clients"
r"Clients that do not accept dots get underscores instead, so these two tools would have the same name.

Wrong:

    tools/thing.get.yaml
    tools/thing_get.yaml

Right:

    tools/thing.get.yaml
    tools/thing.fetch.yaml
"

    USELESS_DEFAULT "TW046" Warning "default without effect"
r"A required argument is always present, so its default has no effect. Remove one of the two.

Wrong:

    required: [id]
    properties: {id: {type: string, default: a}}

Right:

    properties: {id: {type: string, default: a}}
"
}
