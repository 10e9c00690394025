//! Classification of sentences.

use super::{blocks, read};
use crate::model::{Operation, SemanticType};

use SemanticType::{Action, Constraint, Decision, Fact, Goal, Insight, Metric, Problem, Quote};

#[test]
fn cues_give_the_kind() {
    let rows = [
        ("We decided to move to PostgreSQL.", Decision),
        ("After the review we agreed on weekly releases.", Decision),
        ("We will not use Kubernetes.", Decision),
        ("We're going with the annual plan for Acme.", Decision),
        ("Let's use SQLite as the default store.", Decision),
        ("All exports must be encrypted.", Constraint),
        ("The budget is $12,000 for this year.", Constraint),
        ("Only admins may delete baskets, and only after a review.", Constraint),
        ("Acme only accepts invoices in EUR.", Constraint),
        ("Uploads are limited to 10 MB per file.", Constraint),
        ("Customers should not see internal ids.", Constraint),
        ("We don't want to store card numbers.", Constraint),
        ("Our goal is to double the number of pilots.", Goal),
        ("The team wants to reduce churn below 3%.", Goal),
        ("We are aiming for a launch in spring.", Goal),
        ("Revenue grew 12% in the third quarter.", Metric),
        ("The team has 14 engineers in Lisbon.", Metric),
        ("Checkout latency was 850ms last month.", Metric),
        ("The beta launches on May 12.", Metric),
        ("Maria will send the contract by Friday.", Action),
        ("We have to renew the certificate soon.", Action),
        ("TODO: document the backup procedure.", Action),
        ("Update the pricing page before the launch.", Action),
        ("Tom needs to call the supplier.", Action),
        ("The importer crashes on empty files.", Problem),
        ("Users complain about the slow search page.", Problem),
        ("Onboarding is confusing for new admins.", Problem),
        ("Signups fell because the form asks for a phone number.", Insight),
        ("It turns out that most teams share one account.", Insight),
        ("Dana said “we never want to be on call again”.", Quote),
        ("The office is on the third floor in Lisbon.", Fact),
        ("Every basket belongs to exactly one workspace.", Fact),
        ("Our importer reads spreadsheets and calendars.", Fact),
    ];
    for (text, kind) in rows {
        assert_eq!(blocks(&read(text)), [(kind, text)]);
    }
}

#[test]
fn denied_cues_do_not_count() {
    for (text, not) in [
        ("We have not decided on a database vendor yet.", Decision),
        ("There was no problem with the nightly import job.", Problem),
        ("The builder must have left the site before noon.", Constraint),
    ] {
        let found = read(text);
        assert!(blocks(&found).iter().all(|(kind, _)| *kind != not), "{found:?}");
    }
}

#[test]
fn small_talk_questions_and_requests_leave_nothing() {
    let text = "User: Hi there!\nHow are you today?\nCan you help me write a plan for the migration?\n\
        Please summarize the meeting notes from Tuesday for me.\nwhat is the best database for us\n\
        Add a unit test for the parser module.\nThanks a lot for all of that work today.\n\
        I want you to act as a senior database engineer.\n\n\
        Assistant: Sure! I'd be happy to help with the migration plan.\nHere's a short summary of it:\n\
        I will now look at the files of the project.\nLet me know if you want more details on this.\n\
        Would you like me to continue with the next part?\nAs an AI I cannot open your database files.\n";
    assert_eq!(read(text).operations, []);
}

#[test]
fn greetings_and_lead_ins_are_cut_off() {
    let rows = [
        ("Hi all, we decided to hire two designers.", "we decided to hire two designers."),
        ("Yes, the main office is on the third floor.", "the main office is on the third floor."),
        ("ok so, we will ship the beta in May.", "we will ship the beta in May."),
        ("Please remember that Acme pays in euros only.", "Acme pays in euros only."),
        ("No, the report is due every second Monday.", "the report is due every second Monday."),
    ];
    for (text, wanted) in rows {
        let found = read(&format!("User: {text}"));
        assert_eq!(blocks(&found).first().map(|(_, content)| *content), Some(wanted));
    }
}

#[test]
fn headings_say_what_bare_list_items_are() {
    let text = "## Decisions\n- PostgreSQL for storage\n- Weekly release train\n\n\
        **Next steps:**\n1. Load test against staging\n\n## Other\n- Coffee machine\n";
    let found = read(text);
    let wanted = [
        (Decision, "PostgreSQL for storage"),
        (Decision, "Weekly release train"),
        (Action, "Load test against staging"),
    ];
    assert_eq!(blocks(&found), wanted);
}

