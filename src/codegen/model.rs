//! A contract after reading, resolving and checking: what emitters, docs and diff work on.
//!
//! No YAML, no `$ref` to other files, no globs, no defaults left to fill in. Only the front end
//! (`parse`, `resolve`, `check`) makes these values; where it reports an error, there is no
//! `Contract`. What a table of the runtime says in the same words is of `toolwright-contract`; the
//! records here have JSON values, names and places where a table has texts and indices.

mod prompt;

use std::collections::BTreeMap;

pub use prompt::{
    Content, Icon, IconOwner, IconTheme, Piece, Prompt, PromptArgument, PromptMessage,
    PromptValueKind, mirror,
};
use serde::Serialize;
use serde_json::{Map, Value};

pub use toolwright_contract::{Budget, Effects, SettingKind, Strength};

use crate::diagnostics::Span;

/// A rule over several arguments.
pub type Constraint = toolwright_contract::Constraint<String, Vec<String>>;
/// A tool on its way out.
pub type Deprecation = toolwright_contract::Deprecation<String>;
/// What an example expects: a subset of the handler's answer, or a kind of error.
pub type Expect = toolwright_contract::Expect<Value, String>;
/// Where the settings file is looked for.
pub type Config = toolwright_contract::ConfigInfo<String>;

/// The names of an object's properties, sorted → as the spec lists them.
pub type PropertyOrder = BTreeMap<Vec<String>, Vec<String>>;

/// One surface.
#[derive(Debug, Clone, Serialize)]
pub struct Contract {
    /// Folder, Rust module, cargo feature and binary.
    pub name: String,
    /// For users.
    pub title: String,
    /// Version of the contract, `v1`.
    pub contract: String,
    /// What every canonical tool name starts with; may be empty.
    pub prefix: String,
    /// What a client shows to its model.
    pub instructions: String,
    /// Templates of answers.
    pub envelope: Envelope,
    /// Error registry by kind.
    pub errors: BTreeMap<String, Error>,
    /// Kinds that the runtime uses.
    pub builtin: Builtin,
    /// The surface's own guards by name.
    pub guards: BTreeMap<String, Guard>,
    /// Settings by dotted key.
    pub settings: BTreeMap<String, Setting>,
    /// Settings that every server has; one of the contract with the same key hides it. Not part of the
    /// contract, nor of its digest.
    #[serde(skip)]
    pub server_settings: BTreeMap<String, Setting>,
    /// Where the settings file is looked for.
    pub config: Option<Config>,
    /// Resources, in the order of the spec.
    pub resources: Vec<Resource>,
    /// Prompts sorted by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<Prompt>,
    /// Icons of the surface, its tools and its resources.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<(IconOwner, Icon)>,
    /// Token limit of the list of prompts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u32>,
    /// Role → names of tools, globs expanded, sorted.
    pub roles: BTreeMap<String, Vec<String>>,
    /// For whom a server acts; without it nothing binds the arguments of `role` to the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity: Option<Identity>,
    /// Toolset → names of tools, sorted.
    pub toolsets: BTreeMap<String, Vec<String>>,
    /// Shared schemas of `types.yaml`. Every `$ref` is `#/$defs/<Name>`.
    pub types: BTreeMap<String, Value>,
    /// Tools sorted by name.
    pub tools: Vec<Tool>,
    /// Token limit of all served definitions together.
    pub definition_tokens: u32,
    /// Toolset → token limit of its definitions together.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub toolset_tokens: BTreeMap<String, u32>,
    /// How the spec orders the properties of objects. Nothing that a client could see.
    #[serde(skip)]
    pub property_order: PropertyOrder,
    /// SHA-256 of this value as sorted, compact JSON without this field.
    #[serde(skip)]
    pub digest: String,
}

/// Templates as JSON with `$words` in the places of strings.
#[derive(Debug, Clone, Serialize)]
pub struct Envelope {
    /// Success; `"$data"` alone means no envelope.
    pub success: Value,
    /// Failure.
    pub failure: Value,
}

/// A registry entry.
#[derive(Debug, Clone, Serialize)]
pub struct Error {
    /// Code on the wire.
    pub code: String,
    /// When it happens.
    pub when: String,
    /// The same call may succeed later.
    pub retryable: bool,
    /// What to do next.
    pub next: Option<String>,
    /// Other names.
    pub aliases: Vec<String>,
    /// Answered as a JSON-RPC error with this code.
    pub jsonrpc: Option<i32>,
    /// Exit status of the tool command; default 1.
    pub exit: u8,
    /// Details that every failure of this kind carries.
    pub details: Map<String, Value>,
}

/// Kinds that the runtime uses.
#[derive(Debug, Clone, Serialize)]
pub struct Builtin {
    /// Arguments that do not fit.
    pub invalid_arguments: String,
    /// Unknown tool; `None`: JSON-RPC −32602.
    pub unknown_tool: Option<String>,
    /// A defect.
    pub internal: String,
}

