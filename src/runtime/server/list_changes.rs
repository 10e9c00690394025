//! Notices that the lists of tools and of the resources that mirror them are others than a client has
//! seen: the choice of tools was replaced, or the caller may call others than before.
//!
//! Knows neither how a client is told nor who changed what.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::host::Host;
use crate::contract::ResourceSource;
use crate::dispatch::Dispatch;
use crate::tool_selection::ToolSelection;

/// How often a surface with roles is asked what the caller may call: roles live in its store, where
/// another process may change them.
const ROLES: Duration = Duration::from_secs(3);

/// The lists as one client has seen them.
pub(super) struct Lists {
    host: Arc<Host>,
    /// The surface that is bound to the caller.
    bound: Option<Arc<dyn Dispatch>>,
    choice: watch::Receiver<Arc<ToolSelection>>,
    /// The tools that the caller may call, as far as it was ever known.
    callable: Option<Vec<usize>>,
    /// By the tool's index, whether it is listed.
    seen: Vec<bool>,
}

/// The list of tools has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ListChange {
    /// That of resources has too.
    pub(super) resources: bool,
    /// So has that of prompts.
    pub(super) prompts: bool,
}

impl Lists {
    /// The lists with this choice, which may have been replaced since.
    pub(super) async fn with(
        host: Arc<Host>,
        bound: Option<Arc<dyn Dispatch>>,
        choice: &ToolSelection,
    ) -> Self {
        let mut lists =
            Self { choice: host.tools.watch(), host, bound, callable: None, seen: Vec::new() };
        lists.seen = lists.look(choice).await;
        lists
    }

    /// Waits until a list is another one. Nothing is lost if it is not waited for to the end.
    pub(super) async fn changed(&mut self) -> ListChange {
        loop {
            let choice = self.choice.borrow_and_update().clone();
            let now = self.look(&choice).await;
            if now != self.seen {
                let change = self.difference(&now);
                self.seen = now;
                return change;
            }
            let roles = async {
                match self.host.info.roles {
                    [] => std::future::pending().await,
                    _ => tokio::time::sleep(ROLES).await,
                }
            };
            tokio::select! {
                // Never the end: the host keeps the sender.
                _ = self.choice.changed() => {}
                () = roles => {}
            }
        }
    }

    async fn look(&mut self, choice: &ToolSelection) -> Vec<bool> {
        // A store that cannot be reached changes nothing.
        let callable = self.host.callable(self.bound.as_ref()).await;
        self.callable = callable.or_else(|| self.callable.take());
        let may_call =
            |tool| self.callable.as_ref().is_none_or(|callable| callable.contains(&tool));
        (0..self.host.info.tools.len()).map(|tool| choice.has(tool) && may_call(tool)).collect()
    }

    fn difference(&self, now: &[bool]) -> ListChange {
        let differs = |tool: usize| now.get(tool) != self.seen.get(tool);
        let resources = self.host.info.resources.iter().any(|resource| match resource.source {
            ResourceSource::Tool(tool) => differs(tool),
            ResourceSource::File { .. } | ResourceSource::Blob { .. } => false,
        });
        let prompts = self.host.info.prompts.iter().any(|prompt| {
            self.host.has_switched_on(prompt) && prompt.tools.iter().any(|tool| differs(*tool))
        });
        ListChange { resources, prompts }
    }
}
