//! Entity search.

use crate::model::{Entity, EntityType};
use crate::store::search_terms::{Rank, Terms, key, words};
use crate::store::tests::fixtures::{
    TestStore, entity, event, id, new_entity, next_entity, project, tenant,
};
use crate::store::{Scope, Search, World};

fn ask(query: &str) -> Search {
    Search { query: query.into(), kind: None, limit: 50, offset: 0 }
}

/// The numbers of what is found, and the total.
fn find(test_store: &TestStore, scope: &Scope, search: &Search) -> (Vec<u64>, u64) {
    let page = test_store.store.search(scope, search).unwrap();
    let found: Vec<Entity> = page.items.parse().unwrap();
    let numbers = found.iter().map(|entity| u64::from_str_radix(&entity.id, 16).unwrap());
    (numbers.collect(), page.total)
}

fn found(test_store: &TestStore, scope: &Scope, query: &str) -> Vec<u64> {
    let (mut numbers, total) = find(test_store, scope, &ask(query));
    assert_eq!(numbers.len() as u64, total, "{query}");
    numbers.sort_unstable();
    numbers
}

fn add(
    test_store: &TestStore,
    scope: &Scope,
    number: u64,
    name: &str,
    summary: &str,
    tags: &[&str],
) {
    let entity = Entity {
        summary: summary.into(),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        ..entity(scope, number, name)
    };
    test_store.commit(scope, vec![new_entity(&entity)]).unwrap();
}

pub(crate) fn words_are_found_without_case_and_accents_by_their_beginning(test_store: &TestStore) {
    let scope = test_store.project();
    add(test_store, &scope, 1, "Conexão Perdida", "", &[]);
    add(test_store, &scope, 2, "Élodie", "Vive no Farol; teme a CONEXÃO.", &[]);
    add(test_store, &scope, 3, "Bjørn Straße", "", &["norte", "Água-viva"]);
    add(test_store, &scope, 4, "東京駅", "", &["ÀÇÃÉ"]);
    for (query, expected) in [
        ("conexao", vec![1, 2]),
        ("CONEXÃO", vec![1, 2]),
        ("cone", vec![1, 2]),
        ("cone\u{0301}xa\u{0303}o", vec![1, 2]),
        ("exao", vec![]),
        ("elo far", vec![2]),
        ("farol elodie", vec![2]),
        ("elodie conexao perdida", vec![]),
        ("bjorn", vec![3]),
        ("BJØRN strasse", vec![3]),
        ("agua", vec![3]),
        ("viva", vec![3]),
        ("東", vec![4]),
        ("acae", vec![4]),
        ("elodie elodie elo", vec![2]),
    ] {
        assert_eq!(found(test_store, &scope, query), expected, "{query}");
    }
}

pub(crate) fn the_best_matches_come_first(test_store: &TestStore) {
    let scope = test_store.project();
    add(test_store, &scope, 1, "Zoe", "A friend of Ana.", &[]);
    add(test_store, &scope, 2, "Mariana and Ana", "", &[]);
    add(test_store, &scope, 3, "Ana Luz", "", &[]);
    add(test_store, &scope, 4, "Ána", "", &[]);
    add(test_store, &scope, 5, "Anabel", "", &[]);
    add(test_store, &scope, 7, "ana", "", &[]);
    add(test_store, &scope, 6, "Ana Luz", "", &[]);
    add(test_store, &scope, 8, "Bia", "", &["ana"]);
    let (order, total) = find(test_store, &scope, &ask("ana"));
    assert_eq!((order, total), (vec![4, 7, 3, 6, 5, 2, 8, 1], 8));
    assert_eq!(find(test_store, &scope, &ask("luz ana")).0, [3, 6], "in any order of the words");
}

