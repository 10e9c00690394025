//! Moving a workspace to another embedding model: from the database of an earlier release, while a
//! server serves, and after a move that was killed.

use std::fs::File;
use std::io::Read as _;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};
use toolwright_testing::eventually;
use yarnnn::records::MIGRATIONS;
use yarnnn::sql::{Database, Error, Options, Value as Sql};

use crate::instance::{Instance, addition, axis, on_both, text_of};
use crate::model::server::{Reply, Server};
use crate::postgres;

const OURS: &str = "all-MiniLM-L6-v2";
/// Records that a move takes at once.
const BATCH: usize = 16;
const FINDINGS: [&str; 4] = [
    "We decided to run billing on Stripe, and invoices must be sent within 14 days.",
    "Tomatoes need sun every morning, and basil beside them keeps the snails away.",
    "The deploy of the API server must be rolled back when the health check fails.",
    "Patients with a penicillin allergy get doxycycline instead of amoxicillin.",
];

/// An invented vector, as an earlier release took it.
fn invented(at: usize) -> Vec<u8> {
    let mut vector = [0.0_f32; 8];
    vector[at] = 1.0;
    vector.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// The database that the release before this one leaves: two baskets with a dump each, a capture that
/// waits, and a dump that was moved out of the first basket into the second one.
fn old_database(url: &str) {
    let database = Database::open(url, Options::default()).expect("a database");
    database.migrate(&MIGRATIONS[..3]).expect("the tables of that release");
    let run = |statement: &str, given: &[Sql]| {
        let done = database.write::<_, Error>(|tx| tx.execute(statement, given));
        done.unwrap_or_else(|error| panic!("{statement}: {error:?}"));
    };
    run(
        "INSERT INTO workspaces (id, name, owner_id, dims, created_at) VALUES ('w', 'Old', 'otto', 8, 1)",
        &[],
    );
    run("INSERT INTO workspace_memberships VALUES ('otto', 'w', 'owner', 1)", &[]);
    let now = 1_790_000_000_000_i64;
    for (at, text) in FINDINGS.iter().take(2).enumerate() {
        let basket = format!("b{at}");
        run(
            "INSERT INTO baskets VALUES ($1, 'w', $1, 'ACTIVE', 'standard', 'otto', 1, 1, 0, 0, 1, 0, 'web', NULL)",
            &[basket.as_str().into()],
        );
        run(
            "INSERT INTO basket_signatures VALUES ($1, 'w', 1, TRUE, '', '[]', '[]', '[]', $2, 1.0, $3, $2, $3, 0, FALSE, 336, NULL)",
            &[basket.as_str().into(), invented(at).into(), now.into()],
        );
        dump(&run, &format!("d{at}"), &basket, text, at, now);
    }
    // It was moved: the archived copy stays in the first basket.
    dump(&run, "gone", "b0", FINDINGS[2], 2, now);
    dump(&run, "moved", "b1", FINDINGS[2], 2, now);
    run("UPDATE baskets SET dumps = 2 WHERE id = 'b1'", &[]);
    run(
        "INSERT INTO substrate_tombstones VALUES ('gone', 'w', 'b0', 'dump', 'archived', 'misrouted', 'h', $1, 'petra')",
        &[(now + 5).into()],
    );
    run(
        "INSERT INTO basket_signals (workspace_id, user_id, basket_id, at, sign, embedding) VALUES ('w', 'otto', 'b0', $1, -1, $2)",
        &[(now + 5).into(), invented(2).into()],
    );
    let payload =
        json!({"payload": {"content": FINDINGS[3], "confidence": null}, "fingerprint": {}});
    run(
        "INSERT INTO mcp_unassigned_captures (id, workspace_id, requested_by, tool, purpose, summary, payload, content_hash, embedding, candidates, status, created_at, source_host)
         VALUES ('c', 'w', 'otto', 'add_to_substrate', 'pick', '', $1, 'h3', $2, '[]', 'pending', $3, 'web')",
        &[payload.to_string().into(), invented(3).into(), now.into()],
    );
}

fn dump(run: &impl Fn(&str, &[Sql]), id: &str, basket: &str, text: &str, at: usize, now: i64) {
    run(
        "INSERT INTO raw_dumps VALUES ($1, $2, 'w', $3, 'h', $1, '{}', '{}', $4, 'otto', 'web', NULL, $5)",
        &[id.into(), basket.into(), text.into(), invented(at).into(), now.into()],
    );
    run(
        "INSERT INTO timeline_events (workspace_id, basket_id, ts, kind, ref_id, preview, payload, user_id, source_host)
         VALUES ('w', $2, $3, 'dump.created', $1, '', '{}', 'otto', 'web')",
        &[id.into(), basket.into(), now.into()],
    );
}

/// Runs a test over an old database on each store.
fn on_both_old(test: impl Fn(&Instance)) {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite:{}", folder.path().join("yarnnn.db").display());
    old_database(&url);
    test(&Instance::new(&url, folder));
    if let Some(url) = postgres::postgres() {
        old_database(&url);
        test(&Instance::new(&url, tempfile::tempdir().expect("a folder")));
    }
}

fn texts(instance: &Instance, query: &str) -> Vec<String> {
    instance.rows(query).iter().map(|row| row.get("x").expect("text")).collect()
}

/// Every model that has a vector anywhere.
fn models(instance: &Instance) -> Vec<String> {
    texts(
        instance,
        "SELECT model AS x FROM basket_vectors WHERE embedding IS NOT NULL
         UNION SELECT model FROM dump_vectors
         UNION SELECT model FROM basket_signals WHERE model IS NOT NULL
         UNION SELECT model FROM mcp_unassigned_captures WHERE status = 'pending' ORDER BY x",
    )
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|one| f32::from_le_bytes(one.try_into().expect("four"))).collect()
}

