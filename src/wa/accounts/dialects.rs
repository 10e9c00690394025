//! Parses account usage as printed by `caut`, a custom command or a file.
//!
//! Three formats: `caut usage --json` (`caut.v1`: a `data` list with windows per provider),
//! `caut refresh --format json` (an `accounts` list with percentages), and a plain list of such
//! accounts. Unknown keys are ignored, because sources grow. Pure.

use serde_json::{Map, Value};

use super::{Account, AccountStatus, Problem, Service};
use crate::model::Millis;

/// Longest name or text that is kept from a source.
const MAX_TEXT: usize = 200;

/// A parsed document.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub(super) accounts: Vec<Account>,
    pub(super) problems: Vec<Problem>,
}

/// Reads a document. `asked` is the service of accounts that name none.
pub(super) fn parse(document: &Value, asked: Option<Service>) -> Result<Parsed, String> {
    let mut parsed = Parsed::default();
    match document {
        Value::Array(accounts) => read_accounts(accounts, asked, &mut parsed),
        Value::Object(object) => {
            if let Some(data) = list(object, "data") {
                read_windows(data, asked, &mut parsed);
            } else if let Some(accounts) = list(object, "accounts") {
                let service = word(object, &["service"]);
                let service = service.as_deref().and_then(Service::parse).or(asked);
                read_accounts(accounts, service, &mut parsed);
            } else {
                return Err("it has neither a `data` nor an `accounts` list".to_owned());
            }
            for (number, error) in list(object, "errors").into_iter().flatten().enumerate() {
                parsed.problems.push(error_entry(error, number, asked));
            }
        }
        _ => return Err("it is neither an object nor a list".to_owned()),
    }
    once_each(&mut parsed);
    Ok(parsed)
}

/// `caut.v1`: each entry is an account with up to three windows.
fn read_windows(data: &[Value], asked: Option<Service>, parsed: &mut Parsed) {
    for (number, entry) in data.iter().enumerate() {
        let Some(entry) = entry.as_object() else {
            parsed.problems.push(invalid_entry(number, asked, "is not an object"));
            continue;
        };
        let provider = word(entry, &["provider", "service"]);
        let Some(service) = provider.as_deref().map_or(asked, Service::parse) else {
            // Providers that no agent of ours uses.
            continue;
        };
        let usage = entry.get("usage").and_then(Value::as_object);
        let identity = usage
            .and_then(|usage| usage.get("identity"))
            .or_else(|| entry.get("identity"))
            .and_then(Value::as_object);
        let email = identity.and_then(|identity| word(identity, &["accountEmail", "email"]));
        let name = match entry.get("account") {
            Some(Value::Object(account)) => word(account, &["id", "email", "label", "name"]),
            _ => word(entry, &["account"]),
        };
        // A lone account often has no name: the provider's is as good.
        let id = name.or_else(|| email.clone()).unwrap_or_else(|| match number {
            0 => service.provider().to_owned(),
            _ => format!("{}-{}", service.provider(), number + 1),
        });
        if let Some(error) = entry.get("error").filter(|error| !error.is_null()) {
            let problem = error_entry(error, number, Some(service));
            parsed.accounts.push(broken(id.clone(), service, email, &problem));
            parsed.problems.push(Problem { account_id: id, ..problem });
            continue;
        }
        let windows = ["primary", "secondary", "tertiary"].into_iter();
        let windows = windows.filter_map(|name| usage?.get(name)?.as_object());
        let tightest = windows
            .filter_map(|window| {
                Some((number_of(window, &["usedPercent", "used_percent"])?, window))
            })
            .max_by(|(a, _), (b, _)| a.total_cmp(b));
        let percent = tightest.map(|(used, _)| (100.0 - used).clamp(0.0, 100.0));
        let window = tightest.map(|(_, window)| window);
        let minutes = window.and_then(|window| number_of(window, &["windowMinutes"]));
        parsed.accounts.push(Account {
            status: status(entry, percent),
            id,
            service,
            label: email,
            percent_remaining: percent,
            limit_type: minutes.and_then(span),
            resets_at: window.and_then(|window| time(window, &["resetsAt", "resets_at"])),
            current_usage: window.and_then(|window| word(window, &["resetDescription"])),
            last_used_at: None,
            auth_expires_at: None,
        });
    }
}