pub(crate) fn pages_are_stable_and_totals_true(test_store: &TestStore) {
    let scope = test_store.project();
    let entities: Vec<_> = (1..=25)
        .map(|number| new_entity(&entity(&scope, number, &format!("Guard {}", number % 3))))
        .collect();
    test_store.commit(&scope, entities).unwrap();
    for query in ["guard", ""] {
        let (all, total) = find(test_store, &scope, &ask(query));
        assert_eq!((all.len(), total), (25, 25));
        let mut paged = Vec::new();
        for offset in (0..30).step_by(4) {
            let (page, total) =
                find(test_store, &scope, &Search { limit: 4, offset, ..ask(query) });
            assert_eq!(total, 25);
            paged.extend(page);
        }
        assert_eq!(paged, all);
        let none = find(test_store, &scope, &Search { limit: 0, ..ask(query) });
        assert_eq!(none, (vec![], 25));
        let far = find(test_store, &scope, &Search { offset: u64::MAX, ..ask(query) });
        assert_eq!(far, (vec![], 25));
        let most = find(test_store, &scope, &Search { limit: u32::MAX, ..ask(query) });
        assert_eq!(most, (all, 25));
    }
}

pub(crate) fn types_filter_and_tenants_part(test_store: &TestStore) {
    let (mine, sibling, foreign) =
        (test_store.project_of(1, 1), test_store.project_of(1, 2), test_store.project_of(2, 3));
    for (number, scope, kind) in [
        (11, &mine, EntityType::Character),
        (12, &mine, EntityType::Location),
        (13, &sibling, EntityType::Location),
        (14, &foreign, EntityType::Location),
    ] {
        let entity = Entity { kind, ..entity(scope, number, "Harbour") };
        test_store.commit(scope, vec![new_entity(&entity)]).unwrap();
    }
    for query in ["harbour", ""] {
        assert_eq!(found(test_store, &mine, query), [11, 12]);
        assert_eq!(found(test_store, &foreign, query), [14]);
        let kind = Some(EntityType::Location);
        assert_eq!(find(test_store, &mine, &Search { kind, ..ask(query) }), (vec![12], 1));
        let kind = Some(EntityType::Lore);
        assert_eq!(find(test_store, &mine, &Search { kind, ..ask(query) }), (vec![], 0));
    }
}

pub(crate) fn a_blank_query_lists_the_latest_changes(test_store: &TestStore) {
    let scope = test_store.project();
    for (number, updated) in [(1, 50), (2, 70), (3, 60), (4, 70)] {
        let mut entity = entity(&scope, number, "Ana");
        entity.audit.updated_at = updated;
        test_store.commit(&scope, vec![new_entity(&entity)]).unwrap();
    }
    assert_eq!(find(test_store, &scope, &ask("")).0, [2, 4, 3, 1]);
    let first = test_store.store.entity(&scope, &id(1)).unwrap();
    test_store.commit(&scope, vec![next_entity(first, |next| next.audit.updated_at = 90)]).unwrap();
    assert_eq!(find(test_store, &scope, &ask(" \t\n")).0, [1, 2, 4, 3]);
}

pub(crate) fn signs_are_never_a_query_language(test_store: &TestStore) {
    let scope = test_store.project();
    add(test_store, &scope, 1, "Ana OR Bento", "gt regex where", &[]);
    add(test_store, &scope, 2, "Bento", "NEAR the pier", &[]);
    for (query, expected) in [
        ("\"", vec![]),
        ("*", vec![]),
        ("( ) ^ - + : { }", vec![]),
        ("%", vec![]),
        ("_", vec![]),
        (".*", vec![]),
        ("ana OR bento", vec![1]),
        ("ana NOT bento", vec![]),
        ("bento NEAR pier", vec![2]),
        ("NEAR(bento pier, 5)", vec![]),
        ("words:ana", vec![]),
        ("\"ana", vec![1]),
        ("an*", vec![1]),
        ("^ana", vec![1]),
        ("{\"$gt\": \"\"}", vec![1]),
        ("{\"$regex\": \".*\"}", vec![1]),
        ("a.x", vec![]),
        ("b.nto", vec![]),
        ("ana\u{0}", vec![1]),
        ("'; DROP TABLE entities; --", vec![]),
    ] {
        assert_eq!(found(test_store, &scope, query), expected, "{query}");
    }
    assert_eq!(found(test_store, &scope, &"x ".repeat(200)), [] as [u64; 0]);
    assert_eq!(found(test_store, &scope, &"ana ".repeat(200)), [1]);
}

