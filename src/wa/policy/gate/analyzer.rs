//! Walks through a script: finds the command behind wrappers, shells and substitutions, and passes
//! each to the families.

use std::borrow::Cow;

use toolwright_runtime::hidden::{is_hidden, is_joiner};

use super::script::{Budget, Script, Simple, Word};
use super::wrappers::{behind, core, name};
use super::{Report, families, finding, lexer, paths};

/// Judges a whole text: as the terminal gets it, and as the user or an agent reads it.
pub(super) fn analyze(text: &str, cwd: Option<&str>) -> Report {
    let typed = &*as_typed(text);
    let mut report = judged(typed, cwd);
    let read = as_read(typed);
    if read != typed {
        let other = judged(&read, cwd);
        report.sudo |= other.sudo;
        report.pipes |= other.pipes;
        for finding in other.findings {
            if report.findings.iter().all(|known| known.rule != finding.rule) {
                report.findings.push(finding);
            }
        }
    }
    report
}

fn judged(text: &str, cwd: Option<&str>) -> Report {
    let mut budget = Budget::default();
    let mut analyzer = Analyzer { budget: &mut budget, report: Report::default() };
    analyzer.text(text, cwd);
    let mut report = analyzer.report;
    if budget.spent {
        report.findings.push(finding("command.too_complex", text));
    }
    report
}

/// What a terminal makes of a text: a carriage return is Enter, a backspace takes away a character of
/// the line, and other control keys end or discard the line, so what follows starts a new one.
fn as_typed(text: &str) -> Cow<'_, str> {
    let plain = |next: char| !next.is_control() || matches!(next, '\n' | '\t');
    if text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    let mut typed = String::with_capacity(text.len());
    for next in text.replace("\r\n", "\n").chars() {
        match next {
            // Text before Enter has already run.
            '\u{8}' | '\u{7f}' if typed.ends_with('\n') => {}
            '\u{8}' | '\u{7f}' => drop(typed.pop()),
            next if plain(next) => typed.push(next),
            _ => typed.push('\n'),
        }
    }
    Cow::Owned(typed)
}

/// What a reader makes of a text: characters that nobody sees are not there, wide letters and blanks
/// are plain ones.
pub(in crate::policy) fn as_read(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let seen = text.chars().filter_map(|next| match next {
        '\n' | '\t' => Some(next),
        '\u{2028}' | '\u{2029}' => Some('\n'),
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(next) - 0xfee0),
        _ if is_hidden(next) || is_joiner(next) => None,
        _ if next.is_whitespace() => Some(' '),
        _ => Some(next),
    });
    Cow::Owned(seen.collect())
}

struct Analyzer<'b> {
    budget: &'b mut Budget,
    report: Report,
}

/// What a command reads on its standard input, as far as the text shows.
#[derive(Default)]
struct Input {
    /// Texts that are there word for word.
    texts: Vec<String>,
    /// It comes from the network, or is decoded.
    foreign: bool,
}

