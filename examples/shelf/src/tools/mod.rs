//! One file per tool, named as the tool.

mod add;
mod list;
mod remove;
