//! `wa.workflow_list`

use toolwright_runtime::{Call, Handle};

use crate::engine::Engine;
use crate::generated::{
    Result, Workflow, WorkflowList, WorkflowListRequest, WorkflowListResponse, WorkflowListing,
    WorkflowParameter, WorkflowParameterType,
};
use crate::workflow::WorkflowInfo;
use crate::{Wa, error};

impl Handle<WorkflowList> for Wa {
    async fn handle(&self, _: &Call, _: WorkflowListRequest) -> Result<WorkflowListResponse> {
        self.run(list).await
    }
}

fn list(engine: &Engine) -> error::Result<WorkflowListing> {
    let listed = engine.workflows()?.list();
    for broken in &listed.broken {
        tracing::warn!(
            event = "wa.workflow_broken",
            file = %broken.file.display(),
            "{}", broken.problem
        );
    }
    let enabled = listed.workflows.iter().filter(|workflow| workflow.enabled).count();
    Ok(WorkflowListing {
        total: listed.workflows.len() as u64,
        enabled_count: Some(enabled as u64),
        workflows: listed.workflows.into_iter().map(shown).collect(),
    })
}

fn shown(workflow: WorkflowInfo) -> Workflow {
    let pane = WorkflowParameter {
        name: "pane_id".to_owned(),
        type_: WorkflowParameterType::PaneId,
        required: Some(true),
        default: None,
        description: Some("The pane to run in.".to_owned()),
    };
    Workflow {
        name: workflow.name,
        description: Some(workflow.description),
        enabled: workflow.enabled,
        trigger_event_types: workflow.trigger_event_types,
        trigger_rule_ids: workflow.trigger_rule_ids,
        agent_types: workflow.agent_types,
        step_count: Some(workflow.steps.len() as u64),
        parameters: vec![pane],
        requires_pane: Some(true),
        requires_approval: Some(workflow.requires_approval),
        can_abort: Some(true),
        destructive: Some(workflow.destructive),
        dependencies: workflow.dependencies,
    }
}
