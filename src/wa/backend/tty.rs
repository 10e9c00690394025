//! What runs in the foreground of a terminal: the foreground process group of its tty, from `/proc`.
//!
//! Where the system does not report it, the answer is unknown; nothing is guessed from screens or titles.

use std::collections::BTreeMap;
use std::fs;

use rustix::fs::{Mode, OFlags};
use rustix::termios::LocalModes;

use crate::model::PaneState;

/// Shells that edit the line themselves. While they wait for a command, the terminal hands them
/// every key; while they run something, even a builtin, it does not.
const EDITING_SHELLS: &[&str] =
    &["bash", "rbash", "zsh", "fish", "ksh", "ksh93", "mksh", "tcsh", "nu", "elvish"];
/// Shells that mostly leave that to the terminal.
const PLAIN_SHELLS: &[&str] = &["sh", "dash", "ash", "csh"];
/// Shell options whose value is the next argument.
const OPTIONS_WITH_VALUE: &[&str] =
    &["-o", "+o", "-O", "+O", "--rcfile", "--init-file", "--init-command"];
/// Of a command line so many bytes are kept.
const MAX_COMMAND: usize = 4096;
/// `comm` holds no more; longer names are cut there.
const MAX_NAME: usize = 15;

/// What runs in front.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Foreground {
    /// A shell waits for a command; `Some(false)` is a program; `None` is unknown.
    pub shell_in_front: Option<bool>,
    /// Names of the group's members, sorted; empty when unknown.
    pub names: Vec<String>,
    /// Their command lines, in the same order.
    pub commands: Vec<String>,
}

impl Foreground {
    /// Writes it into a pane's state.
    pub(crate) fn fill(self, state: &mut PaneState) {
        state.prompt_active = self.shell_in_front;
        state.command_running = self.shell_in_front.map(|shell| !shell);
        state.foreground = self.names;
        state.foreground_commands = self.commands;
    }
}

/// What runs in front of `tty`. `root_pid` is the process that the terminal was started with, else
/// the leader of the tty's session is taken for it.
///
/// A shell is in front only when it leads the foreground group, is alone in it, was started to be
/// talked to, and (for those that edit the line themselves) has the terminal set for that. Whether
/// a script, a REPL or anything else that the terminal was started with waits for input cannot be
/// told.
pub(crate) fn foreground(tty: &str, root_pid: Option<u32>) -> Foreground {
    look(tty, root_pid).unwrap_or_default()
}

fn look(tty: &str, root_pid: Option<u32>) -> Option<Foreground> {
    let known_root = root_pid.and_then(process);
    let device = device(tty).or_else(|| known_root.as_ref().map(|root| root.tty))?;
    let here: Vec<Process> =
        processes().filter(|process| process.tty == device && process.state != 'Z').collect();
    let root = match root_pid {
        Some(pid) => here.iter().find(|process| process.pid == pid)?,
        None => here.iter().find(|process| process.pid == process.session)?,
    };
    let front = u32::try_from(root.front_group).ok().filter(|group| *group > 0)?;
    let members: Vec<&Process> = here
        .iter()
        .filter(|process| process.group == front && process.session == root.session)
        .collect();
    let mut shown: Vec<(String, String)> =
        members.iter().map(|process| (process.full_name(), process.command())).collect();
    shown.sort();
    let shell_in_front = shell_in_front(tty, root, front, &members, &here);
    let (names, commands) = shown.into_iter().unzip();
    Some(Foreground { shell_in_front, names, commands })
}

fn shell_in_front(
    tty: &str,
    root: &Process,
    front: u32,
    members: &[&Process],
    here: &[Process],
) -> Option<bool> {
    let leader = members.iter().find(|process| process.pid == front);
    let shell = leader.and_then(|leader| Shell::of(leader)).filter(|shell| shell.interactive);
    let parent = leader.and_then(|leader| here.iter().find(|other| other.pid == leader.parent));
    let copied = leader.zip(parent).is_some_and(|(leader, parent)| leader.args() == parent.args());
    match shell {
        // A child in the shell's own group: `$(…)`, or a job without job control.
        Some(_) if members.len() > 1 => None,
        Some(shell) if shell.edits => match reads_keys(tty) {
            Some(false) => None,
            Some(true) | None => Some(true),
        },
        // The copy of a shell: a subshell, or a program that is about to be started.
        Some(_) if copied => None,
        Some(_) => Some(true),
        None if members.is_empty() || front == root.group => None,
        None => Some(false),
    }
}

/// What is known about a shell from its command line.
struct Shell {
    interactive: bool,
    edits: bool,
}

impl Shell {
    fn of(process: &Process) -> Option<Self> {
        let args = process.args();
        let name = args.first().map_or(process.name.as_str(), |first| base_name(first));
        let known = |name: &str| EDITING_SHELLS.contains(&name) || PLAIN_SHELLS.contains(&name);
        let name = if known(name) { name } else { process.name.as_str() };
        known(name).then(|| Self {
            interactive: is_interactive(args.get(1..).unwrap_or_default()),
            edits: EDITING_SHELLS.contains(&name) && !args.iter().any(|arg| arg == "--noediting"),
        })
    }
}

