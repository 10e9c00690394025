//! A risk score from 0 to 100 for an action. Recorded with the decision; decides nothing.

use super::engine::working_agent;
use super::gate::Report;
use super::types::Request;
use crate::model::{Action, ActorKind, PaneState};

/// What adds to the risk, and how much.
pub(crate) const FACTORS: &[(&str, u8)] = &[
    ("risk.factor.alt_screen", 60),
    ("risk.factor.alt_screen_unknown", 40),
    ("risk.factor.command_running", 25),
    ("risk.factor.no_prompt", 20),
    ("risk.factor.recent_gap", 35),
    ("risk.factor.reserved", 50),
    ("risk.factor.mutating", 10),
    ("risk.factor.destructive", 25),
    ("risk.factor.untrusted", 15),
    ("risk.factor.destructive_command", 40),
    ("risk.factor.sudo", 30),
    ("risk.factor.multiline", 15),
    ("risk.factor.pipes", 10),
];

/// The risk and what it is made of.
pub(super) fn score(
    request: &Request<'_>,
    state: &PaneState,
    report: &Report,
    reserved: bool,
) -> (u8, Vec<&'static str>) {
    let input = request.action.is_input();
    let mutating = input || matches!(request.action, Action::Spawn | Action::Close);
    // An agent's own screen says nothing about shells.
    let shell = input && working_agent(state).is_none();
    let present = [
        shell && state.alt_screen == Some(true),
        shell && state.alt_screen.is_none(),
        shell && state.command_running == Some(true),
        shell && state.prompt_active != Some(true),
        input && state.recent_gap,
        reserved,
        mutating,
        request.action.is_destructive(),
        request.actor.kind != ActorKind::Human,
        !report.findings.is_empty(),
        report.sudo,
        request.text.is_some_and(|text| text.trim_end().contains(['\n', '\r'])),
        report.pipes,
    ];
    let found =
        FACTORS.iter().zip(present).filter_map(|(factor, present)| present.then_some(*factor));
    let (names, weights): (Vec<&'static str>, Vec<u8>) = found.unzip();
    let sum = weights.into_iter().fold(0, u8::saturating_add);
    (sum.min(100), names)
}
