//! `echo`

use toolwright_runtime::{Call, Handle};

use crate::Server;
use crate::generated::{Echo, EchoRequest, EchoResponse, Result, Style};

impl Handle<Echo> for Server {
    async fn handle(&self, _: &Call, request: EchoRequest) -> Result<EchoResponse> {
        let EchoRequest { text, style, times, tags, reverse, note } = request;
        // The contract says at most five times.
        let text = text.repeat(times as usize);
        let text = match style {
            Style::Plain => text,
            Style::Upper => text.to_uppercase(),
            Style::Lower => text.to_lowercase(),
        };
        let text = if reverse { text.chars().rev().collect() } else { text };
        let length = text.chars().count() as u64;
        Ok(EchoResponse { text, length, style, tags, note })
    }
}
