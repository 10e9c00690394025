//! Reservations.

use super::*;
use crate::error::Kind;

fn change_count(policy: &Policy) -> i64 {
    let query = "SELECT coalesce(sum(count), 0) FROM news WHERE topic = 'reservations'";
    policy.store.read(|reader| Ok(reader.query_row(query, [], |row| row.get(0))?)).unwrap()
}

fn other() -> Actor {
    actor(ActorKind::Mcp, "s2")
}

#[test]
fn the_holder_sends_and_others_see_who_it_is() {
    let workspace = TestWorkspace::new();
    let (one, two) = (workspace.policy(|_| {}), workspace.policy(|_| {}));
    let made = one
        .reserve(&pane(1), &mcp(), None, Some("release build"), Some(60), &workspace.ids, NOW)
        .unwrap();
    assert!(made.created);
    assert_eq!((made.ttl_secs, made.reservation.expires_at), (60, NOW + MINUTE));
    cleared(send(&one, &workspace, &mcp(), "ls", NOW));
    let denied = refused(send(&two, &workspace, &other(), "ls", NOW));
    assert_eq!((denied.rule.as_str(), denied.decision), ("policy.pane_reserved", Decision::Deny));
    for part in ["Pane 1", "mcp `mcp-client`", "release build", "2023-11-14T22:14:20Z"] {
        assert!(denied.reason.contains(part), "{}", denied.reason);
    }
    // Same client program, other session: not the holder. The user is no exception.
    refused(send(&two, &workspace, &human(), "ls", NOW));
    let conflict =
        two.reserve(&pane(1), &other(), None, None, None, &workspace.ids, NOW).unwrap_err();
    assert_eq!(conflict.kind, Kind::PolicyDenied);
    assert_eq!(conflict.reason.as_deref(), Some("policy.pane_reserved"));
    assert_eq!(two.holder(&pane(1), NOW).unwrap().unwrap(), made.reservation);
    assert_eq!(two.reservations(Some(1), NOW).unwrap()[0], made.reservation);
    assert_eq!(two.reservations(Some(2), NOW).unwrap(), []);
    // It runs out by itself.
    assert_eq!(two.reservations(None, NOW + MINUTE).unwrap(), []);
    cleared(send(&two, &workspace, &other(), "ls", NOW + MINUTE));
    assert!(
        two.reserve(&pane(1), &other(), None, None, None, &workspace.ids, NOW + MINUTE)
            .unwrap()
            .created
    );
}

#[test]
fn renewing_keeps_the_id_and_the_lifetime_is_limited() {
    let workspace = TestWorkspace::new();
    let policy = workspace.policy(|_| {});
    let reserve = |ttl, now| policy.reserve(&pane(1), &mcp(), None, None, ttl, &workspace.ids, now);
    let made = reserve(None, NOW).unwrap();
    assert_eq!(made.ttl_secs, 300);
    let renewed = reserve(Some(1_000_000), NOW + 1000).unwrap();
    assert!(!renewed.created);
    assert_eq!(renewed.reservation.id, made.reservation.id);
    assert_eq!(renewed.reservation.created_at, NOW);
    assert_eq!((renewed.ttl_secs, renewed.reservation.expires_at), (3600, NOW + 3_601_000));
    assert_eq!(reserve(Some(u64::MAX), NOW).unwrap().ttl_secs, 3600);
    let zero = reserve(Some(0), NOW).unwrap_err();
    assert_eq!(zero.kind, Kind::InvalidArguments);
    assert!(zero.message.contains("ttl_secs"));
    assert_eq!(policy.reservations(None, NOW).unwrap().len(), 1);
}

#[test]
fn a_shared_name_is_an_owner_too() {
    let workspace = TestWorkspace::new();
    let policy = workspace.policy(|_| {});
    let made =
        policy.reserve(&pane(1), &mcp(), Some("team-a"), None, None, &workspace.ids, NOW).unwrap();
    assert_eq!(made.reservation.owner_id, "team-a");
    cleared(send(&policy, &workspace, &mcp(), "ls", NOW));
    refused(send(&policy, &workspace, &other(), "ls", NOW));
    let member = Actor { id: "team-a".to_owned(), ..other() };
    cleared(send(&policy, &workspace, &member, "ls", NOW));
    let again = policy
        .reserve(&pane(1), &other(), Some("team-a"), None, None, &workspace.ids, NOW)
        .unwrap();
    assert!(!again.created);
    let foreign =
        policy.reserve(&pane(1), &other(), Some("team-b"), None, None, &workspace.ids, NOW);
    assert_eq!(foreign.unwrap_err().kind, Kind::PolicyDenied);
    let hidden = Some("team\u{200b}-a\u{202e} ");
    let same = policy.reserve(&pane(1), &other(), hidden, None, None, &workspace.ids, NOW).unwrap();
    assert_eq!(same.reservation.owner_id, "team-a", "who looks the same is the same");
    let blank =
        policy.reserve(&pane(2), &other(), Some(" \u{200b}"), None, None, &workspace.ids, NOW);
    assert_eq!(blank.unwrap().reservation.owner_id, other().id, "a blank name is none");
}

