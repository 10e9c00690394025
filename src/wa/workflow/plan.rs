//! What a run would do, worked out without doing any of it.

use serde_json::{Value, json};
use toolwright_runtime::digest::sha256_hex;

use super::builtin::{BuiltIn, guards, plans};
use super::catalogue::{Definition, Entry};
use super::declared::Step;
use super::model::{ActionPlan, Guard, Plan, PolicySummary};
use super::table::{self, Which};
use super::{Inner, now_of, observe};
use crate::drive::{self, Input};
use crate::error::{Kind, Result};
use crate::model::{Actor, ActorKind, Agent, Millis};
use crate::policy::Request;

impl Inner {
    pub(super) fn plan(&self, name: &str, pane_id: u64, force: bool) -> Result<Plan> {
        let entry = self.find(name)?;
        let seen = observe::observe(&self.context, pane_id, None)?;
        let mut all = Vec::new();
        if let Definition::BuiltIn(built_in) = entry.definition {
            if guards::apply_to(built_in) {
                all.extend(guards::of(built_in, &seen.state));
            }
            if plans::cooldown(built_in).is_some() {
                let now = now_of(&self.context);
                let store = &self.context.store;
                let left = plans::cooling(store, built_in, &seen.row.identity, now)?;
                all.push(match left {
                    Some(left) => failed("cooldown", format!("the cooldown ends in {left} ms")),
                    None => passed("cooldown", "no cooldown is active"),
                });
            }
        }
        let store = &self.context.store;
        let holder = store
            .read(|reader| Ok(table::read(reader, &Which::Holder(&seen.row.identity))?.pop()))?;
        all.push(match holder {
            Some(holder) => failed(
                "pane_lock",
                format!("`{}` ({}) is running in the pane", holder.workflow, holder.id),
            ),
            None => passed("pane_lock", "no other workflow is running in the pane"),
        });
        let trigger = match self.trigger(&entry.info, pane_id, force, None) {
            Ok(trigger) => {
                all.push(passed("already_handled", "the event is not handled yet"));
                trigger
            }
            Err(error) if error.kind == Kind::Workflow => {
                all.push(failed("already_handled", error.message));
                None
            }
            Err(error) => return Err(error),
        };
        let against: Vec<&str> =
            all.iter().filter(|guard| !guard.passed).map(|guard| guard.detail.as_str()).collect();
        let reason = (!against.is_empty()).then(|| against.join("; "));
        let policy = self.first_input(&entry, &seen)?;
        let action_plan = action_plan(&entry, pane_id, now_of(&self.context));
        Ok(Plan {
            workflow: entry.info.name,
            pane_id,
            trigger_event_id: trigger.map(|event| event.id),
            steps: entry.info.steps,
            would_run: reason.is_none(),
            reason,
            guards: all,
            policy,
            plan_hash: action_plan.plan_hash,
        })
    }

    /// What the policy would say to the first thing that is typed, when nothing comes before it.
    fn first_input(
        &self,
        entry: &Entry,
        seen: &observe::PaneSnapshot,
    ) -> Result<Option<PolicySummary>> {
        let text = match &entry.definition {
            Definition::BuiltIn(BuiltIn::Compaction) => {
                let agent = seen.state.agent.map_or(Agent::Unknown, |seen| seen.agent);
                Some(super::builtin::prompt(&self.context.options, agent, &seen.row))
            }
            Definition::BuiltIn(BuiltIn::UsageLimits) => Some("\x03".to_owned()),
            Definition::BuiltIn(_) => None,
            Definition::Declared(declared) => match declared.steps.first() {
                Some(Step::SendText { text, .. }) => Some(text.clone()),
                Some(Step::SendCtrl { key, .. }) => Some(key.character().to_owned()),
                _ => None,
            },
        };
        let Some(text) = text else { return Ok(None) };
        let input: Input = drive::classify(&text)?;
        let actor = Actor {
            kind: ActorKind::Workflow,
            id: entry.info.name.clone(),
            session: "plan".to_owned(),
        };
        let request = Request {
            actor: &actor,
            action: input.action(),
            pane: Some(&seen.row),
            state: Some(&seen.state),
            text: input.text(),
            workflow: Some(&entry.info.name),
        };
        let verdict = self.context.policy.decide(&request, now_of(&self.context))?;
        Ok(Some(PolicySummary {
            decision: verdict.decision,
            rule: verdict.rule,
            reason: verdict.reason,
            audit_id: None,
        }))
    }
}

/// The plan that an execution is started with. Equal plans have equal hashes.
pub(super) fn action_plan(entry: &Entry, pane_id: u64, now: Millis) -> ActionPlan {
    let plan: Value = json!({
        "workflow": entry.info.name,
        "pane_id": pane_id,
        "steps": entry.info.steps,
    });
    let plan_hash = sha256_hex(plan.to_string().as_bytes());
    let plan_id = format!("plan:{}", plan_hash.get(..16).unwrap_or_default());
    ActionPlan { plan_id, plan_hash, plan, created_at: now }
}

fn passed(name: &str, detail: &str) -> Guard {
    Guard { name: name.to_owned(), passed: true, detail: detail.to_owned() }
}

fn failed(name: &str, detail: String) -> Guard {
    Guard { name: name.to_owned(), passed: false, detail }
}
