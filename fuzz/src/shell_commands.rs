//! The command gate of wa: no text makes it fail, and none that follows a dangerous command hides it.

use wa::model::Decision;
use wa::policy::gate::{Finding, Report, check, check_prose};

/// Each alone on its line, whatever comes after.
const DENIED: [&str; 3] =
    ["rm -rf /\n", "sudo rm -rf --no-preserve-root /\n", "wa approve ABCD2345\n"];

/// Judges `data` as a text that is about to be typed.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let cwd = data.first().is_some_and(|byte| byte % 2 == 0).then_some("/srv/app");
    let report = check(&text, cwd);
    assert_eq!(check(&text, cwd), report, "judged twice");
    is_whole(&report);
    is_whole(&check_prose(&text, cwd));
    for command in DENIED {
        let report = check(&format!("{command}{text}"), cwd);
        // A text that is too much for the reader is held for a person as a whole.
        let refused = |found: &Finding| {
            found.decision == Decision::Deny || found.rule == "command.too_complex"
        };
        assert!(report.findings.iter().any(refused), "{command:?} before {text:?}");
    }
    // What an agent runs after `!` is judged as in a shell.
    let typed = check_prose(&format!("!true\n{text}"), cwd);
    let alone = check(format!("true\n{text}").trim(), cwd);
    if !alone.findings.is_empty() {
        assert_eq!(typed, alone);
    }
}

fn is_whole(report: &Report) {
    for finding in &report.findings {
        assert!(finding.rule.starts_with("command."));
        assert!(finding.what.chars().count() <= 60, "{}", finding.what);
        assert_ne!(finding.decision, Decision::Allow);
    }
}
