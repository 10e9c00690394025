//! Words: quotes, escapes and expansions.

use super::lexer::{List, Reader, read};
use super::script::{Script, Word};

impl<'t> Reader<'t, '_> {
    /// Reads one word. Always moves on.
    pub(super) fn word(&mut self) -> Word {
        let mut word = Word::default();
        if self.eat("<(") || self.eat(">(") {
            word.text.push_str("<(…)");
            word.dynamic = true;
            word.quoted = true;
            word.inner.push(self.nested());
        }
        while let Some(next) = self.peek() {
            match next {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
                '\\' => {
                    self.bump();
                    match self.bump() {
                        Some('\n') => continue,
                        Some(escaped) => word.text.push(escaped),
                        None => {}
                    }
                    word.quoted = true;
                }
                '\'' => {
                    self.bump();
                    let end = self.rest().find('\'').unwrap_or(self.rest().len());
                    word.text.push_str(&self.text[self.at..self.at + end]);
                    self.at += end;
                    self.eat("'");
                    word.quoted = true;
                }
                '"' => {
                    self.bump();
                    self.double_quoted(&mut word);
                }
                '$' if self.rest().starts_with("$'") => self.escaped_quotes(&mut word),
                '$' if self.rest().starts_with("$\"") => {
                    self.bump();
                }
                '$' => self.dollar(&mut word),
                '`' => self.backticks(&mut word),
                _ => {
                    word.tilde |= next == '~' && word.text.is_empty() && !word.quoted;
                    word.text.push(next);
                    self.bump();
                }
            }
        }
        word
    }

    fn double_quoted(&mut self, word: &mut Word) {
        word.quoted = true;
        while let Some(next) = self.peek() {
            match next {
                '"' => {
                    self.bump();
                    return;
                }
                '\\' => {
                    self.bump();
                    match self.bump() {
                        Some('\n') | None => {}
                        Some(escaped @ ('$' | '`' | '"' | '\\')) => word.text.push(escaped),
                        Some(other) => word.text.extend(['\\', other]),
                    }
                }
                '$' => self.dollar(word),
                '`' => self.backticks(word),
                _ => {
                    word.text.push(next);
                    self.bump();
                }
            }
        }
    }

    /// `$'…'` with its escapes.
    fn escaped_quotes(&mut self, word: &mut Word) {
        self.at += 2;
        word.quoted = true;
        while let Some(next) = self.bump() {
            match next {
                '\'' => return,
                '\\' => {
                    let Some(letter) = self.bump() else { return };
                    let decoded = match letter {
                        'n' => Some('\n'),
                        't' => Some('\t'),
                        'r' => Some('\r'),
                        'a' | 'b' | 'e' | 'E' | 'f' | 'v' => Some(' '),
                        'x' => self.number(16, 2),
                        'u' => self.number(16, 4),
                        'U' => self.number(16, 8),
                        '0'..='7' => {
                            self.at -= 1;
                            self.number(8, 3)
                        }
                        other => Some(other),
                    };
                    word.text.extend(decoded);
                }
                other => word.text.push(other),
            }
        }
    }

    fn number(&mut self, radix: u32, digits: usize) -> Option<char> {
        let mut value = 0;
        for _ in 0..digits {
            let Some(digit) = self.peek().and_then(|next| next.to_digit(radix)) else { break };
            value = value * radix + digit;
            self.bump();
        }
        char::from_u32(value)
    }

    /// Something that begins with `$`. What stays in the word is how it is written.
    fn dollar(&mut self, word: &mut Word) {
        let start = self.at;
        self.bump();
        if self.rest().starts_with("((") {
            self.bump();
            if let Some(inner) = self.arithmetic() {
                word.inner.extend(inner);
                word.text.push_str("$((…))");
                word.dynamic = true;
                return;
            }
            self.at = start + 1;
        }
        if self.eat("(") {
            word.inner.push(self.nested());
            word.text.push_str("$(…)");
            word.dynamic = true;
        } else if self.eat("{") {
            let inside = self.balanced('{', '}');
            word.text.push_str("${");
            word.text.push_str(inside);
            word.text.push('}');
            word.dynamic = true;
            let inner = substitutions(inside, self);
            word.inner.extend(inner);
        } else {
            let name: usize = self
                .rest()
                .chars()
                .take_while(|next| next.is_alphanumeric() || *next == '_')
                .map(char::len_utf8)
                .sum();
            word.dynamic |= name > 0 || matches!(self.peek(), Some('@' | '*' | '?' | '!' | '-'));
            self.at += name;
            word.text.push_str(&self.text[start..self.at]);
        }
    }

    fn backticks(&mut self, word: &mut Word) {
        self.bump();
        let mut inside = String::new();
        while let Some(next) = self.bump() {
            match next {
                '`' => break,
                '\\' => match self.bump() {
                    Some(escaped @ ('`' | '\\' | '$')) => inside.push(escaped),
                    Some(other) => inside.extend(['\\', other]),
                    None => {}
                },
                other => inside.push(other),
            }
        }
        word.inner.push(read(&inside, self.budget));
        word.text.push_str("`…`");
        word.dynamic = true;
    }

    /// Reads a substitution up to its closing parenthesis.
    fn nested(&mut self) -> Script {
        let mut list = List::default();
        self.list(&mut list, true);
        list.script
    }

    /// At the second of two opening parentheses: the substitutions inside when the two are closed
    /// together, which makes it arithmetic; nothing is read when they are not.
    pub(super) fn arithmetic(&mut self) -> Option<Vec<Script>> {
        let start = self.at;
        self.bump();
        let inside = self.balanced('(', ')');
        if self.eat(")") {
            return Some(substitutions(inside, self));
        }
        self.at = start;
        None
    }

    /// The text up to where a bracket that was just opened is closed; the closing one is taken too.
    fn balanced(&mut self, opening: char, closing: char) -> &'t str {
        let start = self.at;
        let mut end = self.text.len();
        let mut open = 1;
        while let Some(next) = self.bump() {
            if next == '\\' {
                self.bump();
            } else if next == opening {
                open += 1;
            } else if next == closing {
                open -= 1;
                if open == 0 {
                    end = self.at - next.len_utf8();
                    break;
                }
            }
        }
        self.budget.read(self.at - start);
        &self.text[start..end]
    }
}

/// The substitutions in a text that is itself only data, such as a here-document.
pub(super) fn substitutions(text: &str, reader: &mut Reader<'_, '_>) -> Vec<Script> {
    if !text.contains(['`', '$']) || !reader.budget.enter() {
        return Vec::new();
    }
    let mut word = Word::default();
    if reader.budget.read(text.len()) {
        let mut inside = Reader { text, at: 0, budget: reader.budget };
        while let Some(next) = inside.peek() {
            match next {
                '\\' => {
                    inside.bump();
                    inside.bump();
                }
                '$' => inside.dollar(&mut word),
                '`' => inside.backticks(&mut word),
                _ => {
                    inside.bump();
                }
            }
        }
    }
    reader.budget.leave();
    word.inner
}
