//! The result of a scan. Plain data.

use std::collections::BTreeMap;

use crate::model::{Agent, Severity};
use crate::redact::{MARK, redact, redact_captured};

/// A rule matched.
#[derive(Debug, Clone, PartialEq)]
pub struct Detection {
    /// `core.codex:usage_reached`
    pub rule_id: String,
    /// Its pack.
    pub pack_id: String,
    /// `usage.reached`
    pub event_type: String,
    /// How much it matters.
    pub severity: Severity,
    /// The rule's agent; for rules about anybody the pane's, where known.
    pub agent: Agent,
    /// 0.95 where a regex matched, 0.6 where only an anchor was seen.
    pub confidence: f64,
    /// The regex's named captures. May hold secrets: see [`Detection::redacted`].
    pub extracted: BTreeMap<String, String>,
    /// The matched text, cut at 1 KiB. May hold secrets: see [`Detection::redacted`].
    pub matched: String,
    /// Bytes of the text that was handed in; a match that began in an earlier piece starts at 0.
    pub span: (usize, usize),
    /// Equal for two sightings of the same thing: the rule's id and a digest of what was extracted.
    pub dedupe: String,
}

impl Detection {
    /// The same with secrets removed of what was matched and extracted; what is kept or shown.
    #[must_use]
    pub fn redacted(mut self) -> Self {
        let secret = self.secret_fields();
        for (name, value) in &mut self.extracted {
            if secret.contains(name) {
                let clean = redact(value);
                *value = if clean == *value { MARK.to_owned() } else { clean.into_owned() };
            }
        }
        self.matched = redact_captured(&self.matched).into_owned();
        self
    }

    /// Names of what was extracted that is a secret, by itself or by its context.
    pub(super) fn secret_fields(&self) -> Vec<String> {
        let around = redact(&self.matched);
        let secret = |value: &str| {
            let hidden = self.matched.contains(value) && !around.contains(value);
            hidden || redact(value) != value
        };
        let fields = self.extracted.iter().filter(|(_, value)| secret(value));
        fields.map(|(name, _)| name.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Patterns, Scope};

    #[test]
    fn a_secret_is_taken_out_of_what_was_matched_and_extracted() {
        let patterns = Patterns::builtin().unwrap();
        let text = "2. Enter this one-time code (expires in 15 minutes)\n   SZZY-QEPOG\n";
        let found = patterns.scan(text, None, Scope::Log);
        assert_eq!(found[0].extracted["code"], "SZZY-QEPOG");
        assert!(!found[0].dedupe.contains("SZZY"));
        let clean = found[0].clone().redacted();
        assert_eq!(clean.extracted["code"], "[REDACTED]");
        assert!(!format!("{clean:?}").contains("SZZY"), "{clean:?}");
        let harmless = patterns.scan("You've hit your limit · resets 1am (UTC)", None, Scope::Log);
        assert_eq!(harmless[0].clone().redacted(), harmless[0]);
    }
}
