//! `config_settings`: two flags, one state, changed by owners and admins only.

use serde_json::{Value, json};
use yarnnn::governance::{Mode, Role, Settings};

use crate::instance::on_both;

fn state(body: &Value) -> (bool, bool) {
    let flag = |name: &str| body[name].as_bool().unwrap_or_else(|| panic!("{body}"));
    assert_ne!(flag("auto_approve"), flag("manual_review"), "{body}");
    (flag("auto_approve"), flag("changed"))
}

#[test]
fn the_two_flags_are_one_state() {
    on_both(|instance| {
        let owner = instance.owner();
        let set = |arguments: Value| state(&owner.ok("config_settings", arguments));
        assert_eq!(set(json!({})), (false, false));
        assert_eq!(set(json!({"auto_approve": true})), (true, true));
        assert_eq!(set(json!({})), (true, false));
        assert_eq!(set(json!({"auto_approve": true})), (true, false));
        assert_eq!(set(json!({"manual_review": true})), (false, true));
        assert_eq!(set(json!({"auto_approve": true, "manual_review": false})), (true, true));
        assert_eq!(set(json!({"auto_approve": false, "manual_review": true})), (false, true));
        assert_eq!(set(json!({"manual_review": false})), (true, true));
        assert_eq!(instance.count("timeline_events WHERE kind = 'governance.changed'"), 5);
    });
}

#[test]
fn contradictory_flags_change_nothing() {
    on_both(|instance| {
        for both in [true, false] {
            let arguments = json!({"auto_approve": both, "manual_review": both});
            instance.owner().fails("config_settings", arguments, "SETTINGS_CONTRADICTORY");
        }
        for wrong in
            [json!({"auto_approve": "yes"}), json!({"auto_approve": 1}), json!({"auto": true})]
        {
            instance.owner().fails("config_settings", wrong, "INVALID_ARGUMENTS");
        }
        assert_eq!(state(&instance.owner().ok("config_settings", json!({}))), (false, false));
        assert_eq!(instance.count("workspace_governance_settings"), 0);
    });
}

#[test]
fn owners_and_admins_change_and_members_read() {
    on_both(|instance| {
        let admin = instance.member("anna", Role::Admin);
        let member = instance.member("max", Role::Member);
        let (admin, member) = (instance.user(Some(&admin)), instance.user(Some(&member)));
        let read = member.ok("config_settings", json!({}));
        assert_eq!((state(&read), &read["can_change"]), ((false, false), &json!(false)));
        for arguments in [
            json!({"auto_approve": true}),
            json!({"auto_approve": false}),
            json!({"manual_review": true}),
            json!({"auto_approve": true, "manual_review": true}),
        ] {
            member.fails("config_settings", arguments, "SETTINGS_FORBIDDEN");
        }
        let changed = admin.ok("config_settings", json!({"auto_approve": true}));
        assert_eq!((state(&changed), &changed["can_change"]), ((true, true), &json!(true)));
        let read = member.ok("config_settings", json!({}));
        assert_eq!((state(&read), &read["workspace"]), ((true, false), &json!("Main")));
        // A member that becomes an admin may, with the same token.
        instance.engine.add_member(&instance.tenant.workspace, "max", Role::Admin).unwrap();
        assert_eq!(
            state(&member.ok("config_settings", json!({"auto_approve": false}))),
            (false, true)
        );
    });
}

#[test]
fn settings_that_no_tool_can_set_are_reported_by_their_effect() {
    on_both(|instance| {
        for (settings, auto) in [
            (Settings { governance_enabled: false, ..Settings::default() }, true),
            (Settings { manual_edit: Mode::Hybrid, ..Settings::default() }, true),
            (Settings { manual_edit: Mode::Direct, ..Settings::default() }, false),
            (
                Settings {
                    manual_edit: Mode::Hybrid,
                    validator_required: true,
                    ..Settings::default()
                },
                false,
            ),
        ] {
            instance.set_governance(&settings);
            assert_eq!(
                state(&instance.owner().ok("config_settings", json!({}))).0,
                auto,
                "{settings:?}"
            );
            // Writing what was read keeps everything.
            instance.owner().ok("config_settings", json!({"auto_approve": auto}));
            let enabled: bool =
                instance.value("SELECT governance_enabled AS x FROM workspace_governance_settings");
            assert_eq!(enabled, settings.governance_enabled);
        }
    });
}

#[test]
fn settings_of_one_workspace_are_not_anothers() {
    on_both(|instance| {
        instance.owner().ok("config_settings", json!({"auto_approve": true}));
        let other = instance.create_workspace("Nebenan", "otto");
        let read = instance.user(Some(&other.token)).ok("config_settings", json!({}));
        assert_eq!(state(&read), (false, false));
    });
}
