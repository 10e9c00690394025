//! Mirrors a pane in a client's terminal: computes what to print so that it looks the same.
//!
//! The screen is compared with what the client has, so a slow client skips frames and never blocks
//! the pane.

use std::io::{self, Write};
use std::time::Duration;

use super::Changes;
use super::pane::Pane;
use crate::embedded::wire::{self, Response};

/// No more than about sixty frames a second.
const FRAME: Duration = Duration::from_millis(16);
/// A client that disconnected while nothing happened is noticed by then.
const HEARTBEAT: Duration = Duration::from_secs(5);

pub(super) fn mirror(pane: &Pane, changes: &Changes, to: &mut impl Write) -> io::Result<()> {
    let mut shown: Option<vt100::Screen> = None;
    let mut change = 0;
    loop {
        // Asked before the screen is read, so that nothing in between goes unseen.
        let ended = pane.status();
        let screen = pane.with_terminal(|terminal| terminal.screen().clone());
        let frame = match &shown {
            Some(shown) if shown.size() == screen.size() => screen.state_diff(shown),
            _ => screen.state_formatted(),
        };
        let quiet = frame.is_empty() && change != 0;
        if !quiet {
            wire::send(to, &Response::Frame, frame.as_bytes())?;
        }
        if let Some(status) = ended {
            return wire::send(to, &Response::Ended(status), b"");
        }
        shown = Some(screen);
        std::thread::sleep(FRAME);
        let now = changes.wait(change, HEARTBEAT);
        if now == change {
            wire::send(to, &Response::Frame, b"")?;
        }
        change = now;
    }
}
