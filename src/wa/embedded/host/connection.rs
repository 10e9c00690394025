//! Serves one client connection.

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use super::{Host, mirror};
use crate::embedded::wire::{
    self, MAX_BODY, Refusal, RefusalKind, Request, RequestHeader, Response, VERSION, WireLines,
};
use crate::mux::Lines;

/// A client that does not take its answer within that time is left alone.
const PATIENCE: Duration = Duration::from_secs(20);
/// Nobody waits longer for a change without asking again.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Until the client goes.
pub(super) fn serve(host: &Arc<Host>, mut stream: UnixStream) -> io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    while let Some((header, body)) = wire::receive::<RequestHeader>(&mut stream)? {
        if let (VERSION, Request::Show { pane }) = (header.version, &header.ask)
            && let Ok(pane) = host.pane(*pane)
        {
            return mirror::mirror(&pane, &host.changes, &mut stream);
        }
        let (answer, body) = match answer(host, header, body) {
            Ok(answer) => answer,
            Err(refusal) => (Response::Refused(refusal), vec![]),
        };
        wire::send(&mut stream, &answer, &body)?;
    }
    Ok(())
}

type ResponseResult = Result<(Response, Vec<u8>), Refusal>;

fn answer(host: &Arc<Host>, header: RequestHeader, body: Vec<u8>) -> ResponseResult {
    if header.version != VERSION {
        let message = format!(
            "The pane host speaks version {VERSION}, the client version {}.",
            header.version
        );
        return Err(Refusal::new(RefusalKind::Other, message).hint(
            "Close its panes, or end the process named in host.pid; a new host then starts.",
        ));
    }
    let done = |()| (Response::Done, vec![]);
    match header.ask {
        Request::List => {
            let rows = host.panes().iter().map(|pane| pane.row()).collect();
            Ok((Response::Panes(rows), vec![]))
        }
        Request::Text { pane, lines, colours } => {
            let lines = match lines {
                WireLines::Screen => Lines::Screen,
                WireLines::Tail(count) => Lines::Tail(count),
                WireLines::All => Lines::All,
            };
            let text = host.pane(pane)?.with_terminal(|terminal| terminal.text(lines, colours));
            Ok((Response::Text { more_above: text.more_above }, text.text.into_bytes()))
        }
        Request::Type { pane } => host.pane(pane)?.write(body).map(done),
        Request::Paste { pane } => host.pane(pane)?.paste(&body).map(done),
        Request::State { pane } => {
            let pane = host.pane(pane)?;
            let ended = pane.status().is_some();
            let state = pane.with_terminal(|terminal| Response::State {
                mark: terminal.mark(),
                alt_screen: terminal.screen().alternate_screen(),
                bracketed_paste: terminal.screen().bracketed_paste(),
                ended,
            });
            Ok((state, vec![]))
        }
        Request::Output { pane, mark, max_bytes } => {
            let output = host.pane(pane)?.output(mark, max_bytes.min(MAX_BODY / 2));
            let answer =
                Response::Output { next: output.next, lost: output.lost, more: output.more };
            Ok((answer, output.text.into_bytes()))
        }
        Request::Wait { change, milliseconds } => {
            let patience = Duration::from_millis(milliseconds).min(LONGEST_WAIT);
            Ok((Response::Change(host.changes.wait(change, patience)), vec![]))
        }
        Request::Spawn(spawn) => host.spawn(&spawn).map(|pane| (Response::Spawned(pane), vec![])),
        Request::Close { pane } => host.close(pane).map(done),
        Request::Resize { pane, columns, rows } => {
            host.pane(pane)?.resize((columns, rows))?;
            host.changes.bump();
            Ok(done(()))
        }
        Request::Show { pane } => host.pane(pane).map(|_| done(())),
    }
}