/// The other dialect, and files: each entry says what is left.
fn read_accounts(accounts: &[Value], asked: Option<Service>, parsed: &mut Parsed) {
    for (number, entry) in accounts.iter().enumerate() {
        let Some(entry) = entry.as_object() else {
            parsed.problems.push(invalid_entry(number, asked, "is not an object"));
            continue;
        };
        let label = word(entry, &["label", "name"]);
        let id = word(entry, &["id", "account_id", "accountId"]).or_else(|| label.clone());
        let Some(id) = id else {
            parsed.problems.push(invalid_entry(number, asked, "has no `id`"));
            continue;
        };
        let named = word(entry, &["service", "provider"]);
        let Some(service) = named.as_deref().map_or(asked, Service::parse) else {
            let what = named.map_or_else(
                || "names no `service`".to_owned(),
                |named| format!("has the unknown service `{named}`"),
            );
            parsed.problems.push(Problem {
                error: format!("Account `{id}` {what}."),
                account_id: id,
                error_code: None,
            });
            continue;
        };
        if let Some(error) = entry.get("error").filter(|error| !error.is_null()) {
            let problem = error_entry(error, number, Some(service));
            parsed.accounts.push(broken(id.clone(), service, label, &problem));
            parsed.problems.push(Problem { account_id: id, ..problem });
            continue;
        }
        let percent = number_of(entry, &["percent_remaining", "percentRemaining"])
            .map(|percent| percent.clamp(0.0, 100.0));
        let hours = number_of(entry, &["limit_hours", "limitHours"]);
        parsed.accounts.push(Account {
            status: status(entry, percent),
            id,
            service,
            label,
            percent_remaining: percent,
            limit_type: word(entry, &["limit_type", "limitType"])
                .or_else(|| hours.and_then(|hours| span(hours * 60.0))),
            resets_at: time(entry, &["resets_at", "resetsAt", "reset_at", "resetAt"]),
            current_usage: word(entry, &["current_usage", "currentUsage"])
                .or_else(|| tokens(entry)),
            last_used_at: time(entry, &["last_used_at", "lastUsedAt"]),
            auth_expires_at: time(entry, &["auth_expires_at", "authExpiresAt"]),
        });
    }
}

/// The first of several accounts of one name counts.
fn once_each(parsed: &mut Parsed) {
    let mut seen = std::collections::BTreeSet::new();
    let mut twice = Vec::new();
    parsed.accounts.retain(|account| {
        let first = seen.insert((account.service, account.id.clone()));
        if !first {
            twice.push(Problem {
                account_id: account.id.clone(),
                error: "It is listed twice; the first entry counts.".to_owned(),
                error_code: None,
            });
        }
        first
    });
    parsed.problems.append(&mut twice);
}

fn status(entry: &Map<String, Value>, percent: Option<f64>) -> AccountStatus {
    if entry.get("disabled").and_then(Value::as_bool) == Some(true) {
        return AccountStatus::Disabled;
    }
    let said = entry.get("status").and_then(Value::as_str).and_then(AccountStatus::parse);
    match (said, percent) {
        (Some(said), _) => said,
        (None, Some(percent)) if percent <= 0.0 => AccountStatus::AtLimit,
        (None, Some(_)) => AccountStatus::Available,
        (None, None) => AccountStatus::Unknown,
    }
}

/// An account whose source could not read it.
fn broken(id: String, service: Service, label: Option<String>, problem: &Problem) -> Account {
    let code = problem.error_code.as_deref().unwrap_or_default();
    let text = format!("{code} {}", problem.error).to_ascii_lowercase();
    let words = ["auth", "401", "sign in", "log in", "login", "token expired", "credential"];
    let signed_out = words.iter().any(|word| text.contains(word));
    Account {
        id,
        service,
        label,
        status: if signed_out { AccountStatus::AuthRequired } else { AccountStatus::Unknown },
        percent_remaining: None,
        limit_type: None,
        resets_at: None,
        current_usage: None,
        last_used_at: None,
        auth_expires_at: None,
    }
}

