//! The same tools written the usual way: `#[tool]`, the SDK's own stdio, the multi-thread runtime.
//!
//! With `--http PORT` over the SDK's own streamable HTTP; with `--stateless` as well, without
//! sessions and with plain JSON.

mod http;

use std::time::Duration;

use rmcp::handler::server::wrapper::Parameters;
use rmcp::{Json, ServerHandler, ServiceExt, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, Serialize, JsonSchema, Clone, Copy, Default)]
#[serde(rename_all = "lowercase")]
enum Style {
    #[default]
    Plain,
    Upper,
    Lower,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Request {
    text: String,
    #[serde(default)]
    style: Style,
    #[schemars(range(min = 1, max = 5))]
    times: u32,
    #[schemars(length(max = 8))]
    tags: Vec<String>,
    #[serde(default)]
    reverse: bool,
    note: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Response {
    length: usize,
    note: Option<String>,
    style: Style,
    tags: Vec<String>,
    text: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Numbers {
    #[schemars(length(min = 1, max = 100))]
    numbers: Vec<i64>,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Steps {
    #[schemars(range(max = 600))]
    steps: u64,
}

#[derive(Serialize, JsonSchema)]
struct Waited {
    waited: u64,
}

#[derive(Clone)]
struct Server;

#[tool_router]
impl Server {
    #[tool(description = "Says a text again, in the style and as often as asked.")]
    async fn echo(&self, Parameters(request): Parameters<Request>) -> Json<Response> {
        let text = request.text.repeat(request.times as usize);
        let text = match request.style {
            Style::Plain => text,
            Style::Upper => text.to_uppercase(),
            Style::Lower => text.to_lowercase(),
        };
        let text = if request.reverse { text.chars().rev().collect() } else { text };
        let length = text.chars().count();
        Json(Response {
            length,
            note: request.note,
            style: request.style,
            tags: request.tags,
            text,
        })
    }

    #[tool(description = "Adds whole numbers and answers with their sum.")]
    async fn add(&self, Parameters(request): Parameters<Numbers>) -> Json<Sum> {
        Json(Sum { sum: request.numbers.iter().sum() })
    }

    #[tool(description = "Waits in steps of a tenth of a second.")]
    async fn wait(&self, Parameters(request): Parameters<Steps>) -> Json<Waited> {
        tokio::time::sleep(Duration::from_millis(100 * request.steps)).await;
        Json(Waited { waited: request.steps })
    }
}

#[tool_handler]
impl ServerHandler for Server {}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, port, rest @ ..] = &arguments[..]
        && flag == "--http"
    {
        return http::serve(port.parse()?, rest.iter().any(|flag| flag == "--stateless")).await;
    }
    Server.serve(rmcp::transport::stdio()).await?.waiting().await?;
    Ok(())
}
