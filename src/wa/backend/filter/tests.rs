//! Rules and panes as text.

use super::super::testing::pane;
use super::*;
use crate::model::BackendKind;

fn row() -> PaneRow {
    PaneRow {
        domain: "ssh:build.example".to_owned(),
        title: Some("vim main.rs".to_owned()),
        cwd: Some("/srv/app/src".to_owned()),
        ..pane(BackendKind::Tmux, 3)
    }
}

fn filter(include: &[&str], exclude: &[&str]) -> Filter {
    let own = |rules: &[&str]| rules.iter().map(|rule| (*rule).to_owned()).collect::<Vec<_>>();
    Filter::new(&own(include), &own(exclude)).unwrap()
}

#[test]
fn each_kind_of_rule_matches_what_it_says() {
    let matching = [
        "id:3",
        "domain:ssh:*",
        "domain:*.example",
        "domain:ssh:build.exampl?",
        "title:main",
        "title:re:^vim .*\\.rs$",
        "cwd:/srv",
        "cwd:/srv/",
        "cwd:/srv/app/src",
        "cwd:/",
        "cwd:/srv/**",
        "cwd:/srv/app/src/**",
        "cwd:/srv/*/src",
        "cwd:/**/src",
        "cwd:**/app/*",
    ];
    for rule in matching {
        assert_eq!(filter(&[rule], &[]).observed(&row()), None, "{rule}");
        assert_eq!(filter(&[], &[rule]).observed(&row()).as_deref(), Some(rule));
    }
    let others = [
        "id:4",
        "domain:ssh",
        "domain:local",
        "title:Main",
        "title:re:^main",
        "cwd:/wor",
        "cwd:/srv/app/src/deep",
        "cwd:/srv/*",
        "cwd:/srv/?",
        "cwd:/srv/app/src/*",
        "cwd:work",
    ];
    for rule in others {
        assert_eq!(
            filter(&[rule], &[]).observed(&row()).as_deref(),
            Some(NO_INCLUDE_MATCH),
            "{rule}"
        );
        assert_eq!(filter(&[], &[rule]).observed(&row()), None, "{rule}");
    }
}

#[test]
fn exclusion_wins_and_no_rules_observe_all() {
    assert_eq!(filter(&[], &[]).observed(&row()), None);
    assert_eq!(Filter::default().observed(&row()), None);
    let both = filter(&["cwd:/srv"], &["title:vim", "id:3"]);
    assert_eq!(both.observed(&row()).as_deref(), Some("title:vim"));
    assert_eq!(filter(&["id:9", "id:3"], &[]).observed(&row()), None);
}

#[test]
fn what_a_pane_does_not_say_matches_nothing() {
    let silent = pane(BackendKind::Tmux, 3);
    for rule in ["title:re:.*", "cwd:/", "cwd:**"] {
        assert_eq!(filter(&[], &[rule]).observed(&silent), None, "{rule}");
    }
}

#[test]
fn a_rule_that_cannot_be_read_is_named() {
    for rule in
        ["id:x", "id:", "title", "title:re:(", "title:re:(a{1000}){1000}", "name:x", "", "cwd: "]
    {
        let error = Filter::new(&[rule.to_owned()], &[]).unwrap_err();
        assert_eq!(error.kind, Kind::Config, "{rule}");
        assert!(error.message.contains(&format!("`{rule}`")) && error.hint.is_some(), "{error:?}");
        assert!(Filter::new(&[], &[rule.to_owned()]).is_err());
    }
}
