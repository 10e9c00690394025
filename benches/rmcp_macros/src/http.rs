//! The SDK's streamable HTTP as its own example sets it up: axum, sessions, event streams.

use axum::Router;
use axum::serve::ListenerExt;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

use crate::Server;

pub(crate) async fn serve(port: u16, stateless: bool) -> Result<(), Box<dyn std::error::Error>> {
    let config = StreamableHttpServerConfig::default();
    let config = match stateless {
        true => config.with_legacy_session_mode(false).with_json_response(true),
        false => config,
    };
    let sessions = LocalSessionManager::default().into();
    let service = StreamableHttpService::new(|| Ok(Server), sessions, config);
    // Without this every event waits for the client's acknowledgement of the one before.
    let listener = TcpListener::bind(("127.0.0.1", port)).await?.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    Ok(axum::serve(listener, Router::new().nest_service("/mcp", service)).await?)
}
