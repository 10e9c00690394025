//! The same tool written the usual way: `#[tool]`, the SDK's own stdio, the multi-thread runtime.

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

#[derive(Clone)]
struct Server;

#[tool_router]
impl Server {
    #[tool(description = "Says a text again.")]
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
}

#[tool_handler]
impl ServerHandler for Server {}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Server.serve(rmcp::transport::stdio()).await?.waiting().await?;
    Ok(())
}
