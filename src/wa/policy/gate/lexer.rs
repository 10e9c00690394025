//! Parses shell text into simple commands: quotes, escapes, comments, substitutions, lists, pipes,
//! groups and functions. Words are in `word.rs`, redirects and here-documents in `redirect.rs`.
//!
//! Lenient: text that a shell would reject is parsed as well as possible, because the shell in the pane
//! may wait for the rest. It never decides whether something is dangerous.

use super::redirect::Heredoc;
use super::script::{Budget, Script, Simple, Word};

/// Reads all of `text`.
pub(super) fn read(text: &str, budget: &mut Budget) -> Script {
    if !budget.enter() {
        return Script::default();
    }
    let mut list = List::default();
    if budget.read(text.len()) {
        let mut reader = Reader { text, at: 0, budget };
        while reader.peek().is_some() {
            reader.list(&mut list, false);
        }
    }
    budget.leave();
    list.script
}

/// A place in a text.
pub(super) struct Reader<'t, 'b> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    pub(super) budget: &'b mut Budget,
}

/// A script while it is read.
#[derive(Default)]
pub(super) struct List {
    pub(super) script: Script,
    /// The command that is being read.
    pub(super) current: Simple,
    /// Here-documents whose bodies come after this line.
    pub(super) heredocs: Vec<Heredoc>,
    /// First command of the pipeline that is being read.
    pipeline: usize,
    /// The next command reads from a pipe.
    piped: bool,
    /// The command before was the end of a group, so all of the group is the pipe's source.
    group: bool,
    function: Option<String>,
}

impl<'t> Reader<'t, '_> {
    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let there = self.rest().starts_with(text);
        if there {
            self.at += text.len();
        }
        there
    }

    /// Gives up on the rest of the text.
    pub(super) fn stop(&mut self) {
        self.at = self.text.len();
    }

    pub(super) fn blanks(&mut self) {
        while self.eat(" ") || self.eat("\t") || self.eat("\\\n") {}
    }

    /// Reads commands up to the closing parenthesis, or to the end.
    pub(super) fn list(&mut self, list: &mut List, in_parentheses: bool) {
        if !self.budget.enter() {
            self.stop();
            return;
        }
        self.commands(list, in_parentheses);
        list.finish(self.budget);
        self.budget.leave();
    }

    fn commands(&mut self, list: &mut List, in_parentheses: bool) {
        loop {
            self.blanks();
            let Some(next) = self.peek() else { return };
            match next {
                '\n' => {
                    self.bump();
                    list.end_of_line(self.budget);
                    self.heredoc_bodies(list);
                }
                '#' => {
                    self.at += self.rest().find('\n').unwrap_or(self.rest().len());
                }
                ';' => {
                    self.bump();
                    list.end(self.budget);
                }
                '&' if self.rest().starts_with("&>") => self.redirect(list),
                '&' => {
                    self.bump();
                    list.current.background = !self.eat("&");
                    list.end(self.budget);
                }
                '|' => {
                    self.bump();
                    if self.eat("|") {
                        list.end(self.budget);
                    } else {
                        self.eat("&");
                        list.pipe(self.budget);
                    }
                }
                ')' => {
                    self.bump();
                    if in_parentheses {
                        return;
                    }
                    list.end(self.budget);
                }
                '(' => self.parenthesis(list),
                '<' | '>' if !self.process_substitution() => self.redirect(list),
                _ => self.command_word(list),
            }
            if self.budget.spent {
                self.stop();
                return;
            }
        }
    }

    fn process_substitution(&self) -> bool {
        self.rest().starts_with("<(") || self.rest().starts_with(">(")
    }

    fn command_word(&mut self, list: &mut List) {
        let word = self.word();
        // The number of a redirect: `2>file`.
        let number = !word.quoted && word.text.bytes().all(|byte| byte.is_ascii_digit());
        if number && matches!(self.peek(), Some('<' | '>')) && !self.process_substitution() {
            return;
        }
        list.current.words.push(word);
    }

    /// A function's `()`, arithmetic, or a group.
    fn parenthesis(&mut self, list: &mut List) {
        self.bump();
        if !list.current.words.is_empty() && self.rest().trim_start().starts_with(')') {
            self.blanks();
            self.eat(")");
            list.function = list.current.words.pop().map(|name| name.text);
            list.current = Simple::default();
            while matches!(self.peek(), Some(' ' | '\t' | '\n')) {
                self.bump();
            }
            self.eat("{");
            return;
        }
        if self.rest().starts_with('(')
            && let Some(inner) = self.arithmetic()
        {
            list.current.inner.extend(inner);
            return;
        }
        // An array's words are data; `(` was just read.
        let array = self.text[..self.at].ends_with("=(");
        if array && list.current.words.last().is_some_and(|word| word.text.ends_with('=')) {
            let mut words = List::default();
            self.list(&mut words, true);
            for command in words.script.commands {
                let all = command.words.into_iter().chain(command.assignments);
                list.current.inner.extend(all.flat_map(|word| word.inner).chain(command.inner));
            }
            return;
        }
        list.finish_before_group(self.budget);
        self.list(list, true);
        list.group = true;
        list.piped = false;
        list.function = None;
    }
}

