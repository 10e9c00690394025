//! Runs every example of the contract over stdio, each in a folder of its own, and checks its promises:
//! answers are as written, a read tool changes nothing, an idempotent one nothing more.

// The same tables that the server uses.
#[path = "../generated/@name@.rs"]
#[rustfmt::skip]
mod generated;

use generated::SURFACE;
use toolwright_runtime::contract::SurfaceInfo;
use toolwright_testing::ServerHome;
use toolwright_testing::contract::{self, State};

/// The states that examples are `given`.
struct States;

impl contract::States for States {
    fn surface(&self) -> &'static SurfaceInfo {
        &SURFACE
    }

    fn make(&self, given: Option<&str>) -> State {
        let home = ServerHome::for_program(env!("CARGO_BIN_EXE_@name@"));
        match given {
            None => {}
            // Some("one_book") => _ = home.write("books.json", r#"[{"id": "b1"}]"#),
            Some(other) => panic!("make the state `{other}` here"),
        }
        State::served(&SURFACE, &home)
    }
}

toolwright_testing::contract_tests!(crate::States);
