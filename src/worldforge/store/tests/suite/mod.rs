//! The cases of the conformance suite.

pub(super) mod concurrency;
pub(super) mod hostile_input;
pub(super) mod objects;
pub(super) mod projects;
pub(super) mod publishing;
pub(super) mod searching;
pub(super) mod users;
