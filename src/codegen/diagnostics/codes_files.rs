//! Codes about files, keys, names and references.

use super::Severity;
use super::codes::{CodeInfo, codes};

codes! {
    DEFECT "TW000" Error "the compiler itself failed"
r"The compiler met a case that its authors did not think of. Nothing was generated. Please report the
specs that lead to it; removing the newest change from them usually gets you going again.
"

    BAD_YAML "TW001" Error "not readable as YAML"
r#"The file is not YAML. Everything after the place shown is unread, so other findings in this file may
follow once it is mended. Frequent causes: a tab, a missing bracket, a colon inside an unquoted text.

Wrong:

    title: Reads: all of it

Right:

    title: "Reads: all of it"
"#

    NO_FILE "TW002" Error "a file is missing or cannot be read"
r"A surface is a folder below `specs/` with a `surface.yaml`, and its tools are in `tools/`. All files are
UTF-8 and readable.

Wrong:

    specs/wa/tools/send.yaml

Right:

    specs/wa/surface.yaml
    specs/wa/tools/send.yaml
"

    UNKNOWN_KEY "TW003" Error "unknown key"
r#"Keys that the language does not know are refused, so that a misspelling cannot switch off a promise.
A text with a comma inside `{…}` must be quoted, or its rest becomes a key.

Wrong:

    titel: Send text
    errors: {gone: {when: it moved, or went}}

Right:

    title: Send text
    errors: {gone: {when: "it moved, or went"}}
"#

    WRONG_TYPE "TW004" Error "value of the wrong type"
r"The value is of another type than the key asks for. Booleans are `true` and `false` only; `yes`, `no`,
`on` and `off` are texts.

Wrong:

    open_world: no

Right:

    open_world: false
"

    MISSING_KEY "TW005" Error "missing key"
r"Some things must be said because no default is safe: what a call may change, whether it may be repeated,
whether it reaches beyond the surface's own store, what it is called.

Wrong:

    tool: send
    effects: write

Right:

    tool: send
    title: Send text
    effects: write
    idempotent: false
    open_world: true
"

    DUPLICATE_KEY "TW006" Error "key written twice"
r"A key that is written twice in one map has two values, and YAML does not say which one counts.

Wrong:

    title: Send
    title: Send text

Right:

    title: Send text
"

    STRAY_FILE "TW007" Error "file that is not read"
r"The file looks like a spec but has no place in a surface, so nothing in it would count. Spec files end in
`.yaml` or `.json`.

Wrong:

    specs/wa/send.yaml
    specs/wa/tools/send.yml

Right:

    specs/wa/tools/send.yaml
"

    BAD_VALUE "TW008" Error "value that means nothing here"
r#"The value has the right type but says nothing that is known here: a word that is not in the list, a number
out of bounds, an empty text, a time without a unit.

Wrong:

    effects: reads
    ttl: "600"

Right:

    effects: read
    ttl: 600s
"#

    BAD_NAME "TW009" Error "name in the wrong form"
r"Names end up in Rust, on the wire, in commands and in file names, so each sort of name has one form: surfaces,
kinds and guards in snake_case, types in UpperCamelCase, tools as words joined by dots, versions as `v1`,
flags as `--two-words`, environment variables as `TWO_WORDS`.

Wrong:

    tool: send-text
    contract: 1.0

Right:

    tool: send_text
    contract: v1
"

    FILE_NAME "TW010" Error "file name and tool name differ"
r"One string finds everything: the tool `send` is written in `tools/send.yaml` and handled in `send.rs`.

Wrong:

    # tools/send.yaml
    tool: send_text

Right:

    # tools/send_text.yaml
    tool: send_text
"

    SURFACE_FOLDER "TW011" Error "folder and surface name differ"
r"The folder, the Rust module, the cargo feature and the binary have the surface's name.

Wrong:

    # specs/wa/surface.yaml
    surface: wezterm

Right:

    # specs/wa/surface.yaml
    surface: wa
"

    DUPLICATE_NAME "TW012" Error "same name twice"
r"Two things of one sort have the same name, so nobody can tell which one is meant: tools, commands,
resources, or examples of one tool.

Wrong:

    examples:
      - {name: works, …}
      - {name: works, …}

Right:

    examples:
      - {name: works, …}
      - {name: works_again, …}
"

    BAD_REF "TW020" Error "`$ref` that leads nowhere"
r#"A `$ref` leads to a shared type, or to the whole input or output of another tool of the same surface.

Wrong:

    output: {$ref: "types.yaml#/SendResult"}

Right:

    output: {$ref: "../types.yaml#/$defs/SendResult"}
    input: {$ref: "plan.yaml#/input"}
"#

    CYCLIC_REF "TW021" Error "type that contains itself"
r##"Schemas are served without `$ref`s, because many clients cannot follow them; a type that contains itself
would have no end.

Wrong:

    $defs:
      Node: {type: object, properties: {child: {$ref: "#/$defs/Node"}}}

Right:

    $defs:
      Node: {type: object, properties: {child_id: {type: string}}}
"##

    REMOTE_REF "TW022" Error "`$ref` over the network"
r#"A contract is complete in itself: nothing is fetched when it is compiled or served.

Wrong:

    $ref: https://example.org/thing.json

Right:

    $ref: "../types.yaml#/$defs/Thing"
"#

    UNKNOWN_TOOL "TW023" Error "name of a tool that is not there"
r"The name, or the pattern, is no tool's name. Names are written without the surface's prefix; `*` stands for
any run of characters.

Wrong:

    toolsets: {default: [wa.state]}

Right:

    toolsets: {default: [state]}
"

    UNUSED_TYPE "TW024" Warning "type that nothing uses"
r"A type that nothing refers to is compiled, documented and maintained for nobody.

Wrong:

    $defs:
      Unused: {type: string, description: Nobody needs it.}

Right:

    $defs: {}
"
}
