//! The bare loop (`floor` in tables): a blocking loop with typed structs and nothing else.
//!
//! It works one tool, checks nothing and survives nothing. No server that speaks JSON-RPC over
//! these streams can be expected to be faster.

use std::io::{BufRead, Write};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: &'a str,
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow)]
    arguments: &'a RawValue,
}

#[derive(Deserialize)]
struct Request {
    text: String,
    style: String,
    times: u32,
    tags: Vec<String>,
    reverse: bool,
    note: Option<String>,
}

#[derive(Serialize)]
struct Response {
    length: usize,
    note: Option<String>,
    style: String,
    tags: Vec<String>,
    text: String,
}

const HELLO: &str = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"floor","version":"0.1.0"}}"#;

/// What it lists: a text that is there already.
const TOOLS: &str = include_str!("../../peers/tools.json");

fn echo(request: Request) -> Response {
    let text = request.text.repeat(request.times as usize);
    let text = match request.style.as_str() {
        "upper" => text.to_uppercase(),
        "lower" => text.to_lowercase(),
        _ => text,
    };
    let text = if request.reverse { text.chars().rev().collect() } else { text };
    let length = text.chars().count();
    Response { length, note: request.note, style: request.style, tags: request.tags, text }
}

fn result_of(message: &Message) -> serde_json::Result<String> {
    let Some(params) = message.params.filter(|_| message.method == "tools/call") else {
        let list = message.method == "tools/list";
        return Ok(if list { TOOLS.trim_end() } else { HELLO }.to_owned());
    };
    let params: Params = serde_json::from_str(params.get())?;
    let body = serde_json::to_string(&echo(serde_json::from_str(params.arguments.get())?))?;
    let text = serde_json::to_string(&body)?;
    Ok(format!(
        r#"{{"content":[{{"type":"text","text":{text}}}],"structuredContent":{body},"isError":false}}"#
    ))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut input = std::io::BufReader::with_capacity(64 * 1024, std::io::stdin().lock());
    let mut output = std::io::BufWriter::with_capacity(64 * 1024, std::io::stdout().lock());
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let message: Message = serde_json::from_str(&line)?;
        if let Some(id) = message.id {
            let result = result_of(&message)?;
            writeln!(output, r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)?;
        }
        line.clear();
        // Answers go out together when several questions came together.
        if input.buffer().is_empty() {
            output.flush()?;
        }
    }
    Ok(())
}
