//! Selects the account to use next and explains why. Pure.

use super::{Account, AccountStatus, Service};
use crate::model::Millis;

/// Accounts with less than this are not chosen: the next answer could be the last.
pub const LOW_PERCENT: f64 = 5.0;

/// The account to use next, and the candidates.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// Its id.
    pub chosen: Option<String>,
    /// Why, in a sentence or two.
    pub explanation: String,
    /// Accounts that could be used, best first.
    pub candidates: Vec<Considered>,
    /// Accounts that could not, by id.
    pub filtered: Vec<Considered>,
    /// When the first exhausted one resets.
    pub earliest_reset: Option<Millis>,
}

/// One candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct Considered {
    /// Its id.
    pub id: String,
    /// What is left, where known.
    pub percent_remaining: Option<f64>,
    /// When it was last chosen.
    pub last_used_at: Option<Millis>,
    /// What spoke against it.
    pub against: Option<String>,
}

/// Most left first; a tie goes to the one that was used longest ago, then to the first id. Accounts
/// of which nobody knows what is left come last.
pub(super) fn select(service: Service, accounts: &[Account], now: Millis) -> Selection {
    let considered = accounts.iter().filter(|account| account.service == service).map(consider);
    let (filtered, mut candidates): (Vec<_>, Vec<_>) =
        considered.partition(|considered| considered.against.is_some());
    candidates.sort_by(|a, b| {
        let left = |one: &Considered| one.percent_remaining.unwrap_or(-1.0);
        left(b)
            .total_cmp(&left(a))
            .then_with(|| a.last_used_at.cmp(&b.last_used_at))
            .then_with(|| a.id.cmp(&b.id))
    });
    let resets = accounts.iter().filter(|account| account.service == service);
    let earliest_reset =
        resets.filter_map(|account| account.resets_at).filter(|resets_at| *resets_at > now).min();
    let explanation = explain(service, &candidates, &filtered);
    let chosen = candidates.first().map(|best| best.id.clone());
    Selection { chosen, explanation, candidates, filtered, earliest_reset }
}

fn consider(account: &Account) -> Considered {
    let against = match (account.status, account.percent_remaining) {
        (AccountStatus::AtLimit, _) => Some("is at its limit".to_owned()),
        (AccountStatus::AuthRequired, _) => Some("needs to sign in".to_owned()),
        (AccountStatus::Disabled, _) => Some("is disabled".to_owned()),
        (_, Some(percent)) if percent < LOW_PERCENT => {
            Some(format!("has {percent:.1} % left, less than {LOW_PERCENT} %"))
        }
        _ => None,
    };
    Considered {
        id: account.id.clone(),
        percent_remaining: account.percent_remaining,
        last_used_at: account.last_used_at,
        against,
    }
}

fn explain(service: Service, candidates: &[Considered], filtered: &[Considered]) -> String {
    let service = service.as_str();
    let mut text = match candidates {
        [] if filtered.is_empty() => {
            return format!("No account of {service} is known; wa.accounts_refresh reads them.");
        }
        [] => format!("No account of {service} can be used."),
        [best] => format!("`{}`{} is the only usable account.", best.id, left(best)),
        [best, second, ..] if best.percent_remaining == second.percent_remaining => {
            format!("`{}`{} was used least recently among equals.", best.id, left(best))
        }
        [best, ..] => {
            format!("`{}`{} has most left of {}.", best.id, left(best), candidates.len())
        }
    };
    for one in filtered {
        if let Some(against) = &one.against {
            text.push_str(&format!(" `{}` {against}.", one.id));
        }
    }
    text
}

fn left(considered: &Considered) -> String {
    considered.percent_remaining.map_or_else(
        || " (remaining usage unknown)".to_owned(),
        |percent| format!(" ({percent:.0} % left)"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(id: &str, percent: Option<f64>, used: Option<Millis>) -> Account {
        Account {
            id: id.to_owned(),
            service: Service::Openai,
            label: None,
            status: AccountStatus::Available,
            percent_remaining: percent,
            limit_type: None,
            resets_at: None,
            current_usage: None,
            last_used_at: used,
            auth_expires_at: None,
        }
    }

    #[test]
    fn who_is_chosen() {
        let a = |percent, used| account("a", percent, used);
        let b = |percent, used| account("b", percent, used);
        let limited = Account { status: AccountStatus::AtLimit, ..b(Some(90.0), None) };
        let signed_out = Account { status: AccountStatus::AuthRequired, ..b(Some(90.0), None) };
        let off = Account { status: AccountStatus::Disabled, ..b(Some(90.0), None) };
        let other = Account { service: Service::Google, ..b(Some(90.0), None) };
        let table = [
            ("most left", vec![a(Some(40.0), None), b(Some(60.0), None)], Some("b")),
            ("oldest use", vec![a(Some(50.0), Some(9)), b(Some(50.0), Some(3))], Some("b")),
            ("never used", vec![a(Some(50.0), Some(9)), b(Some(50.0), None)], Some("b")),
            ("first id", vec![b(Some(50.0), None), a(Some(50.0), None)], Some("a")),
            ("low is dropped", vec![a(Some(4.9), None)], None),
            ("five is enough", vec![a(Some(5.0), None)], Some("a")),
            ("known before unknown", vec![a(None, None), b(Some(6.0), None)], Some("b")),
            ("unknown is better than none", vec![a(None, None)], Some("a")),
            ("at its limit", vec![a(Some(10.0), None), limited], Some("a")),
            ("signed out", vec![a(Some(10.0), None), signed_out], Some("a")),
            ("switched off", vec![a(Some(10.0), None), off], Some("a")),
            ("another service", vec![other], None),
            ("nobody", vec![], None),
        ];
        for (what, accounts, expected) in table {
            let selection = select(Service::Openai, &accounts, 0);
            assert_eq!(selection.chosen.as_deref(), expected, "{what}: {}", selection.explanation);
        }
    }

    #[test]
    fn the_explanation_names_those_that_were_dropped_and_the_first_reset() {
        let low = Account { resets_at: Some(700), ..account("low", Some(1.0), None) };
        let limited = Account {
            status: AccountStatus::AtLimit,
            resets_at: Some(500),
            ..account("out", Some(0.0), None)
        };
        let past = Account { resets_at: Some(50), ..account("past", Some(2.0), None) };
        let selection = select(Service::Openai, &[low, limited, past], 100);
        assert_eq!(selection.earliest_reset, Some(500));
        assert!(selection.explanation.contains("`low` has 1.0 % left"), "{selection:?}");
        assert!(selection.explanation.contains("`out` is at its limit"), "{selection:?}");
    }
}
