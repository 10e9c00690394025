//! Databases for tests: a server that a shell script keeps, and free ports for it. Knows no database.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::ops::Range;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A process that obeys orders, one line each, and answers with a line. The end of its input is its
/// end, and so that of what it keeps: nothing stays when the test process is killed.
#[derive(Debug)]
pub struct Keeper {
    process: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Keeper {
    /// Runs a script behind the words of another command, such as `nsenter`. The words after it are
    /// its arguments; `prepare` may add more, and variables.
    pub fn start(prefix: &[&str], script: &str, prepare: impl FnOnce(&mut Command)) -> Self {
        let words = [prefix, &["sh", "-c", script, "keeper"]].concat();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
        prepare(&mut command);
        let mut process = command.spawn().expect("a shell starts");
        let orders = process.stdin.take();
        let answers = BufReader::new(process.stdout.take().expect("an output"));
        Self { process, orders, answers }
    }

    /// Gives an order; the answer.
    pub fn order(&mut self, order: &str) -> String {
        writeln!(self.orders.as_mut().expect("an input"), "{order}").expect("the keeper listens");
        self.answer()
    }

    /// The next line.
    pub fn answer(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the keeper answers");
        line.trim_end().to_owned()
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.orders = None;
        let _ = self.process.wait();
    }
}

/// A free port among these. Those that the system gives to nobody by itself stay free until the
/// server listens there, and while it is away; the ports of several suites must differ.
pub fn free_port(among: Range<u16>) -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let next = std::process::id().wrapping_mul(7) + NEXT.fetch_add(1, Ordering::Relaxed);
        let port = among.start + (next % u32::from(among.end - among.start)) as u16;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_answered_until_the_input_ends() {
        let folder = tempfile::tempdir().unwrap();
        let left = folder.path().join("left");
        let script = "while read -r order; do echo \"$1 $order\"; done; touch \"$2\"";
        let mut keeper = Keeper::start(&["env"], script, |command| {
            command.arg("done:").arg(&left);
        });
        assert_eq!(keeper.order("start"), "done: start");
        assert_eq!(keeper.order("stop"), "done: stop");
        drop(keeper);
        assert!(left.exists(), "it has cleaned up");
    }

    #[test]
    fn a_port_that_is_taken_is_not_given() {
        let held = TcpListener::bind("127.0.0.1:0").unwrap();
        let taken = held.local_addr().unwrap().port();
        for _ in 0..100 {
            assert_ne!(free_port(taken..taken.saturating_add(50)), taken);
        }
    }
}
