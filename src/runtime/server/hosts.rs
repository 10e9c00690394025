//! Which hosts refuse dots in tool names: a table with one row per host, and where each fact is from.
//!
//! A client that is not in the table gets the contract's names. Knows neither profiles nor transports.

use std::sync::LazyLock;

const TABLE: &str = include_str!("hosts.tsv");

/// One host.
#[derive(Debug)]
struct Row {
    /// What it sends as its name, normalised; with `*` at the end, the beginning of it.
    client: &'static str,
    /// What it does with dots: `refused`, `rewritten` or `accepted`.
    dots: &'static str,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines
        .filter_map(|line| {
            let mut cells = line.split('\t');
            Some(Row { client: cells.next()?, dots: cells.nth(1)? })
        })
        .collect()
});

impl Row {
    fn matches(&self, client: &str) -> bool {
        match self.client.strip_suffix('*') {
            Some(beginning) => client.starts_with(beginning),
            None => client == self.client,
        }
    }
}

/// Whether the host that sends this name is known to refuse dots.
pub(super) fn refuses_dots(client: &str) -> bool {
    let client = normalised(client);
    ROWS.iter().any(|row| row.dots == "refused" && row.matches(&client))
}

/// In lower case, with dashes for spaces and underscores, and without the proxy that `mcp-remote`
/// adds: `claude-ai (via mcp-remote 0.1.37)`.
fn normalised(client: &str) -> String {
    let client = client.split(" (via ").next().unwrap_or_default().trim();
    client.to_lowercase().replace([' ', '_'], "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_complete_sorted_and_found_by_its_own_name() {
        let lines: Vec<&str> = TABLE.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(lines[0], "client\thost\tdots\tname from\tdots from");
        let clients: Vec<&str> = ROWS.iter().map(|row| row.client).collect();
        assert!(clients.is_sorted() && clients.len() == lines.len() - 1, "{clients:?}");
        for line in &lines[1..] {
            let cells: Vec<&str> = line.split('\t').collect();
            assert!(cells.len() == 5 && cells.iter().all(|cell| !cell.is_empty()), "{line}");
            let [client, _, dots, ..] = cells[..] else { panic!("{line}") };
            assert!(["refused", "rewritten", "accepted"].contains(&dots), "{line}");
            assert_eq!(normalised(client), client, "{line}");
            let sent = client.replace('*', "x");
            assert_eq!(refuses_dots(&sent), dots == "refused", "{line}");
            assert_eq!(refuses_dots(&sent.to_uppercase()), dots == "refused", "{line}");
            let known: Vec<&Row> = ROWS.iter().filter(|row| row.matches(&sent)).collect();
            assert_eq!(known.len(), 1, "two rows for {sent}: {known:?}");
        }
        let refusing = ROWS.iter().filter(|row| row.dots == "refused").count();
        assert!(refusing >= 15, "{refusing}");
    }

    #[test]
    fn a_name_is_known_however_it_is_written() {
        for name in ["Cursor", "cursor_vscode", "Windsurf", "JetBrains-IU-copilot-intellij"] {
            assert!(refuses_dots(name), "{name}");
        }
        assert!(refuses_dots("claude-ai (via mcp-remote 0.1.37)"));
        for name in ["Visual Studio Code", "Roo Code", "claude-ai-2", "", " ", "new", "crushed"] {
            assert!(!refuses_dots(name), "{name}");
        }
    }
}
