//! The families of dangerous commands, each tested on one command without its wrappers.

use super::paths::{PathKind, is_disk, path_kind};
use super::script::{Script, Word};
use super::wrappers::name;

/// The rule that a command falls under. `texts` is what it reads on standard input, word for word.
pub(super) fn classify(
    program: &Word,
    rest: &[Word],
    texts: &[String],
    cwd: Option<&str>,
) -> Option<&'static str> {
    let called = name(program);
    match called {
        "rm" => remove(rest, cwd),
        "find" | "fd" | "fdfind" => has(rest, &["-delete"]).then_some("command.find_delete"),
        "git" => git(rest),
        "dd" => {
            let onto = |word: &Word| word.text.strip_prefix("of=").map(str::to_owned);
            let mut files = rest.iter().filter_map(onto);
            files
                .any(|text| is_disk(&Word { text, ..Word::default() }))
                .then_some("command.disk_overwrite")
        }
        "tee" | "cp" | "mv" | "shred" | "truncate" if rest.iter().any(is_disk) => {
            Some("command.disk_overwrite")
        }
        "wipefs" | "blkdiscard" | "mkswap" | "sgdisk" | "sfdisk" | "newfs" => {
            Some("command.disk_format")
        }
        "fdisk" | "parted" if !has(rest, &["-l", "--list"]) => Some("command.disk_format"),
        "diskutil" if rest.first().is_some_and(|word| word.text.starts_with("erase")) => {
            Some("command.disk_format")
        }
        _ if called == "mkfs" || called.starts_with("mkfs.") => Some("command.disk_format"),
        "kill" => kill(rest).then_some("command.kill_all"),
        "killall" | "killall5" | "skill" | "slay" => Some("command.kill_all"),
        "pkill" if has(rest, &["-u", "-U", "--euid", "--uid", ".", ".*", ""]) => {
            Some("command.kill_all")
        }
        "chmod" | "chown" | "chgrp" => permissions(rest, cwd),
        "shutdown" | "reboot" | "poweroff" | "halt" => Some("command.shutdown"),
        "init" | "telinit" => has(rest, &["0", "6"]).then_some("command.shutdown"),
        "systemctl" | "loginctl" => {
            has(rest, &["poweroff", "reboot", "halt", "kexec", "suspend", "hibernate"])
                .then_some("command.shutdown")
        }
        "wa" => approves(rest).then_some("command.self_approval"),
        "toolwright" => {
            let after = rest.iter().position(|word| word.text == "wa")?;
            approves(&rest[after + 1..]).then_some("command.self_approval")
        }
        "dropdb" => Some("command.sql_drop"),
        "psql" | "mysql" | "mariadb" | "sqlite3" | "sqlite" | "sqlcmd" | "clickhouse-client"
        | "duckdb" | "cqlsh" | "bq" | "usql" => {
            let words = rest.iter().map(|word| word.text.as_str());
            words.chain(texts.iter().map(String::as_str)).find_map(sql)
        }
        // A statement typed at a database's own prompt.
        _ if called.eq_ignore_ascii_case("drop") || called.eq_ignore_ascii_case("truncate") => {
            let words = std::iter::once(program).chain(rest);
            sql(&words.map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "))
        }
        // The program is not known before it runs, but its arguments are those of `rm`.
        _ if program.dynamic => remove(rest, cwd),
        _ => None,
    }
}

fn has(words: &[Word], options: &[&str]) -> bool {
    words.iter().any(|word| options.contains(&word.text.as_str()))
}

/// Whether an option is given: in a group of letters, or by its long name, which may be cut short to
/// `least` letters.
fn option(words: &[Word], letters: &[char], long: &str, least: usize) -> bool {
    let options = words.iter().take_while(|word| word.text != "--");
    options.filter_map(|word| word.text.strip_prefix('-')).any(|text| {
        match text.strip_prefix('-') {
            Some(given) => {
                let given = given.split('=').next().unwrap_or_default();
                given.len() >= least && long.starts_with(given)
            }
            None => text.contains(letters),
        }
    })
}

fn letter(words: &[Word], letter: char) -> bool {
    option(words, &[letter], "", 1)
}

/// What is not an option.
fn operands(words: &[Word]) -> impl Iterator<Item = &Word> {
    let mut only_operands = false;
    words.iter().filter(move |word| {
        let ends = !only_operands && word.text == "--";
        only_operands |= ends;
        !ends && (only_operands || !word.text.starts_with('-') || word.text == "-")
    })
}

fn remove(rest: &[Word], cwd: Option<&str>) -> Option<&'static str> {
    if !option(rest, &['r', 'R'], "recursive", 1) {
        return None;
    }
    if operands(rest).any(|word| path_kind(word, cwd) != PathKind::Other) {
        return Some("command.rm_rf_root");
    }
    option(rest, &['f'], "force", 1).then_some("command.rm_rf")
}

