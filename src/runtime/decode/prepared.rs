//! What is computed once per tool: parsed schemas, validators, defaults.
//!
//! Built on first use, because a validator costs 45 µs and most tools of a server are never
//! called; kept for ever, because the tables of a contract are static. A look-up takes no lock.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use jsonschema::{Draft, Validator};
use serde_json::Value;

use super::glance::Glance;
use super::keeps_value;
use crate::contract::ToolInfo;

/// A contract that cannot be served: generated text that is no schema.
#[derive(Debug)]
pub struct Defect {
    /// What is wrong, for the log.
    pub message: String,
}

/// One tool, ready for calls.
pub(crate) struct Prepared {
    /// Validates arguments.
    pub(crate) accepted: Validator,
    /// The same schema as data, for messages.
    pub(crate) schema: Value,
    /// Defaults of top-level properties.
    pub(crate) defaults: BTreeMap<String, Value>,
    /// Knows most valid arguments at a glance, where nothing but the typed request is needed.
    glance: Option<Glance>,
    output: OnceLock<Result<Validator, Defect>>,
    tool: &'static ToolInfo,
}

impl Prepared {
    fn new(tool: &'static ToolInfo) -> Result<Self, Defect> {
        let schema: Value = serde_json::from_str(tool.accepted).map_err(|error| Defect {
            message: format!("the input schema of `{}` is not JSON: {error}", tool.canonical),
        })?;
        let accepted = compile(&schema, "input", tool)?;
        let properties = schema.get("properties").and_then(Value::as_object);
        let defaults = properties
            .into_iter()
            .flatten()
            .filter_map(|(name, schema)| Some((name.clone(), schema.get("default")?.clone())))
            .collect();
        let plain = !keeps_value(tool) && tool.aliases.is_empty() && tool.constraints.is_empty();
        let glance = plain.then(|| Glance::of(&schema)).flatten();
        Ok(Self { accepted, schema, defaults, glance, output: OnceLock::new(), tool })
    }

    /// The arguments are valid as they stand. `false` says nothing.
    pub(super) fn surely_fits(&self, text: &str) -> bool {
        self.glance.as_ref().is_some_and(|glance| glance.fits(text))
    }

    /// Validates answers against what is served.
    pub(crate) fn output(&self) -> Result<&Validator, &Defect> {
        self.output
            .get_or_init(|| {
                let tool = self.tool;
                let schema = serde_json::from_str(tool.output).map_err(|error| Defect {
                    message: format!(
                        "the output schema of `{}` is not JSON: {error}",
                        tool.canonical
                    ),
                })?;
                compile(&schema, "output", tool)
            })
            .as_ref()
    }
}

fn compile(schema: &Value, which: &str, tool: &ToolInfo) -> Result<Validator, Defect> {
    // Clients with ajv check formats, so we do.
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .build(schema)
        .map_err(|error| Defect {
            message: format!(
                "the {which} schema of `{}` does not compile: {error}",
                tool.canonical
            ),
        })
}

type Entry = Result<Prepared, Defect>;

struct Slot {
    address: usize,
    entry: Entry,
}

const SLOTS: usize = 1024;
const PROBES: usize = 32;

/// An open-addressed table: a slot is written once and never changes, so readers need no lock.
static TABLE: [OnceLock<Box<Slot>>; SLOTS] = [const { OnceLock::new() }; SLOTS];
/// Where the table is crowded, which takes several hundred tools in one process.
static OVERFLOW: Mutex<BTreeMap<usize, &'static Entry>> = Mutex::new(BTreeMap::new());

/// The tool, ready for calls. Keyed by the address of its table, which is static.
pub(crate) fn prepared(tool: &'static ToolInfo) -> Result<&'static Prepared, &'static Defect> {
    let address = std::ptr::from_ref(tool).addr();
    let start = (address / align_of::<ToolInfo>()).wrapping_mul(0x9E37_79B9) >> 3;
    for probe in 0..PROBES {
        let slot = TABLE[(start + probe) % SLOTS]
            .get_or_init(|| Box::new(Slot { address, entry: Prepared::new(tool) }));
        if slot.address == address {
            return slot.entry.as_ref();
        }
    }
    let mut overflow = OVERFLOW.lock().unwrap_or_else(PoisonError::into_inner);
    overflow.entry(address).or_insert_with(|| Box::leak(Box::new(Prepared::new(tool)))).as_ref()
}
