//! End-to-end tests of yarnnn: every tool through the real pipeline, on SQLite and on a real
//! PostgreSQL.
//!
//! Most tests call the surface in this process, with a test clock; those about crashes, invalid
//! bytes and elicitation run the program over its standard streams.

// In a test a panic is the report.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

mod activity;
mod auth;
mod basket_selection;
mod command_line;
mod concurrency;
mod contract;
mod determinism;
mod elicitation;
mod embedder;
mod embeddings;
mod erasure;
mod extraction;
mod governance;
mod hidden_characters;
mod http;
mod idempotency;
mod inference;
mod instance;
mod integrity;
mod isolation;
mod kill;
mod labelled_recall;
mod limits;
mod meaning;
mod migration;
mod model;
mod outage;
mod placement;
mod postgres;
mod pruning;
mod queue;
mod recall;
mod reembed;
mod reindex;
mod retention;
mod review;
mod settings;
mod trace;
mod user;

toolwright_testing::contract_tests!(crate::contract::States, snapshots: "../../../snapshots");
