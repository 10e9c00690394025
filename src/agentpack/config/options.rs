//! Options of a target. What has the wrong type means the default, as upstream does.

use std::collections::BTreeMap;

use serde_yaml::Value;

/// Named values.
#[derive(Debug, Clone, Default)]
pub struct Options(BTreeMap<String, Value>);

impl Options {
    /// From the config.
    pub(super) fn new(values: BTreeMap<String, Value>) -> Self {
        Self(values)
    }

    /// A boolean, or a string that means one.
    pub fn flag(&self, name: &str, default: bool) -> bool {
        match self.0.get(name) {
            Some(Value::Bool(value)) => *value,
            Some(Value::String(text)) => match text.trim().to_lowercase().as_str() {
                "true" | "yes" | "1" => true,
                "false" | "no" | "0" => false,
                _ => default,
            },
            _ => default,
        }
    }

    /// A text that is not blank.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str().map(str::trim).filter(|text| !text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn booleans_may_be_strings() {
        let yaml = "{a: true, b: 'YES', c: 'no', d: '0', e: maybe, f: 1, g: [true]}";
        let options = Options::new(serde_yaml::from_str(yaml).unwrap());
        let read = |default| {
            ["a", "b", "c", "d", "e", "f", "g", "none"].map(|name| options.flag(name, default))
        };
        assert_eq!(read(true), [true, true, false, false, true, true, true, true]);
        assert_eq!(read(false), [true, true, false, false, false, false, false, false]);
        assert_eq!(options.text("b"), Some("YES"));
        assert_eq!(options.text("a"), None);
    }
}
