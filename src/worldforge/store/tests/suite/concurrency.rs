//! Concurrent readers and writers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::json;

use crate::model::{Entity, StoryEdge};
use crate::store::tests::fixtures::{
    TestStore, edge, entity, event, id, new_entity, new_node, next_entity, node,
};
use crate::store::{Change, Collection, Commit, Kind, Store};

const WRITERS: u64 = 8;

/// Half of the writers share a handle, the others are other processes to the store.
fn handles(test_store: &TestStore) -> Vec<std::sync::Arc<dyn Store>> {
    let other = test_store.again();
    (0..WRITERS)
        .map(|writer| if writer % 2 == 0 { test_store.store.clone() } else { other.clone() })
        .collect()
}

pub(crate) fn eight_writers_lose_no_update(test_store: &TestStore) {
    const EDITS: u64 = 125;
    let scope = test_store.project();
    let entities = (101..=103).map(|number| new_entity(&entity(&scope, number, "Ana"))).collect();
    test_store.commit(&scope, entities).unwrap();
    thread::scope(|threads| {
        for (writer, store) in (0..).zip(handles(test_store)) {
            let scope = &scope;
            threads.spawn(move || {
                for edit in 0..EDITS {
                    let target = id(101 + (writer + edit) % 3);
                    loop {
                        let read = store.entity(scope, &target).unwrap();
                        let change = next_entity(read, |next| {
                            let count = next.attributes.get("count").and_then(|n| n.as_u64());
                            next.attributes.insert("count".into(), json!(count.unwrap_or(0) + 1));
                            next.tags.push(format!("w{writer}e{edit}"));
                        });
                        let commit =
                            Commit { at: None, changes: vec![change], event: event(scope) };
                        match store.commit(scope, &commit) {
                            Ok(_) => break,
                            Err(error) => assert_eq!(error.kind, Kind::Conflict, "{error:?}"),
                        }
                    }
                }
            });
        }
    });
    let entities: Vec<Entity> =
        test_store.store.read(&scope, &[Collection::Entities]).unwrap().collections[0]
            .parse()
            .unwrap();
    let counted: u64 =
        entities.iter().map(|entity| entity.attributes["count"].as_u64().unwrap()).sum();
    let revisions: u64 = entities.iter().map(|entity| entity.audit.revision - 1).sum();
    let tags: BTreeSet<&String> = entities.iter().flat_map(|entity| &entity.tags).collect();
    let all = WRITERS * EDITS;
    assert_eq!((counted, revisions, tags.len() as u64), (all, all, all));
    assert_eq!(test_store.store.project_revision(&scope).unwrap(), 2 + all);
    assert_eq!(test_store.store.events(&scope, None, u32::MAX).unwrap().len() as u64, 2 + all);
    // The words of the last revisions are found, each once.
    let search = crate::store::Search { query: "w7e124".into(), kind: None, limit: 10, offset: 0 };
    assert_eq!(test_store.store.search(&scope, &search).unwrap().total, 1);
}

pub(crate) fn edits_run_one_after_the_other(test_store: &TestStore) {
    let scope = test_store.project();
    test_store.commit(&scope, vec![new_entity(&entity(&scope, 101, "Ana"))]).unwrap();
    thread::scope(|threads| {
        for store in handles(test_store) {
            let scope = &scope;
            threads.spawn(move || {
                for _ in 0..10 {
                    let edited = store.edit(scope, |_| {
                        let read = store.entity(scope, &id(101))?;
                        let change = next_entity(read, |next| next.tags.push("x".into()));
                        Ok(((), vec![change], event(scope)))
                    });
                    edited.unwrap();
                }
            });
        }
    });
    let ana = test_store.store.entity(&scope, &id(101)).unwrap();
    assert_eq!((ana.tags.len(), ana.audit.revision), (80, 81));
}