impl List {
    /// Completes the command that is being read.
    fn finish(&mut self, budget: &mut Budget) {
        let mut command = std::mem::take(&mut self.current);
        self.keywords(&mut command);
        let leading = command.words.iter().take_while(|word| is_assignment(word)).count();
        command.assignments = command.words.drain(..leading).collect();
        let nothing = command.words.is_empty()
            && command.assignments.is_empty()
            && command.redirects.is_empty()
            && command.inner.is_empty()
            && !self.heredocs.iter().any(|heredoc| heredoc.command == self.script.commands.len());
        if nothing || !budget.command() {
            return;
        }
        let next = self.script.commands.len();
        if self.piped {
            command.fed_by = Some(self.pipeline..next);
        }
        command.function.clone_from(&self.function);
        self.script.commands.push(command);
    }

    /// Text before `(` is unexpected; it is kept as a command of its own. The pipe stays open, since
    /// the group reads from it.
    fn finish_before_group(&mut self, budget: &mut Budget) {
        if !self.current.words.is_empty() {
            self.finish(budget);
        }
    }

    fn end(&mut self, budget: &mut Budget) {
        self.finish(budget);
        self.pipeline = self.script.commands.len();
        self.piped = false;
        self.group = false;
    }

    /// A line's end ends the command, but not a pipe that waits for its reader.
    fn end_of_line(&mut self, budget: &mut Budget) {
        let waits = self.piped && self.current.words.is_empty();
        if waits {
            self.finish(budget);
        } else {
            self.end(budget);
        }
    }

    fn pipe(&mut self, budget: &mut Budget) {
        self.finish(budget);
        if self.group {
            self.pipeline = 0;
            self.group = false;
        }
        self.piped = true;
    }

    /// Takes the shell's own words off the front.
    fn keywords(&mut self, command: &mut Simple) {
        let mut taken = 0;
        while let Some(word) = command.words.get(taken).filter(|word| !word.quoted) {
            match word.text.as_str() {
                "if" | "then" | "else" | "elif" | "while" | "until" | "do" | "{" | "!"
                | "coproc" => {}
                "fi" | "done" | "esac" => self.group = true,
                "}" => {
                    self.group = true;
                    self.function = None;
                }
                "function" if command.words.len() > taken + 1 => {
                    taken += 1;
                    self.function = Some(command.words[taken].text.clone());
                }
                // What follows is data; only substitutions in it run.
                "for" | "select" | "case" => {
                    let words = std::mem::take(&mut command.words);
                    command.inner.extend(words.into_iter().flat_map(|word| word.inner));
                    return;
                }
                _ => break,
            }
            taken += 1;
        }
        command.words.drain(..taken);
    }
}

/// `NAME=value`, with nothing quoted before the `=`.
fn is_assignment(word: &Word) -> bool {
    word.text.split_once('=').is_some_and(|(name, _)| {
        let name = name.strip_suffix('+').unwrap_or(name);
        let head =
            name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        head && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}
