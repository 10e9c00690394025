//! Codes about errors, guards, examples, envelopes, settings, budgets and the command line.

use super::Severity;
use super::codes::{CodeInfo, codes};

codes! {
    UNKNOWN_KIND "TW050" Error "unknown error kind"
r"Only error kinds of the registry in `surface.yaml` can leave a surface, and a tool can return only the kinds
that it declares.

Wrong:

    # tools/send.yaml
    errors: [pane_gone]

Right:

    # surface.yaml
    errors: {pane_gone: {when: the pane is not in the live list}}
"

    UNUSED_KIND "TW051" Error "unused error kind"
r"No tool and no guard returns this kind, so callers would handle an error that never occurs.

Wrong:

    errors:
      lost: {when: never}

Right:

    # tools/find.yaml
    errors: [lost]
"

    SAME_CODE "TW052" Error "duplicate error code"
r"Callers tell errors apart by their codes. A code or alias keeps its meaning forever.

Wrong:

    errors:
      gone: {code: E1, when: …}
      lost: {code: E1, when: …}

Right:

    errors:
      gone: {code: E1, when: …}
      lost: {code: E2, when: …}
"

    UNKNOWN_GUARD "TW060" Error "unknown guard"
r"Guards are the built-in ones (`confirm`, `two_stage`, `ask`, `role`) and those that `surface.yaml` declares.

Wrong:

    guards:
      - polizy: {action: send}

Right:

    guards:
      - policy: {action: send}
"

    UNBOUND_PARAM "TW061" Error "unbound guard parameter"
r"A guard needs all its parameters. Bind each to a constant or to an argument that is always present, unless the
guard lists it as `optional`.

Wrong:

    guards:
      - policy: {action: send}

Right:

    guards:
      - policy: {action: send, pane: $pane_id}
"

    UNKNOWN_PARAM "TW062" Error "unknown guard parameter"
r"The guard has no parameter of this name.

Wrong:

    guards:
      - policy: {acton: send}

Right:

    guards:
      - policy: {action: send}

    Parameters are declared under the guard in `surface.yaml`.
"

    PARAM_TYPE "TW063" Error "guard parameter of the wrong type"
r"A constant must fit the schema of the parameter, and an argument must have its type.

Wrong:

    # params: {pane: {type: integer}}
    - policy: {pane: $title}

Right:

    - policy: {pane: $pane_id}
"

    UNKNOWN_ARGUMENT "TW064" Error "unknown argument"
r"A guard, an alias or a constraint names an argument that is not one of the input's properties.

Wrong:

    constraints:
      - {at_least_one_of: [id, nmae]}

Right:

    constraints:
      - {at_least_one_of: [id, name]}
"

    ARGUMENT_TYPE "TW065" Error "argument of the wrong type for its guard"
r"Built-in guards read arguments of a certain type: `confirm.field`, `unless` and `otherwise` are booleans,
`two_stage.field` and the arguments of `role` are strings.

Wrong:

    - confirm: {field: id, refuses: confirm_required}

Right:

    - confirm: {field: yes, refuses: confirm_required}
"

    WEAK_GUARD "TW066" Error "destructive tool with weak guards only"
r#"An irreversible call must not depend only on an argument that the model can send by itself. Ask the user,
require a role, use a guard of the surface that decides outside the conversation, or give a reason.
A guard counts as its weakest way through: `ask` with `otherwise` is one that the model can satisfy.

Wrong:

    effects: destructive
    guards:
      - confirm: {field: yes, refuses: confirm_required}

Right:

    guards:
      - ask: {message: "Delete {name}?", refuses: confirm_required}

    # or
    accept_weak_guard: every deletion is a commit that can be reverted
"#

    BROKEN_RULE "TW067" Error "violated rule of the surface"
r"A rule of the surface requires a guard for a group of tools, and a tool of the group lacks it.

Wrong:

    rules:
      - {every_tool: {effects: [write]}, has_guard: policy}

    # tools/send.yaml
    effects: write

Right:

    guards:
      - policy: {action: send}
"

    NO_ROLE "TW068" Error "role guard without a matching role"
r#"The role guard passes a call when one of the user's roles lists the tool. No role lists this one.

Wrong:

    roles: {WRITER: [entity.get]}

Right:

    roles: {WRITER: ["entity.*"]}
"#

    RESERVED_GUARD "TW069" Error "reserved guard name"
r"`confirm`, `two_stage`, `ask` and `role` are built in and behave the same in every surface.

Wrong:

    guards: {confirm: {…}}

Right:

    guards: {second_look: {…}}
"

    NO_SUCCESS "TW070" Error "no successful example"
r"Examples serve as tests, documentation and answers of the mock server. Each tool needs at least one successful
call.

Wrong:

    examples:
      - {name: gone, input: {id: b}, error: gone}

Right:

    examples:
      - {name: works, input: {id: a}, output: {id: a}}
"

    NO_ERROR_EXAMPLE "TW071" Error "no example for a declared error"
r"Each error that a tool lists needs an example in that tool. Kinds that come from guards, and kinds with
`ambient: true` in the registry, need one example anywhere in the surface.

Wrong:

    errors: [gone]
    examples:
      - {name: works, …}

Right:

    examples:
      - {name: works, …}
      - {name: gone, input: {id: b}, error: gone}
"

    EXAMPLE_INPUT "TW072" Error "invalid example input"
r#"The input of the example would be rejected before any guard or handler runs.

Wrong:

    - {name: works, input: {id: 7}, output: {}}      # id is a string

Right:

    - {name: works, input: {id: "7"}, output: {}}
"#

    EXAMPLE_OUTPUT "TW073" Error "invalid example output"
r"The output of an example is a subset of the answer: each of its members must be in the output schema and valid.

Wrong:

    - {name: works, input: {}, output: {nmae: a}}

Right:

    - {name: works, input: {}, output: {name: a}}
"

    EXAMPLE_VALID "TW074" Error "example of invalid arguments with valid input"
r"An example of invalid arguments must violate the input schema or a constraint. If the handler itself returns
this kind for valid input, list it under `errors` of the tool.

Wrong:

    - {name: bad, input: {id: a}, error: invalid_arguments}

Right:

    - {name: bad, input: {id: 7}, error: invalid_arguments}
"

    LATE_ADMISSION "TW075" Error "admission guard that depends on arguments"
r"A guard with `admission: true` decides before the arguments are read, so that callers without access learn
nothing about them. It comes before all other guards of a tool, and its parameters are constants.

Wrong:

    guards:
      - policy: {action: send}
      - credentials: {user: $user_id}

Right:

    guards:
      - credentials: {scope: send}
      - policy: {action: send}
"

    CONSENT_BY_DEFAULT "TW076" Error "consent by default"
r"The argument of a `confirm` guard, and the one that `ask` names in `otherwise`, express consent. With a default
of `true`, an absent argument would count as consent, even with `const: true` or an `enum` of `true` alone. The
default may also come from a shared type.

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

    # or, to require it in every call:
    input:
      required: [yes]
      properties:
        yes: {const: true, description: …}
"

    OPEN_TOOL "TW077" Error "tool of a role without the role guard"
r#"Roles restrict only tools that have the `role` guard. A tool that a role lists (by name, or by `*`) and that
has no such guard can be called by everybody.

Wrong:

    # surface.yaml
    roles: {ADMIN: ["*"]}

    # tools/purge.yaml
    guards: []

Right:

    guards:
      - role: {user: $user, tenant: $tenant, unknown: user_unknown, forbidden: role_forbidden}

    # or, for a tool that is meant for everybody
    roles: {ADMIN: ["*", "!purge"]}
"#

    BAD_IDENTITY "TW078" Error "identity without a fitting setting"
r#"`identity` names the settings that say for whom a server acts: `users` a text or a list of texts, `tenant` a
text, `tokens` a secret map of bearer tokens to users.

Wrong:

    identity: {users: member}
    settings: {}

Right:

    identity: {users: member}
    settings:
      member: {type: string, env: BOOKCASE_MEMBER, doc: The member that the server acts for.}
"#

    BAD_WORD "TW080" Error "unknown envelope word"
r"The runtime fills in words that start with `$`. An unknown one would be sent literally.

Words: $data, $error.code, $error.message, $error.hint, $error.retryable, $error.details, $warnings,
$elapsed_ms, $now_ms, $now, $version, $contract, $tool, $command, $command_path, $request_id.

Wrong:

    success: {data: $data, took: $elapsed}

Right:

    success: {data: $data, took: $elapsed_ms}
"

    NO_WORD "TW081" Error "incomplete envelope"
r"A success must contain the answer of the tool, and a failure the error code.

Wrong:

    success: {ok: true}

Right:

    success: {ok: true, data: $data}
"

    MISPLACED_WORD "TW082" Error "misplaced envelope word"
r"A success has no error and a failure has no answer. `$spread: $error.details` merges the members of the details
into a map that also has other members.

Wrong:

    failure: {$spread: $error.details}

Right:

    failure: {code: $error.code, $spread: $error.details}
"

    BAD_SETTING "TW083" Error "inconsistent setting"
r"The parts of a setting must agree: the default fits the type, `enum` is for strings, bounds are for integers,
and a secret has neither a default nor a flag.

Wrong:

    pages: {type: integer, maximum: 9, default: 10, doc: …}

Right:

    pages: {type: integer, maximum: 9, default: 9, doc: …}
"

    SAME_SETTING "TW084" Error "two settings share a source"
r"Each flag, environment variable and key of the settings file sets exactly one setting.

Wrong:

    pages: {flag: --pages, …}
    sheets: {flag: --pages, …}

Right:

    pages: {flag: --pages, …}
    sheets: {flag: --sheets, …}
"

    BAD_RESOURCE "TW085" Error "invalid resource"
r#"A resource is a read tool under a URI, or a file from a folder beside `surface.yaml`. Reading it changes nothing,
and every argument that the tool requires comes from the URI, from `arguments`, or from the caller's identity. A file
is part of the contract: it has a media type and never changes.

Wrong:

    resources:
      - {uri: panes, tool: send, …}
      - {uri: "ui://panes.html", file: ../panes.html, …}

Right:

    resources:
      - {uri: "wa://panes", tool: state, …}
      - {uri: "ui://panes.html", file: components/panes.html, mime_type: text/html, …}
"#

    BAD_META "TW086" Error "invalid metadata"
r#"The `meta` of a tool is served unchanged in `_meta` of its definition. It cannot use keys that the protocol or the
runtime reserves, and `openai/outputTemplate` must be the `uri` of a resource of the surface.

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
r"The served definition, including its schemas, takes up context in every session. Tokens are estimated as
bytes / 4. Shorten it, or raise the budget of the tool.

Wrong:

    budget: {definition_tokens: 100}

Right:

    budget: {definition_tokens: 400}
"

    SURFACE_BUDGET "TW091" Error "surface over its token budget"
r#"All definitions of a surface together take up context in every session that uses it.

Wrong:

    budget: {definition_tokens: 1000}

Right:

    toolsets: {default: [state, send], admin: ["*"]}
    budget: {definition_tokens: 6000}
"#

    INSTRUCTIONS_BUDGET "TW092" Error "instructions over their token budget"
r"Instructions are shown to the model once per session. 600 tokens are enough to explain where to start.

Wrong:

    instructions: (the manual)

Right:

    instructions: Start with wa.state for the panes there are. The policy may refuse to send text.
"

    CONTRADICTION "TW093" Error "contradictory statements"
r"Two statements of the contract exclude each other, such as a read tool that is not idempotent.

Wrong:

    effects: read
    idempotent: false

Right:

    effects: read
"

    USELESS_ACCEPT "TW094" Warning "unneeded reason for a weak guard"
r"The tool gives a reason for weak guards, but it is not destructive or it has a strong guard.

Wrong:

    effects: read
    accept_weak_guard: nothing is lost

Right:

    effects: read
"

    TOOLSET_BUDGET "TW095" Error "toolset over its token budget"
r#"The definitions of a toolset together take up context in every session with that toolset.

Wrong:

    toolsets: {read_only: ["*"]}
    budget: {toolsets: {read_only: 100}}

Right:

    toolsets: {read_only: ["get_*"]}
    budget: {toolsets: {read_only: 2000}}
"#

    TAKEN_WORD "TW096" Error "reserved command-line word"
r"Every surface is also a command-line program. It reserves the first words `mcp` and `settings`, the word `help`
anywhere, the flags `--help`, `--json` and `--json-args` of every tool command, and for settings the flags of the
server: `--version`, `--specs`, `--http…` and `--mock…`. The tool can keep its name: give it another `command`.

Wrong:

    tool: mcp
    input: {properties: {json: …}}

Right:

    tool: mcp
    command: [list-servers]
    input: {properties: {document: …}}
"

    BAD_TEMPLATE "TW097" Error "undeclared resource template"
r#"A `uri` with variables is a template: clients fill in whole segments of its path. Each variable is an argument of
the mirrored tool, whose schema is its type: the one of the same name, or the one that `arguments` binds to it. What
only looks like a template (braces around a part of a segment, `:id`, `*`, a variable of a file) would match nothing.

Wrong:

    resources:
      - {uri: "wa://panes/:id", tool: get_text, …}
      - {uri: "wa://panes/pane-{pane_id}", tool: get_text, …}
      - {uri: "wa://panes/{paneId}", tool: get_text, …}

Right:

    resources:
      - {uri: "wa://panes/{paneId}", tool: get_text, arguments: {pane_id: $paneId}, not_found: [pane_not_found], …}
"#

    NOT_RUST "TW099" Error "not expressible in Rust"
r"The contract is valid, but the emitter cannot translate it to Rust. The message explains what to change. Most
often two inline types get the same name; a shared type in `types.yaml` then helps.
"
}