pub(crate) fn changed_words_are_found_and_old_ones_not(test_store: &TestStore) {
    let scope = test_store.project();
    add(test_store, &scope, 1, "Old Pier", "", &["wood"]);
    let pier = test_store.store.entity(&scope, &id(1)).unwrap();
    let change = next_entity(pier, |next| {
        next.name = "New Pier".into();
        next.tags.clear();
        next.kind = EntityType::Location;
    });
    test_store.commit(&scope, vec![change]).unwrap();
    assert_eq!(found(test_store, &scope, "new pier"), [1]);
    for gone in ["old", "wood"] {
        assert_eq!(found(test_store, &scope, gone), [] as [u64; 0]);
    }
    let kind = Some(EntityType::Location);
    assert_eq!(find(test_store, &scope, &Search { kind, ..ask("pier") }).1, 1);
}

/// Numbers that look random and are the same every time.
struct TestRandom(u64);

impl TestRandom {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn text(&mut self, most: usize) -> String {
        const PARTS: [&str; 24] = [
            "an",
            "Án",
            "a",
            "na",
            "bê",
            "BE",
            "ção",
            "cao",
            " ",
            " ",
            "-",
            "\"",
            "*",
            "$",
            "ß",
            "ss",
            "ø",
            "о\u{308}",
            "東",
            "京",
            "\u{301}",
            "7",
            "ﬁ",
            "\u{0}",
        ];
        let parts = self.below(most + 1);
        (0..parts).map(|_| PARTS[self.below(PARTS.len())]).collect()
    }
}

pub(crate) fn searches_agree_with_a_full_scan(test_store: &TestStore) {
    let scope = Scope::new(&id(1), &id(1));
    let mut random = TestRandom(7);
    let entities: Vec<Entity> = (1..=200)
        .map(|number| Entity {
            kind: [EntityType::Character, EntityType::Item][random.below(2)],
            summary: random.text(8),
            tags: (0..random.below(3)).map(|_| random.text(3)).collect(),
            name: format!("n{}", random.text(6)),
            ..entity(&scope, number, "")
        })
        .collect();
    let world = World { entities: entities.clone(), ..World::empty(project(&scope)) };
    test_store.store.create_tenant(&tenant(1)).unwrap();
    test_store.store.create_project(&world, &event(&scope)).unwrap();
    for _ in 0..150 {
        let kind = [None, None, Some(EntityType::Item)][random.below(3)];
        let (limit, offset) = (1 + u32::try_from(random.below(9)).unwrap(), random.below(6));
        let query = random.text(4);
        let sought = words(&query);
        if sought.is_empty() {
            continue;
        }
        let rank = Rank::new(&sought);
        let mut expected: Vec<(u8, String, &str)> = entities
            .iter()
            .filter(|entity| kind.is_none_or(|kind| kind == entity.kind))
            .filter(|entity| {
                let all = Terms::of(entity).all;
                sought.iter().all(|word| all.iter().any(|one| one.starts_with(word)))
            })
            .map(|entity| {
                let name = key(&words(&entity.name));
                (rank.of(&name), name, entity.id.as_str())
            })
            .collect();
        expected.sort();
        let total = expected.len() as u64;
        let page: Vec<String> = expected
            .into_iter()
            .skip(offset)
            .take(limit as usize)
            .map(|(.., id)| id.to_owned())
            .collect();
        let search = Search { query, kind, limit, offset: offset as u64 };
        let found = test_store.store.search(&scope, &search).unwrap();
        let items: Vec<Entity> = found.items.parse().unwrap();
        let items: Vec<String> = items.into_iter().map(|entity| entity.id).collect();
        assert_eq!((items, found.total), (page, total), "{search:?}");
    }
}
