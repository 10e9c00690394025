//! Guards as a tool binds them.

use serde_json::{Map, Value};

use super::Fields;
use super::fields::text;
use crate::diagnostics::{Findings, code};
use crate::model::{Contract, GuardUse};
use crate::names;
use crate::parse::{Kind, Node};

/// Guards that every surface can use.
pub(crate) const BUILTIN: [&str; 4] = ["confirm", "two_stage", "ask", "role"];

/// Reads one element of a tool's `guards`.
pub(super) fn read(node: &Node, contract: &Contract, out: &mut Findings) -> Option<GuardUse> {
    let [entry] = node.entries() else {
        out.add(code::BAD_VALUE, node.place, "a guard must be a map with one key, its name")
            .help("such as `- confirm: {field: yes, refuses: confirm_required}`");
        return None;
    };
    let name = entry.key.as_str();
    if !BUILTIN.contains(&name) && !contract.guards.contains_key(name) {
        let known = BUILTIN.into_iter().chain(contract.guards.keys().map(String::as_str));
        out.add(code::UNKNOWN_GUARD, entry.place, format!("unknown guard `{name}`"))
            .label("neither built in nor declared in `surface.yaml`")
            .help(names::suggest(name, known));
        return None;
    }
    if !BUILTIN.contains(&name) {
        let bind: Map<String, Value> = match entry.value.kind {
            Kind::Null => Map::new(),
            Kind::Map(_) => entry
                .value
                .entries()
                .iter()
                .map(|param| (param.key.clone(), param.value.to_value()))
                .collect(),
            _ => {
                super::fields::wrong(&entry.value, entry.focus(), "parameters must be a map", out);
                Map::new()
            }
        };
        return Some(GuardUse::Own { name: name.to_owned(), bind });
    }

    let mut fields = Fields::new(&entry.value, entry.place, "this guard", out)?;
    let guard = match name {
        "confirm" => GuardUse::Confirm {
            field: fields.need_text("field", out),
            unless: fields.text("unless", out).map(str::to_owned),
            refuses: fields.need_text("refuses", out),
            rehearse: fields.flag("rehearse", out).unwrap_or(false),
        },
        "two_stage" => GuardUse::TwoStage {
            issuer: fields.need_text("issuer", out),
            field: fields.need_text("field", out),
            unless: fields.text("unless", out).map(str::to_owned),
            ttl_seconds: ttl(&mut fields, out),
            missing: fields.need_text("missing", out),
            expired: fields.need_text("expired", out),
            mismatch: fields.need_text("mismatch", out),
            hash: fields.text("hash", out).map(str::to_owned),
        },
        "ask" => GuardUse::Ask {
            message: fields.need_text("message", out),
            refuses: fields.need_text("refuses", out),
            otherwise: fields.text("otherwise", out).map(str::to_owned),
            optional: fields.flag("optional", out).unwrap_or(false),
        },
        _ => GuardUse::Role {
            tenant: argument(&mut fields, "tenant", out),
            user: argument(&mut fields, "user", out),
            project: argument(&mut fields, "project", out),
            unknown: fields.need_text("unknown", out),
            forbidden: fields.need_text("forbidden", out),
        },
    };
    fields.finish(out);
    Some(guard)
}

/// Kinds that a guard refuses with; empty ones were reported where they are missing.
pub(super) fn refusals(guard: &GuardUse, contract: &Contract) -> Vec<String> {
    let mut kinds = match guard {
        GuardUse::Confirm { refuses, .. } | GuardUse::Ask { refuses, .. } => vec![refuses.clone()],
        GuardUse::TwoStage { missing, expired, mismatch, .. } => {
            vec![missing.clone(), expired.clone(), mismatch.clone()]
        }
        GuardUse::Role { unknown, forbidden, .. } => vec![unknown.clone(), forbidden.clone()],
        GuardUse::Own { name, .. } => {
            contract.guards.get(name).map(|guard| guard.refuses.clone()).unwrap_or_default()
        }
    };
    kinds.retain(|kind| !kind.is_empty());
    kinds
}

/// `$tenantId`, stored without the `$`.
fn argument(fields: &mut Fields<'_>, key: &'static str, out: &mut Findings) -> Option<String> {
    let entry = fields.entry(key)?;
    let word = text(entry, out)?;
    let name = word.strip_prefix('$');
    if name.is_none() {
        out.add(
            code::BAD_VALUE,
            entry.focus(),
            format!("`{key}` must name an argument of the tool"),
        )
        .label("without `$`")
        .help(format!("write `{key}: ${word}`"));
    }
    name.map(str::to_owned)
}

fn ttl(fields: &mut Fields<'_>, out: &mut Findings) -> u32 {
    let Some(entry) = fields.need("ttl") else { return 0 };
    let Some(word) = text(entry, out) else { return 0 };
    let seconds = duration(word);
    if seconds.is_none() {
        out.add(code::BAD_VALUE, entry.focus(), format!("`{word}` is not a valid lifetime"))
            .label("a number followed by `s`, `m` or `h`, from one second to one day")
            .help("such as `600s` or `10m`");
    }
    seconds.unwrap_or(0)
}

/// Seconds of `600s`, `10m`, `1h`; at most a day.
fn duration(text: &str) -> Option<u32> {
    let unit = text.chars().last()?;
    let factor = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        _ => return None,
    };
    let number: u32 = text.strip_suffix(unit)?.parse().ok()?;
    number.checked_mul(factor).filter(|seconds| (1..=86_400).contains(seconds))
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn durations_have_a_unit_and_a_limit() {
        assert_eq!(duration("600s"), Some(600));
        assert_eq!(duration("10m"), Some(600));
        assert_eq!(duration("24h"), Some(86_400));
        for bad in ["", "600", "0s", "25h", "-1s", "1.5h", "99999999999s", "ü"] {
            assert_eq!(duration(bad), None, "{bad}");
        }
    }
}
