//! The builds that people wait for, now and in an earlier commit: what the tour needs, everything
//! after a small edit, and one surface alone. Both sides take turns; medians count.

use std::fs;
use std::path::PathBuf;

use super::cargo::{self, Profile};
use super::tree::{Edit, insert};
use super::{Tree, base};
use crate::stats::median;
use crate::table::{Bar, Row, Table};
use crate::{Plan, Result};

/// What `cargo run -- tour` builds.
const TOUR: &[&str] = &["--bin", "toolwright"];
/// What a bare `cargo build` builds.
const EVERYTHING: &[&str] = &[];

/// At the same place in both sides.
const HANDLER: Edit = Edit {
    file: "src/wink/tools/list_overrides.rs",
    after: "const FRAME_BYTES: usize = ",
    more: "1 + ",
};
const CONTRACT: Edit =
    Edit { file: "specs/wink/tools/list_overrides.yaml", after: "\n  Lists ", more: "really, " };

/// Ratios of ours to the base.
const TOUR_BAR: Bar = Bar::AtMost(0.8);
const EDIT_BAR: Bar = Bar::AtMost(0.25);
/// One surface to everything.
const ALONE_BAR: Bar = Bar::AtMost(0.5);
/// One surface after an edit, in seconds.
const ALONE_LIMIT: f64 = 4.0;

/// Sources with room for what is built of them.
struct Side {
    sources: PathBuf,
    target: PathBuf,
    /// What builds wink and nothing else.
    wink: &'static [&'static str],
}

/// Medians of one side, in seconds.
struct Figures {
    tour: f64,
    everything: Built,
    wink: Built,
}

/// From nothing, and after each edit.
struct Built {
    clean: f64,
    handler: f64,
    contract: f64,
}

/// One build by one side: seconds.
type Take<'a> = dyn Fn(&Side) -> Result<f64> + 'a;

pub(super) fn measure(
    plan: &Plan,
    tree: &Tree,
    revision: Option<&str>,
    table: &mut Table,
) -> Result<()> {
    let ours = Side {
        sources: tree.sources.clone(),
        target: tree.target("whole"),
        wink: &["--package", "wink"],
    };
    let mut sides = vec![ours];
    match base_side(tree, revision, table) {
        Ok(base) => sides.insert(0, base),
        Err(error) => table.missing.push(format!("builds of an earlier commit: {error}")),
    }
    for side in &sides {
        cargo::fetch(&side.sources.join("Cargo.toml"))?;
    }
    let mut figures = take_all(plan, &sides)?;
    let ours = figures.pop().ok_or("nothing was built")?;
    add(&ours, figures.pop().as_ref(), table);
    Ok(())
}

fn base_side(tree: &Tree, revision: Option<&str>, table: &mut Table) -> Result<Side> {
    let commit = base::resolve(revision)?;
    let sources = tree.folder.join("base");
    base::check_out(&commit, &sources)?;
    table.versions.insert("base".to_owned(), commit.chars().take(12).collect());
    let wink: &[&str] = match sources.join("src/wink/Cargo.toml").is_file() {
        true => &["--package", "wink"],
        false => &["--bin", "wink"],
    };
    Ok(Side { sources, target: tree.target("base"), wink })
}

/// The figures of each side, in the order of the sides.
fn take_all(plan: &Plan, sides: &[Side]) -> Result<Vec<Figures>> {
    let turns = |take: &Take<'_>| measure_interleaved(plan.build_rounds, sides, take);
    let tour = turns(&|side| side.from_nothing("tour", Profile::Release, TOUR))?;
    // They are large, and not needed again.
    for side in sides {
        fs::remove_dir_all(side.target.join("tour"))?;
    }
    let whole = built(&turns, "everything", |_| EVERYTHING)?;
    let wink = built(&turns, "wink", |side| side.wink)?;
    let all = tour.into_iter().zip(whole.into_iter().zip(wink));
    Ok(all.map(|(tour, (everything, wink))| Figures { tour, everything, wink }).collect())
}

/// Debug builds of `what` from nothing and after both edits, in a target folder of their own.
fn built(
    turns: &dyn Fn(&Take<'_>) -> Result<Vec<f64>>,
    target: &str,
    what: fn(&Side) -> &'static [&'static str],
) -> Result<Vec<Built>> {
    let clean = turns(&|side| side.from_nothing(target, Profile::Debug, what(side)))?;
    let after = |edit: &Edit| {
        turns(&|side| {
            insert(&side.sources, edit)?;
            side.build(target, Profile::Debug, what(side))
        })
    };
    let handler = after(&HANDLER)?;
    let contract = after(&CONTRACT)?;
    let all = clean.into_iter().zip(handler).zip(contract);
    Ok(all.map(|((clean, handler), contract)| Built { clean, handler, contract }).collect())
}

/// The median of each side.
fn measure_interleaved(rounds: usize, sides: &[Side], take: &Take<'_>) -> Result<Vec<f64>> {
    let mut times = vec![Vec::new(); sides.len()];
    for _ in 0..rounds {
        for (side, times) in sides.iter().zip(&mut times) {
            times.push(take(side)?);
        }
    }
    Ok(times.into_iter().map(median).collect())
}

impl Side {
    fn from_nothing(&self, target: &str, profile: Profile, what: &[&str]) -> Result<f64> {
        let folder = self.target.join(target);
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        self.build(target, profile, what)
    }

    fn build(&self, target: &str, profile: Profile, what: &[&str]) -> Result<f64> {
        cargo::build(&self.sources.join("Cargo.toml"), &self.target.join(target), profile, what)
    }
}

fn add(ours: &Figures, base: Option<&Figures>, table: &mut Table) {
    let row = |what: &str, pick: fn(&Figures) -> f64, bar: Option<Bar>| {
        Row::new(what, "s", pick(ours)).base(base.map(pick), bar)
    };
    table.add(row("clean, release, the tour", |side| side.tour, Some(TOUR_BAR)));
    table.add(row("clean, debug, five surfaces", |side| side.everything.clean, None));
    table.add(row(
        "after an edit of a handler, debug, five surfaces",
        |side| side.everything.handler,
        Some(EDIT_BAR),
    ));
    table.add(row(
        "after an edit of a contract, debug, five surfaces",
        |side| side.everything.contract,
        Some(EDIT_BAR),
    ));
    let alone = row("clean, debug, wink alone", |side| side.wink.clean, None);
    table.add(alone.part_of("five surfaces", ours.everything.clean, ALONE_BAR));
    let handler = "after an edit of a handler, debug, wink alone";
    table.add(row(handler, |side| side.wink.handler, None).limit(ALONE_LIMIT));
    let contract = "after an edit of a contract, debug, wink alone";
    table.add(row(contract, |side| side.wink.contract, None).limit(ALONE_LIMIT));
}
