//! `toolwright add-tool`: writes a contract that passes `check`, a working handler, and its line in
//! the list of modules.
//!
//! Works in the root of any project with `specs/<surface>/`. All or nothing: a tool that would not
//! pass `check` is not written, and after a failure written files are removed.

mod handler;
mod place;
mod spec;
mod uses;

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use toolwright_codegen::diagnostics::Colour;
use toolwright_codegen::model::{Contract, Effects};
use toolwright_codegen::{Loaded, names};
use toolwright_commands::{USAGE, terminal};

use place::Place;

const SPECS: &str = "specs";

/// Why nothing was written: exit status and message.
type Refusal = (u8, String);

/// The command.
pub(super) fn command() -> Command {
    Command::new("add-tool")
        .about("Write the contract and the handler of a new tool")
        .long_about(
            "Writes specs/<surface>/tools/<tool>.yaml and a working handler, and adds one \
             line to the module list beside it. Run it in the project's root.\n\
             Exit status: 0 written, 1 the tool would not pass `check` or cannot be written, 2 bad input.",
        )
        .arg(Arg::new("surface").required(true).value_name("SURFACE").help("A folder of specs/"))
        .arg(Arg::new("tool").required(true).value_name("TOOL").help(
            "Name of the tool, without the prefix of the surface; words can be joined by dots",
        ))
        .arg(
            Arg::new("effects")
                .long("effects")
                .value_parser(Effects::ALL.map(Effects::name))
                .default_value("read")
                .help("What a call can change"),
        )
}

/// Writes the tool and prints the next steps.
pub(super) fn run(arguments: &ArgMatches) -> ExitCode {
    let text = |name: &str| arguments.get_one::<String>(name).map_or("", String::as_str);
    let word = text("effects");
    let effects = Effects::ALL.into_iter().find(|effects| effects.name() == word);
    let effects = effects.unwrap_or(Effects::Read);
    match add(text("surface"), text("tool"), effects) {
        Ok(said) => {
            terminal::data(&said);
            ExitCode::SUCCESS
        }
        Err((status, problem)) => {
            terminal::message(&format!("error: {problem}"));
            ExitCode::from(status)
        }
    }
}

fn add(surface: &str, tool: &str, effects: Effects) -> Result<String, Refusal> {
    let loaded = toolwright_codegen::load(Path::new(SPECS));
    let contract = contract(&loaded, surface)?;
    let module = module(contract, tool)?;
    let place = Place::find(surface, tool, &module)?;
    let guards = spec::own_guards(contract, effects);
    let sibling = handler::SiblingTool::find(&place.folder, contract, &guards)?;

    let spec = spec::text(contract, tool, effects, &place.first_line);
    passes(&loaded, &place, &spec)?;
    let canonical = format!("{}{tool}", contract.prefix);
    let handler = sibling.handler(tool, &canonical);
    let modules = place.modules_with(&module);
    write(&place, &spec, &handler, &modules)?;
    let (spec, handler) = (place.spec.display(), place.handler.display());
    Ok(format!(
        "{spec}\n{handler}\n{}: one line, `mod {module};`; no other file was changed\n\n\
         Say in {spec} what the tool does, then in {handler} how. Next: `cargo build`, then try its \
         tool command: `{surface} {} --text hello{}`\n",
        place.modules.display(),
        names::default_command(tool).join(" "),
        if effects == Effects::Read { "" } else { " --confirm" },
    ))
}

/// The surface, without errors.
fn contract<'a>(loaded: &'a Loaded, surface: &str) -> Result<&'a Contract, Refusal> {
    if let Some(contract) = loaded.contracts.iter().find(|contract| contract.name == surface) {
        return Ok(contract);
    }
    if Path::new(SPECS).join(surface).join("surface.yaml").is_file() {
        let problem = format!("`{surface}` has errors; fix them first: `toolwright check`");
        return Err((1, problem));
    }
    let known = loaded.contracts.iter().map(|contract| contract.name.as_str());
    let near = names::suggest(surface, known);
    Err((USAGE, format!("there is no `{SPECS}/{surface}/surface.yaml` here; {near}")))
}

/// The module of a tool that can be added.
fn module(contract: &Contract, tool: &str) -> Result<String, Refusal> {
    let module = names::rust_module(tool).filter(|_| names::is_tool_name(tool));
    let Some(module) = module else {
        let problem = format!(
            "`{tool}` is not a valid tool name; use letters, digits and `_`; join words with dots, \
             each starting with a lower-case letter"
        );
        return Err((USAGE, problem));
    };
    if contract.tools.iter().any(|other| other.name == tool) {
        return Err((USAGE, format!("`{}` already has a tool `{tool}`", contract.name)));
    }
    Ok(module)
}

/// Checks that the new contract has no new findings.
fn passes(loaded: &Loaded, place: &Place, spec: &str) -> Result<(), Refusal> {
    let specs = Path::new(SPECS);
    let mut files = toolwright_codegen::read_folder(specs)
        .map_err(|error| (1, format!("`{SPECS}` cannot be read: {error}")))?;
    files.insert(place.name_below_specs.clone(), Ok(spec.as_bytes().to_vec()));
    let mut after = toolwright_codegen::load_files(specs, &files).report;
    after.diagnostics.retain(|finding| !loaded.report.diagnostics.contains(finding));
    if after.diagnostics.is_empty() {
        return Ok(());
    }
    let findings = after.render(Colour::Never);
    Err((1, format!("nothing was written, because the tool would not pass `check`:\n\n{findings}")))
}

/// Writes the three files, or none.
fn write(place: &Place, spec: &str, handler: &str, modules: &str) -> Result<(), Refusal> {
    let failed = |path: &Path, error: std::io::Error| {
        (1, format!("`{}` cannot be written: {error}; nothing was changed", path.display()))
    };
    let fresh = |path: &Path, text: &str| {
        let mut file = std::fs::File::create_new(path)?;
        file.write_all(text.as_bytes()).inspect_err(|_| {
            let _ = std::fs::remove_file(path);
        })
    };
    let mut written: Vec<&Path> = Vec::new();
    let mut all = || {
        for (path, text) in [(&place.spec, spec), (&place.handler, handler)] {
            fresh(path, text).map_err(|error| failed(path, error))?;
            written.push(path);
        }
        place.replace_modules(modules).map_err(|error| failed(&place.modules, error))
    };
    all().inspect_err(|_| {
        for path in written {
            let _ = std::fs::remove_file(path);
        }
    })
}
