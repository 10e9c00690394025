//! One file per tool, named as the tool.

mod add;
mod clear;
mod list;
mod remove;
