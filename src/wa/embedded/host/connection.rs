//! Answers one client.

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use super::{Host, show};
use crate::embedded::wire::{
    self, Answer, Ask, MAX_BODY, Question, Refusal, VERSION, Why, WireLines,
};
use crate::mux::Lines;

/// A client that does not take its answer within that time is left alone.
const PATIENCE: Duration = Duration::from_secs(20);
/// Nobody waits longer for a change without asking again.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Until the client goes.
pub(super) fn serve(host: &Arc<Host>, mut stream: UnixStream) -> io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    while let Some((question, body)) = wire::receive::<Question>(&mut stream)? {
        if let (VERSION, Ask::Show { pane }) = (question.version, &question.ask)
            && let Ok(pane) = host.pane(*pane)
        {
            return show::show(&pane, &host.changes, &mut stream);
        }
        let (answer, body) = match answer(host, question, body) {
            Ok(answer) => answer,
            Err(refusal) => (Answer::Refused(refusal), vec![]),
        };
        wire::send(&mut stream, &answer, &body)?;
    }
    Ok(())
}

type Answered = Result<(Answer, Vec<u8>), Refusal>;

fn answer(host: &Arc<Host>, question: Question, body: Vec<u8>) -> Answered {
    if question.version != VERSION {
        let message = format!(
            "The pane host speaks version {VERSION}, the client version {}.",
            question.version
        );
        return Err(Refusal::new(Why::Trouble, message)
            .hint("Close its panes, or end the process named in host.pid; it starts anew."));
    }
    let done = |()| (Answer::Done, vec![]);
    match question.ask {
        Ask::List => {
            let rows = host.panes().iter().map(|pane| pane.row()).collect();
            Ok((Answer::Panes(rows), vec![]))
        }
        Ask::Text { pane, lines, colours } => {
            let lines = match lines {
                WireLines::Screen => Lines::Screen,
                WireLines::Tail(count) => Lines::Tail(count),
                WireLines::All => Lines::All,
            };
            let text = host.pane(pane)?.look(|terminal| terminal.text(lines, colours));
            Ok((Answer::Text { more_above: text.more_above }, text.text.into_bytes()))
        }
        Ask::Type { pane } => host.pane(pane)?.write(body).map(done),
        Ask::Paste { pane } => host.pane(pane)?.paste(&body).map(done),
        Ask::State { pane } => {
            let pane = host.pane(pane)?;
            let ended = pane.status().is_some();
            let state = pane.look(|terminal| Answer::State {
                mark: terminal.mark(),
                alt_screen: terminal.screen().alternate_screen(),
                bracketed_paste: terminal.screen().bracketed_paste(),
                ended,
            });
            Ok((state, vec![]))
        }
        Ask::Output { pane, mark, max_bytes } => {
            let output = host.pane(pane)?.output(mark, max_bytes.min(MAX_BODY / 2));
            let answer = Answer::Output { next: output.next, lost: output.lost, more: output.more };
            Ok((answer, output.text.into_bytes()))
        }
        Ask::Wait { change, milliseconds } => {
            let patience = Duration::from_millis(milliseconds).min(LONGEST_WAIT);
            Ok((Answer::Change(host.changes.wait(change, patience)), vec![]))
        }
        Ask::Spawn(spawn) => host.spawn(&spawn).map(|pane| (Answer::Spawned(pane), vec![])),
        Ask::Close { pane } => host.close(pane).map(done),
        Ask::Resize { pane, columns, rows } => {
            host.pane(pane)?.resize((columns, rows))?;
            host.changes.bump();
            Ok(done(()))
        }
        Ask::Show { pane } => host.pane(pane).map(|_| done(())),
    }
}
