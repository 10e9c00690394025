//! Parses WezTerm's pane list.
//!
//! The list contains no process, domain or server start time; these come from the terminal's device
//! and the socket file.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;

use serde::Deserialize;

use crate::backend::tty;
use crate::model::{BackendKind, PaneRow};

/// What is known besides the list.
#[derive(Debug, Clone, Default)]
pub(super) struct Surroundings {
    /// The socket's file, where one is named.
    pub(super) socket: Option<String>,
    /// When it was made: the start of the server.
    pub(super) server_start: Option<i64>,
    /// The name of this machine.
    pub(super) host: String,
    /// First process of every terminal.
    pub(super) leaders: BTreeMap<i32, (u32, u64)>,
}

impl Surroundings {
    /// As they are.
    pub(super) fn now(socket: Option<&str>) -> Self {
        let made = socket.and_then(|socket| fs::metadata(socket).ok()).map(|file| file.ctime());
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        Self {
            socket: socket.map(str::to_owned),
            server_start: made,
            host: host.trim().to_owned(),
            leaders: tty::leaders(),
        }
    }
}

/// A pane as `wezterm cli list --format json` writes it. What is not needed is not read, and what
/// may be missing is optional, so that other releases can be read too.
#[derive(Debug, Deserialize)]
struct Item {
    window_id: u64,
    tab_id: u64,
    pane_id: u64,
    #[serde(default)]
    size: Option<Size>,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    cwd: Option<String>,
    #[serde(default)]
    cursor_x: Option<i64>,
    #[serde(default)]
    cursor_y: Option<i64>,
    #[serde(default)]
    is_active: bool,
    #[serde(default)]
    tty_name: Option<String>,
    #[serde(default)]
    domain_name: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Size {
    rows: u64,
    cols: u64,
}

/// The panes in an answer, sorted; what is wrong with it where it cannot be read.
pub(super) fn read(answer: &[u8], around: &Surroundings) -> Result<Vec<PaneRow>, String> {
    let items: Vec<Item> = serde_json::from_slice(answer)
        .map_err(|error| format!("the pane list is not the expected JSON ({error})"))?;
    let mut rows: Vec<PaneRow> = items.into_iter().map(|item| item.row(around)).collect();
    rows.sort_by_key(|row| row.native_id);
    rows.dedup_by_key(|row| row.native_id);
    Ok(rows)
}

impl Item {
    fn row(self, around: &Surroundings) -> PaneRow {
        let text = |text: Option<String>| text.filter(|text| !text.is_empty());
        let tty = text(self.tty_name);
        let device = tty.as_deref().and_then(tty::device);
        let leader = device.and_then(|device| around.leaders.get(&device).copied());
        let (host, cwd) = self.cwd.as_deref().map_or((None, None), split_uri);
        let far = host.filter(|host| !is_here(host, &around.host));
        let cursor = match (self.cursor_y, self.cursor_x) {
            (Some(y), Some(x)) => u64::try_from(y).ok().zip(u64::try_from(x).ok()),
            _ => None,
        };
        PaneRow {
            pane_id: self.pane_id,
            native_id: self.pane_id,
            backend: BackendKind::Wezterm,
            identity: identity(around, self.pane_id, leader),
            tab_id: self.tab_id,
            window_id: self.window_id,
            domain: match (text(self.domain_name), far) {
                (Some(name), _) => name,
                (None, Some(host)) => format!("ssh:{host}"),
                (None, None) => "local".to_owned(),
            },
            title: text(self.title),
            cwd,
            cursor,
            size: self.size.map(|size| (size.cols, size.rows)),
            is_active: self.is_active,
            tty,
            root_pid: leader.map(|(pid, _)| pid),
            alt_screen: None,
            bracketed_paste: None,
            activity: None,
            dead: None,
        }
    }
}

/// Numbers start again when the server does, so process and start of either tell panes apart.
fn identity(around: &Surroundings, pane: u64, leader: Option<(u32, u64)>) -> String {
    let socket = around.socket.as_deref().unwrap_or("-");
    let started = around.server_start.map_or("-".to_owned(), |start| start.to_string());
    match leader {
        Some((pid, start)) => format!("wezterm|{socket}|{started}|{pane}|{pid}|{start}"),
        None => format!("wezterm|{socket}|{started}|{pane}|-|-"),
    }
}

fn is_here(host: &str, own: &str) -> bool {
    let short = |name: &str| name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    host == "localhost" || host == "127.0.0.1" || short(host) == short(own)
}

/// Host and path of `file://host/path`; a plain path has no host.
fn split_uri(uri: &str) -> (Option<String>, Option<String>) {
    let Some(rest) = uri.strip_prefix("file://") else {
        let path = uri.starts_with('/').then(|| trim_slash(uri));
        return (None, path);
    };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = (!host.is_empty()).then(|| host.to_owned());
    let path = (!path.is_empty()).then(|| trim_slash(&decode(path)));
    (host, path)
}

fn trim_slash(path: &str) -> String {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() { "/".to_owned() } else { trimmed.to_owned() }
}

/// `%20` and its like. What is no such code stays.
fn decode(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| first == b'%');
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        let code = code.filter(|code| code.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO_PANES: &str = r#"[
      {"window_id":1,"tab_id":2,"pane_id":5,"workspace":"default",
       "size":{"rows":24,"cols":80,"pixel_width":640,"pixel_height":384,"dpi":0},
       "title":"ssh box","cwd":"file://far.example/srv/some%20dir/","cursor_x":3,"cursor_y":9,
       "cursor_shape":"Default","cursor_visibility":"Visible","left_col":0,"top_row":0,
       "tab_title":"","window_title":"ssh box","is_active":false,"is_zoomed":false,
       "tty_name":null},
      {"window_id":0,"tab_id":0,"pane_id":0,"workspace":"default",
       "size":{"rows":50,"cols":120,"pixel_width":960,"pixel_height":800,"dpi":0},
       "title":"bash","cwd":"file:///","cursor_x":0,"cursor_y":0,
       "cursor_shape":"Default","cursor_visibility":"Hidden","left_col":0,"top_row":0,
       "tab_title":"","window_title":"bash","is_active":true,"is_zoomed":false,
       "tty_name":"/dev/pts/none"}]"#;

