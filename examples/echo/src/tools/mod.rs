//! One file per tool, named as the tool.

mod add;
mod echo;
mod wait;
