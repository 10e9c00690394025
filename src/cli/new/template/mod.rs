//! One file per tool, named as the tool.

mod greet;