fn confidence(text: &str) -> f64 {
    match read(text).operations.first() {
        Some(Operation::CreateBlock { confidence, .. }) => *confidence,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn confidence_follows_words_and_speaker() {
    let plain = confidence("User: The main office is located downtown.");
    assert_eq!(plain, 0.6);
    assert_eq!(confidence("The main office is located downtown."), plain);
    assert_eq!(confidence("Assistant: The main office is located downtown."), 0.5);
    assert_eq!(confidence("User: The main office is located in Lisbon."), 0.65);
    assert_eq!(confidence("User: The main office is located in Lisbon since 2019."), 0.75);
    assert_eq!(confidence("User: Maybe our main office is in Lisbon."), 0.5);
    assert_eq!(confidence("User: Note that the main office is located downtown."), 0.7);
    // Said by both: the surer one counts.
    let both = "Assistant: The main office is located downtown.\nUser: the main office is located downtown";
    assert_eq!(confidence(both), plain);
    // Too unsure to propose.
    assert_eq!(
        read("Assistant: Perhaps the main office might be located downtown.").operations,
        []
    );
}

#[test]
fn metadata_tells_numbers_owners_dates_and_severity() {
    let rows: &[(&str, &[(&str, &str)])] = &[
        ("Maria will send the contract by Friday.", &[("due", "Friday"), ("owner", "Maria")]),
        ("Tom: I'll move the webhooks next week.", &[("due", "next week"), ("owner", "Tom")]),
        (
            "User: I'll draft the proposal tomorrow, it is urgent.",
            &[("due", "tomorrow"), ("owner", "user"), ("priority", "high"), ("speaker", "user")],
        ),
        (
            "- [ ] Renew the certificate @tom by 2026-03-31",
            &[("due", "2026-03-31"), ("owner", "tom")],
        ),
        (
            "Revenue reached $2 million in Q3 2025.",
            &[("date", "Q3 2025"), ("unit", "$"), ("value", "2 million")],
        ),
        ("Churn dropped to 3.5% this spring.", &[("unit", "%"), ("value", "3.5")]),
        ("The search takes 1,200 ms on average.", &[("unit", "ms"), ("value", "1,200")]),
        (
            "Exports must finish within 5 minutes.",
            &[("severity", "hard"), ("unit", "minutes"), ("value", "5")],
        ),
        ("Admins should avoid manual edits.", &[("severity", "soft")]),
        ("The launch is probably on 12 May 2026.", &[("date", "12 May 2026"), ("hedged", "true")]),
    ];
    for (text, wanted) in rows {
        let found = read(text);
        let Some(Operation::CreateBlock { metadata, .. }) = found.operations.first() else {
            panic!("{text}: {found:?}");
        };
        let metadata: Vec<(&str, &str)> =
            metadata.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(metadata, *wanted, "{text}");
    }
}

#[test]
fn german_and_portuguese_have_kinds_too() {
    let rows = [
        ("Wir haben gestern beschlossen, die Datenbank im März zu wechseln.", Decision),
        ("Die Kinder dürfen den Raum bis dahin nicht benutzen.", Constraint),
        ("Die Sanierung kostet 6.800 € mehr.", Metric),
        ("Ich schicke den Antrag am Montag ab.", Action),
        ("Der Drucker im ersten Stock ist kaputt.", Problem),
        ("Decidimos trocar o fornecedor de papel.", Decision),
        ("A entrega tem de chegar antes do meio-dia.", Constraint),
        ("A obra custa 1.350 € no total.", Metric),
        ("Vou avisar o condomínio amanhã cedo.", Action),
        ("O elevador do bloco B está avariado.", Problem),
    ];
    for (text, kind) in rows {
        assert_eq!(blocks(&read(text)), [(kind, text)]);
    }
}

#[test]
fn other_languages_give_facts() {
    let rows = [
        "El equipo decidió cambiar la base de datos antes del verano.",
        "我们决定在三月之前更换数据库供应商。",
        "Команда решила сменить базу данных до конца марта.",
    ];
    for text in rows {
        assert_eq!(blocks(&read(text)), [(Fact, text)]);
    }
    assert_eq!(read("Hallo! Wie geht es dir heute Morgen?").operations, []);
}
