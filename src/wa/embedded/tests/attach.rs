use std::io::{Read as _, Write};
use std::sync::{Arc, Mutex};

use portable_pty::{CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};

use super::*;
use crate::embedded::term::Terminal;

/// The user's terminal in which a pane is shown.
struct AttachedUser {
    master: Box<dyn MasterPty + Send>,
    keyboard: Box<dyn Write + Send>,
    terminal: Arc<Mutex<Terminal>>,
    pid: u32,
}

impl AttachedUser {
    fn attach(workspace: &Workspace, columns: u16, rows: u16) -> Self {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pty = native_pty_system().openpty(size).unwrap();
        let command = helper("attached_process", &workspace.place());
        // A shell around it keeps the terminal open and shows how it was left.
        let mut shell = CommandBuilder::new("sh");
        shell.args(["-c", "stty -g; \"$@\"; stty -g; echo over; cat", "sh"]);
        shell.args(&command);
        let child = pty.slave.spawn_command(shell).unwrap();
        let mut reader = pty.master.try_clone_reader().unwrap();
        let terminal = Arc::new(Mutex::new(Terminal::new((columns, rows), 1000)));
        let shown = Arc::clone(&terminal);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                shown.lock().unwrap().process(&bytes[..count]);
            }
        });
        let keyboard = pty.master.take_writer().unwrap();
        Self { master: pty.master, keyboard, terminal, pid: child.process_id().unwrap() }
    }

    fn types(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
        self.keyboard.flush().unwrap();
    }

    fn sees(&self, wanted: impl Fn(&str) -> bool) -> String {
        let mut last = String::new();
        let found = wait_for(|| {
            last = self.terminal.lock().unwrap().text(Lines::All, false).text;
            wanted(&last).then(|| last.clone())
        });
        found.unwrap_or_else(|| panic!("the user sees\n{last}"))
    }

    /// The terminal is as it was before: same settings, main screen.
    fn is_back(&self) -> String {
        let seen = self.sees(|text| text.contains("over"));
        let settings: Vec<&str> =
            seen.lines().filter(|line| line.matches(':').count() > 10).collect();
        assert_eq!(settings.len(), 2, "{seen}");
        assert_eq!(settings[0], settings[1]);
        let terminal = self.terminal.lock().unwrap();
        assert!(!terminal.screen().alternate_screen() && !terminal.screen().bracketed_paste());
        seen
    }
}

impl Drop for AttachedUser {
    fn drop(&mut self) {
        let _ = kill_process(Pid::from_raw(self.pid.cast_signed()).unwrap(), Signal::KILL);
    }
}

#[test]
fn an_attached_user_sees_types_resizes_and_detaches() {
    let workspace = Workspace::new();
    let pane = workspace.bash();
    let mut user = AttachedUser::attach(&workspace, 100, 20);
    user.sees(|text| text.ends_with('$'));
    eventually("the size", || (workspace.row(pane).size == Some((100, 20))).then_some(()));
    user.types("echo typed by a person\r");
    user.sees(|text| text.ends_with("\ntyped by a person\n$"));
    let size = PtySize { rows: 30, cols: 110, pixel_width: 0, pixel_height: 0 };
    user.master.resize(size).unwrap();
    user.terminal.lock().unwrap().resize((110, 30));
    eventually("the new size", || (workspace.row(pane).size == Some((110, 30))).then_some(()));
    user.types("\x1d");
    assert!(user.is_back().contains("ended: Detached"));
    assert_eq!(workspace.row(pane).dead, None);
}

#[test]
fn the_end_of_a_pane_gives_the_terminal_back() {
    let workspace = Workspace::new();
    workspace.bash();
    let mut user = AttachedUser::attach(&workspace, 100, 24);
    user.sees(|text| text.ends_with('$'));
    user.types("exit 5\r");
    assert!(user.is_back().contains("ended: PaneEnded(Some(5))"));
}
