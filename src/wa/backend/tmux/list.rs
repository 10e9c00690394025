//! The format string for tmux's pane list, and the parser of its output.
//!
//! Titles and paths are untrusted text. Each row starts with a random mark that earlier text cannot
//! contain, numbers come first, and texts are between marks, so no text can pass for another field.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};

use crate::backend::tty as terminal;
use crate::model::{BackendKind, PaneRow};

/// Fields without free text, in the order in which [`Reader::format`] asks for them.
const FIELDS: [&str; 23] = [
    "session_id",
    "window_id",
    "pane_id",
    "pane_pid",
    "pane_tty",
    "pane_width",
    "pane_height",
    "cursor_x",
    "cursor_y",
    "pane_active",
    "alternate_on",
    "history_size",
    "pane_dead",
    "pane_dead_status",
    "pane_dead_signal",
    "pane_in_mode",
    "pane_input_off",
    "window_activity",
    // The server's clock, in seconds.
    "T;l:%s",
    "start_time",
    "pid",
    "bracket_paste_flag",
    "history_limit",
];
/// Fields that may hold anything.
const TEXTS: [&str; 3] = ["socket_path", "pane_current_path", "pane_title"];

/// A pane and what only this backend needs to know.
#[derive(Debug, Clone)]
pub(super) struct Listed {
    pub(super) row: PaneRow,
    /// Copy mode or a menu is open and takes the keys.
    pub(super) in_mode: bool,
    /// Keys are thrown away.
    pub(super) input_off: bool,
}

impl Listed {
    pub(super) fn is(&self, pane: u64) -> bool {
        self.row.native_id == pane
    }
}

/// Asks once, and reads the answer to that.
pub(super) struct Reader {
    call: u64,
    mark: String,
    domain: String,
}

impl Reader {
    /// `call` is a number that no other call of this process has.
    pub(super) fn new(call: u64, domain: &str) -> Self {
        let mark = format!("<wa:{}:{call}>", std::process::id());
        Self { call, mark, domain: domain.to_owned() }
    }

    /// What to ask with.
    pub(super) fn format(&self) -> String {
        let mut format = self.mark.clone();
        for field in FIELDS {
            format.push_str(&format!("#{{{field}}},"));
        }
        for text in TEXTS {
            format.push_str(&format!("{}#{{{text}}}", self.mark));
        }
        format
    }

    /// The panes in an answer; what is wrong with it where it cannot be read. Rows without a pane
    /// are left out.
    pub(super) fn read(&self, answer: &[u8]) -> Result<Vec<Listed>, String> {
        let answer = String::from_utf8_lossy(answer);
        let mut parts = answer.split(self.mark.as_str());
        if parts.next().is_some_and(|before| !before.trim().is_empty()) {
            return Err("the pane list does not start with a pane".to_owned());
        }
        let parts: Vec<&str> = parts.collect();
        let mut panes = Vec::with_capacity(parts.len() / (1 + TEXTS.len()));
        for row in parts.chunks(1 + TEXTS.len()) {
            let [fields, socket, path, title] = row else {
                return Err("a row of the pane list is truncated".to_owned());
            };
            let fields: Vec<&str> = fields.split(',').collect();
            let Ok(fields) = <[&str; FIELDS.len() + 1]>::try_from(fields) else {
                return Err("a row of the pane list has unexpected fields".to_owned());
            };
            let title = title.strip_suffix('\n').unwrap_or(title);
            match self.pane(&fields, socket, path, title) {
                Some(pane) => panes.push(pane),
                None if fields[2].is_empty() => {}
                None => return Err(format!("pane {} has fields that are not numbers", fields[2])),
            }
        }
        Ok(panes)
    }

    fn pane(
        &self,
        fields: &[&str; FIELDS.len() + 1],
        socket: &str,
        path: &str,
        title: &str,
    ) -> Option<Listed> {
        let [
            session,
            window,
            pane,
            pid,
            tty,
            width,
            height,
            x,
            y,
            active,
            alternate,
            scrolled,
            dead,
            status,
            signal,
            in_mode,
            input_off,
            activity,
            now,
            started,
            server,
            bracketed,
            limit,
            _,
        ] = *fields;
        let number = |prefix: char, text: &str| text.strip_prefix(prefix)?.parse::<u64>().ok();
        let pair = |a: &str, b: &str| Some((a.parse::<u64>().ok()?, b.parse::<u64>().ok()?));
        let native_id = number('%', pane)?;
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let code = status.parse::<i32>().ok();
        // As shells count: 128 and the signal's number.
        let code = code.or_else(|| signal.parse::<i32>().ok().map(|signal| 128 + signal));
        let pid_number = pid.parse::<u32>().ok();
        // tmux 3.3 sometimes overlooks the end of a process; the system still knows its status.
        let code = code.or_else(|| terminal::unclaimed_status(pid_number.filter(|_| dead == "1")?));
        let row = PaneRow {
            pane_id: native_id,
            native_id,
            backend: BackendKind::Tmux,
            // A respawned pane keeps its number and gets another process.
            identity: format!("tmux|{socket}|{started}|{server}|{pane}|{pid}"),
            tab_id: number('@', window)?,
            window_id: number('$', session)?,
            domain: self.domain.clone(),
            title: text(title),
            cwd: text(path),
            cursor: pair(y, x),
            size: pair(width, height),
            is_active: active == "1",
            tty: text(tty),
            root_pid: pid_number,
            alt_screen: flag(alternate),
            bracketed_paste: flag(bracketed),
            activity: Some(self.activity(
                &[pane, width, height, x, y, alternate, scrolled, dead, activity, limit],
                activity,
                now,
            )),
            dead: (dead == "1").then_some(code),
        };
        Some(Listed { row, in_mode: !matches!(in_mode, "" | "0"), input_off: input_off == "1" })
    }

