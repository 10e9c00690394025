//! PostgreSQL with pgvector: the same answers as without it, whoever writes, and since when it is
//! installed. `tests/run` fetches such a server; the one of the system has none.

use std::process::Stdio;
use std::sync::Arc;

use serde_json::{Value, json};
use toolwright_runtime::clock::SystemIds;
use toolwright_runtime::{Call, Dispatch, Services};
use toolwright_testing::in_process;
use yarnnn::embed::Embedder;
use yarnnn::engine::{Engine, Retention, Setup};
use yarnnn::llm::Extractor;
use yarnnn::sql::{Database, Error, Options};

use crate::instance::{Instance, list, text_of};
use crate::postgres::Server as Postgres;

const DIMS: usize = 48;
const BASKETS: usize = 300;
/// Topics from here on have one basket each.
const OWN: usize = 1000;

/// A server that can have pgvector, and whether it has it from the start.
fn server(installed: bool) -> Option<(Postgres, Instance)> {
    let programs = super::provided("YARNNN_TEST_PGVECTOR_BIN")?;
    let postgres = Postgres::start_from(&programs)?;
    if installed {
        install(postgres.url());
    }
    let instance = Instance::new(postgres.url(), tempfile::tempdir().expect("a folder"));
    Some((postgres, instance))
}

fn install(url: &str) {
    let database = Database::open(url, Options::default()).expect("a database");
    let made = database.write::<_, Error>(|tx| tx.batch("CREATE EXTENSION vector"));
    made.expect("pgvector is there");
}

/// The surface as a server that starts now has it.
fn started(instance: &Instance, use_pgvector: bool) -> Arc<dyn Dispatch> {
    let database = Database::open(&instance.url, Options::default()).expect("a database");
    let engine = Engine::new(Setup {
        database,
        extractor: Extractor::Rules,
        embedder: Embedder::host(),
        jwt: None,
        use_pgvector,
        activity: Retention { max_age: None, max_rows: None },
        clock: instance.clock.clone(),
        ids: Arc::new(SystemIds),
    });
    yarnnn::surface(Arc::new(engine), Some(instance.tenant.token.clone()))
}

/// Calls a tool of a surface; the answer and `_basket_selection` as it is written.
fn call(
    instance: &Instance,
    surface: &dyn Dispatch,
    tool: &str,
    arguments: &Value,
) -> (Value, String) {
    let reply = in_process::checked(surface, tool, &arguments.to_string(), |info| {
        let clock = instance.clock.clone();
        Call::new(info, "test", Services { clock, ..in_process::services() })
    });
    let selection = reply.meta("_basket_selection").to_string();
    (reply.ok(), selection)
}

/// Numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    }

    /// A vector near one of a few topics, so that many baskets are close to each other.
    fn session(&mut self, topic: usize) -> Vec<f64> {
        let mut topics = Self(topic as u64 + 77);
        (0..DIMS).map(|_| topics.next() + 0.25 * self.next()).collect()
    }
}

/// What basket number so and so is about.
fn topic(number: usize) -> usize {
    if number.is_multiple_of(10) { OWN + number } else { number % 12 }
}

fn create(instance: &Instance, surface: &dyn Dispatch, number: usize, embedding: &[f64]) -> String {
    let chat = format!("User: We decided that subject {number} is kept.");
    let arguments = json!({"conversation_history": chat, "new_basket": true,
        "basket_name_suggestion": format!("Basket {number}"),
        "session_fingerprint": {"embedding": embedding}});
    text_of(&call(instance, surface, "create_memory_from_chat", &arguments).0["basket_id"])
}

fn add(
    instance: &Instance,
    surface: &dyn Dispatch,
    basket: &str,
    text: &str,
    embedding: &[f64],
) -> String {
    let arguments = json!({"content": text, "basket_id": basket,
        "session_fingerprint": {"embedding": embedding}});
    text_of(&call(instance, surface, "add_to_substrate", &arguments).0["raw_dump_id"])
}

fn selected(instance: &Instance, surface: &dyn Dispatch, embedding: &[f64]) -> String {
    let arguments = json!({"session_fingerprint": {"embedding": embedding}, "limit": 1});
    call(instance, surface, "get_substrate", &arguments).1
}

/// Both say the same, byte for byte, about many sessions.
fn same(instance: &Instance, with: &dyn Dispatch, without: &dyn Dispatch, numbers: &mut Numbers) {
    let mut decisions = std::collections::BTreeSet::new();
    for session in 0..60 {
        // Near several baskets, near one of its own topic, or near none.
        let embedding = match session % 3 {
            0 => numbers.session(session % 12),
            1 => numbers.session(OWN + session / 10 * 10),
            _ => (0..DIMS).map(|_| numbers.next()).collect(),
        };
        let said = selected(instance, with, &embedding);
        assert_eq!(said, selected(instance, without, &embedding), "session {session}");
        let said: Value = serde_json::from_str(&said).expect("JSON");
        assert_eq!(list(&said["ranked"]).len(), 6, "{said}");
        decisions.insert(text_of(&said["decision"]));
    }
    assert_eq!(decisions.len(), 3, "auto, confirm and pick: {decisions:?}");
}

