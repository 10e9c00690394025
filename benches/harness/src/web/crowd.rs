//! Many clients at once on one thread: each sends its next call when it has its answer.

use std::time::Instant;

use rustix::buffer::spare_capacity;
use rustix::event::epoll;

use super::Connection;
use crate::Result;
use crate::call_text::CallText;

/// Ids begin here: all have as many digits.
const FIRST_ID: u64 = 1_000_001;

/// Clients with a session each.
pub(crate) struct Crowd {
    clients: Vec<Client>,
    next_id: u64,
}

struct Client {
    connection: Connection,
    request: Vec<u8>,
    /// Where the id is in the request.
    hole: usize,
}

impl Crowd {
    /// Clients of the server at a port of this machine.
    pub(crate) fn open(port: u16, clients: usize, call: &CallText) -> Result<Self> {
        let client = |_| {
            let mut connection = Connection::open(port)?;
            connection.shake_hands()?;
            let mut body = Vec::new();
            call.write(FIRST_ID, &mut body);
            let request = connection.request(&body);
            let digits = FIRST_ID.to_string();
            let hole = memchr::memmem::rfind(&request, digits.as_bytes()).ok_or("no id")?;
            Ok(Client { connection, request, hole })
        };
        let clients: Result<Vec<Client>> = (0..clients).map(client).collect();
        Ok(Self { clients: clients?, next_id: FIRST_ID })
    }

    /// Calls per second over `count` calls of all clients together.
    pub(crate) fn run(&mut self, call: &CallText, count: usize) -> Result<f64> {
        let ready = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        for (index, client) in self.clients.iter_mut().enumerate() {
            client.connection.reopen()?;
            let data = epoll::EventData::new_u64(index as u64);
            epoll::add(&ready, &client.connection.stream, data, epoll::EventFlags::IN)?;
        }
        let start = Instant::now();
        let (mut sent, mut answered) = (0, 0);
        let mut ids = 0_u64;
        for index in 0..self.clients.len().min(count) {
            ids = ids.wrapping_add(self.ask(index)?);
            sent += 1;
        }
        let mut events = Vec::with_capacity(self.clients.len());
        while answered < count {
            epoll::wait(&ready, spare_capacity(&mut events), None)?;
            for event in events.drain(..) {
                let index = event.data.u64() as usize;
                let Some(response) = self.clients[index].connection.receive()? else { continue };
                ids = ids.wrapping_sub(call.id_of(message(response.body)?)?);
                answered += 1;
                if sent < count {
                    ids = ids.wrapping_add(self.ask(index)?);
                    sent += 1;
                }
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        if ids != 0 {
            return Err("an answer came twice or not at all".into());
        }
        Ok(count as f64 / seconds)
    }

    fn ask(&mut self, index: usize) -> Result<u64> {
        self.next_id += 1;
        let client = &mut self.clients[index];
        let digits = self.next_id.to_string();
        client.request[client.hole..client.hole + digits.len()].copy_from_slice(digits.as_bytes());
        client.connection.send(&client.request)?;
        Ok(self.next_id)
    }
}

/// The message in a plain body or in the last event of a stream.
fn message(body: &[u8]) -> Result<&[u8]> {
    let start = if body.starts_with(b"{") {
        0
    } else {
        memchr::memmem::rfind(body, b"data: {").ok_or("no message")? + 6
    };
    let end = memchr::memrchr(b'}', body).ok_or("no message")?;
    Ok(&body[start..=end])
}
