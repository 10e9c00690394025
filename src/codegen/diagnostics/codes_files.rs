//! Codes about files, keys, names and references.

use super::Severity;
use super::codes::{CodeInfo, codes};

codes! {
    DEFECT "TW000" Error "internal compiler error"
r"This is a bug in the compiler. Nothing was generated. Please report the specs that trigger it. Reverting their
latest change usually avoids it.
"

    BAD_YAML "TW001" Error "invalid YAML"
r#"The file is not valid YAML. Parsing stopped at the position shown, so more findings in this file may follow
once it is fixed. Frequent causes: a tab, a missing bracket, a colon inside an unquoted string.

Wrong:

    title: Reads: all of it

Right:

    title: "Reads: all of it"
"#

    NO_FILE "TW002" Error "missing or unreadable file"
r"A surface is a folder below `specs/` with a `surface.yaml` and a `tools/` folder. All files must be readable
UTF-8.

Wrong:

    specs/wa/tools/send.yaml

Right:

    specs/wa/surface.yaml
    specs/wa/tools/send.yaml
"

    UNKNOWN_KEY "TW003" Error "unknown key"
r#"Unknown keys are errors, so that a typo cannot silently disable something. Inside `{…}`, quote strings with a
comma; otherwise the rest becomes a key.

Wrong:

    titel: Send text
    errors: {gone: {when: it moved, or went}}

Right:

    title: Send text
    errors: {gone: {when: "it moved, or went"}}
"#

    WRONG_TYPE "TW004" Error "value of the wrong type"
r"The key expects another type. Only `true` and `false` are booleans; `yes`, `no`, `on` and `off` are strings.

Wrong:

    open_world: no

Right:

    open_world: false
"

    MISSING_KEY "TW005" Error "missing key"
r"Some keys are required because no default is safe: what a call can change, whether it can be repeated, whether
it reaches beyond the store of the surface, and its name.

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

    DUPLICATE_KEY "TW006" Error "duplicate key"
r"A key that appears twice in one map has two values, and YAML does not define which one applies.

Wrong:

    title: Send
    title: Send text

Right:

    title: Send text
"

    STRAY_FILE "TW007" Error "ignored file"
r"The file looks like a spec but is in a place where the compiler does not read it. Spec files end in `.yaml` or
`.json`.

Wrong:

    specs/wa/send.yaml
    specs/wa/tools/send.yml

Right:

    specs/wa/tools/send.yaml
"

    BAD_VALUE "TW008" Error "invalid value"
r#"The value has the right type but is not allowed here: a word that is not in the list, a number out of bounds, an
empty string, a duration without a unit.

Wrong:

    effects: reads
    ttl: "600"

Right:

    effects: read
    ttl: 600s
"#

    BAD_NAME "TW009" Error "invalid name"
r"Names are used in Rust, on the wire, in commands and as file names, so each kind of name has one form: surfaces,
error kinds and guards in snake_case, types in UpperCamelCase, tools as words joined by dots, versions as `v1`,
flags as `--two-words`, environment variables as `TWO_WORDS`.

Wrong:

    tool: send-text
    contract: 1.0

Right:

    tool: send_text
    contract: v1
"

    FILE_NAME "TW010" Error "file name and tool name differ"
r"A tool is easy to find when its files have its name: the contract of `send` is in `tools/send.yaml`, its handler
in `send.rs`.

Wrong:

    # tools/send.yaml
    tool: send_text

Right:

    # tools/send_text.yaml
    tool: send_text
"

    SURFACE_FOLDER "TW011" Error "folder and surface name differ"
r"The folder, the Rust module, the package and the binary have the name of the surface.

Wrong:

    # specs/wa/surface.yaml
    surface: wezterm

Right:

    # specs/wa/surface.yaml
    surface: wa
"

    DUPLICATE_NAME "TW012" Error "duplicate name"
r"Names of tools, commands and resources are unique within a surface, and names of examples within a tool.

Wrong:

    examples:
      - {name: works, …}
      - {name: works, …}

Right:

    examples:
      - {name: works, …}
      - {name: works_again, …}
"

    BAD_REF "TW020" Error "unresolved `$ref`"
r#"A `$ref` refers to a shared type, or to the whole input or output of another tool of the same surface.

Wrong:

    output: {$ref: "types.yaml#/SendResult"}

Right:

    output: {$ref: "../types.yaml#/$defs/SendResult"}
    input: {$ref: "plan.yaml#/input"}
"#

    CYCLIC_REF "TW021" Error "recursive type"
r##"Schemas are served without `$ref`s, because many clients do not resolve them. A recursive type would expand
forever.

Wrong:

    $defs:
      Node: {type: object, properties: {child: {$ref: "#/$defs/Node"}}}

Right:

    $defs:
      Node: {type: object, properties: {child_id: {type: string}}}
"##

    REMOTE_REF "TW022" Error "remote `$ref`"
r#"A contract is self-contained: nothing is fetched when it is compiled or served.

Wrong:

    $ref: https://example.org/thing.json

Right:

    $ref: "../types.yaml#/$defs/Thing"
"#

    UNKNOWN_TOOL "TW023" Error "unknown tool"
r"No tool has this name, or no name matches the pattern. Write names without the prefix of the surface; `*` matches
any characters.

Wrong:

    toolsets: {default: [wa.state]}

Right:

    toolsets: {default: [state]}
"

    UNUSED_TYPE "TW024" Warning "unused type"
r"Nothing refers to this type, yet it is compiled, documented and maintained.

Wrong:

    $defs:
      Unused: {type: string, description: Nobody needs it.}

Right:

    $defs: {}
"
}
