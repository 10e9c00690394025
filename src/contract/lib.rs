//! The compiled contract as static tables.
//!
//! Generated code fills these structs; the server, the command line, the docs and the tests read
//! them. Nothing here knows a surface by name, and nothing here behaves.

/// A whole surface.
#[derive(Debug)]
pub struct SurfaceInfo {
    /// Folder, Rust module, cargo feature and binary.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// Version of the contract, such as `v1`.
    pub contract: &'static str,
    /// SHA-256 of the canonical contract, hex.
    pub digest: &'static str,
    /// What a client shows to its model.
    pub instructions: &'static str,
    /// What every canonical tool name starts with.
    pub prefix: &'static str,
    /// Sorted by name.
    pub tools: &'static [&'static ToolInfo],
    /// The registry, sorted by kind.
    pub errors: &'static [&'static ErrorInfo],
    /// Which registry entries the runtime itself uses.
    pub builtin: BuiltinErrors,
    /// Template of answers.
    pub envelope: Envelope,
    /// The surface's guards, for docs.
    pub guards: &'static [GuardInfo],
    /// Settings, sorted by key.
    pub settings: &'static [SettingInfo],
    /// Where the settings file is looked for.
    pub config: Option<ConfigInfo>,
    /// Readable resources.
    pub resources: &'static [ResourceInfo],
    /// Role matrix, already expanded from the spec's globs.
    pub roles: &'static [RoleInfo],
    /// Named groups of tools.
    pub toolsets: &'static [ToolsetInfo],
}

impl SurfaceInfo {
    /// Finds a tool by its canonical or portable name.
    pub fn tool(&self, name: &str) -> Option<(usize, &'static ToolInfo)> {
        self.tools
            .iter()
            .enumerate()
            .find(|(_, tool)| tool.canonical == name || tool.portable == name)
            .map(|(index, tool)| (index, *tool))
    }

    /// Finds a registry entry by its kind.
    pub fn error(&self, kind: &str) -> Option<&'static ErrorInfo> {
        self.errors.iter().find(|error| error.kind == kind).copied()
    }
}

/// One tool.
#[derive(Debug)]
pub struct ToolInfo {
    /// Name in the spec, `list_overrides`.
    pub name: &'static str,
    /// Name on the wire, `wink.list_overrides`.
    pub canonical: &'static str,
    /// Name for clients that take no dots, `wink_list_overrides`.
    pub portable: &'static str,
    /// For people.
    pub title: &'static str,
    /// For the model.
    pub description: &'static str,
    /// What a call may change.
    pub effects: Effects,
    /// A second identical call changes nothing more.
    pub idempotent: bool,
    /// Reaches beyond the surface's own store.
    pub open_world: bool,
    /// The handler never waits, so its calls need not queue behind calls that do.
    pub immediate: bool,
    /// Contract version that introduced it.
    pub since: &'static str,
    /// Present when the tool is on its way out.
    pub deprecated: Option<Deprecation>,
    /// Words of the command-line twin. The last may be a flag (`--apply`) or stand for an argument
    /// (`$kind`).
    pub command: &'static [&'static str],
    /// Canonical input schema, JSON text.
    pub input: &'static str,
    /// The same as other families of clients are served it, where it differs.
    pub projections: &'static [Projection],
    /// What `decode` validates against: `input` with guard-owned fields left to their guards.
    pub accepted: &'static str,
    /// Schema of what the handler returns.
    pub data: &'static str,
    /// Served output schema: success and failure envelope.
    pub output: &'static str,
    /// Other names of arguments: `(alias, name)`.
    pub aliases: &'static [(&'static str, &'static str)],
    /// What portable JSON Schema cannot say.
    pub constraints: &'static [Constraint],
    /// Kinds that may leave this tool, builtin ones included, sorted.
    pub errors: &'static [&'static str],
    /// Guards in the order they run.
    pub guards: &'static [GuardUse],
    /// Limits in tokens.
    pub budget: Budget,
    /// Smallest arguments that validate, JSON text.
    pub minimal_call: &'static str,
    /// Examples, as in the spec.
    pub examples: &'static [ExampleInfo],
    /// Served in the definition's `_meta`, a JSON object as text.
    pub meta: &'static str,
}