#[test]
fn releasing() {
    let workspace = TestWorkspace::new();
    let policy = workspace.policy(|_| {});
    let reserve = |now| {
        policy.reserve(&pane(1), &mcp(), None, None, None, &workspace.ids, now).unwrap().reservation
    };
    let id = reserve(NOW).id;
    let before = change_count(&policy);
    let foreign = policy.release(&id, &other(), NOW).unwrap_err();
    assert_eq!(foreign.kind, Kind::PolicyDenied);
    assert_eq!(foreign.reason.as_deref(), Some("policy.not_owner"));
    assert_eq!(change_count(&policy), before);
    let never = policy.release("rsv-nope", &mcp(), NOW).unwrap_err();
    assert_eq!(never.kind, Kind::InvalidArguments);
    assert!(never.message.contains("rsv-nope"));
    let done = policy.release(&id, &mcp(), NOW + 500).unwrap();
    assert_eq!((done.released, done.held_for_ms), (true, Some(500)));
    assert!(change_count(&policy) > before);
    let again = policy.release(&id, &mcp(), NOW + 600).unwrap();
    assert_eq!((again.released, again.not_found_reason), (false, Some("no reservation")));
    // One that ran out is not there any more either.
    let id = reserve(NOW).id;
    assert!(!policy.release(&id, &mcp(), NOW + 10 * MINUTE).unwrap().released);
    // The user may clear up.
    let id = reserve(NOW + 20 * MINUTE).id;
    assert!(policy.release(&id, &human(), NOW + 20 * MINUTE).unwrap().released);
}

#[test]
fn panes_that_close_are_free() {
    let workspace = TestWorkspace::new();
    let policy = workspace.policy(|_| {});
    for id in 1..=3 {
        policy.reserve(&pane(id), &mcp(), None, None, None, &workspace.ids, NOW).unwrap();
    }
    let mut dead = pane(3);
    dead.dead = Some(Some(0));
    let live = [pane(1), dead];
    assert_eq!(policy.free_closed(&live, &[BackendKind::Wezterm], NOW).unwrap(), 0);
    assert_eq!(policy.reservations(None, NOW).unwrap().len(), 3);
    let before = change_count(&policy);
    assert_eq!(policy.free_closed(&live, &[BackendKind::Tmux], NOW).unwrap(), 2);
    assert!(change_count(&policy) > before);
    let left = policy.reservations(None, NOW).unwrap();
    assert_eq!(left.iter().map(|held| held.pane_id).collect::<Vec<_>>(), [1]);
    // A new pane with an old number is another pane.
    let mut reborn = pane(1);
    reborn.identity.push_str("-later");
    assert_eq!(policy.holder(&reborn, NOW).unwrap(), None);
    let (who, state) = (other(), prompt());
    let to_new = request(&who, Action::SendText, &reborn, &state, Some("ls"));
    policy.pass(&to_new, &workspace.ids, NOW).unwrap();
}

#[test]
fn one_of_many_gets_the_pane() {
    let workspace = TestWorkspace::new();
    let policies = [workspace.policy(|_| {}), workspace.policy(|_| {})];
    let made = std::thread::scope(|scope| {
        let tries: Vec<_> = (0..8)
            .map(|n| {
                let (policy, ids) = (&policies[n % 2], &workspace.ids);
                let who = actor(ActorKind::Mcp, &format!("s{n}"));
                scope.spawn(move || policy.reserve(&pane(1), &who, None, None, None, ids, NOW))
            })
            .collect();
        tries.into_iter().map(|one| one.join().unwrap()).filter(Result::is_ok).count()
    });
    assert_eq!(made, 1);
}