/// In every model, a basket's vector is the mean of its dumps', which were added at one time.
fn means_hold(instance: &Instance) {
    for row in instance.rows("SELECT basket_id, model, centroid, weight FROM basket_vectors") {
        let (basket, model): (String, String) =
            (row.get("basket_id").expect("text"), row.get("model").expect("text"));
        let members = instance.rows(&format!(
            "SELECT embedding FROM dump_vectors WHERE basket_id = '{basket}' AND model = '{model}'"
        ));
        let centroid = floats(row.get("centroid").expect("bytes"));
        let mut mean = vec![0.0_f32; centroid.len()];
        for member in &members {
            let vector = floats(member.get("embedding").expect("bytes"));
            let norm = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
            mean.iter_mut()
                .zip(vector)
                .for_each(|(sum, number)| *sum += number / norm / members.len() as f32);
        }
        for (stored, expected) in centroid.iter().zip(&mean) {
            assert!((stored - expected).abs() < 1e-3, "{basket} {model}: {stored} {expected}");
        }
    }
}

#[test]
fn the_vectors_of_an_earlier_release_get_names_and_can_be_moved() {
    on_both_old(|instance| {
        let old = instance.engine.workspace(Some("Old")).expect("it is there");
        let token = instance.engine.mint_token(&old, "otto", "test").expect("a token").token;
        let otto = instance.user(Some(&token));
        assert_eq!(models(instance), ["host/8"]);
        assert_eq!(
            texts(instance, "SELECT dump_id AS x FROM dump_vectors ORDER BY x"),
            ["d0", "d1", "moved"]
        );
        // A client without a fingerprint writes at once; its baskets are not yet comparable.
        let arguments = json!({"content": FINDINGS[0]});
        assert_eq!(otto.ok("add_to_substrate", arguments)["status"], "queued");

        let told = instance.run(&["reembed", "-w", "Old"]).ok().stdout;
        assert_eq!(told, format!("Old: 5 vectors moved to {OURS}\n"));
        assert_eq!(models(instance), [OURS]);
        assert_eq!(instance.count("basket_vectors"), 2);
        means_hold(instance);
        let read = |text: &str| {
            let read = json!({"session_fingerprint": {"summary": text}});
            let read = otto.call_ok("get_substrate", read);
            read.meta("_basket_selection")["ranked"].clone()
        };
        let ranked = read(FINDINGS[0]);
        assert_eq!(ranked[0]["basket"]["id"], "b0", "{ranked}");
        assert_eq!(ranked[0]["similarity"], json!(1.0), "{ranked}");
        // What the user moved out of a basket still counts against it.
        let ranked = read(FINDINGS[2]);
        assert_eq!(ranked[0]["basket"]["id"], "b1", "{ranked}");
        assert_eq!(ranked[1]["penalty"], json!(0.15), "{ranked}");
        instance.run(&["unassigned", "assign", "c", "b0", "-w", "Old", "--as", "otto"]).ok();
        assert_eq!(models(instance), [OURS]);

        let again = instance.run(&["reembed"]).ok().stdout;
        assert!(again.contains(&format!("Old: 0 vectors moved to {OURS}\n")), "{again}");
    });
}

/// Fills a workspace with vectors of a host.
fn fill(instance: &Instance, count: usize) -> Vec<String> {
    let baskets: Vec<String> =
        (0..FINDINGS.len()).map(|at| instance.basket(&format!("B{at}"), at)).collect();
    for number in 0..count {
        let at = number % FINDINGS.len();
        let text = format!("{} Note {number}.", FINDINGS[at]);
        instance.owner().add_stored(&text, &axis(at));
    }
    baskets
}

/// A batch of the API's answers.
fn batch() -> Reply {
    let data: Vec<Value> =
        (0..BATCH).map(|index| json!({"index": index, "embedding": axis(index % 8)})).collect();
    Reply::new(200, &["Content-Type: application/json"], json!({"data": data}).to_string())
}

