//! Classifies the files that a word means: root, a home, the system, a disk, or anything else.
//!
//! By the text only: nothing is looked up on the machine.

use super::script::Word;

/// What would be lost with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathKind {
    /// The root of the file system.
    Root,
    /// A home folder.
    Home,
    /// A folder that the system needs.
    System,
    /// Anything else, also what is unknown.
    Other,
}

const SYSTEM: &[&str] = &[
    "Applications",
    "Library",
    "System",
    "Users",
    "bin",
    "boot",
    "dev",
    "etc",
    "home",
    "lib",
    "lib32",
    "lib64",
    "opt",
    "proc",
    "run",
    "sbin",
    "srv",
    "sys",
    "usr",
    "var",
];

/// What a file name means in the folder `cwd`.
pub(super) fn path_kind(word: &Word, cwd: Option<&str>) -> PathKind {
    let Some(parts) = resolve(word, cwd) else { return PathKind::Other };
    match parts.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => PathKind::Root,
        ["root"] | ["home" | "Users", _] => PathKind::Home,
        [one] if SYSTEM.contains(one) => PathKind::System,
        _ => PathKind::Other,
    }
}

/// The folder that `cd` goes to.
pub(super) fn folder(word: &Word, cwd: Option<&str>) -> Option<String> {
    Some(format!("/{}", resolve(word, cwd)?.join("/")))
}

/// The path's parts from the root, without a final pattern that means everything in a folder.
/// Nothing when it is unknown.
fn resolve(word: &Word, cwd: Option<&str>) -> Option<Vec<String>> {
    let text = word.text.as_str();
    let home = || vec!["home".to_owned(), "~".to_owned()];
    let (mut parts, rest) = if let Some(rest) = after_home(word) {
        (home(), rest)
    } else if word.tilde {
        // `~name`: another user's home.
        (home(), text.split_once('/').map_or("", |(_, rest)| rest))
    } else if let Some(rest) = text.strip_prefix('/') {
        (Vec::new(), rest)
    } else {
        let cwd = cwd?.strip_prefix('/')?;
        let parts = cwd.split('/').filter(|part| !part.is_empty());
        (parts.map(str::to_owned).collect(), text.strip_prefix("$PWD").unwrap_or(text))
    };
    let mut last = rest.split('/').filter(|part| !part.is_empty()).peekable();
    while let Some(part) = last.next() {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            _ if last.peek().is_none() && means_everything(part) => {}
            _ => parts.push(part.to_owned()),
        }
    }
    Some(parts)
}

/// What follows `~`, `$HOME` or `${HOME…}`.
fn after_home(word: &Word) -> Option<&str> {
    let text = word.text.as_str();
    let rest = if let Some(rest) = text.strip_prefix('~').filter(|_| word.tilde) {
        rest
    } else if let Some(rest) = text.strip_prefix("${HOME") {
        rest.split_once('}')?.1
    } else {
        text.strip_prefix("$HOME")?
    };
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// `*`, `.*`, `.[!.]*`, `{*,.*}` and similar.
fn means_everything(part: &str) -> bool {
    part.contains('*') && part.chars().all(|next| "*.?[]!^{},".contains(next))
}

/// A disk, or a part of one.
pub(super) fn is_disk(word: &Word) -> bool {
    const DISKS: &[&str] = &[
        "disk", "dm-", "hd", "loop", "mapper/", "md", "mmcblk", "nbd", "nvme", "rdisk", "sd", "sr",
        "vd", "xvd", "zram",
    ];
    let Some(name) = word.text.strip_prefix("/dev/") else { return false };
    DISKS.iter().any(|disk| name.starts_with(disk))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, cwd: Option<&str>) -> PathKind {
        let word = Word { text: text.to_owned(), tilde: text.starts_with('~'), ..Word::default() };
        path_kind(&word, cwd)
    }

    #[test]
    fn paths_are_classified_by_name() {
        for root in ["/", "//", "/*", "/.", "/./", "/etc/..", "/.*", "/usr/../*", "/{*,.*}"] {
            assert_eq!(at(root, None), PathKind::Root, "{root}");
        }
        for home in [
            "~",
            "~/",
            "~/*",
            "~/.*",
            "$HOME",
            "${HOME}",
            "${HOME:?}/",
            "$HOME/*",
            "/home/ann",
            "/home/ann/",
            "/root",
            "/Users/ann/*",
            "~ann",
            "~/x/..",
        ] {
            assert_eq!(at(home, None), PathKind::Home, "{home}");
        }
        for system in ["/etc", "/usr/", "/var/*", "/home", "/home/*", "~/.."] {
            assert_eq!(at(system, None), PathKind::System, "{system}");
        }
        for other in ["x", "/tmp", "/tmp/*", "~/x", "$HOMES", "/etc/x", "*", ".", "$DIR/*"] {
            assert_eq!(at(other, None), PathKind::Other, "{other}");
        }
    }

    #[test]
    fn the_folder_counts_where_it_is_known() {
        assert_eq!(at("*", Some("/")), PathKind::Root);
        assert_eq!(at(".", Some("/home/ann")), PathKind::Home);
        assert_eq!(at("..", Some("/etc/ssh")), PathKind::System);
        assert_eq!(at("target", Some("/home/ann/work")), PathKind::Other);
        assert_eq!(at("*", Some("/home/ann/work")), PathKind::Other);
    }
}