/// The column holds what the bytes hold, everywhere; how many rows there are.
fn in_step(instance: &Instance) -> usize {
    let rows = instance.rows(
        "SELECT s.embedding, CAST(s.embedding_vector AS TEXT) AS vector
         FROM basket_vectors s WHERE s.embedding IS NOT NULL",
    );
    for row in &rows {
        let bytes: &[u8] = row.get("embedding").expect("bytes");
        let text: &str = row.get("vector").expect("the column is filled");
        let numbers: Vec<f32> = serde_json::from_str(text).expect("a list");
        let kept: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        assert_eq!(kept, bytes);
    }
    rows.len()
}

fn has_column(instance: &Instance) -> bool {
    instance.count("information_schema.columns WHERE table_name = 'basket_vectors' AND column_name = 'embedding_vector'") > 0
}

#[test]
fn inference_with_pgvector_says_the_same_as_without() {
    let Some((_postgres, instance)) = server(true) else { return };
    let (with, without) = (started(&instance, true), started(&instance, false));
    let mut numbers = Numbers(1);
    let mut baskets = Vec::new();
    for number in 0..BASKETS {
        // Of different ages, as recency counts.
        instance.clock.advance(3_600_000);
        let session = numbers.session(topic(number));
        baskets.push(create(&instance, &*with, number, &session));
    }
    assert_eq!(in_step(&instance), BASKETS);
    same(&instance, &*with, &*without, &mut numbers);

    // Writes of every sort keep the column in step.
    let mut dump = String::new();
    for (number, basket) in baskets.iter().enumerate().step_by(9) {
        let session = numbers.session(topic(number));
        dump = add(&instance, &*with, basket, &format!("More about subject {number}."), &session);
    }
    instance.run(&["misrouted", &dump, "--to", &baskets[7]]).ok();
    instance.run(&["basket", "rename", &baskets[3], "Another name"]).ok();
    instance.run(&["basket", "archive", &baskets[4]]).ok();
    assert_eq!(in_step(&instance), BASKETS);
    same(&instance, &*with, &*without, &mut numbers);

    // The column is really what is compared: with one that lies, the best basket is not found.
    let session = numbers.session(5);
    let best: Value = serde_json::from_str(&selected(&instance, &*with, &session)).expect("JSON");
    let best = text_of(&best["primary"]["basket"]["id"]);
    let lie = "UPDATE basket_vectors SET embedding_vector = embedding_vector * CAST((SELECT '[' || string_agg('-1', ',') || ']' FROM generate_series(1, 48)) AS vector)";
    instance.execute(&format!("{lie} WHERE basket_id = '{best}'")).expect("a lie");
    assert!(!selected(&instance, &*with, &session).contains(&best));
    assert!(selected(&instance, &*without, &session).contains(&best));
}

#[test]
fn an_extension_that_comes_later_is_taken_up_at_the_next_start() {
    let Some((postgres, instance)) = server(false) else { return };
    let mut numbers = Numbers(2);
    let before = started(&instance, true);
    let mut baskets = Vec::new();
    for number in 0..60 {
        let session = numbers.session(topic(number));
        baskets.push(create(&instance, &*before, number, &session));
    }
    assert!(!has_column(&instance));

    install(postgres.url());
    // Several that start at once make the column once.
    let starting: Vec<_> = (0..4)
        .map(|_| {
            instance.command(&["basket", "list"]).stdout(Stdio::null()).spawn().expect("a start")
        })
        .collect();
    for mut process in starting {
        assert!(process.wait().expect("it ends").success());
    }
    let after = started(&instance, true);
    same(&instance, &*after, &*before, &mut numbers);
    assert!(has_column(&instance));
    assert_eq!(in_step(&instance), 60);

    // Servers that do not use the column go on writing; those that do see it at once.
    for (number, basket) in baskets.iter().enumerate().take(12) {
        let session = numbers.session((number + 5) % 12);
        add(&instance, &*before, basket, &format!("It is about {number} now."), &session);
        create(&instance, &*before, 100 + number, &numbers.session(number));
        let session = numbers.session((number + 5) % 12);
        assert_eq!(selected(&instance, &*after, &session), selected(&instance, &*before, &session));
    }
    same(&instance, &*after, &*before, &mut numbers);
    // The next start brings the column up to date.
    let next = started(&instance, true);
    same(&instance, &*next, &*before, &mut numbers);
    assert_eq!(in_step(&instance), 72);
}

#[test]
fn an_extension_that_goes_leaves_a_working_memory() {
    let Some((_postgres, instance)) = server(true) else { return };
    let mut numbers = Numbers(3);
    let with = started(&instance, true);
    let session = numbers.session(1);
    let basket = create(&instance, &*with, 1, &session);
    instance.execute("DROP EXTENSION vector CASCADE").expect("it goes");
    let after = started(&instance, true);
    add(&instance, &*after, &basket, "It goes on without.", &session);
    assert!(selected(&instance, &*after, &session).contains(&basket));
    // And it may come back.
    install(&instance.url);
    let again = started(&instance, true);
    assert!(selected(&instance, &*again, &session).contains(&basket));
    assert_eq!(in_step(&instance), 1);
}
