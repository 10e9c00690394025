//! `toolwright new`: creates a server package that builds and passes its tests.
//!
//! The files are those of `template/`, with the names filled in. Existing files are never touched; if
//! one file cannot be written, all others are removed again.

mod checkout;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use toolwright_codegen::{Mode, names};
use toolwright_commands::{USAGE, terminal};

use checkout::Dependencies;

/// Paths in the package and their contents. `@name@` is replaced by the name, also in paths.
const TEMPLATE: [(&str, &str); 13] = [
    (".gitignore", include_str!("template/gitignore")),
    ("Cargo.toml", include_str!("template/cargo.toml")),
    ("README.md", include_str!("template/README.md")),
    ("build.rs", include_str!("template/build.rs")),
    ("specs/@name@/surface.yaml", include_str!("template/surface.yaml")),
    ("specs/@name@/tools/greet.yaml", include_str!("template/greet.yaml")),
    ("specs/@name@/types.yaml", include_str!("template/types.yaml")),
    // So that editors complete specs wherever the package is.
    ("specs/spec.schema.json", include_str!("../../../specs/spec.schema.json")),
    ("src/main.rs", include_str!("template/main.rs")),
    ("src/tools/greet.rs", include_str!("template/greet.rs")),
    ("src/tools/mod.rs", include_str!("template/mod.rs")),
    ("tests/serves.rs", include_str!("template/serves.rs")),
    ("rustfmt.toml", include_str!("../../../rustfmt.toml")),
];

/// The files of a package with roles, in place of those of the same path or besides them.
const WITH_ROLES: [(&str, &str); 8] = [
    ("README.md", include_str!("template/roles/README.md")),
    ("specs/@name@/surface.yaml", include_str!("template/roles/surface.yaml")),
    ("specs/@name@/tools/announce.yaml", include_str!("template/roles/announce.yaml")),
    ("specs/@name@/tools/greet.yaml", include_str!("template/roles/greet.yaml")),
    ("src/main.rs", include_str!("template/roles/main.rs")),
    ("src/tools/announce.rs", include_str!("template/roles/announce.rs")),
    ("src/tools/mod.rs", include_str!("template/roles/mod.rs")),
    ("tests/serves.rs", include_str!("template/roles/serves.rs")),
];

/// Names that cargo, the build folder or the dependencies of the package use.
const RESERVED: [&str; 16] = [
    "alloc",
    "build",
    "core",
    "deps",
    "examples",
    "incremental",
    "proc_macro",
    "serde",
    "serde_json",
    "std",
    "test",
    "toolwright",
    "toolwright_codegen",
    "toolwright_commands",
    "toolwright_runtime",
    "toolwright_testing",
];

/// The command.
pub(super) fn command() -> Command {
    Command::new("new")
        .about("Create a server package that builds and passes its tests")
        .long_about(
            "Creates a server package with one tool that builds and passes its tests.\n\
             Exit status: 0 written, 1 a file cannot be written, 2 invalid name or the folder exists.",
        )
        .arg(
            Arg::new("name")
                .required(true)
                .value_name("NAME")
                .help("Name of the package, its surface and its program, such as `shelf`"),
        )
        .arg(
            Arg::new("path")
                .long("path")
                .value_name("DIR")
                .help("Folder to create [default: the name, in this folder]"),
        )
        .arg(
            Arg::new("with")
                .long("with")
                .value_name("FEATURE")
                .value_parser(["roles"])
                .help("`roles`: users with roles, known from a setting or a bearer token"),
        )
        .arg(Arg::new("toolwright").long("toolwright").value_name("PATH").help(
            "Checkout of Toolwright to depend on [default: the one that contains this folder, else \
             a released version]",
        ))
}

