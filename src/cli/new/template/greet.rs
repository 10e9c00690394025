//! `greet`

use toolwright_runtime::{Call, ErrorKind as _, Handle};

use crate::Server;
use crate::generated::{Error, Greet, GreetRequest, GreetResponse, Result, Tone};

impl Handle<Greet> for Server {
    async fn handle(&self, _: &Call, request: GreetRequest) -> Result<GreetResponse> {
        let GreetRequest { name, tone } = request;
        if !name.chars().any(char::is_alphabetic) {
            return Err(Error::NobodyThere.because(format!("`name`: {name:?} is not a name")));
        }
        let text = match tone {
            Tone::Friendly => format!("Hello, {name}!"),
            Tone::Formal => format!("Good day, {name}."),
        };
        Ok(GreetResponse { text })
    }
}