    #[test]
    fn panes_are_sorted_and_complete() {
        let around = Surroundings { host: "box.home".to_owned(), ..Surroundings::default() };
        let rows = read(TWO_PANES.as_bytes(), &around).unwrap();
        let [first, second] = rows.as_slice() else { panic!("{rows:?}") };
        assert_eq!((first.native_id, first.domain.as_str()), (0, "local"));
        assert_eq!((first.cwd.as_deref(), first.size), (Some("/"), Some((120, 50))));
        assert_eq!(first.tty.as_deref(), Some("/dev/pts/none"));
        assert!(first.is_active);
        assert_eq!((second.native_id, second.domain.as_str()), (5, "ssh:far.example"));
        assert_eq!(second.cwd.as_deref(), Some("/srv/some dir"));
        assert_eq!((second.cursor, second.tty.as_deref()), (Some((9, 3)), None));
        assert_eq!((second.alt_screen, second.activity, &second.dead), (None, None, &None));
    }

    #[test]
    fn a_restarted_server_gives_other_panes_with_the_same_numbers() {
        let at = |start| Surroundings {
            socket: Some("/run/sock".to_owned()),
            server_start: Some(start),
            ..Surroundings::default()
        };
        let before = read(TWO_PANES.as_bytes(), &at(1)).unwrap();
        let after = read(TWO_PANES.as_bytes(), &at(2)).unwrap();
        assert_eq!(before, read(TWO_PANES.as_bytes(), &at(1)).unwrap());
        assert_ne!(before[0].identity, after[0].identity);
        assert_ne!(before[0].identity, before[1].identity);
        assert_ne!(identity(&at(1), 0, Some((7, 1))), identity(&at(1), 0, Some((7, 2))));
    }

    #[test]
    fn the_own_machine_is_local_under_any_of_its_names() {
        let uri = |host: &str| TWO_PANES.replace("far.example", host);
        let around = Surroundings { host: "Box.home".to_owned(), ..Surroundings::default() };
        for host in ["box", "box.home", "localhost", ""] {
            let rows = read(uri(host).as_bytes(), &around).unwrap();
            assert_eq!(rows[1].domain, "local", "{host}");
        }
        assert_eq!(split_uri("file://h").1, None);
        assert_eq!(split_uri("/plain/"), (None, Some("/plain".to_owned())));
        assert_eq!(decode("/a%2Fb%zz%"), "/a/b%zz%");
    }

    #[test]
    fn garbage_is_named() {
        for garbage in ["", "no", "{}", r#"[{"pane_id":"x"}]"#, r#"[{"pane_id":1}]"#] {
            let wrong = read(garbage.as_bytes(), &Surroundings::default()).unwrap_err();
            assert!(wrong.contains("JSON"), "{garbage}: {wrong}");
        }
        assert!(read(b"[]", &Surroundings::default()).unwrap().is_empty());
    }
}
