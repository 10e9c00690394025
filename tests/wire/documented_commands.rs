//! Every shell command in a document runs, or `documented_commands.tsv` says why it does not.
//!
//! The commands of one document run in order in one shell, in a temporary home with the programs of
//! this build on `PATH`. `documented_commands/<document>.sh`, with `-` for `/`, prepares that home; it
//! may also set a `trap` that cleans up. A line of the table has three columns:
//!
//! ```text
//! document    command    not run: why
//! document    command    exits with 1
//! document    command    as: the command with real values for its placeholders
//! ```

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use toolwright_testing::process::kill;
use toolwright_testing::{PATIENCE, ServerHome, run};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const TABLE: &str = include_str!("documented_commands.tsv");
const PROGRAMS: [&str; 5] = ["agentpack", "wa", "wink", "worldforge", "yarnnn"];

/// Documents whose commands a reader runs, relative to the root.
fn documents() -> Vec<String> {
    let mut found = vec!["CONTRIBUTING.md".to_owned(), "README.md".to_owned()];
    let folders = |name: &str| {
        let entries = std::fs::read_dir(Path::new(ROOT).join(name)).expect("a folder");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        paths.collect::<Vec<PathBuf>>()
    };
    let readmes = [folders("src"), folders("examples")].concat();
    let readmes = readmes.into_iter().map(|folder| folder.join("README.md"));
    let docs = folders("docs").into_iter();
    let docs = docs.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let all = readmes.chain(docs).filter(|path| path.is_file());
    found.extend(all.map(|path| {
        let path = path.strip_prefix(ROOT).expect("below the root");
        path.display().to_string()
    }));
    found.sort();
    found
}

/// The commands in the fenced `sh` and `console` blocks of a document.
fn commands(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(language) = line.trim_start().strip_prefix("```") else { continue };
        let block = lines.by_ref().take_while(|line| !line.trim_start().starts_with("```"));
        let block: Vec<&str> = block.collect();
        match language.trim() {
            "sh" => found.extend(joined(block.into_iter())),
            "console" => {
                let typed = block.iter().filter_map(|line| line.trim_start().strip_prefix("$ "));
                found.extend(joined(typed));
            }
            _ => {}
        }
    }
    found
}

/// Whole commands: a line and those that bash needs to complete it.
fn joined<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut found = Vec::new();
    let mut command = String::new();
    for line in lines {
        if command.is_empty() && without_comment(line).is_empty() {
            continue;
        }
        command += if command.is_empty() { without_comment(line) } else { line };
        command.push('\n');
        if !command.ends_with("\\\n") && is_whole(&command) {
            found.push(std::mem::take(&mut command));
        }
    }
    // What never became whole fails when it runs.
    found.extend(Some(command).filter(|command| !command.is_empty()));
    found
}

/// Whether bash parses it without asking for more.
fn is_whole(command: &str) -> bool {
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-n", "-c", command]);
    let finished = run(bash);
    finished.succeeded() && finished.stderr.is_empty()
}

fn without_comment(line: &str) -> &str {
    let mut quote = None;
    let mut before = ' ';
    for (at, letter) in line.char_indices() {
        match (quote, letter) {
            (None, '#') if before == ' ' => return line[..at].trim(),
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            _ => {}
        }
        before = letter;
    }
    line.trim()
}

/// The first line of a command, which stands for it in the table.
fn first_line(command: &str) -> String {
    let line = command.lines().next().unwrap_or_default();
    line.trim_end_matches('\\').split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What becomes of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Treatment {
    Run { script: String, status: i32 },
    NotRun,
}

/// The table: (document, first line of the command) → treatment.
fn table() -> BTreeMap<(String, String), Treatment> {
    let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let entries = lines.map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        let [document, command, treatment] = cells[..] else { panic!("three columns: {line:?}") };
        let script = command.to_owned();
        let treatment = if let Some(why) = treatment.strip_prefix("not run: ") {
            assert!(!why.is_empty(), "why is this not run? {line:?}");
            Treatment::NotRun
        } else if let Some(status) = treatment.strip_prefix("exits with ") {
            Treatment::Run { script, status: status.parse().expect("an exit status") }
        } else if let Some(script) = treatment.strip_prefix("as: ") {
            Treatment::Run { script: script.to_owned(), status: 0 }
        } else {
            panic!("not a treatment: {line:?}")
        };
        ((document.to_owned(), command.to_owned()), treatment)
    });
    entries.collect()
}

/// The script that runs the commands of a document and writes each one's status into `status`.
fn script(commands: &[(String, String, i32)], preparation: Option<&str>) -> String {
    let mut text = String::from("exec 3>\"$HOME/status\"\ncd \"$HOME/work\"\n");
    if let Some(preparation) = preparation {
        // Fails as a whole at the first command that fails.
        let _ = writeln!(text, "set -e\n{preparation}\nset +e");
    }
    for (number, (_, script, _)) in commands.iter().enumerate() {
        let output = format!("\"$HOME/output-{number}\"");
        let _ =
            writeln!(text, "{{ {script}\n}} >{output} 2>&1 </dev/null 3>&-\necho {number} $? >&3");
    }
    text
}

