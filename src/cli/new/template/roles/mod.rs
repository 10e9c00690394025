//! One file per tool, named after the tool.

mod announce;
mod greet;
