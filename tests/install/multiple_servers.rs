//! Several servers in one config file, installed and uninstalled in any order.

use crate::config_fixtures::{JSON, TOML, for_client};
use crate::harness::{FILES, Machine, wink};

const ORDERS: &[[&str; 3]] = &[["a", "b", "c"], ["c", "b", "a"], ["b", "a", "c"], ["a", "c", "b"]];

#[test]
fn the_file_comes_back_in_whatever_order_entries_go() {
    for (client, scope, file) in [FILES[0], FILES[3], FILES[8]] {
        let verb = |machine: &Machine, verb: &str, name: &str| {
            machine.run(wink(), &[verb, "--client", client, "--scope", scope, "--name", name]).ok();
        };
        let originals = if client == "codex" { TOML } else { JSON };
        for (index, original) in originals.iter().enumerate().step_by(3) {
            let machine = Machine::new();
            let original = for_client(client, original);
            machine.write(file, &original);
            ["a", "b", "c"].iter().for_each(|name| verb(&machine, "install", name));
            let order = &ORDERS[index % ORDERS.len()];
            order.iter().for_each(|name| verb(&machine, "uninstall", name));
            assert_eq!(machine.read(file), original, "{order:?}");
        }
        for order in ORDERS {
            let machine = Machine::new();
            ["a", "b", "c"].iter().for_each(|name| verb(&machine, "install", name));
            order.iter().for_each(|name| verb(&machine, "uninstall", name));
            assert!(!machine.path(file).exists(), "{client} {order:?}");
        }
    }
}