impl ToolInfo {
    /// The input schema that this family of clients is served.
    pub fn input_for(&self, profile: Profile) -> &'static str {
        let projected = self.projections.iter().find(|projection| projection.profile == profile);
        projected.map_or(self.input, |projection| projection.input)
    }
}

/// A family of clients that are served the same definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// As in the contract.
    Canonical,
    /// Names without dots.
    Portable,
    /// Function tools of OpenAI models.
    Openai,
    /// Function declarations of Gemini models.
    Gemini,
    /// Tools of Claude models.
    Claude,
}

/// An input schema as one family of clients is served it. It accepts whatever the canonical one
/// accepts, which is the one that decides.
#[derive(Debug)]
pub struct Projection {
    /// The family.
    pub profile: Profile,
    /// JSON text.
    pub input: &'static str,
}

/// What a call may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effects {
    /// Changes nothing.
    Read,
    /// Adds or changes.
    Write,
    /// May remove or overwrite what cannot be had back.
    Destructive,
}

/// One registry entry.
#[derive(Debug, PartialEq, Eq)]
pub struct ErrorInfo {
    /// Key in the spec, `pane_not_found`.
    pub kind: &'static str,
    /// Code on the wire, `WA-MCP-0007`.
    pub code: &'static str,
    /// When it happens.
    pub when: &'static str,
    /// The same call may succeed later.
    pub retryable: bool,
    /// What to do next.
    pub next: Option<&'static str>,
    /// Other names of the same thing.
    pub aliases: &'static [&'static str],
    /// Answered as a JSON-RPC error with this code instead of a tool result.
    pub jsonrpc: Option<i32>,
    /// Exit status of the command-line twin.
    pub exit: u8,
    /// Details that every failure of this kind carries, a JSON object as text.
    pub details: &'static str,
}

/// Registry entries used by the runtime.
#[derive(Debug)]
pub struct BuiltinErrors {
    /// Arguments that do not fit the schema.
    pub invalid_arguments: &'static ErrorInfo,
    /// A tool that is not there; `None` means JSON-RPC −32602.
    pub unknown_tool: Option<&'static ErrorInfo>,
    /// A defect: a panic, an undeclared code, an answer outside the schema.
    pub internal: &'static ErrorInfo,
}

/// Templates of success and failure, as runs of text with holes.
#[derive(Debug)]
pub struct Envelope {
    /// Success.
    pub success: &'static [Piece],
    /// Failure.
    pub failure: &'static [Piece],
}

/// A run of JSON text or a hole in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// Text as it is.
    Text(&'static str),
    /// `$data`: the handler's response.
    Data,
    /// `$error.code`
    ErrorCode,
    /// `$error.message`
    ErrorMessage,
    /// `$error.hint`, or null.
    ErrorHint,
    /// `$error.retryable`
    ErrorRetryable,
    /// `$error.details`, an object.
    ErrorDetails,
    /// `$spread: $error.details`: its members, each led by a comma.
    ErrorSpread,
    /// `$warnings`: an array of strings.
    Warnings,
    /// `$elapsed_ms`
    ElapsedMs,
    /// `$now_ms`: epoch milliseconds.
    NowMs,
    /// `$now`: RFC 3339, UTC.
    Now,
    /// `$version`: version of the product.
    Version,
    /// `$contract`: version of the contract.
    Contract,
    /// `$tool`: name in the spec.
    Tool,
    /// `$command`: the command twin's words without flags, joined by dots.
    Command,
    /// `$command_id`: all its words, joined by spaces.
    CommandId,
    /// `$command_path`: the same as an array.
    CommandPath,
    /// `$request_id`
    RequestId,
}

/// A rule over several arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Constraint {
    /// One or more of these must be given (`false` and null do not count).
    AtLeastOneOf(&'static [&'static str]),
    /// Not more than one of these may be given.
    AtMostOneOf(&'static [&'static str]),
    /// Exactly one of these must be given.
    ExactlyOneOf(&'static [&'static str]),
    /// Where `field` is given, `needs` must be.
    Requires {
        /// The argument that asks.
        field: &'static str,
        /// The argument that is needed.
        needs: &'static str,
    },
}

/// A guard that the surface declares.
#[derive(Debug)]
pub struct GuardInfo {
    /// Name in the spec.
    pub name: &'static str,
    /// What it checks.
    pub doc: &'static str,
    /// How much it is worth.
    pub strength: Strength,
}

