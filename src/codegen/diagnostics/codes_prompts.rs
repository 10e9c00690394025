//! Codes about prompts and icons.

use super::Severity;
use super::codes::{CodeInfo, codes};

codes! {
    BAD_PROMPT "TW110" Error "unusable prompt"
r"A prompt is offered to users by name. `offered_by` must name a boolean setting of the surface, and `when` an argument
that need not be given: anything else would be always or never.

Wrong:

    arguments: {note: {type: string, required: true, description: What to add.}}
    messages: [{when: note, text: 'Add: {note}'}]

Right:

    arguments: {note: {type: string, description: What to add.}}
    messages: [{when: note, text: 'Add: {note}'}]
"

    BAD_PLACEHOLDER "TW111" Error "placeholder that leads nowhere"
r"In the texts of a prompt `{name}` is the value of an argument and `{tool:name}` the name of a tool, spelled as the
client knows it. A brace itself is written twice.

Wrong:

    text: 'Read {pain} with {tool:get_txt}, which answers {}'

Right:

    text: 'Read {pane} with {tool:get_text}, which answers {{}}'
"

    BAD_PROMPT_ARGUMENT "TW112" Error "unusable prompt argument"
r"Arguments of prompts are strings on the wire and typed inside: `string`, `integer` or `boolean`. Bounds must belong to
the type, defaults must fit it, and every argument must be used, because a user types it.

Wrong:

    arguments: {count: {type: integer, default: few, description: How many.}}

Right:

    arguments: {count: {type: integer, default: '3', description: How many.}}
    messages: [{text: 'Read {count} of them.'}]
"

    UNSURE_ARGUMENT "TW113" Error "placeholder of an argument that may be missing"
r"Where an optional argument is not given, nothing would stand in its place.

Wrong:

    arguments: {note: {type: string, description: What to add.}}
    messages: [{text: 'Do it. Add: {note}'}]

Right:

    arguments: {note: {type: string, description: What to add.}}
    messages: [{text: Do it.}, {when: note, text: 'Add: {note}'}]
"

    BAD_PROMPT_READ "TW114" Error "read that a prompt cannot do"
r"A prompt may embed resources of its surface and the answers of its read tools. Every read must be able to succeed:
the tool only reads, asks nobody, and is given all that it requires in values that fit its schema.

Wrong:

    messages: [{result: {tool: send, input: {pane: 1}}}]

Right:

    messages: [{result: {tool: get_text, input: {pane_id: $pane}}}]
"

    BAD_PROMPT_EXAMPLE "TW115" Error "incomplete prompt example"
r"A prompt with required arguments has an example, which documents show and tests run.

Wrong:

    arguments: {pane: {type: integer, required: true, description: Id of the pane.}}

Right:

    arguments: {pane: {type: integer, required: true, description: Id of the pane.}}
    example: {pane: '3'}
"

    PROMPT_BUDGET "TW116" Error "prompts over their token budget"
r"Clients load the whole list of prompts. Its limit is 1500 tokens where the surface names no other.

Wrong:

    budget: {prompt_tokens: 10}

Right:

    budget: {prompt_tokens: 800}
"

    BAD_ICON "TW117" Error "image that clients do not show"
r"Icons are SVG, PNG, JPEG or WebP: a file of at most 8 KiB in a folder beside `surface.yaml`, or an `https:` URL. An
image of a prompt is such a file of at most 256 KiB.

Wrong:

    icons: [{url: 'http://example.com/icon.gif'}]

Right:

    icons: [{file: icons/icon.svg, sizes: [any]}]
"
}
