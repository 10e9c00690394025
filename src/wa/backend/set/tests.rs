//! With a real tmux server and members that answer what a test wants.

use super::super::testing::{FixedMux, Server, pane};
use super::super::{Tmux, TmuxOptions};
use super::*;
use crate::mux::Lines;

fn fixed_mux(kind: BackendKind, numbers: &[u64]) -> Arc<dyn Mux> {
    Arc::new(FixedMux(kind, Some(numbers.iter().map(|number| pane(kind, *number)).collect())))
}

fn down(kind: BackendKind) -> Arc<dyn Mux> {
    Arc::new(FixedMux(kind, None))
}

use BackendKind::{Embedded, Wezterm};

fn ids(set: &MuxSet) -> Vec<u64> {
    set.list().unwrap().panes.iter().map(|row| row.pane_id).collect()
}

#[test]
fn ids_never_clash_whoever_is_primary() {
    let numbers = [0, 1, 7, 999_999, 1_000_000, 2_000_003, 5_000_000];
    let kinds = [Wezterm, BackendKind::Tmux, Embedded];
    for primary in kinds {
        let set = MuxSet::new(kinds.map(|kind| fixed_mux(kind, &numbers)).to_vec(), primary);
        let listing = set.list().unwrap();
        let mut seen = std::collections::BTreeSet::new();
        for row in &listing.panes {
            assert!(seen.insert(row.pane_id), "{} twice", row.pane_id);
            let found = set.find(row.pane_id).unwrap();
            assert_eq!((found.row.backend, found.row.native_id), (row.backend, row.native_id));
            assert_eq!(found.mux.kind(), row.backend);
            if row.backend == primary && row.native_id < 1_000_000 {
                assert_eq!(row.pane_id, row.native_id);
            }
        }
        assert_eq!(seen.len(), 3 * numbers.len());
        assert!(listing.panes.is_sorted_by_key(|row| row.pane_id));
        assert_eq!(set.primary(), Some(primary));
    }
}

#[test]
fn the_blocks_are_fixed() {
    let kinds = [Wezterm, BackendKind::Tmux, Embedded];
    let members = || kinds.map(|kind| fixed_mux(kind, &[4])).to_vec();
    assert_eq!(ids(&MuxSet::new(members(), Wezterm)), [4, 1_000_004, 2_000_004]);
    assert_eq!(ids(&MuxSet::new(members(), BackendKind::Tmux)), [4, 2_000_004, 3_000_004]);
    assert_eq!(ids(&MuxSet::new(members(), Embedded)), [4, 1_000_004, 3_000_004]);
}

#[test]
fn a_real_server_beside_another_backend() {
    let server = Server::start();
    let set = MuxSet::new(vec![fixed_mux(Wezterm, &[0]), Arc::new(server.tmux())], Wezterm);
    assert_eq!(ids(&set), [0, 1_000_000]);
    let found = set.find(1_000_000).unwrap().live().unwrap();
    assert!(found.mux.text(found.row.native_id, Lines::Screen, false).is_ok());
    server.kill();
    let listing = set.list().unwrap();
    assert_eq!(listing.panes.len(), 1);
    assert_eq!(listing.problems[0].0, BackendKind::Tmux);
    assert_eq!(set.find(1_000_000).err().unwrap().kind, Kind::Backend);
    assert!(set.find(0).is_ok());
}

#[test]
fn an_error_only_when_no_backend_answers() {
    let set = MuxSet::new(vec![down(Wezterm), fixed_mux(Embedded, &[])], Embedded);
    let listing = set.list().unwrap();
    assert!(listing.panes.is_empty());
    assert_eq!(listing.problems.len(), 1);
    let missing =
        Tmux::new(TmuxOptions { program: "/nowhere/tmux".to_owned(), ..Default::default() });
    let set = MuxSet::new(vec![down(Wezterm), Arc::new(missing)], Wezterm);
    let error = set.list().unwrap_err();
    assert_eq!(error.kind, Kind::Backend);
    assert!(error.message.contains("wezterm is down") && error.message.contains("/nowhere/tmux"));
    assert!(error.hint.unwrap().contains("Start it. Install tmux"));
    assert_eq!(MuxSet::new(Vec::new(), Wezterm).list().unwrap_err().kind, Kind::Backend);
}

#[test]
fn an_unknown_pane_names_those_there_are() {
    let many: Vec<u64> = (0..12).collect();
    let set = MuxSet::new(vec![fixed_mux(Wezterm, &many), down(BackendKind::Tmux)], Wezterm);
    let error = set.find(99).err().unwrap();
    assert_eq!((error.kind, error.message.as_str()), (Kind::PaneNotFound, "There is no pane 99."));
    assert_eq!(error.hint.unwrap(), "Open panes: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more.");
    // An id of a backend that is not in use, and one of a backend that is down.
    assert_eq!(set.find(2_000_000).err().unwrap().kind, Kind::PaneNotFound);
    assert_eq!(set.find(1_000_000).err().unwrap().kind, Kind::Backend);
    let empty = MuxSet::new(vec![fixed_mux(Embedded, &[])], Embedded);
    assert_eq!(empty.find(u64::MAX).err().unwrap().kind, Kind::PaneNotFound);
    assert!(empty.find(1).err().unwrap().hint.unwrap().contains("No panes"));
}

#[test]
fn a_dead_pane_is_found_but_not_live() {
    let dead = |status| PaneRow { dead: Some(status), ..pane(Embedded, 1) };
    for (status, words) in [(Some(7), "has ended with status 7"), (None, "has ended.")] {
        let set =
            MuxSet::new(vec![Arc::new(FixedMux(Embedded, Some(vec![dead(status)])))], Embedded);
        let found = set.find(1).unwrap();
        let error = found.live().err().unwrap();
        assert_eq!(error.kind, Kind::PaneNotFound);
        assert!(error.message.contains("Pane 1") && error.message.contains(words), "{error}");
    }
}

#[test]
fn numbers_that_fit_nowhere_are_left_out() {
    let set = MuxSet::new(vec![fixed_mux(Wezterm, &[3, u64::MAX])], BackendKind::Tmux);
    assert_eq!(ids(&set), [3_000_003]);
}