/// Who can satisfy a guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strength {
    /// The model itself, by sending the right argument.
    ModelSatisfiable,
    /// The client vouches for a person's answer.
    ClientAttested,
    /// Decided outside the conversation.
    OutOfBand,
}

/// A guard bound to a tool.
#[derive(Debug)]
pub struct GuardUse {
    /// Its name, built-in or own.
    pub name: &'static str,
    /// How much it is worth.
    pub strength: Strength,
    /// The bound parameters, JSON text, for docs.
    pub params: &'static str,
}

/// Limits in tokens, estimated as bytes / 4.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// Of the served definition.
    pub definition_tokens: u32,
    /// Of one answer's body.
    pub result_tokens: u32,
}

/// A tool on its way out.
#[derive(Debug, Clone, Copy)]
pub struct Deprecation {
    /// Contract version that deprecated it.
    pub since: &'static str,
    /// What to call instead.
    pub replaced_by: Option<&'static str>,
    /// When it goes.
    pub sunset: Option<&'static str>,
}

/// An example of the spec.
#[derive(Debug)]
pub struct ExampleInfo {
    /// Unique within the tool.
    pub name: &'static str,
    /// State the example starts from; the surface's test kit knows how to make it.
    pub given: Option<&'static str>,
    /// Arguments, JSON text.
    pub input: &'static str,
    /// What is expected.
    pub expect: Expect,
}

/// What an example expects.
#[derive(Debug)]
pub enum Expect {
    /// These members, JSON text, are in the response (objects are compared as subsets).
    Output(&'static str),
    /// This kind of error.
    Error(&'static str),
}

/// One setting.
#[derive(Debug)]
pub struct SettingInfo {
    /// Dotted key in the settings file, `llm.model`.
    pub key: &'static str,
    /// Field of the generated `Settings`, `llm_model`.
    pub field: &'static str,
    /// How its text is read.
    pub kind: SettingKind,
    /// Allowed values; empty means any.
    pub choices: &'static [&'static str],
    /// Inclusive bounds of an integer.
    pub range: Option<(i64, i64)>,
    /// Default, JSON text.
    pub default: Option<&'static str>,
    /// Environment variable.
    pub env: Option<&'static str>,
    /// Command-line flag with its dashes.
    pub flag: Option<&'static str>,
    /// Other keys in the settings file.
    pub aliases: &'static [&'static str],
    /// Never shown, never logged.
    pub secret: bool,
    /// For people.
    pub doc: &'static str,
}

/// How the text of a setting is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingKind {
    /// Text as it is.
    String,
    /// Text with `~` and `${VAR}` expanded.
    Path,
    /// Whole number.
    Integer,
    /// `true`, `false`, `1`, `0`, `yes`, `no`, `on`, `off`.
    Boolean,
    /// List; in the environment separated by commas.
    StringList,
    /// List of paths; in the environment separated by commas.
    PathList,
    /// Map; in the environment `a=1,b=2`.
    StringMap,
}

/// Where the settings file is looked for.
#[derive(Debug, Clone, Copy)]
pub struct ConfigInfo {
    /// Default path; not existing means no settings file.
    pub default: &'static str,
    /// Environment variable that names another.
    pub env: Option<&'static str>,
    /// Flag that names another.
    pub flag: &'static str,
}

/// Something that clients can read.
#[derive(Debug)]
pub struct ResourceInfo {
    /// `wa://panes`
    pub uri: &'static str,
    /// Short name.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// For the model.
    pub description: &'static str,
    /// What is read.
    pub source: ResourceSource,
    /// Clients may subscribe.
    pub subscribe: bool,
}

/// What a resource gives to its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResourceSource {
    /// The answer of the tool at this index of `SurfaceInfo::tools`.
    Tool(usize),
    /// A text that is part of the contract.
    File {
        /// What kind of text it is.
        mime_type: &'static str,
        /// The text.
        text: &'static str,
    },
}

/// One role with the tools it may call.
#[derive(Debug)]
pub struct RoleInfo {
    /// `WRITER`
    pub name: &'static str,
    /// Names of tools as in the spec, sorted.
    pub tools: &'static [&'static str],
}

/// A named group of tools.
#[derive(Debug)]
pub struct ToolsetInfo {
    /// `default`
    pub name: &'static str,
    /// Names of tools as in the spec, sorted.
    pub tools: &'static [&'static str],
}
