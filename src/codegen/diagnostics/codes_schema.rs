//! Codes about schemas: valid, portable, described, translatable.

use super::Severity;
use super::codes::{CodeInfo, codes};

codes! {
    BAD_SCHEMA "TW030" Error "not a JSON Schema"
r"The schema breaks the rules of JSON Schema 2020-12, so no two programs would read it the same way.

Wrong:

    limit: {type: integer, minimum: zero}

Right:

    limit: {type: integer, minimum: 0}
"

    BAD_KEYWORD "TW031" Error "keyword outside the subset"
r"Only keywords that become Rust without loss and that clients understand can be used. Misspelt keywords
would be ignored by every validator without a word.

In use: type, enum, const, properties, required, additionalProperties, minProperties, maxProperties, items,
minItems, maxItems, uniqueItems, minLength, maxLength, pattern, format, minimum, maximum, multipleOf,
exclusiveMinimum and exclusiveMaximum (numbers), oneOf (with a tag), anyOf (with null), $ref, title,
description, default, deprecated.

Wrong:

    name: {type: string, maxLenght: 20}

Right:

    name: {type: string, maxLength: 20}
"

    BAD_CONSTRUCT "TW032" Error "construct outside the subset"
r"Each keyword is fine, but together they have no faithful form in Rust. `oneOf` is for objects that a required
text tells apart, or for closed types of `types.yaml` that each have a required property of their own, `anyOf` for values that may be null, and a schema has one type.

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

    INPUT_ROOT "TW033" Error "input that is not a plain object"
r"Arguments are one object whose members are known. Combinators at the root make some clients refuse all tools
of a server, and an open object hides misspelt arguments.

Wrong:

    input:
      anyOf: [{required: [id]}, {required: [name]}]

Right:

    input: {type: object, additionalProperties: false, properties: {…}}
    constraints:
      - {at_least_one_of: [id, name]}
"

    OUTPUT_ROOT "TW034" Error "output that is not an object"
r"Clients take objects as structured content, and an object has room for more members later. Only a surface whose
envelope puts `$data` into a member may answer with a list.

Wrong:

    output: {type: array, items: {type: string}}

Right:

    output:
      type: object
      properties: {names: {type: array, items: {type: string}, description: All names.}}
"

    BAD_FORMAT "TW035" Error "`format` that not every client knows"
r"Formats outside the standard make strict validators refuse the schema. Sizes of integers are said by bounds.

Wrong:

    size: {type: integer, format: uint8}

Right:

    size: {type: integer, minimum: 0, maximum: 255}
"

    UNTYPED "TW036" Error "schema without a type"
r"What has no type cannot be filled in by a client with any confidence, and some APIs refuse it.

Wrong:

    tags: {type: array}
    size: {properties: {x: {…}}}

Right:

    tags: {type: array, items: {type: string}}
    size: {type: object, properties: {x: {…}}}
"

    BAD_PROPERTY "TW037" Error "property name that not every client takes"
r#"The strictest client takes up to 64 letters, digits, `_`, `.` and `-` as the name of an argument.

Wrong:

    "größe": {type: integer}

Right:

    size: {type: integer}
"#

    SAME_FIELD "TW038" Error "two properties, one Rust field"
r"Two properties of one object become the same Rust field.

Wrong:

    maxSize: {…}
    max_size: {…}

Right:

    max_size: {…}
"

    SAME_TYPE "TW039" Error "two names, one Rust type"
r"Two names of the contract become the same Rust type. Tools become `<Tool>`, `<Tool>Request` and
`<Tool>Response`, guards `<Guard>Guard`; `Error`, `Result`, `Settings`, `Surface`, `Handlers` and `Role` are
taken.

Wrong:

    $defs: {Settings: {…}}

Right:

    $defs: {PaneSettings: {…}}
"

    UNDESCRIBED "TW040" Error "nothing described"
r"The model sees names and descriptions only. Every property of every input, output and shared type says what
it is; a property that is a `$ref` may leave it to the type. A tool whose arguments must stay as another
product wrote them gives a reason in `accept_undescribed`.

Wrong:

    pane: {type: integer}

Right:

    pane: {type: integer, description: Id of the pane as listed by state.}
"

    LONG_TEXT "TW041" Error "text over its budget"
r"Texts are paid for in every session, and some APIs cut them off: titles at 80 characters, descriptions of
tools at 1024, of properties at 500.

Wrong:

    description: (a page of prose)

Right:

    description: Sends text to a pane. Use it to type; comes back with what the policy said.
"

    BAD_DEFAULT "TW042" Error "default that does not fit"
r"A default is what a call means when it says nothing, so it must be a value that the call could say. An object
with properties gets its defaults from them, and an absent value is null already.

Wrong:

    size: {type: integer, maximum: 100, default: 500}

Right:

    size: {type: integer, maximum: 100, default: 50}
"

    BAD_ENUM "TW043" Error "enum that cannot become Rust"
r"An enum becomes a Rust enum: all texts or all whole numbers, with `type` beside it, and no two that become the
same variant.

Wrong:

    size: {enum: [small, 2]}

Right:

    size: {type: string, enum: [small, large]}
"

    LONG_NAME "TW044" Error "tool name too long"
r"Hosts put `mcp__<server>__` in front of a tool's name and take 64 characters in all, which leaves 40.

Wrong:

    tool: get_the_thing_that_is_called_by_this_name

Right:

    tool: get_thing
"

    SAME_NAME "TW045" Error "tool names that some clients cannot tell apart"
r"Clients that take no dots see underscores instead. Two tools must stay two.

Wrong:

    tools/thing.get.yaml
    tools/thing_get.yaml

Right:

    tools/thing.get.yaml
    tools/thing.fetch.yaml
"

    USELESS_DEFAULT "TW046" Warning "default that is never used"
r"A required argument is always given, so its default is never used; one of the two is not meant.

Wrong:

    required: [id]
    properties: {id: {type: string, default: a}}

Right:

    properties: {id: {type: string, default: a}}
"
}