/// A home with the programs of this build on `PATH`.
fn home() -> ServerHome {
    let home = ServerHome::for_program("bash");
    for folder in ["work", "bin", "run"] {
        std::fs::create_dir(home.path(folder)).expect("writable");
    }
    let link = |program: &Path, name: &str| {
        std::os::unix::fs::symlink(program, home.path("bin").join(name)).expect("a link");
    };
    link(env!("CARGO_BIN_EXE_toolwright").as_ref(), "toolwright");
    for name in PROGRAMS {
        link(toolwright_testing::program(name).as_ref(), name);
    }
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", home.path("bin").display());
    home.clone()
        .env("PATH", path)
        .path_env("HOME", ".")
        .path_env("XDG_RUNTIME_DIR", "run")
        .env("ROOT", ROOT)
        .env("TERM", "dumb")
        .env("LANG", "C.UTF-8")
        .env("WA_BACKEND", "embedded")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_NAME", "Tester")
        .env("GIT_AUTHOR_EMAIL", "tester@example.com")
        .env("GIT_COMMITTER_NAME", "Tester")
        .env("GIT_COMMITTER_EMAIL", "tester@example.com")
}

/// Runs the commands of a document: what is wrong with them.
fn run_all(document: &str, commands: &[(String, String, i32)]) -> Vec<String> {
    let home = home();
    let preparation = Path::new(ROOT)
        .join("tests/wire/documented_commands")
        .join(format!("{}.sh", document.replace('/', "-")));
    let preparation = std::fs::read_to_string(preparation).ok();
    home.write("script", script(commands, preparation.as_deref()));
    let log = std::fs::File::create(home.path("log")).expect("writable");
    let mut shell: Command = home.command(&["script"]);
    // Its working folder is its home.
    let mut shell =
        shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().expect("bash");
    let pid = i32::try_from(shell.id()).expect("a process id");
    let statuses = || -> Vec<i32> {
        let text = home.read("status");
        text.lines().filter_map(|line| line.split(' ').nth(1)?.parse().ok()).collect()
    };
    let mut waited = Duration::ZERO;
    let mut ended = 0;
    while shell.try_wait().expect("a child").is_none() {
        std::thread::sleep(Duration::from_millis(20));
        waited += Duration::from_millis(20);
        let now = if home.path("status").exists() { statuses().len() } else { 0 };
        if now > ended {
            (ended, waited) = (now, Duration::ZERO);
        }
        if waited > PATIENCE {
            kill(pid);
            let stuck = commands.get(ended).map_or("the preparation", |(command, ..)| command);
            return vec![format!("{document}: `{stuck}` does not end")];
        }
    }
    let statuses = statuses();
    if statuses.len() < commands.len() {
        return vec![format!("{document}: the shell ended early: {}", home.read("log"))];
    }
    let failed = commands.iter().zip(statuses).enumerate();
    let failed = failed.filter(|(_, ((_, _, expected), status))| expected != status);
    let failed = failed.map(|(number, ((command, ..), status))| {
        let output = home.read(&format!("output-{number}"));
        format!("{document}: `{}` exits with {status}: {output}", command.trim_end())
    });
    failed.collect()
}

#[test]
fn every_documented_command_runs_or_is_listed_with_a_reason() {
    let mut table = table();
    let mut wrong = Vec::new();
    for document in documents() {
        let text = std::fs::read_to_string(Path::new(ROOT).join(&document)).expect("readable");
        let mut to_run = Vec::new();
        let mut listed = Vec::new();
        for command in commands(&text) {
            let first = first_line(&command);
            let key = (document.clone(), first);
            let treatment = table.get(&key).cloned();
            listed.push(key);
            match treatment.unwrap_or(Treatment::Run { script: command.clone(), status: 0 }) {
                Treatment::Run { script, status } => to_run.push((command, script, status)),
                Treatment::NotRun => {}
            }
        }
        for key in listed {
            table.remove(&key);
        }
        if !to_run.is_empty() {
            wrong.extend(run_all(&document, &to_run));
        }
    }
    for (document, command) in table.into_keys() {
        wrong.push(format!(
            "{document} has no command `{command}` any more: remove it from the table"
        ));
    }
    assert!(
        wrong.is_empty(),
        "fix the document, or list the command in tests/wire/documented_commands.tsv:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn commands_are_found_in_both_kinds_of_block() {
    let text = "```sh\nls 'a # b'  # shows it\nexport A=1 \\\n  B=2\ncat <<'EOF'\n# body\nEOF\n\n\
                two() {\n  ls 'a\nb'\n}\n```\n\
                ```console\n$ wink list\n{}\n```\n```yaml\na: 1\n```\n";
    let expected = [
        "ls 'a # b'\n",
        "export A=1 \\\n  B=2\n",
        "cat <<'EOF'\n# body\nEOF\n",
        "two() {\n  ls 'a\nb'\n}\n",
        "wink list\n",
    ];
    assert_eq!(commands(text), expected);
}
