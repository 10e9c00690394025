//! Runs every example of the contract over stdio, each as the user that it is `given`, and checks its
//! promises: answers are as written, a read tool changes nothing, an idempotent one nothing more.

// The same tables that the server uses.
#[path = "../generated/@name@.rs"]
#[rustfmt::skip]
mod generated;

use generated::SURFACE;
use toolwright_runtime::contract::SurfaceInfo;
use toolwright_testing::ServerHome;
use toolwright_testing::contract::{self, State};

/// A server that acts for the user of an example.
fn home(given: Option<&str>) -> ServerHome {
    let home = ServerHome::for_program(env!("CARGO_BIN_EXE_@name@"))
        .env("@NAME@_ROLES", "ann=HOST,bob=GUEST,cleo=VISITOR");
    match given {
        None => home.env("@NAME@_USER", "ann"),
        Some("guest") => home.env("@NAME@_USER", "bob"),
        Some("visitor") => home.env("@NAME@_USER", "cleo"),
        Some("stranger") => home.env("@NAME@_USER", "eve"),
        Some("no_user") => home,
        Some(other) => panic!("make the state `{other}` here"),
    }
}

/// The states that examples are `given`.
struct States;

impl contract::States for States {
    fn surface(&self) -> &'static SurfaceInfo {
        &SURFACE
    }

    fn make(&self, given: Option<&str>) -> State {
        State::served(&SURFACE, &home(given))
    }
}

toolwright_testing::contract_tests!(crate::States);

#[test]
fn a_server_for_nobody_says_which_setting_is_missing() {
    let input = serde_json::json!({"name": "Ada"});
    let refused = home(Some("no_user")).session().call("greet", input);
    assert_eq!(refused.body["setting"], "user", "{}", refused.body);
}

#[test]
fn a_guest_is_shown_what_a_guest_may_call() {
    let tools = home(Some("guest")).session().tools();
    let names: Vec<&serde_json::Value> = tools.iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["greet"]);
}