/// An error as reported by the source: a text, or an object with a message.
fn error_entry(error: &Value, number: usize, service: Option<Service>) -> Problem {
    let Some(object) = error.as_object() else {
        let text = error.as_str().map_or_else(|| error.to_string(), str::to_owned);
        return Problem {
            account_id: of_service(service),
            error: shortened(&text),
            error_code: None,
        };
    };
    let named = word(object, &["account_id", "accountId", "account", "id"]);
    let provider = word(object, &["provider", "service"]);
    let service = provider.as_deref().and_then(Service::parse).or(service);
    Problem {
        account_id: named.unwrap_or_else(|| of_service(service)),
        error: word(object, &["message", "error", "description"])
            .unwrap_or_else(|| format!("Error {} of its source.", number + 1)),
        error_code: word(object, &["code", "error_code", "category"]),
    }
}

fn invalid_entry(number: usize, service: Option<Service>, what: &str) -> Problem {
    Problem {
        account_id: of_service(service),
        error: format!("Entry {} {what}.", number + 1),
        error_code: None,
    }
}

/// Placeholder for an account that the source does not name.
pub(super) fn of_service(service: Option<Service>) -> String {
    format!("service:{}", service.map_or("all", Service::as_str))
}

fn tokens(entry: &Map<String, Value>) -> Option<String> {
    let used = number_of(entry, &["tokens_used", "tokensUsed"])?;
    Some(match number_of(entry, &["tokens_limit", "tokensLimit"]) {
        Some(limit) => format!("{used} of {limit} tokens"),
        None => format!("{used} tokens"),
    })
}

/// `5h`, `7d`, `90m`
fn span(minutes: f64) -> Option<String> {
    if !(1.0..=5_256_000.0).contains(&minutes) {
        return None;
    }
    let minutes = minutes.round();
    Some(match minutes {
        _ if minutes % 1440.0 == 0.0 => format!("{}d", minutes / 1440.0),
        _ if minutes % 60.0 == 0.0 => format!("{}h", minutes / 60.0),
        _ => format!("{minutes}m"),
    })
}

fn list<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a Vec<Value>> {
    object.get(key).and_then(Value::as_array)
}

fn first<'a>(object: &'a Map<String, Value>, keys: &[&str]) -> Option<&'a Value> {
    keys.iter().find_map(|key| object.get(*key)).filter(|value| !value.is_null())
}

fn word(object: &Map<String, Value>, keys: &[&str]) -> Option<String> {
    match keys.iter().find_map(|key| object.get(*key).filter(|value| !value.is_null()))? {
        Value::String(text) if !text.trim().is_empty() => Some(shortened(text.trim())),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn shortened(text: &str) -> String {
    let text: String = text.chars().filter(|letter| !letter.is_control()).take(MAX_TEXT).collect();
    crate::redact::redact(&text).into_owned()
}

fn number_of(object: &Map<String, Value>, keys: &[&str]) -> Option<f64> {
    let number = match first(object, keys)? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().trim_end_matches('%').trim_end().parse().ok(),
        _ => None,
    };
    number.filter(|number: &f64| number.is_finite())
}

/// RFC 3339, epoch seconds or epoch milliseconds.
fn time(object: &Map<String, Value>, keys: &[&str]) -> Option<Millis> {
    match first(object, keys)? {
        Value::String(text) => Some(text.trim().parse::<jiff::Timestamp>().ok()?.as_millisecond()),
        value => {
            let number = value.as_i64().filter(|number| *number > 0)?;
            // Seconds have ten digits until the year 2286.
            if number < 10_000_000_000 { number.checked_mul(1000) } else { Some(number) }
        }
    }
}