/// The settings that say for whom a server acts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Identity {
    /// Key of the setting with the users over stdio.
    pub users: String,
    /// Key of the setting with their tenant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Key of the setting with bearer tokens, each with its user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<String>,
}

/// A guard of the surface's own.
#[derive(Debug, Clone, Serialize)]
pub struct Guard {
    /// What it checks.
    pub doc: String,
    /// How much it is worth.
    pub strength: Strength,
    /// It decides before the arguments are read, on constants only.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub admission: bool,
    /// JSON Schemas of its parameters.
    pub params: Map<String, Value>,
    /// Parameters that a tool need not bind.
    pub optional: Vec<String>,
    /// Kinds it refuses with.
    pub refuses: Vec<String>,
}

/// A guard bound to a tool, in the order it runs.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum GuardUse {
    /// A boolean argument must be true.
    Confirm {
        /// The argument.
        field: String,
        /// Another boolean argument that makes it unnecessary.
        unless: Option<String>,
        /// Refuses with this kind.
        refuses: String,
        /// Run the handler as a rehearsal and put its answer into the refusal.
        rehearse: bool,
    },
    /// A token minted by another tool over what was reviewed.
    TwoStage {
        /// Tool that issues the token.
        issuer: String,
        /// The argument that carries it.
        field: String,
        /// A boolean argument that makes it unnecessary.
        unless: Option<String>,
        /// Life of a token.
        ttl_seconds: u32,
        /// Kind when the token is missing.
        missing: String,
        /// Kind when it is too old.
        expired: String,
        /// Kind when it is unknown or used, or the plan changed.
        mismatch: String,
        /// What the issuer calls the hash in its answer.
        hash: Option<String>,
    },
    /// Ask the user.
    Ask {
        /// Question to the user; `{field}` is replaced by the argument.
        message: String,
        /// Refuses with this kind when the answer is no.
        refuses: String,
        /// Boolean argument that counts as consent where the client cannot ask; without one, refuse.
        otherwise: Option<String>,
        /// Where the client cannot ask, the call goes on.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        optional: bool,
    },
    /// Role of tenant and user.
    Role {
        /// Argument with the tenant; without one, that of the caller.
        tenant: Option<String>,
        /// Argument with the user; without one, the caller.
        user: Option<String>,
        /// Argument with the project.
        project: Option<String>,
        /// Kind when the subject is unknown.
        unknown: String,
        /// Kind when the role may not.
        forbidden: String,
    },
    /// A guard of the surface's own.
    Own {
        /// Its name.
        name: String,
        /// Parameter → literal, or `"$argument"`.
        bind: Map<String, Value>,
    },
}

impl GuardUse {
    /// Name as in the spec.
    pub fn name(&self) -> &str {
        match self {
            Self::Confirm { .. } => "confirm",
            Self::TwoStage { .. } => "two_stage",
            Self::Ask { .. } => "ask",
            Self::Role { .. } => "role",
            Self::Own { name, .. } => name,
        }
    }

    /// What the spec binds, without what it leaves out.
    pub fn params(&self) -> Value {
        if let Self::Own { bind, .. } = self {
            return Value::Object(bind.clone());
        }
        let mut params = serde_json::to_value(self).unwrap_or_default();
        if let Some(params) = params.as_object_mut() {
            params.remove("kind");
            params.retain(|_, value| !value.is_null());
        }
        params
    }

    /// The argument that only this guard judges: decode does not require it nor its `const`.
    pub fn owned_field(&self) -> Option<&str> {
        match self {
            Self::Confirm { field, .. } | Self::TwoStage { field, .. } => Some(field),
            _ => None,
        }
    }

    /// It runs before the arguments are read.
    pub fn is_admission(&self, contract: &Contract) -> bool {
        match self {
            Self::Own { name, .. } => contract.guards.get(name).is_some_and(|own| own.admission),
            _ => false,
        }
    }

    /// How much it is worth: the strength of the weakest way through.
    pub fn strength(&self, contract: &Contract) -> Strength {
        match self {
            Self::Confirm { .. }
            | Self::TwoStage { .. }
            | Self::Ask { otherwise: Some(_), .. }
            | Self::Ask { optional: true, .. } => Strength::ModelSatisfiable,
            Self::Ask { .. } => Strength::ClientAttested,
            // Without an identity to compare with, the model says who it is.
            Self::Role { .. } if contract.identity.is_none() => Strength::ModelSatisfiable,
            Self::Role { .. } => Strength::OutOfBand,
            Self::Own { name, .. } => {
                contract.guards.get(name).map_or(Strength::ModelSatisfiable, |guard| guard.strength)
            }
        }
    }
}

