//! Programs that run other programs: `sudo`, `env`, `xargs`, `timeout` and similar.

use super::script::Word;

/// How to find the command behind a wrapper.
struct Wrapper {
    names: &'static [&'static str],
    /// Options whose value is the next word.
    valued: &'static [&'static str],
    /// Operands before the command.
    operands: usize,
    /// Operands like `NAME=value` before the command.
    assignments: bool,
}

const fn plain(names: &'static [&'static str], valued: &'static [&'static str]) -> Wrapper {
    Wrapper { names, valued, operands: 0, assignments: false }
}

const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        names: &["sudo", "doas", "run0"],
        valued: &[
            "-C",
            "-D",
            "-R",
            "-T",
            "-U",
            "-g",
            "-h",
            "-p",
            "-r",
            "-t",
            "-u",
            "--chdir",
            "--chroot",
            "--close-from",
            "--group",
            "--host",
            "--other-user",
            "--prompt",
            "--role",
            "--type",
            "--user",
        ],
        operands: 0,
        assignments: true,
    },
    Wrapper {
        names: &["env"],
        valued: &["-C", "-u", "--chdir", "--unset"],
        operands: 0,
        assignments: true,
    },
    plain(&["nohup", "setsid", "builtin", "busybox", "toybox", "chronic", "unbuffer"], &[]),
    plain(&["command"], &[]),
    plain(&["exec"], &["-a"]),
    plain(&["time"], &["-f", "-o"]),
    plain(&["watch"], &["-n", "--interval"]),
    plain(&["nice"], &["-n", "--adjustment"]),
    plain(&["ionice"], &["-c", "-n", "--class", "--classdata"]),
    plain(&["stdbuf"], &["-e", "-i", "-o"]),
    plain(&["strace", "ltrace"], &["-E", "-P", "-S", "-a", "-e", "-o", "-p", "-s", "-u"]),
    plain(
        &["xargs", "gxargs", "parallel"],
        &[
            "-E",
            "-I",
            "-J",
            "-L",
            "-P",
            "-R",
            "-S",
            "-a",
            "-d",
            "-j",
            "-n",
            "-s",
            "--arg-file",
            "--delimiter",
            "--max-args",
            "--max-chars",
            "--max-lines",
            "--max-procs",
            "--replace",
        ],
    ),
    Wrapper {
        names: &["timeout", "gtimeout"],
        valued: &["-k", "-s", "--kill-after", "--signal"],
        operands: 1,
        assignments: false,
    },
    Wrapper {
        names: &["chroot"],
        valued: &["--groups", "--userspec"],
        operands: 1,
        assignments: false,
    },
    Wrapper {
        names: &["flock"],
        valued: &["-E", "-w", "--conflict-exit-code", "--timeout", "--wait"],
        operands: 1,
        assignments: false,
    },
    Wrapper {
        names: &["ssh"],
        valued: &[
            "-B", "-D", "-E", "-F", "-I", "-J", "-L", "-O", "-Q", "-R", "-S", "-W", "-b", "-c",
            "-e", "-i", "-l", "-m", "-o", "-p", "-w",
        ],
        operands: 1,
        assignments: false,
    },
];

/// A program's name without its folder.
pub(super) fn name(word: &Word) -> &str {
    word.text.rsplit('/').next().unwrap_or_default()
}

/// The command behind the first word, when that runs another one. May be empty.
pub(super) fn behind(words: &[Word]) -> Option<&[Word]> {
    let (first, rest) = words.split_first()?;
    let name = name(first);
    let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.names.contains(&name))?;
    let mut operands = wrapper.operands;
    let mut at = 0;
    while let Some(word) = rest.get(at) {
        let text = word.text.as_str();
        at += 1;
        if text == "--" {
            at += operands;
            break;
        }
        if name == "command" && matches!(text, "-v" | "-V") {
            // It only prints the program's path.
            return Some(&[]);
        }
        let skipped = if text.len() > 1 && text.starts_with('-') {
            at += usize::from(wrapper.valued.contains(&text));
            true
        } else {
            wrapper.assignments && text.contains('=')
        };
        if skipped {
            continue;
        }
        if operands == 0 {
            at -= 1;
            break;
        }
        operands -= 1;
    }
    Some(rest.get(at..).unwrap_or_default())
}

/// The command behind all wrappers.
pub(super) fn core(mut words: &[Word]) -> &[Word] {
    // Each step takes at least one word off.
    while let Some(inner) = behind(words) {
        words = inner;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bare(text: &str) -> String {
        let words: Vec<Word> =
            text.split(' ').map(|text| Word { text: text.to_owned(), ..Word::default() }).collect();
        core(&words).iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn wrappers_are_taken_off() {
        for (text, command) in [
            ("sudo -u ann -E A=b rm x", "rm x"),
            ("/usr/bin/sudo -- rm x", "rm x"),
            ("env -i -u X A=b nohup nice -n 5 rm x", "rm x"),
            ("timeout -k 1 --signal KILL 5s rm x", "rm x"),
            ("xargs -0 -n 1 -I {} rm {}", "rm {}"),
            ("command -p rm x", "rm x"),
            ("command -v rm", ""),
            ("stdbuf -oL time -p rm x", "rm x"),
            ("ssh -p 22 ann@host rm x", "rm x"),
            ("sudo", ""),
            ("rm sudo", "rm sudo"),
        ] {
            assert_eq!(bare(text), command, "{text}");
        }
    }
}
