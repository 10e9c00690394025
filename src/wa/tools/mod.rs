//! The handlers, one file per tool, and the policy guard in front of those with side effects.
//!
//! Each calls the engine and converts its answer to the contract's types. Nothing is decided here.

mod accounts;
mod accounts_refresh;
mod approve;
mod ask_user;
mod convert;
mod events;
mod get_text;
mod policy;
mod progress;
mod release;
mod reservations;
mod reserve;
mod rules_lint;
mod rules_list;
mod rules_show;
mod rules_test;
mod search;
mod send;
mod state;
mod wait_for;
mod why;
mod workflow_abort;
mod workflow_list;
mod workflow_run;
mod workflow_status;