/// Creates the package and prints the next steps.
pub(super) fn run(arguments: &ArgMatches) -> ExitCode {
    let text = |name: &str| arguments.get_one::<String>(name).map(String::as_str);
    let name = text("name").unwrap_or_default();
    let folder = PathBuf::from(text("path").unwrap_or(name));
    if let Err(problem) = check_name(name) {
        return refuse(USAGE, &problem);
    }
    if folder.symlink_metadata().is_ok() {
        let problem = format!("`{}` already exists; choose another --path", folder.display());
        return refuse(USAGE, &problem);
    }
    let dependencies = match Dependencies::find(text("toolwright").map(Path::new), &folder) {
        Ok(dependencies) => dependencies,
        Err(problem) => return refuse(USAGE, &problem),
    };
    let has_roles = text("with").is_some();
    match write(name, &folder, &dependencies, has_roles) {
        Ok(written) => {
            let shown = folder.display();
            terminal::line(&written.join("\n"));
            let (what, setting) = if has_roles {
                let upper = name.to_uppercase();
                let setting = format!("{upper}_USER=ann {upper}_ROLES=ann=HOST ");
                ("two tools and two roles", setting)
            } else {
                ("one tool", String::new())
            };
            terminal::message(&format!(
                "\n`{name}` is a server with {what}. Next:\n  \
                 cd {shown} && cargo test\n  {setting}cargo run -- greet --name Ada"
            ));
            ExitCode::SUCCESS
        }
        Err(problem) => refuse(1, &problem),
    }
}

fn refuse(status: u8, problem: &str) -> ExitCode {
    terminal::message(&format!("error: {problem}"));
    ExitCode::from(status)
}

fn check_name(name: &str) -> Result<(), String> {
    if !names::is_surface_name(name) {
        return Err(format!(
            "`{name}` is not a valid name; use lower-case letters, digits and `_`, a letter first, \
             and no Rust keyword"
        ));
    }
    if RESERVED.contains(&name) {
        return Err(format!("the name `{name}` is used by cargo or by a dependency of the server"));
    }
    Ok(())
}

/// Paths in the package and their contents.
fn template(has_roles: bool) -> BTreeMap<&'static str, &'static str> {
    let more = if has_roles { &WITH_ROLES[..] } else { &[] };
    TEMPLATE.iter().chain(more).copied().collect()
}

/// Writes all files or none; returns their paths.
fn write(
    name: &str,
    folder: &Path,
    dependencies: &Dependencies,
    has_roles: bool,
) -> Result<Vec<String>, String> {
    let broken = |path: &Path, error: std::io::Error| {
        format!("`{}` cannot be written: {error}", path.display())
    };
    if let Some(parent) = folder.parent() {
        std::fs::create_dir_all(parent).map_err(|error| broken(parent, error))?;
    }
    // Fails where somebody else was faster: what is removed below is ours.
    std::fs::create_dir(folder).map_err(|error| broken(folder, error))?;
    let fill = |text: &str| {
        text.replace("@name@", name)
            .replace("@NAME@", &name.to_uppercase())
            .replace("@title@", &title(name))
            .replace("@comment@", &dependencies.comment)
            .replace("@commands@", &dependencies.commands)
            .replace("@runtime@", &dependencies.runtime)
            .replace("@codegen@", &dependencies.codegen)
            .replace("@testing@", &dependencies.testing)
    };
    let mut written = Vec::new();
    let all = || -> Result<Vec<String>, String> {
        for (path, text) in template(has_roles) {
            let path = folder.join(fill(path));
            let parent = path.parent().unwrap_or(folder);
            std::fs::create_dir_all(parent)
                .and_then(|()| std::fs::write(&path, fill(text)))
                .map_err(|error| broken(&path, error))?;
            written.push(path.display().to_string());
        }
        // An editor that opens the package before its first build finds the generated module.
        let (specs, generated) = (folder.join("specs"), folder.join("generated"));
        let built = toolwright_codegen::build(&specs, &generated, Mode::Write)
            .map_err(|error| error.to_string())?;
        written.extend(built.written.iter().map(|path| path.display().to_string()));
        written.sort();
        Ok(written)
    };
    all().inspect_err(|_| {
        // Nothing can be done about a folder that does not go either.
        let _ = std::fs::remove_dir_all(folder);
    })
}

/// `my_shelf` as a title: `My shelf`.
fn title(name: &str) -> String {
    let words = name.split('_').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| {
        format!("{}{}", first.to_ascii_uppercase(), letters.as_str())
    })
}
