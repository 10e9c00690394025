//! The activity log does not grow without end, and keeps everything where that is wanted.

use serde_json::json;
use toolwright_testing::eventually;
use yarnnn::engine::Retention;

use crate::instance::{DAY, Instance, on_both, pruning_engine};

/// Fills the log behind the engine's back: `old` entries of a hundred days ago, then `young` ones.
fn fill(instance: &Instance, old: i64, young: i64) {
    let now = instance.engine.now();
    let long_ago = now - 100 * i64::try_from(DAY).expect("small");
    for (count, at) in [(old, long_ago), (young, now)] {
        let workspace = &instance.tenant.workspace.id;
        let filled = instance.execute(&format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
             INSERT INTO mcp_activity_logs (workspace_id, tool, host, result, latency_ms, created_at)
             SELECT '{workspace}', 'get_substrate', 'h', 'success', 1, {at} FROM n"
        ));
        assert_eq!(filled.expect("filled"), u64::try_from(count).expect("positive"));
    }
}

/// Makes one call over an engine that keeps so much.
fn call(instance: &Instance, kept: Retention) -> std::sync::Arc<yarnnn::engine::Engine> {
    let engine = pruning_engine(&instance.url, instance.clock.clone(), kept);
    instance.user_of(&engine).ok("get_substrate", json!({}));
    engine
}

fn entries(instance: &Instance) -> i64 {
    instance.count("mcp_activity_logs")
}

#[test]
fn old_entries_go_with_the_next_call() {
    on_both(|instance| {
        fill(instance, 1_700, 30);
        let max_age = Some(90 * i64::try_from(DAY).expect("small"));
        let engine = call(instance, Retention { max_age, max_rows: None });
        eventually("only young entries are left", || (entries(instance) == 31).then_some(()));
        drop(engine);
        assert_eq!(entries(instance), 31);
    });
}

#[test]
fn of_too_many_entries_the_newest_stay() {
    on_both(|instance| {
        fill(instance, 1_200, 400);
        let engine = call(instance, Retention { max_age: None, max_rows: Some(300) });
        eventually("300 entries are left", || (entries(instance) == 300).then_some(()));
        drop(engine);
        let old = instance.count(
            "mcp_activity_logs WHERE created_at < (SELECT max(created_at) FROM mcp_activity_logs)",
        );
        assert_eq!((entries(instance), old), (300, 0));
    });
}

#[test]
fn calls_that_write_prune_too() {
    on_both(|instance| {
        fill(instance, 1_200, 10);
        let kept = Retention { max_age: None, max_rows: Some(5) };
        let engine = pruning_engine(&instance.url, instance.clock.clone(), kept);
        instance.user_of(&engine).ok("config_settings", json!({"auto_approve": true}));
        eventually("5 entries are left", || (entries(instance) == 5).then_some(()));
    });
}

#[test]
fn without_limits_everything_stays() {
    on_both(|instance| {
        fill(instance, 1_200, 10);
        let engine = call(instance, Retention { max_age: None, max_rows: None });
        engine.calls(&instance.tenant.workspace, 1).expect("written");
        drop(engine);
        assert_eq!(entries(instance), 1_211);
    });
}