/// One tool.
#[derive(Debug, Clone, Serialize)]
pub struct Tool {
    /// Name in the spec; the file's stem (dots allowed: `entity.upsert` in `entity.upsert.yaml`).
    pub name: String,
    /// Where the tool is written, for messages of the emitters.
    #[serde(skip)]
    pub span: Span,
    /// For users.
    pub title: String,
    /// For the model.
    pub description: String,
    /// What a call may change.
    pub effects: Effects,
    /// A second identical call changes nothing more.
    pub idempotent: bool,
    /// Reaches beyond the surface's own store.
    pub open_world: bool,
    /// The handler never waits.
    pub immediate: bool,
    /// It is in the tool list; otherwise it is there for a resource.
    #[serde(skip_serializing_if = "is_true")]
    pub listed: bool,
    /// Contract version that introduced it.
    pub since: String,
    /// Present when on its way out.
    pub deprecated: Option<Deprecation>,
    /// Words of the tool command.
    pub command: Vec<String>,
    /// Canonical input schema. `$ref`s are `#/$defs/<Name>` into [`Contract::types`].
    pub input: Value,
    /// Schema of the handler's answer, same `$ref`s.
    pub output: Value,
    /// Arguments that the handler gets as sent: checked, but not decoded into types, so that null
    /// and absent stay apart. Nothing that a client could see.
    #[serde(skip)]
    pub raw: Vec<String>,
    /// The handler answers with JSON text, such as documents that are stored as they are served.
    /// Nothing that a client could see.
    #[serde(skip)]
    pub raw_output: bool,
    /// Alias → argument.
    pub aliases: BTreeMap<String, String>,
    /// What JSON Schema cannot say.
    pub constraints: Vec<Constraint>,
    /// Declared kinds, builtin ones included, sorted.
    pub errors: Vec<String>,
    /// Guards in order.
    pub guards: Vec<GuardUse>,
    /// Token limits.
    pub budget: Budget,
    /// Examples in order.
    pub examples: Vec<Example>,
    /// Why a destructive tool has only weak guards.
    pub accept_weak_guard: Option<String>,
    /// Why arguments are served without a description.
    pub accept_undescribed: Option<String>,
    /// Served unchanged in `_meta` of the definition.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
}

/// An example.
#[derive(Debug, Clone, Serialize)]
pub struct Example {
    /// Unique within the tool.
    pub name: String,
    /// State it starts from.
    pub given: Option<String>,
    /// Arguments.
    pub input: Value,
    /// What is expected.
    pub expect: Expect,
}

/// A setting.
#[derive(Debug, Clone, Serialize)]
pub struct Setting {
    /// How it is read.
    pub kind: SettingKind,
    /// Allowed values.
    pub choices: Vec<String>,
    /// Inclusive bounds.
    pub range: Option<(i64, i64)>,
    /// Default.
    pub default: Option<Value>,
    /// Environment variable.
    pub env: Option<String>,
    /// Flag with its dashes.
    pub flag: Option<String>,
    /// Other keys in the file.
    pub aliases: Vec<String>,
    /// Never shown.
    pub secret: bool,
    /// For users.
    pub doc: String,
}

/// Something that clients can read under a URI.
#[derive(Debug, Clone, Serialize)]
pub struct Resource {
    /// `wa://panes`, or a template: `wa://panes/{paneId}`
    pub uri: String,
    /// Short name.
    pub name: String,
    /// For users.
    pub title: String,
    /// For the model.
    pub description: String,
    /// What is read.
    #[serde(flatten)]
    pub source: Source,
    /// What the variables of the template are to the mirrored tool, in the order of the path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<Variable>,
    /// Arguments of the mirrored tool that have a fixed value.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub arguments: Map<String, Value>,
    /// Kinds of errors which say that there is no such resource.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_found: Vec<String>,
    /// What of the tool's answer is the content; all of it where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Member>,
    /// Clients may subscribe.
    pub subscribe: bool,
}

/// The member of a tool's answer that is the content of a resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Member {
    /// Its name.
    pub member: String,
    /// Media type of the content.
    pub mime_type: String,
    /// It holds bytes in Base64.
    pub base64: bool,
}

/// A variable of a resource template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Variable {
    /// `paneId`
    pub name: String,
    /// The argument that takes its value, `pane_id`.
    pub argument: String,
}

/// What a resource gives to its reader.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The answer of this read tool.
    Tool(String),
    /// A text that is part of the contract.
    File {
        /// Below the surface's folder.
        path: String,
        /// What kind of text it is.
        mime_type: String,
        /// Its lines end in `\n`.
        text: String,
    },
    /// A file that is not text.
    Blob {
        /// Below the surface's folder.
        path: String,
        /// What its bytes are.
        mime_type: String,
        /// The bytes.
        base64: String,
    },
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_true(flag: &bool) -> bool {
    *flag
}
