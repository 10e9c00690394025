//! Redirects, here-documents and here-strings.

use super::lexer::{List, Reader};
use super::script::Redirect;
use super::word::substitutions;

/// A here-document whose body is still to come.
pub(super) struct Heredoc {
    /// Number that its command has or will have.
    pub(super) command: usize,
    end: String,
    strips_tabs: bool,
    expands: bool,
}

impl Reader<'_, '_> {
    /// Reads a redirect and its target.
    pub(super) fn redirect(&mut self, list: &mut List) {
        if self.eat("<<<") {
            self.blanks();
            let word = self.word();
            list.current.inputs.push(word.text);
            list.current.inner.extend(word.inner);
            return;
        }
        if self.eat("<<") {
            let strips_tabs = self.eat("-");
            self.blanks();
            let end = self.word();
            list.heredocs.push(Heredoc {
                command: list.script.commands.len(),
                end: end.text,
                strips_tabs,
                expands: !end.quoted,
            });
            return;
        }
        self.eat("&");
        let mut writes = self.eat("<>");
        if !writes && !self.eat("<") {
            writes = self.eat(">");
            let _ = self.eat(">") || self.eat("|");
        }
        self.eat("&");
        self.blanks();
        let target = self.word();
        list.current.redirects.push(Redirect { writes, target });
    }

    /// Reads the bodies that were announced on the line before.
    pub(super) fn heredoc_bodies(&mut self, list: &mut List) {
        for heredoc in std::mem::take(&mut list.heredocs) {
            let mut body = String::new();
            while self.at < self.text.len() {
                let length = self.rest().find('\n').map_or(self.rest().len(), |end| end + 1);
                let line = &self.text[self.at..self.at + length];
                self.at += length;
                let line = if heredoc.strips_tabs { line.trim_start_matches('\t') } else { line };
                if line.trim_end_matches('\n') == heredoc.end {
                    break;
                }
                body.push_str(line);
            }
            let inner = if heredoc.expands { substitutions(&body, self) } else { Vec::new() };
            if let Some(command) = list.script.commands.get_mut(heredoc.command) {
                command.inputs.push(body);
                command.inner.extend(inner);
            }
        }
    }
}
