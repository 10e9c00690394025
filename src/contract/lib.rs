//! The contract types that compiler, runtime, command lines and tests share.
//!
//! Generated code contains the `…Info` structs as static tables; servers, command lines and tests read
//! them. The compiler's model uses the same enums and small records, with owned strings. This crate
//! knows no surface by name and reads no files; besides data it has only rules that compiler and runtime
//! must read in the same way.

mod envelope;
mod error;
mod example;
mod guard;
#[doc(hidden)]
pub mod http_setting;
mod icon;
mod names;
mod profile;
mod prompt;
mod server_setting;
mod setting;
mod surface;
mod tokens;
mod tool;
mod uri_template;

pub use envelope::{Envelope, Piece};
pub use error::{BuiltinErrors, ErrorInfo};
pub use example::{ExampleInfo, Expect};
pub use guard::{GuardInfo, GuardUse, Strength};
pub use icon::{IconInfo, IconOwner, IconTheme};
pub use names::{argument_flag, portable, portable_descriptions, portable_text};
pub use profile::{Profile, Projection};
pub use prompt::{
    PromptArgument, PromptContent, PromptInfo, PromptInput, PromptMessage, PromptPiece, PromptRole,
    PromptValueKind,
};
pub use setting::{ConfigInfo, SettingInfo, SettingKind};
pub use surface::{
    IdentityInfo, MemberInfo, ResourceInfo, ResourceSource, RoleInfo, SurfaceInfo, ToolsetInfo,
    VariableInfo,
};
pub use tokens::{budget_bytes, estimate_tokens};
pub use tool::{Budget, Constraint, Deprecation, Effects, ToolInfo};
pub use uri_template::{TemplateFault, UriTemplate};
