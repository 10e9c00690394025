//! A local server: one scripted reply per connection, then it stops listening.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};

/// What a client sent.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// Request line and headers, in lower case.
    pub(crate) head: String,
    pub(crate) body: Value,
}

/// What a client gets.
pub(crate) struct Reply {
    bytes: Vec<u8>,
    /// Whether the connection then stays open, in silence, until the client leaves.
    silent: bool,
}

impl Reply {
    pub(crate) fn new(status: u16, headers: &[&str], body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let mut bytes = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n", body.len());
        for header in headers {
            bytes.push_str(&format!("{header}\r\n"));
        }
        bytes.push_str("Connection: close\r\n\r\n");
        Self { bytes: [bytes.as_bytes(), body].concat(), silent: false }
    }

    pub(crate) fn status(status: u16) -> Self {
        Self::new(status, &[], "{}")
    }

    /// A completion with this message.
    pub(crate) fn message(message: Value, finish_reason: &str) -> Self {
        let body = json!({"id": "c1", "object": "chat.completion", "usage": {"total_tokens": 7},
            "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}]});
        Self::new(200, &["Content-Type: application/json"], body.to_string())
    }

    /// A completion whose content is this text.
    pub(crate) fn text(text: &str) -> Self {
        Self::message(json!({"role": "assistant", "content": text, "refusal": null}), "stop")
    }

    /// A completion as it should be.
    pub(crate) fn answer(answer: &Value) -> Self {
        Self::text(&answer.to_string())
    }

    /// Only the first bytes of this, and then the end of the connection.
    pub(crate) fn breaks_after(mut self, bytes: usize) -> Self {
        self.bytes.truncate(bytes);
        self
    }

    /// Only the first bytes of this, and then silence.
    pub(crate) fn stops_after(self, bytes: usize) -> Self {
        Self { silent: true, ..self.breaks_after(bytes) }
    }
}

/// The server.
pub(crate) struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    pub(crate) fn start(replies: Vec<Reply>) -> Self {
        Self::listen(replies, None)
    }

    /// One that speaks TLS.
    pub(crate) fn tls(replies: Vec<Reply>, config: ServerConfig) -> Self {
        Self::listen(replies, Some(Arc::new(config)))
    }

    fn listen(replies: Vec<Reply>, tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        std::thread::spawn(move || {
            for reply in replies {
                let Ok((stream, _)) = listener.accept() else { return };
                match &tls {
                    None => serve(stream, &reply, &seen),
                    Some(config) => {
                        let tls = ServerConnection::new(Arc::clone(config)).unwrap();
                        serve(StreamOwned::new(tls, stream), &reply, &seen);
                    }
                }
            }
        });
        Self { port, requests }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1/", self.port)
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

fn serve(stream: impl Read + Write, reply: &Reply, seen: &Mutex<Vec<Request>>) {
    let mut stream = BufReader::new(stream);
    let mut head = String::new();
    // A client that does not like the server's certificate says nothing.
    while stream.read_line(&mut head).is_ok_and(|length| length > 2) {}
    let head = head.to_lowercase();
    let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
    let Some(length) = length else { return };
    let mut body = vec![0; length.parse().unwrap()];
    stream.read_exact(&mut body).unwrap();
    seen.lock().unwrap().push(Request { head, body: serde_json::from_slice(&body).unwrap() });
    // A client may have heard enough before the end.
    let _ = stream.get_mut().write_all(&reply.bytes);
    let _ = stream.get_mut().flush();
    if reply.silent {
        let _ = stream.read_to_end(&mut Vec::new());
    }
}
