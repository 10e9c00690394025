//! Every example of the contract, called over real standard streams, and what the contract promises
//! beside: a read tool changes nothing, an idempotent one nothing more. Add an example, get a test.

// The same tables that the server is made of.
#[path = "../generated/shelf.rs"]
#[rustfmt::skip]
mod generated;

use generated::SURFACE;
use toolwright_runtime::contract::SurfaceInfo;
use toolwright_testing::contract::{self, State};
use toolwright_testing::{Person, ServerHome};

/// A state whose client has a user who agrees to every question; others have a client that cannot ask.
const USER_AGREES: &str = "one_book_and_a_user_who_agrees";
const ONE_BOOK: &str =
    r#"[{"id": "b1", "title": "Walden", "author": "Thoreau", "added": "2026-01-01T00:00:00Z"}]"#;

/// The states that examples are `given`.
struct States;

impl contract::States for States {
    fn surface(&self) -> &'static SurfaceInfo {
        &SURFACE
    }

    fn make(&self, given: Option<&str>) -> State {
        let home = ServerHome::for_program(env!("CARGO_BIN_EXE_shelf"));
        let text = match given {
            None => None,
            Some("one_book" | USER_AGREES) => Some(ONE_BOOK),
            Some("broken_file") => Some("not books"),
            Some(other) => panic!("nobody knows the state {other}"),
        };
        if let Some(text) = text {
            home.write("shelf.json", text);
        }
        let home = home.path_env("SHELF_FILE", "shelf.json");
        let state = match given {
            Some(USER_AGREES) => State::served_before(Person::Agrees, &SURFACE, &home),
            _ => State::served(&SURFACE, &home),
        };
        state.ignoring(home.path("shelf.json.lock"))
    }
}

toolwright_testing::contract_tests!(crate::States);
