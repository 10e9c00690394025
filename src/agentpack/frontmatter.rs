//! YAML between two `---` lines at the start of a Markdown file.

use serde_yaml::{Mapping, Value};

/// The mapping in front, or what is wrong with it.
pub fn parse(text: &str) -> Result<Mapping, String> {
    let body = text
        .strip_prefix("---\n")
        .or_else(|| text.strip_prefix("---\r\n"))
        .ok_or("it does not start with `---` front matter")?;
    let mut length = 0;
    let end = body.split_inclusive('\n').find_map(|line| {
        let start = length;
        length += line.len();
        (line.trim_end() == "---").then_some(start)
    });
    let yaml = &body[..end.ok_or("its front matter has no closing `---`")?];
    match serde_yaml::from_str::<Value>(yaml) {
        Ok(Value::Mapping(mapping)) => Ok(mapping),
        Ok(_) => Err("its front matter is no mapping".to_owned()),
        Err(error) => Err(format!("its front matter is no YAML: {error}")),
    }
}

/// A string of the mapping that is not blank.
pub fn text<'a>(mapping: &'a Mapping, key: &str) -> Option<&'a str> {
    mapping.get(key)?.as_str().map(str::trim).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_is_read_or_refused() {
        let mapping = parse("---\nname: a\nempty: ' '\nn: 1\n---\nbody --- x\n").unwrap();
        assert_eq!(text(&mapping, "name"), Some("a"));
        assert_eq!(text(&mapping, "empty"), None);
        assert_eq!(text(&mapping, "n"), None);
        assert!(parse("---\r\nname: a\r\n---\r\nbody").is_ok());
        for (text, why) in [
            ("name: a", "does not start"),
            (" ---\nname: a\n---\n", "does not start"),
            ("---\nname: a\n", "no closing"),
            ("---\n- a\n---\n", "no mapping"),
            ("---\na: [\n---\n", "no YAML"),
            ("---\na: 1\na: 2\n---\n", "no YAML"),
        ] {
            assert!(parse(text).unwrap_err().contains(why), "{text}");
        }
    }
}