const SHELLS: &[&str] =
    &["sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "rbash", "csh", "tcsh"];
const INTERPRETERS: &[&str] = &["python", "python3", "perl", "ruby", "node", "php", "osascript"];
const FOREIGN: &[&str] = &[
    "curl", "wget", "fetch", "aria2c", "http", "https", "xh", "nc", "ncat", "base64", "base32",
    "xxd", "uudecode", "openssl", "gpg",
];

impl Analyzer<'_> {
    fn text(&mut self, text: &str, cwd: Option<&str>) {
        if !self.budget.enter() {
            return;
        }
        let script = lexer::read(text, self.budget);
        self.script(&script, cwd);
        self.budget.leave();
    }

    fn script(&mut self, script: &Script, cwd: Option<&str>) {
        let mut cwd = cwd.map(str::to_owned);
        for command in &script.commands {
            let words = command.words.iter().chain(&command.assignments);
            let words = words.chain(command.redirects.iter().map(|redirect| &redirect.target));
            for inner in words.flat_map(|word| &word.inner).chain(&command.inner) {
                self.script(inner, cwd.as_deref());
            }
            self.report.pipes |= command.fed_by.is_some();
            let written = command.redirects.iter().filter(|redirect| redirect.writes);
            if written.into_iter().any(|redirect| paths::is_disk(&redirect.target)) {
                self.found("command.disk_overwrite", &command.words);
            }
            let input = input(command, script, self.budget);
            self.command(&command.words, &input, cwd.as_deref());
            if let Some(folder) = changed_folder(&command.words, cwd.as_deref()) {
                cwd = folder;
            }
        }
        if let Some(name) = families::fork_bomb(script) {
            self.report.findings.push(finding("command.fork_bomb", &format!("{name}() {{ … }}")));
        }
    }

    fn found(&mut self, rule: &'static str, words: &[Word]) {
        let what = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        self.report.findings.push(finding(rule, &what));
    }

    /// Judges one command: itself, and what it runs.
    fn command(&mut self, words: &[Word], input: &Input, cwd: Option<&str>) {
        if let Some((first, rest)) = words.split_first()
            && self.budget.enter()
        {
            self.program(words, first, rest, input, cwd);
            self.budget.leave();
        }
    }

    fn program(
        &mut self,
        words: &[Word],
        first: &Word,
        rest: &[Word],
        input: &Input,
        cwd: Option<&str>,
    ) {
        let program = name(first);
        if let Some(inner) = behind(words) {
            self.report.sudo |= matches!(program, "sudo" | "doas" | "run0");
            return self.wrapped(program, words, inner, input, cwd);
        }
        if SHELLS.contains(&program) {
            return self.shell(words, rest, input, cwd);
        }
        if input.foreign && INTERPRETERS.contains(&program) && reads_input(rest) {
            self.found("command.pipe_to_shell", words);
        }
        match program {
            "eval" => {
                if downloads(rest) {
                    self.found("command.pipe_to_shell", words);
                }
                self.text(&joined(rest), cwd);
            }
            "source" | "." => self.sourced(words, rest, input, cwd),
            "trap" => {
                let mut operands = rest.iter().filter(|word| !word.text.starts_with('-'));
                if let Some(command) = operands.next() {
                    self.text(&command.text, cwd);
                }
            }
            "su" | "runuser" | "script" => {
                self.report.sudo |= program != "script";
                let flags = ["-c", "--command"];
                let at = rest.iter().position(|word| flags.contains(&word.text.as_str()));
                if let Some(command) = at.and_then(|at| rest.get(at + 1)) {
                    self.text(&command.text, cwd);
                }
            }
            "find" | "fd" | "fdfind" => self.find(rest, cwd),
            // Keys for another pane.
            "tmux" if rest.iter().any(|word| matches!(&*word.text, "send-keys" | "send")) => {
                for word in rest {
                    self.text(&word.text, cwd);
                }
            }
            _ => {}
        }
        if let Some(rule) = families::classify(first, rest, &input.texts, cwd) {
            self.found(rule, words);
        }
    }

    fn wrapped(
        &mut self,
        program: &str,
        words: &[Word],
        inner: &[Word],
        input: &Input,
        cwd: Option<&str>,
    ) {
        match program {
            // The other side's shell reads the words as one text.
            "ssh" if inner.is_empty() => self.texts(&input.texts, None),
            "ssh" => self.text(&joined(inner), None),
            "watch" => self.text(&joined(inner), cwd),
            // `env -S 'rm x'` splits its value; `flock file -c 'rm x'` runs it in a shell.
            "env" | "flock" => {
                let flags = ["-S", "--split-string", "-c", "--command"];
                for pair in words.windows(2) {
                    if flags.contains(&pair[0].text.as_str()) {
                        self.text(&pair[1].text, cwd);
                    }
                }
                self.command(inner, input, cwd);
            }
            // It adds what it reads as arguments.
            "xargs" | "gxargs" | "parallel" => {
                let mut words = inner.to_vec();
                let texts = input.texts.iter().flat_map(|text| text.split_whitespace());
                words.extend(texts.map(|text| Word { text: text.to_owned(), ..Word::default() }));
                self.budget.read(words.len());
                self.command(&words, &Input { texts: Vec::new(), foreign: false }, cwd);
            }
            // `sudo -i` and `sudo -s` without a command are a shell.
            _ if inner.is_empty() => self.texts(&input.texts, cwd),
            _ => self.command(inner, input, cwd),
        }
    }

    fn texts(&mut self, texts: &[String], cwd: Option<&str>) {
        for text in texts {
            self.text(text, cwd);
        }
    }

    fn shell(&mut self, words: &[Word], rest: &[Word], input: &Input, cwd: Option<&str>) {
        let (mut command, mut operand, mut from_input) = (false, None, false);
        let mut options = rest.iter();
        while let Some(word) = options.next() {
            match word.text.as_str() {
                "-o" | "+o" | "-O" | "+O" | "--rcfile" | "--init-file" => drop(options.next()),
                text if text.starts_with("--") && text.len() > 2 => {}
                text if text.len() > 1 && text.starts_with(['-', '+']) && text != "--" => {
                    command |= text.contains('c');
                    from_input |= text.contains('s');
                }
                "-" | "--" => {}
                _ => {
                    operand = Some(word);
                    break;
                }
            }
        }
        match operand {
            Some(word) if command => {
                if downloads(std::slice::from_ref(word)) {
                    self.found("command.pipe_to_shell", words);
                }
                self.text(&word.text, cwd);
            }
            Some(word) if !from_input && word.text != "/dev/stdin" => {
                if downloads(std::slice::from_ref(word)) {
                    self.found("command.pipe_to_shell", words);
                }
            }
            _ => {
                if input.foreign {
                    self.found("command.pipe_to_shell", words);
                }
                self.texts(&input.texts, cwd);
            }
        }
    }

    fn sourced(&mut self, words: &[Word], rest: &[Word], input: &Input, cwd: Option<&str>) {
        let from_input = rest.first().is_some_and(|word| word.text == "/dev/stdin");
        if downloads(rest) || (from_input && input.foreign) {
            self.found("command.pipe_to_shell", words);
        }
        if from_input {
            self.texts(&input.texts, cwd);
        }
    }

    /// `find … -exec command {} ;`
    fn find(&mut self, rest: &[Word], cwd: Option<&str>) {
        let runs = |word: &Word| {
            matches!(&*word.text, "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X")
        };
        let mut words = rest;
        while let Some(at) = words.iter().position(runs) {
            words = &words[at + 1..];
            let ends = |word: &Word| matches!(&*word.text, ";" | "+");
            let end = words.iter().position(ends).unwrap_or(words.len());
            self.command(&words[..end], &Input::default(), cwd);
            words = &words[end..];
        }
    }
}