    /// tmux says when a window last printed, in seconds. Once that second is over, equal numbers
    /// mean that nothing was printed. Before, no number equals another.
    fn activity(&self, facts: &[&str], last: &str, now: &str) -> u64 {
        let mut hasher = DefaultHasher::new();
        facts.hash(&mut hasher);
        let over = match (last.parse::<u64>(), now.parse::<u64>()) {
            (Ok(last), Ok(now)) => last < now,
            _ => false,
        };
        if !over {
            self.call.hash(&mut hasher);
        }
        // Fits where numbers have a sign.
        hasher.finish() >> 1
    }
}

fn flag(text: &str) -> Option<bool> {
    match text {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader(call: u64) -> Reader {
        Reader::new(call, "tmux")
    }

    fn row(reader: &Reader, fields: &str, texts: [&str; 3]) -> String {
        let mark = &reader.mark;
        let [socket, path, title] = texts;
        format!("{mark}{fields},{mark}{socket}{mark}{path}{mark}{title}\n")
    }

    const IDLE: &str = "$1,@2,%3,40,/dev/pts/5,80,24,2,7,1,0,12,0,,,0,0,1000,1002,900,39,,2000";

    #[test]
    fn titles_and_paths_cannot_pass_for_other_fields() {
        let reader = reader(7);
        let title = "t,<wa:1:1>,$9,@9,%9";
        let answer = row(&reader, IDLE, ["/tmp/s", "/a\n<wa:0:0>,b", title]);
        let panes = reader.read(answer.as_bytes()).unwrap();
        let [pane] = panes.as_slice() else { panic!("{panes:?}") };
        assert_eq!(pane.row.title.as_deref(), Some(title));
        assert_eq!(pane.row.cwd.as_deref(), Some("/a\n<wa:0:0>,b"));
        assert_eq!((pane.row.window_id, pane.row.tab_id, pane.row.native_id), (1, 2, 3));
        assert_eq!((pane.row.cursor, pane.row.size), (Some((7, 2)), Some((80, 24))));
        assert_eq!(pane.row.identity, "tmux|/tmp/s|900|39|%3|40");
        assert_eq!((pane.row.alt_screen, pane.row.bracketed_paste), (Some(false), None));
    }

    #[test]
    fn garbage_is_named() {
        let reader = reader(1);
        assert!(reader.read(b"hello\n").unwrap_err().contains("does not start"));
        let cut = format!("{}1,2", reader.mark);
        assert!(reader.read(cut.as_bytes()).unwrap_err().contains("truncated"));
        let other = row(&reader, "1,2", ["", "", ""]);
        assert!(reader.read(other.as_bytes()).unwrap_err().contains("unexpected fields"));
        let words = row(&reader, &IDLE.replace("@2", "two"), ["", "", ""]);
        assert!(reader.read(words.as_bytes()).unwrap_err().contains("not numbers"));
        assert!(reader.read(b"").unwrap().is_empty());
    }

    #[test]
    fn equal_activity_only_when_the_last_second_is_over() {
        let activity = |call, fields: &str| {
            let reader = reader(call);
            let answer = row(&reader, fields, ["/tmp/s", "/", "t"]);
            reader.read(answer.as_bytes()).unwrap()[0].row.activity.unwrap()
        };
        assert_eq!(activity(1, IDLE), activity(2, IDLE));
        let busy = IDLE.replace("1000,1002", "1002,1002");
        assert_ne!(activity(1, &busy), activity(2, &busy));
        let later = IDLE.replace("1000,1002", "1001,1003");
        assert_ne!(activity(1, IDLE), activity(2, &later));
        let moved = IDLE.replace(",2,7,", ",3,7,");
        assert_ne!(activity(1, IDLE), activity(2, &moved));
    }

    #[test]
    fn a_signal_counts_as_shells_count_it() {
        let reader = reader(1);
        let dead = IDLE.replace(",0,,,0,0,", ",1,,9,0,0,");
        let answer = row(&reader, &dead, ["/tmp/s", "/", "t"]);
        assert_eq!(reader.read(answer.as_bytes()).unwrap()[0].row.dead, Some(Some(137)));
    }
}
