//! Reports of a diff: text, JSON, workflow commands, changelog.

pub mod changelog;
mod github;
mod json;
mod text;
