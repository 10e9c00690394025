//! Every example of the contract, called over real standard streams, and what the contract promises beside.

// The same tables that the server is made of.
#[path = "../generated/echo.rs"]
#[rustfmt::skip]
mod generated;

use generated::SURFACE;
use toolwright_runtime::contract::SurfaceInfo;
use toolwright_testing::ServerHome;
use toolwright_testing::contract::{self, State};

/// A server without a store.
struct States;

impl contract::States for States {
    fn surface(&self) -> &'static SurfaceInfo {
        &SURFACE
    }

    fn make(&self, given: Option<&str>) -> State {
        assert_eq!(given, None, "there is no store to prepare");
        State::served(&SURFACE, &ServerHome::for_program(env!("CARGO_BIN_EXE_echo-server")))
    }
}

toolwright_testing::contract_tests!(crate::States);
