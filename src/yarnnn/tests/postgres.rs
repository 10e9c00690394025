//! A private PostgreSQL, shared with the unit tests of `sql`: an empty schema for each
//! test, and servers that a test may crash.

use yarnnn::sql::{Database, Options};

#[allow(dead_code, reason = "the unit tests use what is not used here")]
#[path = "../sql/testing.rs"]
mod testing;

pub(crate) use testing::{Server, postgres};
