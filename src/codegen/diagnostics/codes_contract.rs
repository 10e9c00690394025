//! Codes about errors, guards, examples, envelopes, settings, budgets and the command line.

use super::Severity;
use super::codes::{CodeInfo, codes};

codes! {
    UNKNOWN_KIND "TW050" Error "error kind that is not in the registry"
r"Only kinds of the registry in `surface.yaml` can leave a surface, and only those that a tool declares can
leave that tool.

Wrong:

    # tools/send.yaml
    errors: [pane_gone]

Right:

    # surface.yaml
    errors: {pane_gone: {when: the pane is not in the live list}}
"

    UNUSED_KIND "TW051" Error "error kind that nothing uses"
r"A kind that no tool and no guard answers is a promise that nothing keeps.

Wrong:

    errors:
      lost: {when: never}

Right:

    # tools/find.yaml
    errors: [lost]
"

    SAME_CODE "TW052" Error "error code used twice"
r"Callers tell errors apart by their codes. A code, or an alias of one, means one thing forever.

Wrong:

    errors:
      gone: {code: E1, when: …}
      lost: {code: E1, when: …}

Right:

    errors:
      gone: {code: E1, when: …}
      lost: {code: E2, when: …}
"

    UNKNOWN_GUARD "TW060" Error "guard that is not there"
r"Guards are the built-in ones (`confirm`, `two_stage`, `ask`, `role`) and those that `surface.yaml` declares.

Wrong:

    guards:
      - polizy: {action: send}

Right:

    guards:
      - policy: {action: send}
"

    UNBOUND_PARAM "TW061" Error "guard parameter without a value"
r"A guard decides on all its parameters. Each is bound to a fixed value or to an argument that is always there,
unless the guard lists it as `optional`.

Wrong:

    guards:
      - policy: {action: send}

Right:

    guards:
      - policy: {action: send, pane: $pane_id}
"

    UNKNOWN_PARAM "TW062" Error "guard parameter that is not there"
r"The guard has no parameter of this name.

Wrong:

    guards:
      - policy: {acton: send}

Right:

    guards:
      - policy: {action: send}

    The parameters are under the guard in `surface.yaml`.
"

    PARAM_TYPE "TW063" Error "guard parameter of the wrong type"
r"A fixed value must fit the parameter's schema, and an argument must be of the parameter's type.

Wrong:

    # params: {pane: {type: integer}}
    - policy: {pane: $title}

Right:

    - policy: {pane: $pane_id}
"

    UNKNOWN_ARGUMENT "TW064" Error "argument that the tool does not have"
r"A guard, an alias or a constraint names an argument that is not one of the input's properties.

Wrong:

    constraints:
      - {at_least_one_of: [id, nmae]}

Right:

    constraints:
      - {at_least_one_of: [id, name]}
"

    ARGUMENT_TYPE "TW065" Error "argument of the wrong type for its guard"
r"Built-in guards look at arguments of a certain type: `confirm.field`, `unless` and `otherwise` are booleans,
`two_stage.field` and the arguments of `role` are texts.

Wrong:

    - confirm: {field: id, refuses: confirm_required}

Right:

    - confirm: {field: yes, refuses: confirm_required}
"

    WEAK_GUARD "TW066" Error "destructive tool with weak guards only"
r#"What cannot be had back must not hang on an argument that a model can send by itself. Ask the person, look up
a role, use a guard of your own that decides outside the conversation, or say why it is fine.

Wrong:

    effects: destructive
    guards:
      - confirm: {field: yes, refuses: confirm_required}

Right:

    guards:
      - ask: {message: "Delete {name}?", refuses: confirm_required}

    accept_weak_guard: every deletion is a commit that can be reverted
"#

    BROKEN_RULE "TW067" Error "rule of the surface broken"
r"The surface promises a guard for a group of tools, and this tool of the group lacks it.

Wrong:

    rules:
      - {every_tool: {effects: [write]}, has_guard: policy}

    # tools/send.yaml
    effects: write

Right:

    guards:
      - policy: {action: send}
"

    NO_ROLE "TW068" Error "role guard without a role that passes"
r#"The role guard lets a call pass when one of the caller's roles lists the tool. No role lists this one.

Wrong:

    roles: {WRITER: [entity.get]}

Right:

    roles: {WRITER: ["entity.*"]}
"#

    RESERVED_GUARD "TW069" Error "guard with the name of a built-in one"
r"`confirm`, `two_stage`, `ask` and `role` are built in and mean the same in every surface.

Wrong:

    guards: {confirm: {…}}

Right:

    guards: {second_look: {…}}
"

    NO_SUCCESS "TW070" Error "no example of success"
r"Examples are tests, documentation and the mock server's answers. Each tool shows at least one call that works.

Wrong:

    examples:
      - {name: gone, input: {id: b}, error: gone}

Right:

    examples:
      - {name: works, input: {id: a}, output: {id: a}}
"

    NO_ERROR_EXAMPLE "TW071" Error "no example for a declared error"
r"Each error that a tool lists is shown by one of its examples; kinds that come from guards, and kinds marked
`ambient: true` in the registry, by one example somewhere in the surface.

Wrong:

    errors: [gone]
    examples:
      - {name: works, …}

Right:

    examples:
      - {name: works, …}
      - {name: gone, input: {id: b}, error: gone}
"

    EXAMPLE_INPUT "TW072" Error "example whose input does not fit"
r#"The input of an example is refused before any guard or handler sees it, so the example cannot come about.

Wrong:

    - {name: works, input: {id: 7}, output: {}}      # id is a text

Right:

    - {name: works, input: {id: "7"}, output: {}}
"#

    EXAMPLE_OUTPUT "TW073" Error "example whose output does not fit"
r"The output of an example is a subset of the answer: every member it has must be in the output schema and fit.

Wrong:

    - {name: works, input: {}, output: {nmae: a}}

Right:

    - {name: works, input: {}, output: {name: a}}
"

    EXAMPLE_VALID "TW074" Error "invalid-arguments example that is valid"
r"An example of invalid arguments must break the input schema or a constraint. If the handler itself refuses
valid input with this kind, the tool lists it under `errors`.

Wrong:

    - {name: bad, input: {id: a}, error: invalid_arguments}

Right:

    - {name: bad, input: {id: 7}, error: invalid_arguments}
"

    LATE_ADMISSION "TW075" Error "admission guard that would need the arguments"
r"A guard with `admission: true` decides before the arguments are looked at, so that a caller who may not call
learns nothing about them. It stands before all other guards of a tool, and its parameters are fixed values.

Wrong:

    guards:
      - policy: {action: send}
      - credentials: {user: $user_id}

Right:

    guards:
      - credentials: {scope: send}
      - policy: {action: send}
"

    CONSENT_BY_DEFAULT "TW076" Error "consent that is given by saying nothing"
r"The argument of a `confirm` guard, and the one that `ask` names in `otherwise`, are the caller's yes. With a
default of `true` a caller who says nothing would have agreed. A `const: true` or an `enum` of `true` alone
changes nothing about that: what counts is that the argument may be left out. The default may also stand in a
shared type that the argument refers to.

Wrong:

    input:
      properties:
        yes: {type: boolean, default: true, description: …}
    guards:
      - confirm: {field: yes, refuses: confirm_required}

Right:

    input:
      properties:
        yes: {type: boolean, default: false, description: …}

    # or, where the contract wants every call to say it:
    input:
      required: [yes]
      properties:
        yes: {const: true, description: …}
"

    BAD_WORD "TW080" Error "unknown word in an envelope"
r"Words that start with `$` are filled in by the runtime; others would be sent as they stand.

Words: $data, $error.code, $error.message, $error.hint, $error.retryable, $error.details, $warnings,
$elapsed_ms, $now_ms, $now, $version, $contract, $tool, $command, $command_path, $request_id.

Wrong:

    success: {data: $data, took: $elapsed}

Right:

    success: {data: $data, took: $elapsed_ms}
"

    NO_WORD "TW081" Error "envelope without its contents"
r"A success carries the tool's answer, and a failure its code; otherwise the caller learns nothing.

Wrong:

    success: {ok: true}

Right:

    success: {ok: true, data: $data}
"

    MISPLACED_WORD "TW082" Error "envelope word in the wrong place"
r"There is no error in a success and no answer in a failure. `$spread: $error.details` puts the details' members
into a map that has other members, too.

Wrong:

    failure: {$spread: $error.details}

Right:

    failure: {code: $error.code, $spread: $error.details}
"

    BAD_SETTING "TW083" Error "setting that contradicts itself"
r"A setting's parts must agree: the default fits the type, `enum` is for texts and bounds are for integers, and a
secret has neither a default nor a flag.

Wrong:

    pages: {type: integer, maximum: 9, default: 10, doc: …}

Right:

    pages: {type: integer, maximum: 9, default: 9, doc: …}
"

    SAME_SETTING "TW084" Error "two settings from one source"
r"A flag, an environment variable and a key of the settings file each set one setting.

Wrong:

    pages: {flag: --pages, …}
    sheets: {flag: --pages, …}

Right:

    pages: {flag: --pages, …}
    sheets: {flag: --sheets, …}
"

    BAD_RESOURCE "TW085" Error "resource that cannot be served"
r#"A resource is a read tool under a URI, or a text from a folder beside `surface.yaml`. Reading it changes
nothing and needs no arguments. A text is part of the contract: it has a media type and never changes.

Wrong:

    resources:
      - {uri: panes, tool: send, …}
      - {uri: "ui://panes.html", file: ../panes.html, …}

Right:

    resources:
      - {uri: "wa://panes", tool: state, …}
      - {uri: "ui://panes.html", file: components/panes.html, mime_type: text/html, …}
"#

    BAD_META "TW086" Error "metadata that cannot be served"
r#"A tool's `meta` is served in the `_meta` of its definition as it stands. Keys that the protocol or the runtime
keeps to itself cannot be used, and `openai/outputTemplate` is the `uri` of a resource of the surface.

Wrong:

    meta:
      io.modelcontextprotocol/colour: red
      openai/outputTemplate: panes.html

Right:

    meta:
      example.com/colour: red
      openai/outputTemplate: ui://panes.html
"#

    TOOL_BUDGET "TW090" Error "definition over its token budget"
r"The definition as served, schemas included, is in the context of every session; it is estimated as bytes / 4.
Shorten it, or raise the tool's budget knowingly.

Wrong:

    budget: {definition_tokens: 100}

Right:

    budget: {definition_tokens: 400}
"

    SURFACE_BUDGET "TW091" Error "surface over its token budget"
r#"All definitions of a surface together are in the context of every session that uses it.

Wrong:

    budget: {definition_tokens: 1000}

Right:

    toolsets: {default: [state, send], admin: ["*"]}
    budget: {definition_tokens: 6000}
"#

    INSTRUCTIONS_BUDGET "TW092" Error "instructions over their token budget"
r"Instructions are shown to the model once per session; 600 tokens are enough to say where to start.

Wrong:

    instructions: (the manual)

Right:

    instructions: Start with wa.state for the panes there are. Sending text needs the policy's consent.
"

    CONTRADICTION "TW093" Error "statements that contradict each other"
r"Two statements of the contract cannot both be true.

Wrong:

    effects: read
    idempotent: false

Right:

    effects: read
"

    USELESS_ACCEPT "TW094" Warning "reason for a weak guard that is not needed"
r"The tool gives a reason for having weak guards only, but is not destructive or has a strong one.

Wrong:

    effects: read
    accept_weak_guard: nothing is lost

Right:

    effects: read
"

    TOOLSET_BUDGET "TW095" Error "toolset over its token budget"
r#"The definitions of a toolset together are in the context of every session that is given that toolset.

Wrong:

    toolsets: {read_only: ["*"]}
    budget: {toolsets: {read_only: 100}}

Right:

    toolsets: {read_only: ["get_*"]}
    budget: {toolsets: {read_only: 2000}}
"#

    TAKEN_WORD "TW096" Error "word that the command line has for itself"
r"Every surface is a program, too. Its first words `mcp` and `settings`, the word `help` anywhere, and the flags
`--help`, `--json` and `--json-args` of every tool are its own. So are those of every server, which a setting
cannot have: `--version`, `--specs`, `--http…` and `--mock…`. A tool that keeps its name takes another `command`.

Wrong:

    tool: mcp
    input: {properties: {json: …}}

Right:

    tool: mcp
    command: [list-servers]
    input: {properties: {document: …}}
"

    NOT_RUST "TW099" Error "cannot be said in Rust"
r"The contract is fine as a contract, but the emitter cannot say it in Rust. The message tells what to change;
most often two inline types end up with one name and a shared type in `types.yaml` helps.
"
}