pub(crate) fn concurrent_edges_close_no_cycle(test_store: &TestStore) {
    const NODES: u64 = 6;
    let scope = test_store.project();
    test_store
        .commit(&scope, (0..NODES).map(|n| new_node(&node(&scope, 200 + n, n))).collect())
        .unwrap();
    thread::scope(|threads| {
        for (writer, store) in (0..).zip(handles(test_store)) {
            let scope = &scope;
            threads.spawn(move || {
                for step in 0..NODES {
                    let (from, to) = ((writer + step) % NODES, (writer + 2 * step + 1) % NODES);
                    if from == to {
                        continue;
                    }
                    let new = edge(scope, 1000 + writer * 100 + step, 200 + from, 200 + to);
                    let drawn = store.edit(scope, |_| {
                        let edges: Vec<StoryEdge> = store.graph(scope)?.edges.parse()?;
                        let twice = edges.iter().any(|edge| {
                            (&edge.from_node_id, &edge.to_node_id)
                                == (&new.from_node_id, &new.to_node_id)
                        });
                        let closes = reaches(&edges, &new.to_node_id, &new.from_node_id);
                        let changes = match twice || closes {
                            true => vec![],
                            false => vec![Change::Edge(new.clone())],
                        };
                        Ok(((), changes, event(scope)))
                    });
                    drawn.unwrap();
                }
            });
        }
    });
    let edges: Vec<StoryEdge> = test_store.store.graph(&scope).unwrap().edges.parse().unwrap();
    assert!(edges.len() as u64 >= NODES - 1, "{edges:?}");
    for edge in &edges {
        assert!(!reaches(&edges, &edge.to_node_id, &edge.from_node_id), "a circle");
    }
}

fn reaches(edges: &[StoryEdge], from: &str, to: &str) -> bool {
    let mut next: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for edge in edges {
        next.entry(&edge.from_node_id).or_default().push(&edge.to_node_id);
    }
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(node) = open.pop() {
        if node == to {
            return true;
        }
        if seen.insert(node) {
            open.extend(next.get(node).into_iter().flatten());
        }
    }
    false
}

pub(crate) fn readers_see_whole_commits(test_store: &TestStore) {
    let scope = test_store.project();
    let done = AtomicBool::new(false);
    thread::scope(|threads| {
        for store in [test_store.store.clone(), test_store.again()] {
            let (scope, done) = (&scope, &done);
            threads.spawn(move || {
                let mut last = 0;
                while !done.load(Ordering::Relaxed) {
                    let graph = match store.graph(scope) {
                        Ok(graph) => graph,
                        Err(error) => {
                            assert_eq!(error.kind, Kind::Unavailable, "{error:?}");
                            continue;
                        }
                    };
                    // Each commit adds two nodes and an edge.
                    let commits = graph.revision - 1;
                    assert_eq!(graph.nodes.len() as u64, 2 * commits);
                    assert_eq!(graph.edges.len() as u64, commits);
                    assert!(graph.revision >= last);
                    last = graph.revision;
                }
            });
        }
        for number in 0..60 {
            let (from, to) = (2000 + 2 * number, 2001 + 2 * number);
            let changes = vec![
                new_node(&node(&scope, from, number)),
                Change::Edge(edge(&scope, 5000 + number, from, to)),
                new_node(&node(&scope, to, number)),
            ];
            test_store.commit(&scope, changes).unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
}

pub(crate) fn several_handles_share_one_store(test_store: &TestStore) {
    let scope = test_store.project();
    thread::scope(|threads| {
        for writer in 0..4 {
            let scope = &scope;
            threads.spawn(move || {
                let store = test_store.again();
                for number in 0..10 {
                    let entity = entity(scope, 100 + writer * 10 + number, "Ana");
                    let changes = vec![new_entity(&entity)];
                    let commit = Commit { at: None, changes, event: event(scope) };
                    store.commit(scope, &commit).unwrap();
                }
            });
        }
    });
    let reading = test_store.store.read(&scope, &[Collection::Entities]).unwrap();
    assert_eq!((reading.revision, reading.collections[0].len()), (41, 40));
}
