//! Rows about settings: the file, non-default values, warnings and problems.

use toolwright_platform::health::Row;
use toolwright_runtime::settings::{Loaded, SettingsError, Source};

/// One row for the file, and one for each non-default setting, warning and problem.
pub(super) fn rows(loaded: &Result<Loaded, SettingsError>) -> Vec<Row> {
    match loaded {
        Ok(loaded) => {
            let file = loaded.file.as_ref().map(|file| format!("`{}`", file.display()));
            let file = Row::good("settings.file", file.unwrap_or_else(|| "none".to_owned()));
            let given = loaded.values.iter().filter(|(_, value)| value.source != Source::Default);
            let given = given.map(|(key, value)| {
                let measured = format!("{} ({})", value.shown(), value.source);
                Row::good(format!("settings.{key}"), measured)
            });
            let rows = std::iter::once(file).chain(given);
            rows.chain(loaded.warnings.iter().map(|warning| warning_row(warning))).collect()
        }
        Err(error) => {
            let wrong = error.problems.iter().map(|problem| {
                let source = problem.source.as_ref().map_or_else(String::new, Source::to_string);
                Row::bad(format!("settings.{}", problem.key), source)
                    .expected("a valid value")
                    .cause(problem.message.clone())
                    .remedy("Fix or remove the setting; the server does not start with it.")
            });
            wrong.chain(error.warnings.iter().map(|warning| warning_row(warning))).collect()
        }
    }
}

fn warning_row(warning: &str) -> Row {
    Row::doubtful("settings.warning", warning)
}
