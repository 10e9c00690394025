//! What holds in every store, case by case.

pub(super) mod crowd;
pub(super) mod hostile;
pub(super) mod objects;
pub(super) mod projects;
pub(super) mod publishing;
pub(super) mod searching;
pub(super) mod users;