fn joined(words: &[Word]) -> String {
    words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// An interpreter without a script of its own.
fn reads_input(rest: &[Word]) -> bool {
    rest.iter().all(|word| word.text.starts_with('-') && !matches!(&*word.text, "-c" | "-e" | "-m"))
}

/// A substitution in these words fetches something.
fn downloads(words: &[Word]) -> bool {
    let mut commands = words.iter().flat_map(|word| &word.inner).flat_map(|inner| &inner.commands);
    commands.any(is_foreign)
}

fn is_foreign(command: &Simple) -> bool {
    core(&command.words).first().is_some_and(|first| FOREIGN.contains(&name(first)))
}

fn input(command: &Simple, script: &Script, budget: &mut Budget) -> Input {
    let mut input = Input { texts: command.inputs.clone(), foreign: false };
    // `sh < <(curl …)`
    let read = command.redirects.iter().filter(|redirect| !redirect.writes);
    input.foreign |=
        read.into_iter().any(|redirect| downloads(std::slice::from_ref(&redirect.target)));
    let Some(sources) = command.fed_by.clone() else { return input };
    for source in script.commands.get(sources).unwrap_or_default() {
        input.foreign |= is_foreign(source);
        let words = core(&source.words);
        if !budget.read(words.iter().map(|word| word.text.len()).sum()) {
            break;
        }
        match words.first().map(name) {
            Some("echo" | "printf" | "print") => {
                let words = words[1..].iter().filter(|word| !word.text.starts_with('-'));
                let text = words.map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
                input.texts.push(text.replace("\\n", "\n"));
            }
            Some("cat" | "tee") => input.texts.extend(source.inputs.iter().cloned()),
            _ => {}
        }
    }
    input
}

/// Where the shell is afterwards, when the command changes that; the inside is none when it cannot
/// be told.
fn changed_folder(words: &[Word], cwd: Option<&str>) -> Option<Option<String>> {
    let (first, rest) = words.split_first()?;
    if !matches!(&*first.text, "cd" | "pushd") {
        return None;
    }
    let target = rest.iter().find(|word| !word.text.starts_with('-') || word.text == "-");
    Some(match target {
        None => Some("/home/~".to_owned()),
        Some(word) if word.text == "-" => None,
        Some(word) => paths::folder(word, cwd),
    })
}