fn permissions(rest: &[Word], cwd: Option<&str>) -> Option<&'static str> {
    if !option(rest, &['R'], "recursive", 3) {
        return None;
    }
    // The first operand is the mode or the owner.
    operands(rest).skip(1).find_map(|word| match path_kind(word, cwd) {
        PathKind::Root | PathKind::System => Some("command.chmod_system"),
        PathKind::Home => Some("command.chmod_home"),
        PathKind::Other => None,
    })
}

fn git(rest: &[Word]) -> Option<&'static str> {
    const VALUED: &[&str] =
        &["-C", "-c", "--exec-path", "--git-dir", "--work-tree", "--namespace", "--config-env"];
    let mut at = 0;
    while let Some(word) = rest.get(at).filter(|word| word.text.starts_with('-')) {
        at += 1 + usize::from(VALUED.contains(&word.text.as_str()));
    }
    let (command, rest) = rest.get(at..)?.split_first()?;
    let force = option(rest, &['f'], "force", 1);
    match command.text.as_str() {
        "reset" => option(rest, &[], "hard", 2).then_some("command.git_reset_hard"),
        "clean" => {
            (force && !option(rest, &['n'], "dry-run", 1)).then_some("command.git_clean_force")
        }
        "push" => {
            let forced = force
                || rest.iter().any(|word| word.text.starts_with("--force-"))
                || option(rest, &['d'], "delete", 2)
                || option(rest, &[], "mirror", 1)
                // `+branch` is forced, `:branch` is deleted.
                || operands(rest).skip(1).any(|word| word.text.starts_with(['+', ':']));
            forced.then_some("command.git_push_force")
        }
        "branch" => {
            let deletes = option(rest, &['d'], "delete", 3);
            (letter(rest, 'D') || (deletes && force)).then_some("command.git_branch_delete")
        }
        _ => None,
    }
}

/// Process -1 is every process.
fn kill(rest: &[Word]) -> bool {
    let mut words = rest.iter().map(|word| word.text.as_str());
    let Some(first) = words.next() else { return false };
    // The first word with a dash is the signal.
    let mut targets: Vec<&str> = words.collect();
    if matches!(first, "-s" | "-n" | "--signal") {
        targets.drain(..targets.len().min(1));
    } else if !first.starts_with('-') {
        targets.insert(0, first);
    }
    targets.contains(&"-1")
}

/// `wa approve`, `wa robot approve`, with options anywhere before.
fn approves(rest: &[Word]) -> bool {
    const VALUED: &[&str] = &["--workspace", "-w", "--backend", "--config", "--format", "-f"];
    let mut words = rest.iter().map(|word| word.text.as_str());
    while let Some(word) = words.next() {
        match word {
            "approve" => return true,
            "robot" => {}
            _ if VALUED.contains(&word) => drop(words.next()),
            _ if word.starts_with('-') => {}
            _ => return false,
        }
    }
    false
}

/// Words that ask an agent to approve with a code.
pub(super) fn asks_to_approve(text: &str) -> bool {
    let words: Vec<&str> =
        text.split(|next: char| !(next.is_alphanumeric() || next == '.')).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    words.iter().enumerate().any(|(at, word)| {
        let after = match (*word, words.get(at + 1), words.get(at + 2)) {
            ("wa", Some(&"approve"), _) => at + 2,
            ("wa", Some(&"robot"), Some(&"approve")) => at + 3,
            ("wa.approve", ..) => at + 1,
            _ => return false,
        };
        let near = words.iter().skip(after).take(3);
        near.into_iter().any(|word| {
            let code = word.trim_end_matches('.');
            code.len() == 8 && code.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
        })
    })
}

/// A statement that drops or empties something.
fn sql(text: &str) -> Option<&'static str> {
    const DROPPED: &[&str] = &[
        "database",
        "materialized",
        "owned",
        "schema",
        "sequence",
        "table",
        "tablespace",
        "view",
        "keyspace",
        "index",
        "user",
        "role",
    ];
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|next: char| !(next.is_alphanumeric() || next == '_' || next == ';'))
        .filter(|word| !word.is_empty())
        .collect();
    let starts = |at: usize| at == 0 || words[at - 1].ends_with(';');
    words.iter().enumerate().find_map(|(at, word)| {
        let next = words.get(at + 1)?.trim_end_matches(';');
        match word.trim_start_matches(';') {
            "drop" if DROPPED.contains(&next) => Some("command.sql_drop"),
            "truncate" if next == "table" || (starts(at) && next != "s") => {
                Some("command.sql_truncate")
            }
            _ => None,
        }
    })
}

/// A function that starts itself twice at once.
pub(super) fn fork_bomb(script: &Script) -> Option<String> {
    script.commands.iter().find_map(|command| {
        let function = command.function.as_deref()?;
        let itself = |command: &&super::script::Simple| {
            command.function.as_deref() == Some(function)
                && command.words.first().is_some_and(|word| word.text == function)
        };
        let calls: Vec<_> = script.commands.iter().filter(itself).collect();
        let at_once = calls.iter().any(|call| call.background || call.fed_by.is_some());
        (calls.len() > 1 && at_once).then(|| function.to_owned())
    })
}
