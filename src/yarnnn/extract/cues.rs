//! Cue phrases that show the kind of a sentence: here the English ones.
//!
//! One table per language, matched in one pass over the words of a sentence. What the marks mean
//! together is decided elsewhere.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::language::Language;
use super::words::Word;
use super::{cues_german, cues_portuguese};

/// The meaning of a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// Something was decided.
    Decided,
    /// Something must or must not be.
    Hard,
    /// Something should or should not be.
    Soft,
    /// Something is wanted.
    Wanted,
    /// Something is to be done.
    Todo,
    /// Something is wrong.
    Trouble,
    /// Something explains something.
    Reason,
    /// Somebody is quoted.
    Said,
    /// The speaker is not sure.
    Hedge,
    /// It is urgent.
    Urgent,
    /// A point in time that a date may belong to.
    Milestone,
    /// There is a verb.
    Verb,
}

/// A matched phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) mark: Mark,
    /// Its first word.
    pub(super) at: usize,
    /// How many words it has.
    pub(super) len: usize,
}

/// Phrases are divided by `,`.
const TABLE: &[(Mark, &str)] = &[
    (
        Mark::Decided,
        "decided, we decide, agreed, we agree, we will, we'll, we chose, we choose, we picked, \
         we selected, settled on, going with, go with, went with, let's use, let's go with, \
         let's keep, let's adopt, we're going to, we are going to, decision is, decision was, \
         opted for, opted to, signed off on, we approved, was approved, is approved, finalized, \
         finalised, committed to, we've chosen, has been chosen, was chosen, we are switching to, \
         we're switching to, we are dropping, we're dropping, \
         instead of, from now on, no change, it is then, changed my mind, change of plan, i propose, \
         we leave, leave it as, leave the, we don't replace, we stop, we switch, we keep, \
         we're keeping, we stay with, we're staying, stick with, sticking with, drop the, \
         rather than, goes to, goes from, stays at, stays as, moves to, moved to, switch to, \
         switched to, settles it, signed off, is approved, was rejected, not doing, i've struck, \
         have struck, ruled out, postponed to, pushed to, brought forward, has approved, \
         we'd rather, ok let's, makes it, final answer, i'm not growing, not again",
    ),
    (
        Mark::Hard,
        "must, mustn't, cannot, not allowed, isn't allowed, aren't allowed, forbidden, prohibited, \
         required, mandatory, at most, no more than, at least, no less than, may not, never, \
         limit, limits, limited to, limit is, capped at, budget, deadline, maximum, not exceed, \
         comply with, compliant with, under no circumstances, non negotiable, may only, can only, \
         only if, only when, only after, only with, only in, only on, only from, only by, \
         only accept, only accepts, only support, only supports, only use, only uses, \
         only allow, only allows, only works, \
         has to be, have to be, needs to be, need to be, can't use, can't be, can't have, \
         can't change, can't exceed, can't store, can't share, is restricted to, \
         only one, no later than, not before, one per, non refundable, do not, don't, can't eat, \
         can't have, must stay, not a penny, full stop, strictly, no exceptions, not possible to, \
         not without, unless, no more, until then",
    ),
    (
        Mark::Soft,
        "should not, shouldn't, should avoid, should be, should stay, should always, ideally, \
         preferably, prefer, prefers, don't want, do not want, doesn't want, does not want, avoid",
    ),
    (
        Mark::Wanted,
        "want, wants, aim, aims, aiming, target, targets, goal, goals, objective, hope to, \
         hoping to, plan to, plans to, planning to, would like, we'd like, i'd like, intend to, \
         intends to, mission is, vision is, north star, trying to, looking to, strive, \
         success means, success looks like, our ambition, aspire to",
    ),
    (
        Mark::Todo,
        "need to, needs to, has to, have to, to do, todo, action item, next step, follow up, \
         i will, i'll, i'm going to, i am going to, remember to, don't forget to, assigned to, \
         is responsible for, are responsible for, is owned by, owner, owns, due by, due on, \
         take care of, takes care of, \
         please get, please send, please book, i can bring, can you, could you, will you, will be \
         sent, to be sent, goes out, letter to, on it, i'm on, chase, ask the, pick up, picks up",
    ),
    (
        Mark::Trouble,
        "problem, problems, issue, issues, bug, bugs, broken, breaks, fail, fails, failed, \
         failing, failure, failures, error, errors, crash, crashes, crashed, crashing, too slow, \
         is slow, are slow, doesn't work, does not work, don't work, didn't work, not working, \
         isn't working, blocked, blocker, risk, risks, risky, concern, concerns, worried, missing, \
         lack, lacks, lacking, struggle, struggles, struggling, pain, painful, difficult, \
         confusing, confused, complain, complains, complained, complaining, complaints, outage, \
         outages, incident, incidents, leak, leaks, regression, unable, too expensive, too hard, \
         too many, too long, too much, too few, timeout, timeouts, times out, drops out, \
         bottleneck, vulnerability, vulnerable, flaky, can't reproduce, can't find, can't see, \
         can't afford, lost, loses, losing, \
         swells, swollen, hurts, hurt, sore, ache, aches, ulcer, ulcers, bleeding, allergic, nausea, \
         ripped, torn, cracked, leaking, leaked, rusty, mould, mold, damp, flared, duplicate, \
         duplicates, delivered twice, same event twice, overdue, out of stock, out of date, stuck, \
         rejected by, doesn't fit, noise, noisy, wrong, unnoticed, late again, again last, \
         too hot, too cold, too thick, too thin, too small, too loud, too late, too low, too high, \
         slightly up, went up to, prices up, liable, cannot both, can't both, no signal, \
         not charging, keeps falling, keeps failing, keeps going, ran out, runs out of, stopped working",
    ),
    (
        Mark::Reason,
        "because, means that, therefore, which means, due to, as a result, leads to, led to, \
         turns out, turned out, we learned, i learned, we realised, we realized, i realised, \
         i realized, suggests, indicates, implies, the reason, that's why, which is why, \
         takeaway, caused by, causes, correlates, shows that, tells us, in other words, thanks to, \
         driven by, explains, insight, lesson, \
         otherwise, which explains, that explains, so that's, so the, so a, so an, so every, so it, \
         so they, so anything, not because, it was the, gives off, makes it, as long as, \
         rather harsh, the trick is, the point is, in practice, in my experience, behaves, \
         resets, normally, tends to",
    ),
    (
        Mark::Said,
        "said, says, told, tells, wrote, writes, asked, according to, quote, quoted, replied, \
         answered, commented, mentioned, stated, put it, remarked",
    ),
    (
        Mark::Hedge,
        "maybe, might, perhaps, possibly, probably, i think, i guess, i believe, i suppose, \
         not sure, unsure, could be, may be, seems, seem, seemingly, apparently, likely, kind of, \
         sort of, roughly speaking, i'm not certain, we could, presumably, supposedly, tentatively, \
         hopefully",
    ),
    (
        Mark::Urgent,
        "urgent, urgently, asap, immediately, high priority, top priority, critical, p0, p1, \
         right away, as soon as possible",
    ),
    (
        Mark::Milestone,
        "launch, launches, launching, release, releases, go live, goes live, starts, start, ends, \
         end, kickoff, ships, ship, due, milestone, expires, renews, renewal, beta, begins",
    ),
    (
        Mark::Verb,
        "is, are, was, were, be, been, am, has, have, had, do, does, did, will, would, can, could, \
         should, must, may, might, shall, isn't, aren't, wasn't, weren't, hasn't, haven't, don't, \
         doesn't, didn't, won't, can't, couldn't, shouldn't, it's, that's, we're, they're, i'm, \
         we've, they've, i've, we'll, they'll, got, gets, get, use, uses, run, runs, ran, work, \
         works, make, makes, made, take, takes, took, give, gives, gave, go, goes, went, come, \
         comes, came, keep, keeps, kept, hold, holds, held, support, supports, cost, costs, sell, \
         sells, sold, buy, buys, bought, pay, pays, paid, grow, grows, grew, rise, rises, rose, \
         fall, falls, fell, drop, drops, show, shows, mean, means, meant, live, lives, sit, sits, \
         stand, stands, start, starts, end, ends, begin, begins, began, contain, contains, \
         include, includes, need, needs, want, wants, like, likes, love, loves, hate, hates, \
         prefer, prefers, handle, handles, store, stores, send, sends, sent, read, reads, write, \
         writes, wrote, build, builds, built, ship, ships, serve, serves, return, returns, call, \
         calls, accept, accepts, reject, rejects, provide, provides, offer, offers, manage, \
         manages, lead, leads, led, report, reports, spend, spends, spent, lose, loses, lost, \
         win, wins, won, know, knows, knew, think, thinks, thought, see, sees, saw, find, finds, \
         found, feel, feels, felt, become, becomes, became, happen, happens, depend, depends, \
         require, requires, rely, relies, belong, belongs, speak, speaks, spoke, say, says, said, \
         tell, tells, told, meet, meets, met, close, closes, open, opens, move, moves, change, \
         changes, own, owns, lets, let, helps, help, allows, allow, expects, expect, covers, \
         cover, drives, drive, drove, hit, hits, beat, beats, cut, cuts, put, puts, set, sets, \
         left, leave, leaves, kill, kills, replaces, replace, matters, matter, counts, lasts",
    ),
];

