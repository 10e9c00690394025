//! What a contract is: the types that compiler, runtime, command lines and tests share.
//!
//! Generated code fills the `…Info` structs as static tables; servers, command lines and tests read
//! them. The compiler's own model has the same enums, and the same small
//! records over owned text, so that no kind of thing is written down twice. Nothing here knows a
//! surface by name, nothing reads a file, and nothing behaves.
//!

mod envelope;
mod error;
mod example;
mod guard;
mod names;
mod profile;
mod setting;
mod surface;
mod tokens;
mod tool;

pub use envelope::{Envelope, Piece};
pub use error::{BuiltinErrors, ErrorInfo};
pub use example::{ExampleInfo, Expect};
pub use guard::{GuardInfo, GuardUse, Strength};
pub use names::{argument_flag, portable};
pub use profile::{Profile, Projection};
pub use setting::{ConfigInfo, SettingInfo, SettingKind};
pub use surface::{ResourceInfo, ResourceSource, RoleInfo, SurfaceInfo, ToolsetInfo};
pub use tokens::{budget_bytes, estimate_tokens};
pub use tool::{Budget, Constraint, Deprecation, Effects, ToolInfo};
