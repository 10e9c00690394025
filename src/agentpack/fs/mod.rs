//! Access to files and folders below the roots: no link leads out of a root, and no half-written file is
//! ever visible.
//!
//! A root may be reached through links: that is the user's choice. Below it every step is opened
//! from its parent, and a link must lead to a place below the root. Knows nothing of plans,
//! manifests and snapshots.

mod files;
mod folders;
mod sync;

pub(crate) use files::{Found, copy_private, look, mode_replacing, peek, read, write_new};
pub(crate) use folders::{Folder, Walker, missing_ancestors};
pub(crate) use sync::{sync_files, write_durable};
