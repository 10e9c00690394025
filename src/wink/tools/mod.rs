//! The seven tools, one file each: typed request in, engine call, typed answer out.

mod answer;
mod ask_user;
mod delete_section_override;
mod delete_tool_override;
mod get_section_override;
mod get_tool_override;
mod list_overrides;
mod write_section_override;
mod write_tool_override;
