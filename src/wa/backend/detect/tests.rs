//! With a real tmux server, and one that is not there.

use super::super::testing::{FixedMux, LIMIT, Server, pane};
use super::*;

use BackendKind::{Embedded, Wezterm as WeztermKind};

fn choose(
    wanted: &str,
    env: &[(&str, &str)],
    socket: &str,
    remembered: Option<BackendKind>,
) -> Result<MuxSet> {
    let env = env.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    detect(
        wanted,
        Candidates {
            tmux: TmuxOptions {
                socket: Some(socket.to_owned()),
                timeout: LIMIT,
                ..Default::default()
            },
            wezterm: WeztermOptions {
                program: "/nowhere/wezterm".to_owned(),
                ..Default::default()
            },
            embedded: Arc::new(FixedMux(Embedded, Some(vec![pane(Embedded, 5)]))),
            env: &env,
            remembered,
        },
    )
}

fn kinds(set: &MuxSet) -> Vec<BackendKind> {
    set.members().iter().map(|member| member.kind).collect()
}

#[test]
fn auto_takes_all_and_prefers_what_is_there() {
    let server = Server::start();
    let primary = |env: &[(&str, &str)], socket: &str, remembered| {
        let set = choose("auto", env, socket, remembered).unwrap();
        assert_eq!(kinds(&set), [WeztermKind, BackendKind::Tmux, Embedded]);
        set.primary().unwrap()
    };
    let up = server.socket();
    assert_eq!(primary(&[], &up, None), BackendKind::Tmux);
    assert_eq!(primary(&[], "/nowhere/sock", None), Embedded);
    let inside = [("WEZTERM_UNIX_SOCKET", "/run/sock"), ("TMUX", "/tmp/x,1,0")];
    assert_eq!(primary(&inside, &up, None), WeztermKind);
    assert_eq!(primary(&inside[1..], "/nowhere/sock", None), BackendKind::Tmux);
    assert_eq!(primary(&[("TMUX", "")], "/nowhere/sock", None), Embedded);
    // The workspace's choice stays.
    assert_eq!(primary(&inside, &up, Some(Embedded)), Embedded);
}

#[test]
fn backends_that_are_away_are_skipped() {
    let server = Server::start();
    let set = choose("auto", &[], &server.socket(), None).unwrap();
    let listing = set.list().unwrap();
    assert_eq!(listing.panes.iter().map(|row| row.pane_id).collect::<Vec<_>>(), [0, 2_000_005]);
    assert_eq!(listing.problems.len(), 1);
    assert_eq!(listing.problems[0].0, WeztermKind);
}

#[test]
fn names_choose_and_the_first_is_primary() {
    let set = choose("tmux", &[], "/nowhere/sock", Some(Embedded)).unwrap();
    assert_eq!((kinds(&set), set.primary()), (vec![BackendKind::Tmux], Some(BackendKind::Tmux)));
    let set = choose("embedded, tmux", &[], "/nowhere/sock", None).unwrap();
    assert_eq!((kinds(&set), set.primary()), (vec![Embedded, BackendKind::Tmux], Some(Embedded)));
    for wrong in ["screen", "", "tmux,", "auto,tmux"] {
        let error = choose(wrong, &[], "/nowhere/sock", None).err().unwrap();
        assert_eq!(error.kind, Kind::Config, "{wrong}");
        assert!(error.message.contains("backend") && error.hint.is_some(), "{error:?}");
    }
}
