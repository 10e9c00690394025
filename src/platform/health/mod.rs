//! Health checks: the state of folders and files, as rows that `doctor` prints. They change nothing.

mod below;
mod exposure;
mod folder;
mod row;

pub use below::exposed_below;
pub use exposure::{Exposure, Holds, exposed, exposure};
pub use folder::folder;
pub use row::{Row, Verdict};