type Rest = (Vec<&'static str>, Mark);

/// Phrases by their first word. Never walked through, so its order does not matter.
type ByFirst = HashMap<&'static str, Vec<Rest>>;

static ENGLISH: LazyLock<ByFirst> = LazyLock::new(|| by_first(TABLE));
static GERMAN: LazyLock<ByFirst> = LazyLock::new(|| by_first(cues_german::TABLE));
static PORTUGUESE: LazyLock<ByFirst> = LazyLock::new(|| by_first(cues_portuguese::TABLE));

fn by_first(table: &[(Mark, &'static str)]) -> ByFirst {
    let mut by_first = ByFirst::new();
    for (mark, phrases) in table {
        for phrase in phrases.split(',') {
            let mut words = phrase.split_whitespace();
            if let Some(first) = words.next() {
                by_first.entry(first).or_default().push((words.collect(), *mark));
            }
        }
    }
    by_first
}

/// All phrases of the language's table in a sentence, by where they begin.
pub(super) fn hits(words: &[Word<'_>], language: Language) -> Vec<Hit> {
    let by_first = match language {
        Language::English => &*ENGLISH,
        Language::German => &*GERMAN,
        Language::Portuguese => &*PORTUGUESE,
        Language::Other => return Vec::new(),
    };
    let mut hits = Vec::new();
    for (at, word) in words.iter().enumerate() {
        for (rest, mark) in by_first.get(word.text.as_ref()).into_iter().flatten() {
            let after = words.get(at + 1..).unwrap_or_default();
            if starts(after, rest) {
                hits.push(Hit { mark: *mark, at, len: rest.len() + 1 });
            }
        }
    }
    hits
}

/// Whether words begin with a phrase.
pub(super) fn starts(words: &[Word<'_>], phrase: &[&str]) -> bool {
    words.len() >= phrase.len()
        && words.iter().zip(phrase).all(|(word, wanted)| word.text.as_ref() == *wanted)
}
