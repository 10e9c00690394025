//! The command line, and where the table goes.

use std::path::{Path, PathBuf};

use crate::Result;
use crate::table::Table;

/// What can be measured alone.
const PARTS: [&str; 12] = [
    "agentpack",
    "builds",
    "calls",
    "http",
    "list",
    "payload",
    "start",
    "tools",
    "wa",
    "worldforge",
    "write",
    "yarnnn",
];

/// What a reader gets.
enum Form {
    Text,
    Json,
    Markdown,
}

/// What is asked for.
pub(crate) struct Options {
    pub(crate) quick: bool,
    /// Names of parts, with commas between them.
    pub(crate) only: Option<String>,
    /// The commit that builds are compared with, where it is not the usual one.
    pub(crate) base: Option<String>,
    /// The release builds.
    pub(crate) programs: PathBuf,
    /// What the peers need.
    pub(crate) peers: PathBuf,
    /// A table that was saved; nothing is measured.
    pub(crate) from: Option<PathBuf>,
    /// The port of a server that is kept busy; nothing is measured.
    pub(crate) load: Option<u16>,
    form: Form,
    svg: Option<PathBuf>,
    save: bool,
}

impl Options {
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut options = Self {
            quick: false,
            only: None,
            base: None,
            programs: "target/release".into(),
            peers: "target/peers".into(),
            from: None,
            load: None,
            form: Form::Text,
            svg: None,
            save: false,
        };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
            match argument.as_str() {
                "--quick" => options.quick = true,
                "--json" => options.form = Form::Json,
                "--markdown" => options.form = Form::Markdown,
                "--save" => options.save = true,
                "--only" => options.only = Some(value()?),
                "--base" => options.base = Some(value()?),
                "--programs" => options.programs = value()?.into(),
                "--peers" => options.peers = value()?.into(),
                "--from" => options.from = Some(value()?.into()),
                "--load" => options.load = Some(value()?.parse()?),
                "--svg" => options.svg = Some(value()?.into()),
                other => return Err(format!("unknown argument `{other}`").into()),
            }
        }
        let mut asked = options.only.iter().flat_map(|only| only.split(','));
        if let Some(unknown) = asked.find(|part| !PARTS.contains(part)) {
            return Err(format!("no part `{unknown}`; there are {}", PARTS.join(", ")).into());
        }
        if options.save && options.quick {
            return Err("a smoke run is not saved".into());
        }
        Ok(options)
    }

    /// Whether a part is measured: by its name, or unless another was asked for.
    pub(crate) fn chosen(&self, part: &str, usually: bool) -> bool {
        self.only.as_deref().map_or(usually, |only| only.split(',').any(|asked| asked == part))
    }

    /// Shows the table, and keeps it where that is asked for.
    pub(crate) fn output(&self, table: &Table) -> Result<()> {
        match self.form {
            Form::Text => println!("{table}"),
            Form::Json => println!("{:#}", table.to_json()?),
            Form::Markdown => println!("{}", table.to_markdown()),
        }
        if let Some(file) = &self.svg {
            std::fs::write(file, table.to_svg())?;
        }
        if self.save {
            std::fs::write("benches/results.json", format!("{:#}\n", table.to_json()?))?;
            std::fs::write("benches/ratios.svg", table.to_svg())?;
            refresh(Path::new("README.md"), &table.to_summary())?;
            refresh(Path::new("docs/benchmarks.md"), &table.to_markdown())?;
        }
        Ok(())
    }
}

const OPENING: &str = "<!-- benchmarks -->\n";
const CLOSING: &str = "<!-- /benchmarks -->";

/// Replaces what is between the marks.
fn refresh(file: &Path, text: &str) -> Result<()> {
    let page = std::fs::read_to_string(file)?;
    let parts = page.split_once(OPENING).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(CLOSING)?;
        Some(format!("{before}{OPENING}{text}{CLOSING}{after}"))
    });
    let page = parts.ok_or_else(|| format!("{} has no {}", file.display(), OPENING.trim()))?;
    Ok(std::fs::write(file, page)?)
}
