//! The parsed form of shell text, flattened: simple commands in written order, each with its inputs.
//! Does not judge them.

use std::ops::Range;

/// A word after quote removal. Expansions stay as they are written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Word {
    /// The text.
    pub(super) text: String,
    /// Something in it was quoted or escaped, so it is no keyword.
    pub(super) quoted: bool,
    /// It begins with a tilde that the shell expands.
    pub(super) tilde: bool,
    /// It has an expansion; what it becomes is not known.
    pub(super) dynamic: bool,
    /// The command and process substitutions in it.
    pub(super) inner: Vec<Script>,
}

/// Where output goes, or input comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Redirect {
    /// It is written to.
    pub(super) writes: bool,
    /// The file.
    pub(super) target: Word,
}

/// One simple command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Simple {
    /// Program and arguments; empty for a lone assignment or redirect.
    pub(super) words: Vec<Word>,
    /// `NAME=value` before the program.
    pub(super) assignments: Vec<Word>,
    /// Its redirects.
    pub(super) redirects: Vec<Redirect>,
    /// Texts that it reads on standard input: here-documents and here-strings.
    pub(super) inputs: Vec<String>,
    /// Substitutions in its here-documents, and in words that are only data.
    pub(super) inner: Vec<Script>,
    /// The commands before it whose output it reads through a pipe.
    pub(super) fed_by: Option<Range<usize>>,
    /// The function whose body contains it.
    pub(super) function: Option<String>,
    /// It runs in the background.
    pub(super) background: bool,
}

/// A list of commands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Script {
    /// In the order they are written.
    pub(super) commands: Vec<Simple>,
}

/// How much work a text may cause. What is beyond it was not checked.
#[derive(Debug)]
pub(super) struct Budget {
    bytes: usize,
    commands: usize,
    depth: usize,
    /// Something was not checked.
    pub(super) spent: bool,
}

impl Default for Budget {
    fn default() -> Self {
        Self { bytes: 16 << 20, commands: 5000, depth: 32, spent: false }
    }
}

impl Budget {
    /// Takes bytes to read; false when there are not so many left.
    pub(super) fn read(&mut self, bytes: usize) -> bool {
        self.take(|budget| &mut budget.bytes, bytes)
    }

    /// Takes one command.
    pub(super) fn command(&mut self) -> bool {
        self.take(|budget| &mut budget.commands, 1)
    }

    /// Goes one level down; call [`Self::leave`] afterwards when this is true.
    pub(super) fn enter(&mut self) -> bool {
        self.take(|budget| &mut budget.depth, 1)
    }

    /// Comes back up.
    pub(super) fn leave(&mut self) {
        self.depth += 1;
    }

    fn take(&mut self, which: fn(&mut Self) -> &mut usize, amount: usize) -> bool {
        match which(self).checked_sub(amount) {
            Some(left) => *which(self) = left,
            None => self.spent = true,
        }
        !self.spent
    }
}
