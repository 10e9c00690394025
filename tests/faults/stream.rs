//! A stream of numbered writes into one surface's store, and the account of them: which were
//! acknowledged, which nobody knows about. The store must agree at any time. Knows no surface and no
//! fault.

use std::collections::BTreeSet;
use std::process::Stdio;

use crate::machine::MachineKind;
use crate::session::{Call, Outcome, Refusal, Session};
use crate::surfaces::{Column, Surface};

/// A write that was sent and not answered yet.
pub(crate) struct Begun {
    number: usize,
    call: Call,
    pub(crate) id: u64,
}

pub(crate) struct Stream {
    pub(crate) surface: Box<dyn Surface>,
    session: Option<Session>,
    next: usize,
    acknowledged: BTreeSet<usize>,
    doubtful: BTreeSet<usize>,
}

impl Stream {
    /// Of a running server. None where the column's store or the ground cannot be had here.
    pub(crate) fn open(column: Column, kind: MachineKind) -> Option<Self> {
        let surface = column.open(kind)?;
        let (acknowledged, doubtful) = (BTreeSet::new(), BTreeSet::new());
        let mut stream = Self { surface, session: None, next: 0, acknowledged, doubtful };
        stream.start();
        Some(stream)
    }

    /// Starts the server, which must start.
    pub(crate) fn start(&mut self) {
        let session = self.try_start();
        self.session = Some(session.unwrap_or_else(|words| panic!("it does not start: {words}")));
        self.surface.started(self.next);
    }

    /// Another server in the place of the first, with this standard error.
    pub(crate) fn restart_logging_to(&mut self, stderr: impl Into<Stdio>) {
        self.session = None;
        let mut command = self.surface.machine().command(&self.surface.command());
        command.stderr(stderr);
        let session = Session::start(self.surface.contract(), command);
        self.session = Some(session.expect("it starts"));
        self.surface.started(self.next);
    }

    /// One more server; what it says where it does not start.
    pub(crate) fn try_start(&self) -> Result<Session, String> {
        let command = || self.surface.machine().command(&self.surface.command());
        Session::start(self.surface.contract(), command()).map_err(|_| {
            let output = command().stdin(Stdio::null()).stderr(Stdio::piped()).output();
            let output = output.expect("it can be run");
            assert!(!output.status.success() && output.stdout.is_empty(), "{output:?}");
            let words = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!words.is_empty() && !words.contains("panicked"), "{words}");
            words
        })
    }

    pub(crate) fn session(&mut self) -> &mut Session {
        self.session.as_mut().expect("the server runs")
    }

    /// The call of the next write, which some surfaces review first.
    pub(crate) fn prepare(&mut self) -> Result<Call, Refusal> {
        let session = self.session.as_mut().expect("the server runs");
        self.surface.write(session, self.next)
    }

    /// Sends what was prepared and does not wait.
    pub(crate) fn begin(&mut self, call: Call) -> Begun {
        let id = self.session().begin_call(&call);
        let number = self.next;
        self.next += 1;
        Begun { number, call, id }
    }

    /// Waits for the answer to a write.
    pub(crate) fn wait(&mut self, begun: Begun) -> Result<(), Refusal> {
        let response = self.session().wait(begun.id);
        let outcome = self.session().judge(&begun.call, response);
        self.account(begun.number, outcome)
    }

    fn account(&mut self, number: usize, outcome: Outcome) -> Result<(), Refusal> {
        match outcome {
            Ok(_) => {
                self.acknowledged.insert(number);
                Ok(())
            }
            Err(refusal) => {
                match refusal.in_doubt {
                    true => drop(self.doubtful.insert(number)),
                    // It is tried again.
                    false => self.next = number,
                }
                Err(refusal)
            }
        }
    }

    /// A write that nobody waits for any more.
    pub(crate) fn give_up(&mut self, begun: &Begun) {
        self.doubtful.insert(begun.number);
    }

    /// Whether there are such writes.
    pub(crate) fn has_doubts(&self) -> bool {
        !self.doubtful.is_empty()
    }

    /// One write to its end.
    pub(crate) fn write(&mut self) -> Result<(), Refusal> {
        let call = self.prepare()?;
        let begun = self.begin(call);
        self.wait(begun)
    }

    /// So many writes, which must go well.
    pub(crate) fn writes(&mut self, count: usize) {
        for _ in 0..count {
            self.write().unwrap_or_else(|refusal| panic!("write {}: {refusal:?}", self.next));
        }
    }

    /// Writes until one is refused: what had room already may still go through.
    pub(crate) fn until_refused(&mut self) -> Refusal {
        for _ in 0..self.surface.room() {
            if let Err(refusal) = self.write() {
                return refusal;
            }
        }
        panic!("nothing was ever refused");
    }

    /// A write to a store that cannot be written to any more: it is refused, or what the server has
    /// open is still good and only a newcomer is refused. In words.
    pub(crate) fn refused_or_open(&mut self) -> String {
        if let Err(refusal) = self.write() {
            return format!("`{}`, goes on afterwards", refusal.code);
        }
        let newcomer = match self.try_start() {
            Err(_) => "does not start and says why".to_owned(),
            Ok(mut session) => match session.call(&self.surface.read()) {
                Err(refusal) => format!("answers `{}`", refusal.code),
                Ok(_) => {
                    let write = self.surface.write(&mut session, self.next);
                    let refusal = write.and_then(|call| session.call(&call)).expect_err("no write");
                    format!("reads, and answers `{}` to writes", refusal.code)
                }
            },
        };
        format!("goes on with the files it has open; a new server {newcomer}")
    }

    /// A call that only reads.
    pub(crate) fn read(&mut self) -> Outcome {
        let call = self.surface.read();
        self.session().call(&call)
    }

    /// kill -9 of the server while a write is under way.
    pub(crate) fn kill(&mut self, begun: Begun) {
        let session = self.session.take().expect("the server runs");
        let said = session.kill();
        match said.get(&begun.id) {
            Some(response) if response["result"]["isError"] == false => {
                self.acknowledged.insert(begun.number);
            }
            Some(response) => panic!("the last write was refused: {response}"),
            None => self.give_up(&begun),
        }
    }

    /// Every acknowledged write is in the store once, whole, and nothing else is, but for those in
    /// doubt, whole or not at all.
    pub(crate) fn check(&self) {
        let stored = self.surface.stored();
        let once: BTreeSet<usize> = stored.iter().copied().collect();
        assert_eq!(once.len(), stored.len(), "a write is there twice: {stored:?}");
        let lost: Vec<_> = self.acknowledged.difference(&once).collect();
        assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
        let possible: BTreeSet<usize> = self.acknowledged.union(&self.doubtful).copied().collect();
        let unknown: Vec<_> = once.difference(&possible).collect();
        assert!(unknown.is_empty(), "refused and there: {unknown:?}");
    }

    /// The same server goes on for good, also with what it does by itself.
    pub(crate) fn recovers(&mut self) {
        self.goes_on();
        self.surface.recovered();
    }

    /// The same server goes on: it writes, reads, and the store agrees.
    pub(crate) fn goes_on(&mut self) {
        self.writes(3);
        self.read().unwrap_or_else(|refusal| panic!("{refusal:?}"));
        self.check();
        let strays = self.surface.strays();
        assert!(strays.is_empty(), "{strays:?}");
    }
}
