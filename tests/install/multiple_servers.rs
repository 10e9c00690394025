//! Several of our servers in one file, put in and taken out in any order.

use crate::harness::{FILES, Stage, wink};
use crate::originals::{JSON, TOML, for_client};

const ORDERS: &[[&str; 3]] = &[["a", "b", "c"], ["c", "b", "a"], ["b", "a", "c"], ["a", "c", "b"]];

#[test]
fn the_file_comes_back_in_whatever_order_entries_go() {
    for (client, scope, file) in [FILES[0], FILES[3], FILES[8]] {
        let verb = |stage: &Stage, verb: &str, name: &str| {
            stage.run(wink(), &[verb, "--client", client, "--scope", scope, "--name", name]).ok();
        };
        let originals = if client == "codex" { TOML } else { JSON };
        for (index, original) in originals.iter().enumerate().step_by(3) {
            let stage = Stage::new();
            let original = for_client(client, original);
            stage.write(file, &original);
            ["a", "b", "c"].iter().for_each(|name| verb(&stage, "install", name));
            let order = &ORDERS[index % ORDERS.len()];
            order.iter().for_each(|name| verb(&stage, "uninstall", name));
            assert_eq!(stage.read(file), original, "{order:?}");
        }
        for order in ORDERS {
            let stage = Stage::new();
            ["a", "b", "c"].iter().for_each(|name| verb(&stage, "install", name));
            order.iter().for_each(|name| verb(&stage, "uninstall", name));
            assert!(!stage.path(file).exists(), "{client} {order:?}");
        }
    }
}