#[test]
fn a_move_that_is_killed_goes_on_where_it_was() {
    on_both(|instance| {
        let baskets = fill(instance, 60);
        let all = instance.count("dump_vectors");
        // The server answers twice, and then never.
        let server = Server::start(vec![batch(), batch(), batch().stops_after(0)]);
        let mut command = instance.command(&["reembed"]);
        command
            .env("YARNNN_EMBEDDER", "api")
            .env("YARNNN_EMBEDDER_BASE_URL", server.base_url())
            .env("YARNNN_EMBEDDER_MODEL", "theirs");
        let mut process =
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
        eventually("a third request", || (server.requests().len() == 3).then_some(()));
        process.kill().expect("it runs");
        process.wait().expect("it ends");
        let moved = "dump_vectors WHERE model = 'theirs'";
        assert_eq!(instance.count(moved), 2 * BATCH as i64);
        means_hold(instance);

        // While a server serves, clients write, with and without vectors of their own.
        let mut client = instance.session();
        let plain = json!({"content": FINDINGS[0], "basket_id": baskets[0]});
        assert_eq!(client.ok("add_to_substrate", plain)["status"], "success");
        let process =
            instance.command(&["reembed"]).stdout(Stdio::piped()).spawn().expect("it runs");
        let mut added = 0;
        for number in 0..20 {
            let text = format!("{} Meanwhile {number}.", FINDINGS[1]);
            let body = client.ok("add_to_substrate", addition(&text, &axis(1)));
            added += i64::from(body["status"] == "success");
        }
        assert!(process.wait_with_output().expect("it ends").status.success());
        means_hold(instance);
        instance.run(&["reembed"]).ok();
        assert_eq!(models(instance), [OURS]);
        assert_eq!(instance.count("dump_vectors"), all + 1 + added);
        assert_eq!(instance.count("basket_vectors"), FINDINGS.len() as i64);
        means_hold(instance);
        // The running server sees it, without a restart.
        for (at, basket) in baskets.iter().enumerate() {
            let read = json!({"session_fingerprint": {"summary": FINDINGS[at]}});
            let read = client.call("get_substrate", read);
            let best = &read.meta("_basket_selection")["primary"]["basket"]["id"];
            assert_eq!(text_of(best), *basket, "{}", read.response);
        }
        client.close();
    });
}

#[test]
fn a_move_that_fails_says_why_and_keeps_what_it_moved() {
    on_both(|instance| {
        fill(instance, 30);
        let server = Server::start(vec![batch(), Reply::status(401)]);
        let mut command = instance.command(&["reembed"]);
        command
            .env("YARNNN_EMBEDDER", "api")
            .env("YARNNN_EMBEDDER_BASE_URL", server.base_url())
            .env("YARNNN_EMBEDDER_MODEL", "theirs");
        toolwright_testing::run(command).fails(1, &["does not accept the key", "Check the key"]);
        assert_eq!(instance.count("dump_vectors WHERE model = 'theirs'"), BATCH as i64);
        let mut command = instance.command(&["reembed"]);
        command.env("YARNNN_EMBEDDER", "host");
        toolwright_testing::run(command).fails(1, &["`embedder.kind` is `host`"]);
        means_hold(instance);
    });
}

#[test]
fn a_terminal_shows_how_far_a_move_is() {
    let instance = Instance::on_sqlite();
    fill(&instance, 20);
    let all = instance.count("dump_vectors");
    let (mut screen, terminal) = terminal();
    let mut command = instance.command(&["reembed"]);
    assert!(command.stdout(Stdio::null()).stderr(terminal).status().expect("it runs").success());
    drop(command);
    let mut shown = Vec::new();
    // The end of a terminal whose other side is closed is an error.
    let _ = screen.read_to_end(&mut shown);
    let shown = String::from_utf8(shown).expect("text");
    let lines: Vec<&str> = shown.split('\r').map(str::trim_end).collect();
    assert!(lines.contains(&format!("Main [{}] 0 of {all}", ".".repeat(30)).as_str()), "{lines:?}");
    assert!(
        lines.contains(&format!("Main [{}] {all} of {all}", "#".repeat(30)).as_str()),
        "{lines:?}"
    );
    assert_eq!(lines.last(), Some(&""), "the line is removed: {lines:?}");
    // Nobody looks at a pipe.
    let piped = instance.run(&["reembed"]).ok();
    assert_eq!(piped.stderr, "");
}

/// A terminal: the side that a user sees, and the program's.
fn terminal() -> (File, File) {
    let screen =
        openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
    grantpt(&screen).expect("a terminal");
    unlockpt(&screen).expect("a terminal");
    let name = ptsname(&screen, Vec::new()).expect("its name");
    let name = name.to_str().expect("text");
    let program = File::options().read(true).write(true).open(name).expect("its other side");
    (File::from(screen), program)
}
