//! A diff for people, programs, reviews and changelogs.

pub mod changelog;
mod github;
mod json;
mod text;