/// Whether a shell with these arguments reads commands from the terminal: no script, no `-c`.
fn is_interactive(args: &[String]) -> bool {
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let short = arg.strip_prefix(['-', '+']).filter(|rest| !rest.starts_with('-'));
        match (arg.as_str(), short) {
            ("--" | "-", _) => return args.next().is_none(),
            ("-s", _) => return true,
            ("--command", _) => return false,
            (option, _) if OPTIONS_WITH_VALUE.contains(&option) => {
                args.next();
            }
            (option, Some(letters)) if option.starts_with('-') && letters.contains('c') => {
                return false;
            }
            (option, None) if option.starts_with("--command=") => return false,
            (_, Some(_)) => {}
            (option, None) if option.starts_with("--") => {}
            _ => return false,
        }
    }
    true
}

/// Whether the terminal hands over every key instead of whole lines.
fn reads_keys(tty: &str) -> Option<bool> {
    let flags = OFlags::RDONLY | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let terminal = rustix::fs::open(tty, flags, Mode::empty()).ok()?;
    let modes = rustix::termios::tcgetattr(&terminal).ok()?;
    Some(!modes.local_modes.contains(LocalModes::ICANON))
}

/// A line of `/proc/<pid>/stat`, as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Process {
    pid: u32,
    name: String,
    state: char,
    parent: u32,
    group: u32,
    session: u32,
    tty: i32,
    front_group: i32,
    started: u64,
}

impl Process {
    /// The name may hold spaces and parentheses; it ends at the last one.
    fn parse(stat: &[u8]) -> Option<Self> {
        let stat = String::from_utf8_lossy(stat);
        let (pid, rest) = stat.split_once(" (")?;
        let (name, rest) = rest.rsplit_once(") ")?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        Some(Self {
            pid: pid.parse().ok()?,
            name: name.to_owned(),
            state: fields.first()?.chars().next()?,
            parent: fields.get(1)?.parse().ok()?,
            group: fields.get(2)?.parse().ok()?,
            session: fields.get(3)?.parse().ok()?,
            tty: fields.get(4)?.parse().ok()?,
            front_group: fields.get(5)?.parse().ok()?,
            started: fields.get(19)?.parse().ok()?,
        })
    }

    fn args(&self) -> Vec<String> {
        let line = fs::read(format!("/proc/{}/cmdline", self.pid)).unwrap_or_default();
        let line = line.strip_suffix(b"\0").unwrap_or(&line);
        if line.is_empty() {
            return Vec::new();
        }
        line.split(|byte| *byte == 0).map(|arg| String::from_utf8_lossy(arg).into_owned()).collect()
    }

    /// Program and arguments joined by spaces; the name where they are hidden.
    fn command(&self) -> String {
        let mut line = self.args().join(" ");
        line.truncate(line.floor_char_boundary(MAX_COMMAND));
        let line = line.trim_end();
        if line.is_empty() { self.full_name() } else { line.to_owned() }
    }

    /// The name, completed from the command line where the system cut it.
    fn full_name(&self) -> String {
        if self.name.len() < MAX_NAME {
            return self.name.clone();
        }
        let args = self.args();
        let program = args.first().map(|first| base_name(first));
        match program.filter(|program| program.starts_with(&self.name)) {
            Some(program) => program.to_owned(),
            None => self.name.clone(),
        }
    }
}

/// `bash` of `/usr/bin/bash` and of the login shell `-bash`.
fn base_name(program: &str) -> &str {
    let name = program.rsplit('/').next().unwrap_or(program);
    name.strip_prefix('-').unwrap_or(name)
}

fn process(pid: u32) -> Option<Process> {
    Process::parse(&fs::read(format!("/proc/{pid}/stat")).ok()?)
}

fn processes() -> impl Iterator<Item = Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| process(entry.file_name().to_str()?.parse().ok()?))
}

/// How a process ended that nobody has asked about yet, as shells count it: a signal is 128 and its
/// number.
pub(super) fn unclaimed_status(pid: u32) -> Option<i32> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let process = Process::parse(&stat)?;
    let last = String::from_utf8_lossy(&stat).split_ascii_whitespace().last()?.parse::<i32>();
    let status = last.ok().filter(|_| process.state == 'Z')?;
    Some(match status & 0x7f {
        0 => (status >> 8) & 0xff,
        signal => 128 + signal,
    })
}

/// The kernel's number of a terminal, as `/proc` writes it.
pub(super) fn device(tty: &str) -> Option<i32> {
    let device = rustix::fs::stat(tty).ok()?.st_rdev;
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    let number = (minor & 0xff) | (major << 8) | ((minor & !0xff) << 12);
    (number != 0).then_some(number.cast_signed())
}

/// The first process of every terminal, by the kernel's number of the terminal: its process id and
/// when it was started, in ticks since the machine was.
pub(super) fn leaders() -> BTreeMap<i32, (u32, u64)> {
    let leaders = processes().filter(|process| process.pid == process.session && process.tty != 0);
    leaders.map(|process| (process.tty, (process.pid, process.started))).collect()
}

#[cfg(test)]
mod tests;
