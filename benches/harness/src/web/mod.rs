//! Servers over HTTP: their process, connections that are kept, and many of them at once.

mod connection;
mod crowd;
mod response;

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) use connection::Connection;
pub(crate) use crowd::Crowd;

use crate::Result;
use crate::program::Program;

/// Until a server must have opened its port.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server over HTTP; it ends with its owner.
pub(crate) struct Web {
    child: Child,
    pub(crate) port: u16,
}

impl Web {
    /// Starts the program; none when it does not speak HTTP.
    pub(crate) fn start(program: &Program) -> Result<Option<Self>> {
        let port = free_port()?;
        program.http_command(port).map(|command| Self::run(command, port)).transpose()
    }

    /// Runs a command that listens at `port`, until it does.
    fn run(mut command: Command, port: u16) -> Result<Self> {
        let silent = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let web = Self { child: silent.spawn()?, port };
        let deadline = Instant::now() + PATIENCE;
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            if Instant::now() > deadline {
                return Err("the server over HTTP did not start".into());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(web)
    }

    pub(crate) fn connect(&self) -> Result<Connection> {
        Connection::open(self.port)
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A port that was free a moment ago.
fn free_port() -> Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}
